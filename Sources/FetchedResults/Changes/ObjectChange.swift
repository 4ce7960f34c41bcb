/// The change of one object between two processings of its context.
package struct ObjectChange: Sendable {
  package private(set) var objectID: ObjectID
  /// The values before; nil if the object did not exist.
  ///
  /// If a merge brought the object, these are the values that it arrived with. A controller whose
  /// fetch found the object before the merge knows it by them.
  package let known: ObjectSnapshot?
  /// The values after; nil if the object no longer exists.
  package let after: ObjectSnapshot?
  /// What made the object count as changed.
  package let causes: ChangeCauses
  /// Whether a merge brought the object into the context between the two processings.
  package let isArrival: Bool

  package init(
    objectID: ObjectID, before: ObjectSnapshot?, after: ObjectSnapshot?, causes: ChangeCauses,
    isArrival: Bool = false
  ) {
    self.objectID = objectID
    known = before
    self.after = after
    self.causes = causes
    self.isArrival = isArrival
  }

  /// The values before; nil if the object was not in the context.
  package var before: ObjectSnapshot? { isArrival ? nil : known }

  /// Whether the change came by a merge.
  package var isMerged: Bool { isArrival || causes.contains(.merged) }

  /// Whether the context knew the values before; otherwise `before` only says that the object
  /// existed.
  package var isBeforeKnown: Bool { !causes.contains(.unread) }

  package enum Kind: Hashable, Sendable {
    case inserted
    case updated
    case deleted
  }

  /// Nil if the object was inserted and deleted between the two processings.
  ///
  /// An object that arrived and was deleted existed in the source, so it counts as deleted.
  package var kind: Kind? {
    switch (known != nil, after != nil) {
    case (false, true): .inserted
    case (true, true): isArrival ? .inserted : .updated
    case (true, false): .deleted
    case (false, false): nil
    }
  }

  /// Returns the change as a controller sees it that already has the object among its rows.
  ///
  /// Such a controller already knows that the object arrived, but not what happened to it since.
  ///
  /// - Parameter isRelated: Whether a related object changed that the controller tracks.
  func ofKnownRow(isRelated: Bool) -> ObjectChange {
    guard isArrival, isRelated || !causes.isEmpty else { return self }
    return ObjectChange(
      objectID: objectID, before: known, after: after,
      causes: isRelated ? causes.union(.related) : causes)
  }

  /// Returns the change with another identity of the object.
  package func renumbered(as objectID: ObjectID) -> ObjectChange {
    var change = self
    change.objectID = objectID
    return change
  }

  /// Returns this change and a later one of the object as one change.
  package func followed(by later: ObjectChange) -> ObjectChange {
    ObjectChange(
      objectID: later.objectID, before: known, after: later.after,
      causes: causes.union(later.causes), isArrival: isArrival)
  }
}

/// What made an object count as changed in one turn.
package struct ChangeCauses: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A value was assigned, or the object was deleted, or the other side of a
  /// relationship changed.
  package static let assigned = ChangeCauses(rawValue: 1)
  /// Another context's save was merged.
  package static let merged = ChangeCauses(rawValue: 2)
  /// The object was read again from its source.
  package static let refreshed = ChangeCauses(rawValue: 4)
  /// An undo, a redo or a rollback.
  package static let undone = ChangeCauses(rawValue: 8)
  /// A save met a conflict, and the merge policy resolved it.
  package static let resolved = ChangeCauses(rawValue: 16)
  /// The context had not read the object before, so the values before are
  /// unknown.
  package static let unread = ChangeCauses(rawValue: 32)
  /// The object was taken out of the context.
  package static let invalidated = ChangeCauses(rawValue: 64)
  /// A controller tracks this object's related objects, and one of them changed.
  ///
  /// The values before and after are the same.
  package static let related = ChangeCauses(rawValue: 128)
}

/// The kind of a change of an object or a section.
public enum FetchedResultsChangeType: String, Hashable, Sendable, CaseIterable, Codable {
  /// An object or a section was added to the results.
  case insert
  /// An object or a section was removed from the results.
  case delete
  /// An object changed, and is at another place.
  case move
  /// An object changed, and kept its place.
  case update
}

