import FetchedResults
import Testing

@Suite("Objects of results, as a collection")
struct FetchedObjectsTests {
  @Test("an index past a section's end does not reach into the next section")
  func bounds() async throws {
    await #expect(processExitsWith: .failure) {
      let shelf = try Shelf()
      shelf.insert("a", "x")
      shelf.insert("b", "y")
      let controller = try shelf.controller(sort: "publisher", section: "publisher")
      try controller.performFetch()
      _ = controller.sections?[0].objects[1]
    }
    await #expect(processExitsWith: .failure) {
      let shelf = try Shelf()
      shelf.insert("a", "x")
      let controller = try shelf.controller(sort: "publisher", section: "publisher")
      try controller.performFetch()
      _ = controller.sections?[0].objects[-1]
    }
  }

  @Test("objects outlive the controller and the context that they came from")
  func lifetime() throws {
    func objects() throws -> FetchedObjects? {
      let shelf = try Shelf()
      for title in ["b", "a"] { shelf.insert(title) }
      let controller = try shelf.controller(sort: "title")
      try controller.performFetch()
      return controller.fetchedObjects
    }
    #expect(try objects()?.map { $0["title"] } == ["a", "b"])
  }
}
