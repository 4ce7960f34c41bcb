import Basics
import EngineWorlds
import FetchedResults
import Foundation
import Observation
import Testing

@Suite("Differences of sections")
struct SectionedDifferenceTests {
  @Test("applied one after the other they give a fresh fetch's sections", arguments: 0..<60)
  func laws(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let shelf = try BookShelf()
    let controller = try shelf.controller()
    var sections: [FetchedResultsSnapshot.Section] = []
    var failures: [String] = []
    controller.observe { difference in
      do { try difference.apply(to: &sections) } catch { failures.append("\(error)") }
    }
    try controller.performFetch()

    for turn in 0..<30 {
      try shelf.changeAtRandom(using: &random)
      shelf.context.processPendingChanges()
      #expect(failures.isEmpty, "seed \(seed), turn \(turn): \(failures)")
      #expect(sections == controller.sectionIDs, "seed \(seed), turn \(turn)")
    }
  }

  @Test("they survive a wire, and name what they cannot decode")
  func wire() throws {
    let shelf = try BookShelf()
    let controller = try shelf.controller()
    try controller.performFetch()
    var told: [SectionedDifference] = []
    controller.observe { told.append($0) }
    shelf.add("Emma", genre: "classic")
    shelf.context.processPendingChanges()

    let data = try JSONEncoder().encode(told)
    #expect(String(decoding: data, as: UTF8.self).contains("\"Book\\/1\""))
    let decoder = JSONDecoder()
    decoder.userInfo[.managedObjectModel] =
      shelf.context.persistentStoreCoordinator.managedObjectModel
    #expect(try decoder.decode([SectionedDifference].self, from: data) == told)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([SectionedDifference].self, from: data)
    }
    for (key, place) in [("index", "section -1"), ("row", "[0, -1]")] {
      let text = String(decoding: data, as: UTF8.self)
        .replacing("\"\(key)\":0", with: "\"\(key)\":-1")
      let wrong = try decoder.decode([SectionedDifference].self, from: Data(text.utf8))
      var sections: [FetchedResultsSnapshot.Section] = []
      let error = #expect(throws: SectionedDifference.MismatchError.self) {
        for difference in wrong { try difference.apply(to: &sections) }
      }
      #expect(error?.description.contains(place) == true)
    }
    for text in ["\"Book/0\"", "\"Book/x\"", "\"Author/1\"", "\"\"", "1"] {
      #expect(throws: DecodingError.self, "\(text)") {
        try decoder.decode(ObjectID.self, from: Data(text.utf8))
      }
    }
  }

  @Test("a difference of other sections is refused, with the first change that does not fit")
  func mismatch() throws {
    let shelf = try BookShelf()
    let emma = shelf.add("Emma", genre: "classic")
    let controller = try shelf.controller()
    try controller.performFetch()
    var last: SectionedDifference?
    controller.observe { last = $0 }
    shelf.context.delete(emma)
    shelf.context.processPendingChanges()

    let difference = try #require(last)
    var sections: [FetchedResultsSnapshot.Section] = []
    #expect(throws: SectionedDifference.MismatchError.self) { try difference.apply(to: &sections) }
    #expect(difference.objects.map(\.reason) == [.deleted])
    #expect(difference.deletedSections.map(\.reason) == [.emptied])
  }

  @Test("several observers are told; one that cancelled is not, and no delegate is needed")
  func several() throws {
    let shelf = try BookShelf()
    let controller = try shelf.controller()
    try controller.performFetch()
    var first = 0
    var second = 0
    let observation = controller.observe { _ in first += 1 }
    controller.observe { _ in second += 1 }
    shelf.add("Emma", genre: "classic")
    shelf.context.processPendingChanges()
    observation.cancel()
    shelf.add("Dune", genre: "SF")
    shelf.context.processPendingChanges()

    #expect(first == 2)
    #expect(second == 3)
    #expect(controller.fetchedObjects?.count == 2)
  }

  @Test("observable sections follow, and tell those who watch")
  func observable() throws {
    let shelf = try BookShelf()
    let controller = try shelf.controller()
    let list = ObservableSections(of: controller)
    try controller.performFetch()
    let told = Told()
    withObservationTracking {
      _ = list.sections
    } onChange: {
      told.note()
    }
    let emma = shelf.add("Emma", genre: "classic")
    shelf.context.processPendingChanges()

    #expect(told.count == 1)
    #expect(list.sections.map(\.identifier) == ["classic"])
    #expect(list.object(at: ResultsIndexPath(section: 0, row: 0)) === emma)
    #expect(list.object(at: ResultsIndexPath(section: 1, row: 0)) == nil)
    #expect(list.lastChange?.objects.map(\.type) == [.insert])
  }

  @Test("sequences begin with everything, and end with the controller")
  func sequences() async throws {
    let shelf = try BookShelf()
    var controller: FetchedResultsController? = try shelf.controller()
    try await controller?.performFetch()
    let changes = try #require(controller?.changes)
    let snapshots = try #require(controller?.snapshots)
    shelf.add("Emma", genre: "classic")
    shelf.context.processPendingChanges()
    shelf.add("Dune", genre: "SF")
    shelf.context.processPendingChanges()
    controller = nil
    shelf.context.processPendingChanges()

    var sections: [FetchedResultsSnapshot.Section] = []
    var count = 0
    for await difference in changes {
      try difference.apply(to: &sections)
      count += 1
    }
    #expect(count == 3)
    #expect(sections.map(\.identifier) == ["SF", "classic"])
    var last: [FetchedResultsSnapshot.Section] = []
    for await snapshot in snapshots { last = snapshot }
    #expect(last == sections)
  }

  @Test("who begins late misses nothing of what changed since the fetch")
  func late() throws {
    let shelf = try BookShelf()
    let dune = shelf.add("Dune", genre: "SF")
    let controller = try shelf.controller()
    try controller.performFetch()
    shelf.add("Emma", genre: "classic")
    dune["pages"] = 100
    shelf.context.processPendingChanges()
    #expect(controller.fetchedObjects?.map { $0["title"] } == ["Dune"])

    var sections: [FetchedResultsSnapshot.Section] = []
    let first = controller.observe { try? $0.apply(to: &sections) }
    #expect(sections.map(\.identifier) == ["classic"])
    #expect(controller.fetchedObjects?.map { $0["title"] } == ["Emma"])
    first.cancel()
    dune["pages"] = 5
    shelf.context.processPendingChanges()
    let second = controller.observe { try? $0.apply(to: &sections) }
    #expect(sections.map(\.identifier) == ["SF", "classic"])
    dune["genre"] = "classic"
    shelf.context.processPendingChanges()
    #expect(sections == controller.sectionIDs && sections.map(\.identifier) == ["classic"])
    second.cancel()
  }

  @Test("a late fetch uses the request of the last one, and a delegate's results stay as they are")
  func lateRequests() throws {
    let shelf = try BookShelf()
    let controller = try shelf.controller()
    try controller.performFetch()
    controller.fetchRequest.predicate = try FetchPredicate(format: "pages > 500")
    let emma = shelf.add("Emma", genre: "classic")
    shelf.context.processPendingChanges()
    var told: [SectionedDifference] = []
    controller.observe { told.append($0) }.cancel()
    #expect(told.last?.replacement?.flatMap(\.itemIdentifiers) == [emma.objectID])
    #expect(controller.fetchRequest.predicate?.predicateFormat == "pages > 500")

    let tracked = try shelf.controller()
    try tracked.performFetch()
    shelf.add("Dune", genre: "SF")
    shelf.context.processPendingChanges()
    let delegate = Follower()
    tracked.delegate = delegate
    tracked.observe { told.append($0) }
    #expect(told.last?.replacement?.flatMap(\.itemIdentifiers) == [emma.objectID])
    #expect(tracked.fetchedObjects?.count == 1)
  }

  @Test("a sequence that is asked for late begins with what is there")
  @MainActor
  func lateSequence() async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let context = try container.newContext()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let controller = try BookShelf.controller(in: context, of: book)
    try await controller.performFetch()
    let ids = try await container.performBackgroundTask { context in
      let object = context.insert(book)
      object["genre"] = "classic"
      try context.save()
      return [object.objectID]
    }
    context.processPendingChanges()
    var changes = controller.changes.makeAsyncIterator()
    var snapshots = controller.snapshots.makeAsyncIterator()
    #expect(await changes.next()?.replacement?.flatMap(\.itemIdentifiers) == ids)
    #expect(await snapshots.next()?.flatMap(\.itemIdentifiers) == ids)
  }

  private final class Follower: FetchedResultsControllerDelegate {
    var implementedMethods: FetchedResultsDelegateMethods { .changes }
    func controllerDidChangeContent(_ controller: FetchedResultsController) {}
  }

  private final class Told: @unchecked Sendable {
    private(set) var count = 0
    func note() { count += 1 }
  }
}
