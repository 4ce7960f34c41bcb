import FetchedResults
import NaiveModel

/// Controllers with the same configuration whose delegates have the newer methods.
///
/// They expect the same batches as snapshots and as differences.
final class NewerDelegates {
  private let snapshots: FetchedResultsController
  private let snapshotRecorder = Recorder(.snapshot)
  /// The controller for differences; nil with a section key path, because differences are not sent
  /// then.
  private let differences: FetchedResultsController?
  private let differenceRecorder = Recorder([.difference, .changes])
  private var expected: [Report] = []
  /// The objects in order, according to the differences so far.
  private var flat: [Int64] = []
  /// The objects that were unsaved in the last snapshot.
  private var unsaved: Set<Int64> = []
  private let isSaved: (Int64) -> Bool

  /// The contents of a snapshot.
  private struct Report: Equatable {
    var sections: [NaiveResults.Section]
    var reloaded: [Int64]
  }

  /// - Parameter isSaved: Returns whether an object is in the store.
  init(
    _ make: () throws -> FetchedResultsController, isSectioned: Bool,
    isSaved: @escaping (Int64) -> Bool
  ) throws {
    self.isSaved = isSaved
    snapshots = try make()
    snapshots.delegate = snapshotRecorder
    differences = isSectioned ? nil : try make()
    differences?.delegate = differenceRecorder
  }

  /// Removes the delegates, or sets them again.
  func toggleDelegates() {
    let isDeaf = snapshots.delegate == nil
    snapshots.delegate = isDeaf ? snapshotRecorder : nil
    differences?.delegate = isDeaf ? differenceRecorder : nil
  }

  /// Fetches, and expects a snapshot if there are results.
  func fetch(_ results: NaiveResults?) {
    try? snapshots.performFetch()
    try? differences?.performFetch()
    unsaved = []
    guard let results else { return }
    flat = results.rows.map(\.number)
    guard snapshots.delegate != nil else { return }
    expect(results, reloaded: [])
  }

  private func expect(_ results: NaiveResults, reloaded: [Int64]) {
    expected.append(Report(sections: results.sections, reloaded: reloaded))
    unsaved = Set(results.rows.map(\.number).filter { !isSaved($0) })
  }

  /// Expects another snapshot after a save of objects in the last one.
  func didSave(_ results: NaiveResults?) {
    guard let results, snapshots.delegate != nil else { return }
    let shown = Set(results.rows.map(\.number))
    if unsaved.contains(where: { shown.contains($0) && isSaved($0) }) {
      expect(results, reloaded: [])
    }
  }

  /// Expects the equivalent of a batch with these classic callbacks.
  ///
  /// For the classic methods, an object in a section that changed its place is a delete and an
  /// insert. If the object itself changed, it is also reloaded.
  func expect(_ callbacks: [Callback], _ results: NaiveResults, _ changed: Set<Int64>) {
    guard !callbacks.isEmpty else { return }
    let shown = Set(results.rows.map(\.number))
    var reloaded: [(path: ResultsIndexPath, number: Int64)] = []
    for case .object(_, let number, let path?, _) in callbacks
    where changed.contains(number) && shown.contains(number) {
      reloaded.append((path, number))
    }
    reloaded.sort { $0.path < $1.path }
    expect(results, reloaded: reloaded.map(\.number))
  }

  /// Returns what is wrong, or nil.
  func fault(shown: [NaiveResults.Section]?) -> String? {
    defer {
      expected = []
      snapshotRecorder.snapshots = []
      differenceRecorder.differences = []
    }
    let received = snapshotRecorder.snapshots.map { snapshot in
      Report(
        sections: snapshot.sections.map {
          NaiveResults.Section(name: $0.identifier, numbers: $0.itemIdentifiers.map(\.number))
        },
        reloaded: snapshot.reloadedItemIdentifiers.map(\.number))
    }
    if received != expected { return "snapshots \(received), expected \(expected)" }
    for difference in differenceRecorder.differences {
      guard let next = flat.applying(difference) else { return "\(difference) does not apply" }
      flat = next
    }
    if differences != nil, let shown, flat != shown.flatMap(\.numbers) {
      return "the differences give \(flat)"
    }
    return nil
  }

  private final class Recorder: FetchedResultsControllerDelegate {
    let implementedMethods: FetchedResultsDelegateMethods
    var snapshots: [FetchedResultsSnapshot] = []
    var differences: [CollectionDifference<Int64>] = []

    init(_ methods: FetchedResultsDelegateMethods) { implementedMethods = methods }

    func controller(
      _ controller: FetchedResultsController,
      didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
      snapshots.append(snapshot)
    }

    func controller(
      _ controller: FetchedResultsController,
      didChangeContentWith difference: CollectionDifference<ObjectID>
    ) {
      let changes = difference.map { change in
        switch change {
        case .insert(let offset, let element, let place):
          CollectionDifference<Int64>.Change.insert(
            offset: offset, element: element.number, associatedWith: place)
        case .remove(let offset, let element, let place):
          CollectionDifference<Int64>.Change.remove(
            offset: offset, element: element.number, associatedWith: place)
        }
      }
      if let difference = CollectionDifference(changes) { differences.append(difference) }
    }
  }
}
