import FetchedResults
import Testing

@Suite("the section index")
struct SectionIndexTests {
  let shelf: Shelf

  init() throws {
    shelf = try Shelf()
    for name in ["ace", "", "bell", "éditions", "ßeta"] { shelf.insert("x", .string(name)) }
  }

  @Test("a title is the name's first letter, capitalised")
  func titles() throws {
    let (controller, _) = try shelf.tracked(sort: "publisher", section: "publisher")
    #expect(controller.sections?.map(\.name) == ["", "ace", "bell", "ßeta", "éditions"])
    #expect(controller.sectionIndexTitles == ["", "A", "B", "SS", "É"])
    #expect(controller.sectionIndexTitle(forSectionName: "zebra") == "Z")
  }

  @Test("a delegate may give the titles, and leave one to the default")
  func delegateTitles() throws {
    let controller = try shelf.controller(sort: "publisher", section: "publisher")
    let delegate = RecordingDelegate(.sectionIndexTitle)
    delegate.indexTitle = { $0 == "bell" ? nil : "<\($0)>" }
    controller.delegate = delegate
    try controller.performFetch()
    #expect(controller.sectionIndexTitles == ["<>", "<ace>", "B", "<ßeta>", "<éditions>"])
  }

  @Test("a delegate that does not implement the method is not asked")
  func notImplemented() throws {
    let (controller, delegate) = try shelf.tracked(sort: "publisher", section: "publisher")
    delegate.indexTitle = { _ in "never" }
    #expect(controller.sectionIndexTitles[1] == "A")
  }

  @Test("a title and its position give the section; a wrong pair is an exception")
  func sectionForTitle() throws {
    let (controller, _) = try shelf.tracked(sort: "publisher", section: "publisher")
    #expect(try controller.section(forSectionIndexTitle: "B", at: 2) == 2)
    for (title, index) in [("A", 2), ("B", 99), ("B", -1)] {
      let error = #expect(throws: FetchedResultsError.self) {
        try controller.section(forSectionIndexTitle: title, at: index)
      }
      #expect(error == .wrongSectionIndexTitle(title, index: index))
      #expect(error?.name == "NSInternalInconsistencyException")
    }
  }

  @Test("before performFetch there are no titles, and asking for a section is an exception")
  func notFetched() throws {
    let controller = try shelf.controller(sort: "publisher", section: "publisher")
    #expect(controller.sectionIndexTitles == [])
    #expect(throws: FetchedResultsError.notFetched) {
      try controller.section(forSectionIndexTitle: "A", at: 0)
    }
  }
}
