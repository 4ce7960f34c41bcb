/// A delegate that comes before another one, passes everything on, and holds the controller to the
/// ``ReplayLaw``.
///
/// It receives all four callbacks of each batch, also where the delegate behind it implements
/// fewer, and passes on those that it implements. Of a delegate that takes snapshots or differences
/// it holds these to the results. A delegate that is told about no change has nothing to be told,
/// and is left alone.
package final class ReplayWitness: FetchedResultsControllerDelegate {
  package typealias Breach = ReplayBreach<ObjectID>
  /// Rows by their objects' numbers: every batch compares all rows.
  private typealias Law = ReplayLaw<Int64>

  package let implementedMethods: FetchedResultsDelegateMethods
  private let delegate: any FetchedResultsControllerDelegate
  /// The classic methods that the delegate gets, and whether it gets the newer ones.
  private let methods: FetchedResultsDelegateMethods
  private let report: (Breach) -> Void
  /// What the delegate knows to be shown; nil before it was looked at.
  private var known: Shown?
  /// The batches that are being told, one nested in another.
  private var batches: [Batch] = []

  /// Sections, and the fetch that they come from: a new fetch is told to
  /// nobody.
  private struct Shown {
    let fetch: FetchedState
    /// How often its objects had got other numbers, which nobody is told either.
    private let renumberings: Int
    let sections: [Law.Section]

    init?(_ controller: FetchedResultsController) {
      guard let state = controller.state else { return nil }
      fetch = state
      renumberings = state.renumberings
      sections = state.sectionsOfNumbers
    }

    /// Whether only what was told can have changed between the two.
    func isComparable(with other: Shown) -> Bool {
      fetch === other.fetch && renumberings == other.renumberings
    }
  }

  private struct Batch {
    let before: Shown?
    var changes: [Law.Change] = []
    /// Read when the first change is told: a batch that is told in the midst
    /// of this one changes what is shown.
    var after: Shown?
  }

  /// Creates a witness of what a delegate is told.
  ///
  /// - Parameters:
  ///   - delegate: Receives everything that it implements; held strongly.
  ///   - report: Called with each breach, at the callback that shows it.
  package init(
    of delegate: any FetchedResultsControllerDelegate, report: @escaping (Breach) -> Void
  ) {
    self.delegate = delegate
    self.report = report
    let listed = delegate.implementedMethods
    // What a delegate that lists nothing does not implement is its default, which does nothing.
    methods = listed.contains(.automatic) ? [listed, .changes] : listed
    let tracks = !methods.isDisjoint(with: [.changes, .difference, .snapshot])
    implementedMethods = tracks ? methods.union(.changes) : methods
  }

  /// Looks at what the controller shows between two turns: nothing may have
  /// changed that was not told, and no batch may be open.
  ///
  /// - Complexity: O(*n*) for *n* rows.
  package func checkSections(of controller: FetchedResultsController) {
    if !batches.isEmpty { report(.unfinishedBatch) }
    batches = []
    compareWithKnown(controller)
  }

  /// Reports a breach, if there is one, objects by their identities.
  private func report(_ breach: ReplayBreach<Int64>?, in shown: Shown) {
    if let breach { report(breach.mapRows(shown.fetch.objectID)) }
  }

  private var tracks: Bool { implementedMethods.isSuperset(of: .changes) }

  /// Takes what is shown for known, after a look whether it should be so.
  private func compareWithKnown(_ controller: FetchedResultsController) {
    guard tracks else { return }
    let shown = Shown(controller)
    if let shown, let known, shown.isComparable(with: known) {
      report(ReplayBreach(told: known.sections, shown: shown.sections), in: shown)
    }
    known = shown
  }
}

// MARK: - Callbacks

extension ReplayWitness {
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

  /// Keeps what is shown when the innermost batch is first told about.
  private func look(_ controller: FetchedResultsController) {
    guard let batch = batches.last, batch.after == nil else { return }
    known = Shown(controller)
    batches[batches.count - 1].after = known
  }

  private func judge(_ batch: Batch, of controller: FetchedResultsController) {
    // What older versions did wrong is not held to the law.
    guard controller.quirks.isEmpty else { return }
    guard let before = batch.before, let after = batch.after, before.isComparable(with: after)
    else {
      // A fetch or a reset in willChangeContent ended the batch.
      return
    }
    let law = Law(before: before.sections, changes: batch.changes, after: after.sections)
    report(law.breach, in: after)
  }
}

// MARK: - Snapshots and differences

extension ReplayWitness {
  package func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    known = Shown(controller)
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
    known = Shown(controller)
    if let before, let after = known, before.isComparable(with: after) {
      judge(difference, from: before.sections, to: after)
    }
    delegate.controller(controller, didChangeContentWith: difference)
  }

  /// Without a section key path there is one section.
  private func judge(
    _ difference: CollectionDifference<ObjectID>, from before: [Law.Section], to after: Shown
  ) {
    let rows = before.flatMap(\.rows).map(after.fetch.objectID)
    guard let told = rows.applying(difference)?.map(\.number) else {
      return report(.unfitDifference)
    }
    report(
      ReplayBreach(told: [Law.Section(name: "", rows: told)], shown: after.sections), in: after)
  }
}

extension FetchedState {
  /// The sections by name, and the rows by their objects' numbers.
  ///
  /// - Complexity: O(*n*).
  fileprivate var sectionsOfNumbers: [ReplayLaw<Int64>.Section] {
    var rest = FetchedObjects(state: self, section: nil).numbers[...]
    return (0..<results.sectionCount).map { index in
      let count = results.rowCount(ofSection: index)
      defer { rest = rest.dropFirst(count) }
      return ReplayLaw.Section(
        name: results.name(ofSection: index), rows: Array(rest.prefix(count)))
    }
  }
}
