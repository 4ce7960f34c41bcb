/// A delegate that is placed in front of another one, forwards everything to it, and checks the
/// ``ReplayLaw``.
///
/// It receives all four callbacks of each batch, even if the other delegate implements fewer, and
/// forwards those that it implements. If the other delegate takes snapshots or differences, the
/// checker compares them with the results. A delegate that receives no changes is not checked.
package final class CheckingDelegate: FetchedResultsControllerDelegate {
  package typealias Breach = ReplayBreach<ObjectID>
  /// Rows by their objects' numbers.
  private typealias Law = ReplayLaw<Int64>

  package let implementedMethods: FetchedResultsDelegateMethods
  private let delegate: any FetchedResultsControllerDelegate
  /// The callbacks that the delegate implements, and whether it implements the newer methods.
  private let methods: FetchedResultsDelegateMethods
  private let report: (Breach) -> Void
  /// What the delegate knows about the results; nil before the first check.
  private var known: Shown?
  /// The batches that are being delivered, one nested in another.
  private var batches: [Batch] = []

  /// Sections, and the fetch that they come from, because a new fetch is not reported.
  private struct Shown {
    let fetch: FetchedState
    /// How often its objects had got other numbers, which is not reported either.
    private let renumberings: Int
    let image: ResultsImage

    /// - Parameter old: What the controller showed before.
    init?(_ controller: FetchedResultsController, after old: Shown?) {
      guard let state = controller.state else { return nil }
      fetch = state
      renumberings = state.renumberings
      image = state.results.image(after: old?.image)
    }

    var sections: [Law.Section] { image.sectionsOfNumbers }

    /// Whether only reported changes can explain a difference between the two.
    func isComparable(with other: Shown) -> Bool {
      fetch === other.fetch && renumberings == other.renumberings
    }

    /// Whether its objects still have these numbers.
    var hasPresentNumbers: Bool { renumberings == fetch.renumberings }
  }

  private struct Batch {
    let before: Shown?
    var changes: [Law.Change] = []
    /// Read when the first change is sent, because a batch that is delivered inside this one
    /// changes the results.
    var after: Shown?
  }

  /// Creates a checker of a delegate.
  ///
  /// - Parameters:
  ///   - delegate: Receives everything that it implements; held strongly.
  ///   - report: Called with each breach, at the callback that shows it.
  package init(
    of delegate: any FetchedResultsControllerDelegate, report: @escaping (Breach) -> Void
  ) {
    self.delegate = delegate
    self.report = report
    // If a delegate lists nothing, its unimplemented methods are defaults that do nothing.
    methods = delegate.resolvedMethods
    let tracks = !methods.isDisjoint(with: [.changes, .difference, .snapshot])
    implementedMethods = tracks ? methods.union(.changes) : methods
  }

  /// Checks the results between two turns: nothing may have changed without a report, and no batch
  /// may be open.
  ///
  /// - Complexity: O(*k* log *n*) for *n* rows, of which *k* have changed.
  package func checkSections(of controller: FetchedResultsController) {
    if !batches.isEmpty { report(.unfinishedBatch) }
    batches = []
    compareWithKnown(controller)
  }

  /// Reports a breach, if there is one, with objects as identities.
  private func report(_ breach: ReplayBreach<Int64>?, in shown: Shown) {
    if let breach { report(breach.mapRows(shown.fetch.objectID)) }
  }

  private var tracks: Bool { implementedMethods.isSuperset(of: .changes) }

  /// Checks the present results against the known ones, and takes them as known.
  private func compareWithKnown(_ controller: FetchedResultsController) {
    guard tracks else { return }
    let shown = Shown(controller, after: known)
    if let shown, let known, shown.isComparable(with: known), !shown.image.isEqual(to: known.image)
    {
      report(ReplayBreach(told: known.sections, shown: shown.sections), in: shown)
    }
    known = shown
  }
}

// MARK: - Callbacks

