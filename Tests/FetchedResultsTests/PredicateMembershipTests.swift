import FetchedResults
import Testing

@Suite("objects that start and stop matching the predicate")
struct PredicateMembershipTests {
  let shelf: Shelf
  let controller: FetchedResultsController
  let delegate: RecordingDelegate
  let a, b: ManagedObject

  init() throws {
    shelf = try Shelf()
    a = shelf.insert("a", pages: 10)
    b = shelf.insert("b", pages: 200)
    a["isAvailable"] = true
    b["isAvailable"] = false
    var request = shelf.request(sort: "pages")
    request.predicate = try FetchPredicate(format: "isAvailable == YES")
    controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context)
    delegate = try RecordingDelegate(fetching: controller)
  }

  @Test("an object that starts matching is an insert")
  func starts() {
    b["isAvailable"] = true
    #expect(delegate.received() == ["will", "insert b -> [0, 1]", "did"])
  }

  @Test("an object that stops matching is a delete, with its values as they are now")
  func stops() {
    a["isAvailable"] = false
    a["title"] = "a2"
    #expect(delegate.received() == ["will", "delete a2 [0, 0]", "did"])
    #expect(controller.shown == [": "])
  }

  @Test("an object that does not match before or after is silent, also when deleted")
  func neverMatches() {
    b["title"] = "b2"
    shelf.insert("c")
    #expect(delegate.received() == [])
    shelf.context.delete(b)
    #expect(delegate.received() == [])
  }

  @Test("an object that stops and starts matching within a turn is an update")
  func stopsAndStarts() {
    a["isAvailable"] = false
    a["isAvailable"] = true
    #expect(delegate.received() == ["will", "update a [0, 0] -> [0, 0]", "did"])
  }

  @Test("a null value matches neither YES nor NO")
  func null() {
    a["isAvailable"] = nil
    #expect(delegate.received() == ["will", "delete a [0, 0]", "did"])
  }

  @Test("a predicate that the entity does not fit fails performFetch")
  func unknownKey() throws {
    var request = shelf.request(sort: "pages")
    request.predicate = try FetchPredicate(format: "colour == 'red'")
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context)
    #expect(throws: FetchedResultsError.self) { try controller.performFetch() }
    #expect(controller.fetchedObjects == nil)
  }
}
