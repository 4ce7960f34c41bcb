import EngineWorlds
import FetchedResults
import Testing

/// Delegates that list no methods: the controller calls those that they implement.
@Suite("Delegates without a list of methods")
struct AutomaticDelegateTests {
  private let shelf: Shelf

  init() throws { shelf = try Shelf() }

  private final class Ends: FetchedResultsControllerDelegate {
    var count = 0

    func controllerDidChangeContent(_ controller: FetchedResultsController) { count += 1 }
  }

  private class Base: FetchedResultsControllerDelegate {
    var calls: [String] = []

    func controllerWillChangeContent(_ controller: FetchedResultsController) {}
  }

  private final class Derived: Base {
    override func controllerWillChangeContent(_ controller: FetchedResultsController) {
      calls.append("will")
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController) {
      calls.append("did")
    }
  }

  private final class Objects: FetchedResultsControllerDelegate {
    var types: [FetchedResultsChangeType] = []
    var rowsBefore: [Int] = []

    func controllerWillChangeContent(_ controller: FetchedResultsController) {
      rowsBefore.append(controller.fetchedObjects?.count ?? -1)
    }

    func controller(
      _ controller: FetchedResultsController, didChange object: ManagedObject,
      at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
      newIndexPath: ResultsIndexPath?
    ) {
      types.append(type)
    }
  }

  private final class Snapshots: FetchedResultsControllerDelegate {
    var counts: [Int] = []
    var ends = 0

    func controller(
      _ controller: FetchedResultsController,
      didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
      counts.append(snapshot.numberOfItems)
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController) { ends += 1 }
  }

  private final class Differences: FetchedResultsControllerDelegate {
    var objects: [ObjectID] = []
    var counts: [Int] = []
    var ends = 0

    func controller(
      _ controller: FetchedResultsController,
      didChangeContentWith difference: CollectionDifference<ObjectID>
    ) {
      objects = objects.applying(difference) ?? []
      counts.append(difference.count)
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController) { ends += 1 }
  }

  private func controller() throws -> FetchedResultsController {
    try shelf.context.controller(of: shelf.book, by: ["title"])
  }

  @Test("one callback is called")
  func one() throws {
    let (controller, delegate) = (try controller(), Ends())
    controller.delegate = delegate
    try controller.performFetch()
    shelf.insertInTurn("Dune")
    shelf.insertInTurn("Emma")
    #expect(delegate.count == 2)
  }

  @Test("a subclass receives only what its base class implements, as ReceivingChanges says")
  func subclass() throws {
    let (controller, delegate) = (try controller(), Derived())
    controller.delegate = delegate
    try controller.performFetch()
    shelf.insertInTurn("Dune")
    #expect(delegate.calls == ["will"])
  }

  @Test(
    "the first batch already has every callback, and the results before it",
    arguments: [
      true, false,
    ])
  func first(isSetBefore: Bool) throws {
    let (controller, delegate) = (try controller(), Objects())
    if isSetBefore { controller.delegate = delegate }
    try controller.performFetch()
    controller.delegate = delegate
    shelf.insertInTurn("Dune")
    #expect(delegate.types == [.insert])
    #expect(delegate.rowsBefore == [0])
  }

  @Test("a snapshot excludes every other method")
  func snapshots() throws {
    let (controller, delegate) = (try controller(), Snapshots())
    controller.delegate = delegate
    try controller.performFetch()
    shelf.insertInTurn("Dune")
    #expect(delegate.counts == [0, 1])
    #expect(delegate.ends == 0)
  }

  @Test("a difference excludes every other method")
  func differences() throws {
    let (controller, delegate) = (try controller(), Differences())
    controller.delegate = delegate
    try controller.performFetch()
    shelf.insertInTurn("Dune")
    #expect(delegate.counts == [1])
    #expect(delegate.objects.count == 1)
    #expect(delegate.ends == 0)
  }

  /// Counts all calls of a delegate with both of the newer methods.
  private final class Counter: FetchedResultsControllerDelegate {
    var calls: [String] = []

    func controllerWillChangeContent(_ controller: FetchedResultsController) {
      calls.append("willChange")
    }

    func controller(
      _ controller: FetchedResultsController,
      didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
      calls.append("snapshot of \(snapshot.numberOfItems)")
    }

    func controller(
      _ controller: FetchedResultsController,
      didChangeContentWith difference: CollectionDifference<ObjectID>
    ) {
      calls.append("difference of \(difference.count)")
    }
  }

  @Test("a delegate is not called before there is something to report")
  func notAsked() throws {
    let controller = try controller()
    let (first, late) = (Counter(), Counter())
    controller.delegate = first
    #expect(first.calls == [])
    shelf.insert("Dune")
    try controller.performFetch()
    #expect(first.calls == ["snapshot of 1"])

    controller.delegate = late
    #expect(late.calls == [])
    shelf.insertInTurn("Emma")
    #expect(late.calls == ["snapshot of 2"])
    #expect(first.calls.count == 1)
  }

  @Test("no empty difference is sent, neither after a fetch nor to a new delegate")
  func noEmptyDifference() throws {
    let controller = try controller()
    let (first, late) = (Differences(), Differences())
    controller.delegate = first
    try controller.performFetch()
    controller.delegate = late
    #expect(first.counts == [])
    #expect(late.counts == [])
    shelf.insertInTurn("Dune")
    #expect(late.counts == [1])
    #expect(late.ends == 0)
  }

  private class Inherited {
    var counts: [Int] = []

    func controller(
      _ controller: FetchedResultsController,
      didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
      counts.append(snapshot.numberOfItems)
    }
  }

  private final class Inheriting: Inherited, FetchedResultsControllerDelegate {}

  @Test("a method of a superclass counts")
  func inherited() throws {
    let (controller, delegate) = (try controller(), Inheriting())
    controller.delegate = delegate
    try controller.performFetch()
    shelf.insertInTurn("Dune")
    #expect(delegate.counts == [0, 1])
  }

  @Test("a delegate that others pass on to keeps its own methods")
  func passedOn() throws {
    let (controller, delegate) = (try controller(), Ends())
    let checker = CheckingDelegate(of: delegate) { Issue.record("\($0)") }
    #expect(!checker.implementedMethods.contains(.snapshot))
    #expect(!checker.implementedMethods.contains(.difference))
    controller.delegate = checker
    try controller.performFetch()
    shelf.insertInTurn("Dune")
    checker.checkSections(of: controller)
    #expect(delegate.count == 1)
  }

  @Test("a new delegate is asked anew")
  func changed() throws {
    let controller = try controller()
    let (ends, objects) = (Ends(), Objects())
    controller.delegate = ends
    try controller.performFetch()
    shelf.insertInTurn("Dune")
    controller.delegate = objects
    shelf.insertInTurn("Emma")
    #expect(ends.count == 1)
    #expect(objects.types == [.insert])
  }

  @Test("with sections a difference is observed")
  func sectioned() throws {
    let controller = try shelf.context.controller(of: shelf.book, by: ["title"], sections: "title")
    let delegate = Differences()
    controller.delegate = delegate
    try controller.performFetch()
    var seen: [SectionedDifference] = []
    let observation = controller.observe { seen.append($0) }
    defer { observation.cancel() }
    shelf.insertInTurn("Dune")
    #expect(delegate.counts == [])
    #expect(delegate.ends == 1)
    #expect(seen.last?.insertedSections.map(\.name) == ["Dune"])
    #expect(seen.last?.objects.map(\.type) == [.insert])
  }
}
