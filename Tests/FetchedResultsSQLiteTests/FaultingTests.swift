import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// Counts the statements that a store receives.
@Suite("Faults and batches")
struct FaultingTests {
  private let folder: StoreFolder
  private let context: ManagedObjectContext

  init() throws {
    folder = StoreFolder()
    context = try Self.context(folder)
  }

  private static func context(_ folder: StoreFolder) throws -> ManagedObjectContext {
    try folder.context(Library.model())
  }

  /// Saves books whose titles are in order of their numbers, and reopens the file.
  private func library(_ count: Int) throws -> ManagedObjectContext {
    for number in 1...count {
      _ = try context.insert(
        "Book", ["title": .string(String(1_000_000 + number)), "pages": .int(Int64(number % 10))])
    }
    try context.save()
    return try Self.context(folder)
  }

  private func controller(
    on context: ManagedObjectContext, batch: Int = 20, by keys: [String] = ["title"],
    section: String? = nil
  ) throws -> FetchedResultsController {
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Book"]
    else {
      throw ModelError.unknownProperty("Book", entity: "")
    }
    return try context.controller(of: entity, by: keys, batch: batch, sections: section)
  }

  /// Returns the cost of an operation in a context's store.
  private func cost(
    _ context: ManagedObjectContext, _ body: () throws -> Void
  ) rethrows -> StoreActivity {
    func activity() -> StoreActivity {
      context.persistentStoreCoordinator.sqlStore?.activity ?? StoreActivity()
    }
    let before = activity()
    try body()
    var after = activity()
    after.statements -= before.statements
    after.rows -= before.rows
    after.faults -= before.faults
    return after
  }

