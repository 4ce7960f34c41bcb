/// Ways in which older versions of Apple's controller differed from its documentation.
///
/// No quirk is on by default. Quirks show why old apps have defensive code. The callbacks of a
/// controller with a quirk may break the ``ReplayLaw``.
package struct FetchedResultsQuirks: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// An object that changes and keeps its place is reported as a move whose paths are equal: iOS 9
  /// (rdar://22796598).
  package static let samePathMove = Self(rawValue: 1)
  /// An object that moves is reported as an update first, and then as the move: an app built with
  /// Xcode 7, on iOS 8.
  package static let updateAndMove = Self(rawValue: 2)
  /// An object that changes its section is reported as an update if its old and its new path are
  /// equal: iPhone OS 3, logged in February 2010.
  package static let sectionChangeAsUpdate = Self(rawValue: 4)
  /// A snapshot marks no object as reloaded, as before iOS 15.
  package static let snapshotsWithoutReloads = Self(rawValue: 8)
  /// A merged update of an object that the context had not read is not reported, as before iOS 10.
  package static let unreadMergesLost = Self(rawValue: 16)
  /// A fetch from a file counts the rows of each section.
  ///
  /// Each section, in the order of the names, gets that many of the rows, without an error if the
  /// rows have another order.
  package static let countedSections = Self(rawValue: 32)
  /// An observer publishes every save of an object of its entity, also of one that is not in its
  /// results; see ``ObservedResults/firesOnUnrelatedSaves``.
  package static let unrelatedSavesFire = Self(rawValue: 64)
  /// Reading a row that was deleted and saved, and that its observer still lists, ends the program:
  /// in a script, the statement.
  package static let deletedRowsTrap = Self(rawValue: 128)
}

extension ResultsDecision {
  /// Reports moves and updates as older versions did.
  ///
  /// The places of the rows are not changed.
  ///
  /// - Complexity: O(*c*) for *c* moves and updates.
  package mutating func apply(_ quirks: FetchedResultsQuirks) {
    var changes: [RowChange] = []
    var evidence: [RowEvidence] = []
    for (index, change) in movesAndUpdates.enumerated() {
      let told = change.told(with: quirks)
      changes += told
      if let known = self.evidence?.movesAndUpdates {
        evidence += told.map { _ in known[index] }
      }
    }
    movesAndUpdates = changes
    self.evidence?.movesAndUpdates = evidence
  }
}

extension ResultsDecision.RowChange {
  fileprivate func told(with quirks: FetchedResultsQuirks) -> [Self] {
    let isAtOnePath = indexPath == newIndexPath
    switch kind {
    case .insert, .delete: return [self]
    case .update:
      guard quirks.contains(.samePathMove), isAtOnePath else { return [self] }
      return [asTold(.move, .samePathMove)]
    case .move:
      if quirks.contains(.sectionChangeAsUpdate), isAtOnePath, reason == .changedSection {
        return [asTold(.update, .sectionChangeAsUpdate)]
      }
      return quirks.contains(.updateAndMove) ? [asTold(.update, .updateAndMove), self] : [self]
    }
  }

  private func asTold(_ kind: Kind, _ reason: ChangeReason) -> Self {
    Self(
      kind: kind, number: number, place: place, indexPath: indexPath,
      newIndexPath: newIndexPath, reason: reason)
  }
}
