import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Synchronization
import Testing

/// If data cannot be read on access, the next operation reports it.
///
/// No object counts as deleted because of it.
@Suite("Read failures")
struct ReadFailureTests {
  private let folder: StoreFolder
  private let context: ManagedObjectContext

  init() throws {
    folder = StoreFolder()
    let model = try Library.model()
    let before = try folder.context(model)
    for title in ["a", "b", "c"] { _ = try before.insert("Book", ["title": .string(title)]) }
    try before.save()
    context = try folder.context(Library.model())
  }

  private static let error = StoreError.unusable(
    store: "library.sqlite", reason: "ZPAGES of row 2 of ZBOOK has no value of its type")

  private func breakRow() throws {
    try folder.execute("UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 2")
  }

  private func results() throws -> FetchedResultsController {
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Book"]
    else {
      throw ModelError.unknownProperty("Book", entity: "")
    }
    let controller = try context.controller(of: entity, by: ["title"], batch: 3)
    try controller.performFetch()
    return controller
  }

  @Test("a row that cannot be read hides none of its batch, and is told once")
  func batch() throws {
    try breakRow()
    let results = try results()

    #expect(results.fetchedObjects?[0]["title"] == "a")
    #expect(results.fetchedObjects?[2]["title"] == "c")
    #expect(context.persistentStoreCoordinator.takeReadFailure() == nil)
    #expect(results.fetchedObjects?[1].isDeleted == true)
    #expect(context.persistentStoreCoordinator.takeReadFailure() == Self.error)
    #expect(context.persistentStoreCoordinator.takeReadFailure() == nil)
  }

  @Test("a fetch that fails at a row leaves no object twice in the next one")
  func fetchAgain() throws {
    try breakRow()
    #expect(throws: FetchError.store(Self.error)) { try context.fetch(named: "Book") }

    try folder.execute(
      "UPDATE ZBOOK SET ZPAGES = 1, ZTITLE = CAST(x'620062' AS TEXT) WHERE Z_PK = 2")
    let books = try context.fetch(named: "Book")
    #expect(books.map { $0["title"] } == ["a", "b\u{0}b", "c"])
    #expect(Set(books.map(ObjectIdentifier.init)).count == 3)

    try folder.execute("UPDATE ZBOOK SET ZTITLE = CAST(x'62FF62' AS TEXT) WHERE Z_PK = 2")
    context.reset()
    #expect(
      throws: FetchError.store(
        .unusable(
          store: "library.sqlite", reason: "ZTITLE of row 2 of ZBOOK is not written in UTF-8"))
    ) { try context.fetch(named: "Book") }
  }

  @Test("a fetch that is cancelled leaves no object to a controller that knows its row")
  func cancelled() throws {
    let more = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    for number in 10..<60 { _ = try more.insert("Book", ["title": .string("title \(number)")]) }
    try more.save()
    let results = try results()

    let questions = Mutex(0)
    context.environment.isCancelled = {
      questions.withLock { count in
        count += 1
        return count > 2
      }
    }
    #expect(throws: FetchError.cancelled) { try context.fetch(named: "Book") }
    context.environment.isCancelled = nil

    #expect(questions.withLock { $0 } == 3)
    let book = results.fetchRequest.entity
    #expect(context.registeredObject(for: ObjectID(entity: book, number: 1)) == nil)
    #expect(results.fetchedObjects?[0]["title"] == "a")
  }

  @Test("an object whose row cannot be read any more stays, and a save says why it cannot be")
  func save() throws {
    let books = try context.fetch(named: "Book")
    try breakRow()

    books[1]["title"] = "new"
    #expect(throws: Self.error) { try context.saveThrowingCause() }
    #expect(books[1].isUpdated)
    #expect(try folder.lines("SELECT ZTITLE FROM ZBOOK WHERE Z_PK = 2") == ["b"])

    context.refreshAllObjects()
    #expect(books.allSatisfy { !$0.isDeleted })
    #expect(context.persistentStoreCoordinator.takeReadFailure() == Self.error)
  }

  @Test("a relationship that cannot be read is not written as if it were empty")
  func relationship() throws {
    let book = try context.fetch(named: "Book")[0]
    try folder.execute(
      "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 4, 1, 't'); "
        + "INSERT INTO Z_2TAGS (Z_2BOOKS, Z_4TAGS) VALUES (1, 1); "
        + "ALTER TABLE Z_2TAGS RENAME TO Z_HIDDEN")
    let tag = try context.insert("Tag", ["name": "new"])

    // The change fails at once, and a save too.
    #expect(throws: ObjectError.self) { try book.add(.object(tag.objectID), to: 1) }
    #expect(throws: StoreError.self) { try context.saveThrowingCause() }

    #expect(try folder.lines("SELECT count(*) FROM Z_HIDDEN") == ["1"])
  }
}
