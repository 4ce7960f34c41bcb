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

  @Test("views of the results follow them until the next fetch, and sections are empty after it")
  func nextFetch() throws {
    let shelf = try Shelf()
    for (title, publisher) in [("A", "x"), ("B", "y"), ("C", "z")] {
      shelf.insert(title, .string(publisher))
    }
    let controller = try shelf.controller(sort: "publisher", section: "publisher")
    try controller.performFetch()
    let sections = try #require(controller.sections)
    let (y, all) = (sections[1], try #require(controller.fetchedObjects))
    shelf.context.delete(all[0])
    shelf.insert("D", "w")
    shelf.insert("E", "xx")
    try controller.performFetch()

    #expect(sections.map(\.name) == ["x", "y", "z"])
    #expect(sections.map(\.numberOfObjects) == [0, 0, 0])
    #expect(y.objects.isEmpty)
    #expect(all.count == 3)
    #expect(controller.sections?.map(\.name) == ["w", "xx", "y", "z"])
    #expect(controller.sections?.map(\.numberOfObjects) == [1, 1, 1, 1])
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