  @Test("performFetch reads keys and sections with one statement, and no object")
  func performFetch() throws {
    let context = try library(100)
    let books = try controller(on: context, by: ["pages", "title"], section: "pages")
    context.persistentStoreCoordinator.sqlStore?.keepsStatements = true

    let cost = try cost(context) { try books.performFetch() }

    #expect(cost.statements == 1)
    let names: [String] = (0..<10).map { "\($0)" }
    #expect(books.sections?.map(\.name) == names)
    #expect(books.sections?.map(\.numberOfObjects) == Array(repeating: 10, count: 10))
    #expect(
      context.persistentStoreCoordinator.sqlStore?.takeStatements().map(\.sql) == [
        "SELECT t0.Z_PK, t0.\"ZPAGES\" FROM \"ZBOOK\" t0 "
          + "ORDER BY t0.\"ZPAGES\", t0.\"ZTITLE\", t0.Z_PK"
      ])
    #expect(try faults(context) == 100)
  }

  @Test(
    "a batch delete finds its rows while it deletes them, unless a context has to read them first",
    arguments: [nil, "name IN {'3', '23', '93'}"], [false, true])
  func batchDelete(format: String?, isHeld: Bool) throws {
    for number in 1...100 {
      _ = try context.insert("Tag", ["name": .string(String(number))])
    }
    try context.save()
    // The result leaves out what a trigger deletes from another table.
    try folder.execute(
      """
      INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT) SELECT Z_PK + 500, 1, 1 FROM ZTAG;
      CREATE TRIGGER gone AFTER DELETE ON ZTAG BEGIN
        DELETE FROM ZAUTHOR WHERE Z_PK = old.Z_PK + 500;
      END
      """)
    let other = try Self.context(folder)
    let tag = try other.entity("Tag")
    if isHeld { #expect(try other.fetch(FetchRequest(entity: tag)).count == 100) }
    let store = try #require(other.persistentStoreCoordinator.sqlStore)
    store.keepsStatements = true

    let result = try other.execute(
      BatchDeleteRequest(
        fetchRequest: FetchRequest(
          entity: tag, predicate: try format.map { try FetchPredicate(format: $0) }),
        resultType: .objectIDs))

    let expected = (1...100).filter { format == nil || [3, 23, 93].contains($0) }.map { Int64($0) }
    #expect(result.objectIDs?.map(\.number) == expected)
    let statements = store.takeStatements().map(\.sql)
    #expect(statements.count { $0.hasPrefix("DELETE FROM \"ZTAG\"") } == 1)
    #expect(statements.contains { $0.hasPrefix("SELECT t0.Z_PK") } == isHeld)
    let left = 100 - expected.count
    #expect(try folder.lines("SELECT count(*) FROM ZTAG") == ["\(left)"])
    #expect(try folder.lines("SELECT count(*) FROM ZAUTHOR") == ["\(left)"])
  }

  private func faults(_ context: ManagedObjectContext) throws -> Int {
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Book"]
    else { return 0 }
    return try context.knownObjects(of: entity).filter { known in
      if case .fault = known { true } else { false }
    }.count
  }

  @Test("a batch is read when one of its rows is looked at, and only that row is an object")
  func batch() throws {
    let context = try library(100)
    let books = try controller(on: context)
    try books.performFetch()

    let first = cost(context) { _ = books.fetchedObjects?[25] }
    #expect(first.statements == 1)
    #expect(first.rows == 20)
    #expect(try faults(context) == 99)

    let second = cost(context) {
      for row in 20..<40 {
        #expect(books.fetchedObjects?[row]["title"] == .string(String(1_000_001 + row)))
      }
    }
    #expect(second.statements == 0)
    #expect(try faults(context) == 80)

    let rest = cost(context) {
      for book in books.fetchedObjects.map(Array.init) ?? [] { _ = book["title"] }
    }
    #expect(rest.statements == 4)
    #expect(rest.rows == 80)
  }

  @Test("rows are read in batches however they are looked at")
  func waysToLook() throws {
    func statements(
      _ look: (ManagedObjectContext, FetchedResultsController) throws -> Void
    ) throws -> Int {
      let context = try Self.context(folder)
      let books = try controller(on: context, batch: 10, by: ["pages", "title"], section: "pages")
      try books.performFetch()
      return try cost(context) { try look(context, books) }.statements
    }
    _ = try library(30)

    // Thirty rows in batches of ten are three statements.
    #expect(
      try statements { _, books in
        for book in try #require(books.fetchedObjects) { _ = book["title"] }
      } == 3)
    #expect(
      try statements { _, books in
        for section in try #require(books.sections) {
          for book in section.objects { _ = book["title"] }
        }
      } == 3)
    #expect(
      try statements { context, books in
        for number in try #require(books.fetchedObjects).numbers {
          let book = try context.entity("Book")
          _ = context.object(entity: book, number: number)?["title"]
        }
      } == 3)
    let witness = SnapshotDelegate()
    #expect(
      try statements { context, books in
        books.delegate = witness
        let other = try self.controller(on: context, batch: 10, by: ["title"])
        other.delegate = witness
        try other.performFetch()
        for id in witness.snapshot?.itemIdentifiers ?? [] {
          _ = context.findObject(with: id)?["title"]
        }
        // These are the fetch itself, the identities' entities, and the batches.
      } == 1 + 1 + 3)
  }

  @Test("an insert among many rows reads a number of them that grows as their logarithm")
  func tracking() throws {
    let count = LawForm.isLong ? 1_000_000 : 10_000
    _ = try library(1)
    try folder.execute(
      "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
        + "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) "
        + "SELECT i, 2, 1, i % 10, 1000000 + i FROM n")
    try folder.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME = 'Book'")
    let context = try Self.context(folder)
    let books = try controller(on: context, by: ["pages", "title"], section: "pages")
    let delegate = CountingDelegate()
    books.delegate = delegate
    try books.performFetch()
    let logarithm = Int(log2(Double(count)).rounded(.up))

    for (title, path) in [("1000000", [3, 0]), ("9", [3, count / 10 + 1]), ("1004", [3, 3])] {
      let cost = try cost(context) {
        let book = try context.insert("Book", ["title": .string(title), "pages": 3])
        context.processPendingChanges()
        if title != "1004" {
          #expect(books.indexPath(forObject: book).map { [$0.section, $0.row] } == path)
        }
      }
      // A search reads this many rows, and may go one level too far.
      #expect(cost.rows <= logarithm + 8, "\(title)")
    }
    #expect(delegate.changes == 3)
  }

  @Test("a to-many relationship is read for a batch, when it is asked for")
  func relationships() throws {
    let author = try context.insert("Author", ["name": "a"])
    for number in 1...30 {
      let tag = try context.insert("Tag", ["name": .string("t\(number)")])
      _ = try context.insert(
        "Book",
        [
          "title": .string(String(100 + number)), "author": .object(author.objectID),
          "tags": .list([.object(tag.objectID)]),
        ])
    }
    try context.save()
    let context = try Self.context(folder)
    let books = try controller(on: context, batch: 10)
    try books.performFetch()

    let attributes = cost(context) { _ = books.fetchedObjects?[3]["title"] }
    #expect(attributes.statements == 1)
    #expect(attributes.faults == 0)

    let tags = cost(context) {
      for row in 0..<10 {
        #expect(books.fetchedObjects?[row]["tags"].members.map(\.number) == [Int64(row + 1)])
      }
    }
    #expect(tags.statements == 1)
    #expect(tags.faults == 1)
  }

  @Test("a relationship that nobody read is not written, nor lost, by a save")
  func unreadRelationship() throws {
    let tag = try context.insert("Tag", ["name": "t"])
    _ = try context.insert("Book", ["title": "a", "tags": .list([.object(tag.objectID)])])
    try context.save()

    let context = try Self.context(folder)
    guard let book = try context.fetch(named: "Book").first else {
      throw ModelError.unknownProperty("Book", entity: "")
    }
    book["title"] = "b"
    let cost = try cost(context) { try context.save() }

    #expect(cost.faults == 0)
    #expect(
      try folder.lines("SELECT ZTITLE, count(*) FROM ZBOOK, Z_2TAGS GROUP BY ZTITLE") == ["b|1"])
    #expect(book["tags"].members.map(\.number) == [1])
  }

  @Test("a relationship that nobody read is still the one before another context's save")
  func relationshipBeforeSave() throws {
    let author = try context.insert("Author", ["name": "a"])
    for title in ["a", "b"] {
      _ = try context.insert(
        "Book", ["title": .string(title), "author": .object(author.objectID)])
    }
    try context.save()
    let coordinator = try Self.context(folder).persistentStoreCoordinator
    let first = ManagedObjectContext(coordinator: coordinator)
    let second = ManagedObjectContext(coordinator: coordinator)
    let here = try first.fetch(named: "Author").first
    let there = try second.fetch(named: "Author").first
    let book = try second.fetch(named: "Book").first

    book?["author"] = nil
    try second.save()

    #expect(there?["books"].members.count == 1)
    #expect(here?["books"].members.count == 2)
    if let save = second.lastSave { first.mergeChanges(fromContextDidSave: save) }
    #expect(here?["books"].members.count == 1)
  }

  @Test("keys that cross a relationship are read in batches, related objects once")
  func keyPaths() throws {
    for name in ["b", "a"] { _ = try context.insert("Author", ["name": .string(name)]) }
    let authors = try context.fetch(named: "Author")
    for number in 0..<600 {
      _ = try context.insert(
        "Book",
        ["title": .string("\(number)"), "author": .object(authors[number % 2].objectID)])
    }
    try context.save()
    let context = try Self.context(folder)
    let books = try controller(on: context, by: ["author.name"], section: "author.name")

    let cost = try cost(context) { try books.performFetch() }

    #expect(books.sections?.map(\.numberOfObjects) == [300, 300])
    // These are the keys, the rows in hundreds, and two authors.
    #expect(cost.statements <= 1 + 3 + 2)
  }
}

private final class SnapshotDelegate: FetchedResultsControllerDelegate {
  let implementedMethods: FetchedResultsDelegateMethods = .snapshot
  var snapshot: FetchedResultsSnapshot?

  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    self.snapshot = snapshot
  }
}

private final class CountingDelegate: FetchedResultsControllerDelegate {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  var changes = 0

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    changes += 1
  }
}

extension ManagedObjectContext {
  /// Every object of an entity, by number.
  func fetch(named name: String) throws -> [ManagedObject] {
    guard let entity = persistentStoreCoordinator.managedObjectModel.entitiesByName[name] else {
      return []
    }
    return try fetch(FetchRequest(entity: entity))
  }
}

extension PropertyValue {
  /// The objects of a relationship.
  fileprivate var members: [ObjectID] {
    guard case .list(let values) = self else { return [] }
    return values.compactMap { if case .object(let id) = $0 { id } else { nil } }
  }
}