/// The rule that decided how a change is reported.
public enum ChangeReason: String, Hashable, Sendable, Codable {
  /// The object was created and matches.
  case created
  /// The object existed, and starts to match now.
  case startedMatching
  /// The object was deleted.
  case deleted
  /// The object exists, and no longer matches.
  case stoppedMatching
  /// The object already matched, and a kept limit lets it in now.
  case enteredLimit
  /// The object still matches, and a kept limit cuts it off now.
  case leftLimit
  /// The object changed and kept its place among the rows that stay.
  case keptPlace
  /// The object passed a row that did not change.
  case passedUnchanged
  /// The object passed rows that also changed and that kept their places.
  case passedChanged
  /// The object's section name changed.
  case changedSection
  /// The object's section changed places with another one. Sections never move, so its rows do.
  case sectionReordered
  // Reports of older versions; see ``FetchedResultsQuirks``.

  /// The object changed and kept its place, and is reported as a move.
  case samePathMove
  /// The object moves, and is reported as an update first.
  case updateAndMove
  /// The object's section name changed, and it is reported as an update.
  case sectionChangeAsUpdate
}

extension ChangeReason {
  /// Why an object became a result.
  init(enteringBy cause: MembershipChange.Cause) {
    self =
      switch cause {
      case .existence: .created
      case .match: .startedMatching
      case .limit: .enteredLimit
      }
  }

  /// Why an object is no longer a result.
  init(leavingBy cause: MembershipChange.Cause) {
    self =
      switch cause {
      case .existence: .deleted
      case .match: .stoppedMatching
      case .limit: .leftLimit
      }
  }
}

/// The rule by which a section is reported as inserted or deleted.
public enum SectionReason: String, Hashable, Sendable, Codable {
  /// The section got its first row.
  case filled
  /// The section lost its last row.
  case emptied
  /// The section changed places with another one, and sections never move.
  case reordered
}

/// Why the change of an object is not reported.
package enum UnreportedReason: Hashable, Sendable {
  /// The object is of an entity that the request does not ask for.
  case otherEntity
  /// The object was not a row, and does not match before or after.
  case staysOutside
  /// The object matches before or after the batch, but a kept limit shows it at neither time.
  case outsideLimit
  /// The fetch found the object before its insertion was merged.
  case alreadyFetched
  /// The controller has no results: `performFetch` was not called, or the context was reset.
  case notFetched
  /// There is no delegate that receives changes.
  case noDelegate
  /// The predicate raised or a fetch failed, so the controller stopped tracking.
  case stopped
}

/// A change of an object that a controller does not report.
package struct UnreportedChange: Sendable {
  /// The index of the change in its batch.
  package let place: Int
  package let reason: UnreportedReason
}

extension ResultsDecision {
  /// Puts the changes into the order in which a delegate receives them.
  ///
  /// Object deletes come first, then section deletes, section inserts and object inserts, then
  /// moves and updates as one group. Apple does not document the order within a group. Here it is
  /// ascending: deletes, moves and updates by the old index path, inserts by the new one, sections
  /// by index.
  ///
  /// - Complexity: O(*c* log *c*), where *c* is the number of changes.
  mutating func sort() {
    StopCheck.sort(&deletes) { Self.precedes($0.indexPath, $1.indexPath) }
    StopCheck.sort(&sectionDeletes) { $0.index < $1.index }
    StopCheck.sort(&sectionInserts) { $0.index < $1.index }
    StopCheck.sort(&inserts) { Self.precedes($0.newIndexPath, $1.newIndexPath) }
    StopCheck.sort(&movesAndUpdates) { Self.precedes($0.indexPath, $1.indexPath) }
    StopCheck.sort(&edits.removedSections, by: <)
    StopCheck.sort(&edits.insertedSections) { $0.index < $1.index }
  }

  /// The objects that changed and were results before and after, by their old places.
  ///
  /// Objects of sections that changed places are included.
  ///
  /// - Complexity: O(*c* log *c*), where *c* is the number of changes.
  var reloadedNumbers: [Int64] {
    let replaced = deletes.filter { $0.reason == .sectionReordered && $0.place != nil }
    return (movesAndUpdates + replaced).sorted { Self.precedes($0.indexPath, $1.indexPath) }
      .map(\.number)
  }

  private static func precedes(_ left: ResultsIndexPath?, _ right: ResultsIndexPath?) -> Bool {
    guard let left, let right else { return false }
    return mutation(.wrongOrder) ? right < left : left < right
  }
}
