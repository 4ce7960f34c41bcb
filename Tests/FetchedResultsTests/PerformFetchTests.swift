import EngineWorlds
import FetchedResults
import NaiveModel
import Testing

@Suite("performFetch and what a controller holds before and after it")
struct PerformFetchTests {
  let shelf: Shelf

  init() throws {
    shelf = try Shelf()
    for (index, name) in ["c", "a", "b"].enumerated() {
      shelf.insert(name, pages: .int(Int64(index)))
    }
  }

  @Test("a request without sort descriptors is refused")
  func missingSortDescriptors() throws {
    let error = #expect(throws: FetchedResultsError.self) { try shelf.controller() }
    #expect(
      error?.description
        == "NSInvalidArgumentException: An instance of NSFetchedResultsController requires a "
        + "fetch request with sort descriptors")

    let (controller, _) = try shelf.tracked(sort: "title")
    controller.fetchRequest.sortDescriptors = []
    #expect(throws: FetchedResultsError.missingSortDescriptors) { try controller.performFetch() }
  }

  @Test("before performFetch there are no objects and no sections")
  func before() throws {
    let controller = try shelf.controller(sort: "title")
    let delegate = RecordingDelegate()
    controller.delegate = delegate
    shelf.insertInTurn("x")

    #expect(controller.fetchedObjects == nil)
    #expect(controller.sections == nil)
    #expect(delegate.history == [])
    let error = #expect(throws: FetchedResultsError.self) {
      try controller.object(at: ResultsIndexPath(section: 0, row: 0))
    }
    #expect(error == .notFetched)
    #expect(error?.name == "NSInvalidArgumentException")
  }

  @Test("performFetch sends no callback, and unsaved objects are among its results")
  func silent() throws {
    let (controller, delegate) = try shelf.tracked(sort: "title")
    #expect(controller.shown == [": a, b, c"])
    #expect(delegate.history == [])
  }

  @Test("a second performFetch finds what another context saved, and tells nobody")
  func refetch() throws {
    let (controller, delegate) = try shelf.tracked(sort: "title")
    let other = ManagedObjectContext(coordinator: shelf.coordinator)
    other.insert(shelf.book)["title"] = "aa"
    try other.save()
    #expect(controller.shown == [": a, b, c"])

    try controller.performFetch()

    #expect(controller.shown == [": a, aa, b, c"])
    #expect(delegate.history == [])
  }

  @Test("a second performFetch takes pending changes in silently, for itself alone")
  func refetchWithPending() throws {
    let (controller, delegate) = try shelf.tracked(sort: "title")
    let (_, other) = try shelf.tracked(sort: "title")
    shelf.insert("aa")

    try controller.performFetch()
    #expect(delegate.received() == [])
    #expect(other.history == ["will", "insert aa -> [0, 1]", "did"])
    #expect(controller.shown == [": a, aa, b, c"])
  }

  @Test("a changed request acts at the next performFetch; tracking keeps the old one")
  func changedRequest() throws {
    let (controller, delegate) = try shelf.tracked(sort: "title")

    controller.fetchRequest.sortDescriptors = [FetchSortDescriptor("-title")]
    shelf.insert("aa")
    #expect(delegate.received() == ["will", "insert aa -> [0, 1]", "did"])

    try controller.performFetch()
    #expect(controller.shown == [": c, b, aa, a"])
  }

  @Test("an index path outside the results is an exception with Apple's reason")
  func outside() throws {
    let (controller, _) = try shelf.tracked(sort: "title")
    let error = #expect(throws: FetchedResultsError.self) {
      try controller.object(at: ResultsIndexPath(section: 0, row: 3))
    }
    #expect(error?.reason == "no object at index 3 in section at index 0")
    #expect(error?.name == "NSInvalidArgumentException")
    #expect(throws: FetchedResultsError.noSection(index: 1)) {
      try controller.object(at: ResultsIndexPath(section: 1, row: 0))
    }
    #expect(throws: FetchedResultsError.noObject(index: -1, section: 0)) {
      try controller.object(at: ResultsIndexPath(section: 0, row: -1))
    }
  }

  @Test("an object outside the results has no index path")
  func indexPath() throws {
    let (controller, _) = try shelf.tracked(sort: "title")
    let x = shelf.insert("x")
    let other = try EntityDescription(name: "Other", attributes: [])
    try shelf.coordinator.add(other)
    let stranger = shelf.context.insert(other)
    let a = try controller.object(at: ResultsIndexPath(section: 0, row: 0))

    #expect(controller.indexPath(forObject: a) == ResultsIndexPath(section: 0, row: 0))
    #expect(controller.indexPath(forObject: x) == nil)
    #expect(stranger.objectID.number == 1)
    #expect(controller.indexPath(forObject: stranger) == nil)
  }

  @Test("the object of another context has no index path")
  func strangeObject() throws {
    let (controller, _) = try shelf.tracked(sort: "title")
    try shelf.context.save()
    let a = try controller.object(at: ResultsIndexPath(section: 0, row: 0))
    let other = ManagedObjectContext(coordinator: shelf.coordinator)
    #expect(other.findObject(with: a.objectID).map(controller.indexPath(forObject:)) == .some(nil))
  }

  @Test("an entity of another model is an error, because nothing of it would be found")
  func foreignEntity() throws {
    let request = FetchRequest(
      entity: try Shelf().book, sortDescriptors: [FetchSortDescriptor("title")])
    let expected = FetchError.foreignEntity("Book")
    #expect(throws: expected) { try shelf.context.fetch(request) }
    #expect(throws: expected) { try shelf.context.count(for: request) }
    #expect(throws: expected) { try shelf.context.fetchDictionaries(request) }
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context)
    #expect(throws: FetchedResultsError.self) { try controller.performFetch() }
  }

  @Test("equal numbers are one group and one distinct value: zero of any sign, and every NaN")
  func groupsOfZeros() throws {
    let shelf = try Shelf()
    for price in [-0.0, 0, -Double.nan, .nan, 1] {
      shelf.insert(price.isNaN ? "b" : "a")["price"] = .double(price)
    }
    try shelf.context.save()
    var request = FetchRequest(entity: shelf.book)
    request.resultType = .dictionaries
    func found() throws -> [String] {
      try shelf.context.fetchDictionaries(request).map { dictionary in
        dictionary.entries.map(\.value.description).joined(separator: " ")
      }
    }

    request.propertiesToFetch = ["price", FetchedProperty("title", function: .count)]
    request.propertiesToGroupBy = ["price"]
    #expect(try found() == ["0.0 2", "nan 2", "1.0 1"])
    request.sortDescriptors = [FetchSortDescriptor("price")]
    #expect(try found() == ["nan 2", "0.0 2", "1.0 1"])
    request.propertiesToFetch = ["price"]
    request.propertiesToGroupBy = []
    request.returnsDistinctResults = true
    #expect(try found() == ["nan", "0.0", "1.0"])
    request.sortDescriptors = []
    request.propertiesToFetch = [
      FetchedProperty("price", function: .min), FetchedProperty("price", function: .max),
    ]
    #expect(try found() == ["0.0 1.0"])
    request.predicate = try FetchPredicate(format: "title == 'b'")
    #expect(try found() == ["nan nan"])
  }

  @Test("a sort key that the entity lacks is a fetch error")
  func unknownSortKey() throws {
    let controller = try shelf.controller(sort: "colour")
    let error = #expect(throws: FetchedResultsError.self) { try controller.performFetch() }
    #expect(error?.description == "keypath colour not found in entity Book")
  }

  @Test("nil sorts first ascending and last descending")
  func nilOrder() throws {
    shelf.insert("n", pages: nil)
    #expect(try shelf.tracked(sort: "pages").controller.shown == [": n, c, a, b"])
    #expect(try shelf.tracked(sort: "-pages").controller.shown == [": b, a, c, n"])
  }

  @Test("a number that is none sorts before every other, and keeps the order total")
  func notANumber() throws {
    for (title, price) in [("2", 2.0), ("nan", .nan), ("1", 1.0), ("nan2", .nan)] {
      shelf.insert(title)["price"] = .double(price)
    }
    let (controller, delegate) = try shelf.tracked(sort: "price", "title")
    #expect(controller.shown == [": a, b, c, nan, nan2, 1, 2"])

    shelf.insert("0")["price"] = 0.0
    #expect(delegate.received() == ["will", "insert 0 -> [0, 5]", "did"])
  }
}
