import FetchedResults
import NaiveModel
import Testing

/// Published cases of the behavior of Apple's controller, each under its name.
///
/// Rows and keys are those of the case, shortened if it has many.
@Suite("cases from published tests and logs")
struct CaseTests {
  let shelf: Shelf

  init() throws { shelf = try Shelf() }

  /// Inserts rows that sort and section by `isAvailable`, the flag of the cases.
  private func flagged(_ rows: [(title: String, flag: Bool)]) -> [String: ManagedObject] {
    var objects: [String: ManagedObject] = [:]
    for row in rows {
      let object = shelf.insert(row.title)
      object["isAvailable"] = .bool(row.flag)
      objects[row.title] = object
    }
    return objects
  }

  private let fiveRows = [
    ("102", false), ("104", false), ("101", true), ("103", true), ("105", true),
  ]

  private func tracked() throws -> (
    controller: FetchedResultsController, delegate: RecordingDelegate
  ) {
    try shelf.tracked(sort: "isAvailable", "title", section: "isAvailable")
  }

  @Test func `CS-insert-first`() throws {
    let (_, delegate) = try tracked()
    _ = flagged([("n", true)])
    try shelf.context.save()
    #expect(
      delegate.history == ["will", "insert section 0 '1'", "insert n -> [0, 0]", "did"])
  }

  @Test func `CS-move-sections`() throws {
    let rows = flagged(fiveRows)
    let (_, delegate) = try tracked()
    rows["102"]?["isAvailable"] = true
    try shelf.context.save()
    #expect(delegate.history == ["will", "move 102 [0, 0] -> [1, 1]", "did"])
  }

  @Test func `CS-delete-section`() throws {
    let rows = flagged(fiveRows)
    let (_, delegate) = try tracked()
    for title in ["102", "104"] { shelf.context.delete(try #require(rows[title])) }
    try shelf.context.save()
    #expect(
      delegate.history == [
        "will", "delete 102 [0, 0]", "delete 104 [0, 1]", "delete section 0 '0'", "did",
      ])
  }

  @Test func `BNR-insert`() throws {
    for title in ["1984", "Naked Lunch", "Native Son", "Watchmen", "White Noise"] {
      shelf.insert(title, .string(String(title.prefix(1))))
    }
    let (controller, delegate) = try shelf.tracked(
      sort: "publisher", "title", section: "publisher")
    shelf.insert("1111", "1")
    #expect(delegate.received() == ["will", "insert 1111 -> [0, 0]", "did"])
    #expect(
      controller.shown == [
        "1: 1111, 1984", "N: Naked Lunch, Native Son", "W: Watchmen, White Noise",
      ])
  }

  @Test func `CDP-fetch-only`() throws {
    for name in ["Wardell", "Victoria", "Vaughn", "Theodora", "Ross"] { shelf.insert(name) }
    let (_, delegate) = try shelf.tracked(sort: "-title")
    #expect(delegate.history == [])
  }

  @Test func `DT-samepath`() throws {
    let i = shelf.insert("i", pages: 1)
    let (_, delegate) = try shelf.tracked(sort: "pages")
    i["pages"] = 5
    try shelf.context.save()
    #expect(delegate.history == ["will", "update i [0, 0] -> [0, 0]", "did"])
  }

  @Test func `PEY-insert`() throws {
    for index in 0..<4 { shelf.insert("row\(index)", pages: .int(Int64(index))) }
    let (controller, delegate) = try shelf.tracked(sort: "pages")
    var counts: [Int?] = []
    delegate.reaction = { counts.append($1.fetchedObjects?.count) }
    shelf.insert("n", pages: -1)
    #expect(delegate.received() == ["will", "insert n -> [0, 0]", "did"])
    #expect(counts == [4, 5, 5])
    #expect(controller.fetchedObjects?.count == 5)
  }

  @Test func `PEY-reentrant`() throws {
    let rows = (0..<4).map { shelf.insert("row\($0)", pages: .int($0)) }
    let (_, delegate) = try shelf.tracked(sort: "pages")
    var isDone = false
    delegate.reaction = { [shelf] callback, _ in
      guard callback == .didChange, !isDone else { return }
      isDone = true
      shelf.context.delete(rows[3])
      for row in rows[..<3] { row["price"] = 1 }
      _ = try? shelf.context.fetch(shelf.request(sort: "title"))
    }
    shelf.insert("n", pages: -1)
    #expect(
      delegate.received() == [
        "will", "insert n -> [0, 0]", "did",
        "will", "delete row3 [0, 4]", "update row0 [0, 1] -> [0, 1]",
        "update row1 [0, 2] -> [0, 2]", "update row2 [0, 3] -> [0, 3]", "did",
      ])
  }

  @Test func `R27957917-swap`() throws {
    let a = shelf.insert("a", pages: 0)
    let b = shelf.insert("b", pages: 1)
    let (_, delegate) = try shelf.tracked(sort: "pages")
    a["pages"] = 1
    b["pages"] = 0
    #expect(
      delegate.received() == [
        "will", "update a [0, 0] -> [0, 1]", "move b [0, 1] -> [0, 0]", "did",
      ])
  }

  @Test func `WANG-update-shifted`() throws {
    let a = shelf.insert("a", pages: 0)
    let b = shelf.insert("b", pages: 1)
    let (_, delegate) = try shelf.tracked(sort: "pages")
    shelf.context.delete(a)
    b["price"] = 1
    #expect(delegate.received() == ["will", "delete a [0, 0]", "update b [0, 1] -> [0, 0]", "did"])
  }

  @Test func `NEST-predicate-enter`() throws {
    let rows = flagged([("a", true), ("b", false)])
    var request = shelf.request(sort: "title")
    request.predicate = try FetchPredicate(format: "isAvailable == true")
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context)
    let delegate = try RecordingDelegate(fetching: controller)
    rows["b"]?["isAvailable"] = true
    shelf.context.processPendingChanges()
    #expect(delegate.history == ["will", "insert b -> [0, 1]", "did"])
  }

  @Test("FETCHLIMIT") func fetchLimit() throws {
    var request = shelf.request(sort: "title")
    request.fetchLimit = 5
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context)
    let delegate = try RecordingDelegate(fetching: controller)
    for index in 0..<6 {
      shelf.insertInTurn("\(index)")
      #expect(delegate.takeHistory() == ["will", "insert \(index) -> [0, \(index)]", "did"])
    }
    #expect(controller.fetchedObjects?.count == 6)
  }

  @Test func `REFETCH-silent`() throws {
    let (controller, delegate) = try shelf.tracked(sort: "title")
    let elsewhere = ManagedObjectContext(coordinator: shelf.coordinator)
    elsewhere.insert(shelf.book)["title"] = "x"
    try elsewhere.save()
    try controller.performFetch()
    #expect(delegate.history == [])
    #expect(controller.shown == [": x"])
  }

  /// In the case, the insert and the update come from a merge.
  ///
  /// Here they are one turn.
  @Test func `INSERT-THEN-UPDATE`() throws {
    let (_, delegate) = try shelf.tracked(sort: "pages")
    shelf.insert("x")["price"] = 2
    try shelf.context.save()
    #expect(delegate.history == ["will", "insert x -> [0, 0]", "did"])
  }

  @Test func `EMPTY-DELEGATE`() throws {
    let a = shelf.insert("a")
    let controller = try shelf.controller(sort: "title")
    let delegate = RecordingDelegate(.sectionIndexTitle)
    controller.delegate = delegate
    try controller.performFetch()
    shelf.context.delete(a)
    try shelf.context.save()
    #expect(delegate.history == [])
    #expect(controller.shown == [": a"])
  }

  @Test func `ERR-nosort`() throws {
    let error = #expect(throws: FetchedResultsError.self) { try shelf.controller() }
    #expect(error?.name == "NSInvalidArgumentException")
    #expect(
      error?.reason
        == "An instance of NSFetchedResultsController requires a fetch request with sort descriptors"
    )
  }

  @Test func `ERR-order`() throws {
    shelf.insert("1", "Test Assignment Group", pages: 1)
    shelf.insert("2", "Middle Group", pages: 2)
    shelf.insert("3", "Test Assignment Group", pages: 3)
    let controller = try shelf.controller(sort: "pages", "publisher", section: "publisher")
    let error = #expect(throws: FetchedResultsError.self) { try controller.performFetch() }
    #expect(error?.name == "NSCocoaErrorDomain 134060")
    #expect(
      error?.reason
        == "The fetched object at index 2 has an out of order section name 'Middle Group. "
        + "Objects must be sorted by section name'")
  }

  @Test func `ERR-cache`() throws {
    try shelf.controller(sort: "title", cache: "Demo").performFetch()
    let other = try shelf.controller(sort: "title", cache: "Demo")
    other.fetchRequest.predicate = try FetchPredicate(format: "pages > 1")
    let error = #expect(throws: FetchedResultsError.self) { try other.performFetch() }
    #expect(error?.name == "NSInternalInconsistencyException")
    #expect(
      error?.reason
        == "CoreData: FATAL ERROR: The persistent cache of section information does not match the "
        + "current configuration.  You have illegally mutated the NSFetchedResultsController's "
        + "fetch request, its predicate, or its sort descriptor without either disabling caching "
        + "or using +deleteCacheWithName:")
  }

  @Test func `X-new-section-between`() throws {
    let u = shelf.insert("u", "A", pages: 1)
    shelf.insert("w", "A", pages: 2)
    shelf.insert("v", "C", pages: 2)
    let (_, delegate) = try shelf.tracked(sort: "publisher", "pages", section: "publisher")
    u["publisher"] = "B"
    #expect(
      delegate.received() == ["will", "insert section 1 'B'", "move u [0, 0] -> [1, 0]", "did"])
  }
}