extension CheckingDelegate {
  package func controllerWillChangeContent(_ controller: FetchedResultsController) {
    compareWithKnown(controller)
    batches.append(Batch(before: known))
    if methods.contains(.willChangeContent) {
      controller.calling([]) { delegate.controllerWillChangeContent(controller) }
    }
  }

  package func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    note(
      .object(type, object.objectID.number, at: indexPath, newIndexPath: newIndexPath), controller)
    guard methods.contains(.didChangeObject) else { return }
    controller.calling([]) {
      delegate.controller(
        controller, didChange: object, at: indexPath, for: type, newIndexPath: newIndexPath)
    }
  }

  package func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    note(.section(type, index: sectionIndex, name: sectionInfo.name), controller)
    guard methods.contains(.didChangeSection) else { return }
    controller.calling([]) {
      delegate.controller(
        controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
    }
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController) {
    look(controller)
    if let batch = batches.popLast() {
      judge(batch, of: controller)
    } else {
      report(.outsideBatch)
    }
    if methods.contains(.didChangeContent) {
      controller.calling([]) { delegate.controllerDidChangeContent(controller) }
    }
  }

  package func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    delegate.controller(controller, sectionIndexTitleForSectionName: sectionName)
  }

  private func note(_ change: Law.Change, _ controller: FetchedResultsController) {
    guard !batches.isEmpty else { return report(.outsideBatch) }
    look(controller)
    batches[batches.count - 1].changes.append(change)
  }

  /// Keeps the results when the innermost batch sends its first change.
  private func look(_ controller: FetchedResultsController) {
    guard let batch = batches.last, batch.after == nil else { return }
    known = Shown(controller, after: known)
    batches[batches.count - 1].after = known
  }

  private func judge(_ batch: Batch, of controller: FetchedResultsController) {
    // Quirks of older versions may break the law.
    guard controller.quirks.isEmpty else { return }
    guard let before = batch.before, let after = batch.after, before.isComparable(with: after),
      after.hasPresentNumbers
    else {
      // A fetch or a reset in willChangeContent ended the batch, or a callback read from a file in
      // which another process had taken the objects' numbers.
      return
    }
    report(Law.breach(of: batch.changes, from: before.image, to: after.image), in: after)
  }
}

// MARK: - Snapshots and differences

extension CheckingDelegate {
  package func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    known = Shown(controller, after: known)
    let told = snapshot.sections.map {
      Law.Section(name: $0.identifier, rows: $0.itemIdentifiers.map(\.number))
    }
    if let known { report(ReplayBreach(told: told, shown: known.sections), in: known) }
    delegate.controller(controller, didChangeContentWith: snapshot)
  }

  package func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    let before = known
    known = Shown(controller, after: known)
    if let before, let after = known, before.isComparable(with: after) {
      judge(difference, from: before, to: after)
    }
    delegate.controller(controller, didChangeContentWith: difference)
  }

  /// Without a section key path there is one section.
  private func judge(
    _ difference: CollectionDifference<ObjectID>, from before: Shown, to after: Shown
  ) {
    let changes = difference.compactMap { change -> Law.Change? in
      switch change {
      case .remove(let offset, _, _):
        let path = ResultsIndexPath(section: 0, row: offset)
        // Only the place counts.
        return before.image.number(at: path).map {
          .object(.delete, $0, at: path, newIndexPath: nil)
        }
      case .insert(let offset, let id, _):
        return .object(
          .insert, id.number, at: nil, newIndexPath: ResultsIndexPath(section: 0, row: offset))
      }
    }
    if changes.count == difference.count,
      Law.breach(of: changes, from: before.image, to: after.image) == nil
    {
      return
    }
    let rows = before.sections.flatMap(\.rows).map(after.fetch.objectID)
    guard let told = rows.applying(difference)?.map(\.number) else {
      return report(.unfitDifference)
    }
    report(
      ReplayBreach(told: [Law.Section(name: "", rows: told)], shown: after.sections), in: after)
  }
}
