import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

/// Two coordinators for one file represent two processes.
///
/// They share only the file.
@Suite("One file, two processes")
struct StoreConflictTests {
  private let folder = StoreFolder()

  private func open() throws -> ManagedObjectContext { try folder.context(Library.model()) }

  /// Returns two processes that both changed one object.
  ///
  /// The other one has saved.
  private func conflict() throws -> (context: ManagedObjectContext, object: ManagedObject) {
    let first = try open()
    _ = try first.insert("Book", ["title": .string("old"), "pages": .int(1)])
    try first.save()
    let second = try open()
    let here = try #require(try first.fetch(FetchRequest(entity: first.book)).first)
    let there = try #require(try second.fetch(FetchRequest(entity: second.book)).first)
    try here.setValue(.string("here"), forKey: "title")
    try there.setValue(.string("there"), forKey: "title")
    try there.setValue(.int(2), forKey: "pages")
    try second.save()
    return (first, here)
  }

  @Test("without a policy the save fails and says what differs")
  func error() throws {
    let (context, _) = try conflict()
    let error = #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
    #expect(error?.conflicts.map(\.kind) == [.changedTwice])
    #expect(try folder.lines("SELECT ZTITLE, ZPAGES, Z_OPT FROM ZBOOK") == ["there|2|2"])
  }

  @Test(
    "the merge policy decides",
    arguments: [
      (MergePolicy.mergeByPropertyObjectTrump, "here|2|3"),
      (.mergeByPropertyStoreTrump, "there|2|3"), (.overwrite, "here|1|3"),
      (.rollback, "there|2|2"),
    ])
  func policies(policy: MergePolicy, row: String) throws {
    let (context, _) = try conflict()
    context.mergePolicy = policy
    try context.save()
    #expect(try folder.lines("SELECT ZTITLE, ZPAGES, Z_OPT FROM ZBOOK") == [row])
  }

  @Test("one reads, and opens the file, while the other writes")
  func reading() throws {
    let first = try open()
    _ = try first.insert("Book", ["title": .string("saved")])
    try first.save()
    let writer = try DatabaseQueue(path: folder.file().path)
    try writer.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        try database.execute(sql: "UPDATE ZBOOK SET ZTITLE = 'half done'")
        #expect(try first.lines("Book", where: "title == 'saved'").count == 1)
        #expect(try open().lines("Book", where: "title == 'saved'").count == 1)
        return .commit
      }
    }
    #expect(try open().lines("Book", where: "title == 'half done'").count == 1)
  }

  @Test("a refresh takes out the rows that the other deleted, also those that nobody looked at")
  func refreshing() throws {
    let first = try open()
    for pages in 1...4 { _ = try first.insert("Book", ["pages": .int(Int64(pages))]) }
    try first.save()
    let second = try open()
    let controllers = try ["pages", "author.name"].map { key in
      try second.controller(of: second.book, by: [key])
    }
    let delegate = ChangeCounter()
    for controller in controllers {
      controller.delegate = delegate
      try controller.performFetch()
    }
    _ = try controllers[0].object(at: ResultsIndexPath(section: 0, row: 0))
    for book in try first.fetch(FetchRequest(entity: first.book)).prefix(2) { first.delete(book) }
    try first.save()

    second.refreshAllObjects()
    second.processPendingChanges()

    #expect(delegate.deletes.sorted() == [1, 1, 2, 2])
    for controller in controllers {
      #expect(controller.fetchedObjects?.map(\.objectID.number) == [3, 4])
      controller.checkInvariants()
    }
    #expect(second.findObject(with: ObjectID(entity: second.book, number: 2))?.isDeleted == true)
    #expect(second.deletedObjects.map(\.objectID.number).sorted() == [1, 2])
    try second.save()
    #expect(second.findObject(with: ObjectID(entity: second.book, number: 2)) == nil)
  }

  @Test("numbers follow what the other process saved")
  func numbers() throws {
    let first = try open()
    let second = try open()
    #expect(try first.insert("Book").objectID.number == 1)
    try first.save()
    #expect(try second.insert("Manga").objectID.number == 2)
    try second.save()
    #expect(try first.insert("Book").objectID.number == 3)
  }

  @Test(
    "new objects whose numbers the other process took get others, and all that knows them follows")
  func takenNumbers() throws {
    let first = try open()
    let second = try open()
    let author = try first.insert("Author", ["name": "Ann"])
    let book = try first.insert("Book", ["title": "first", "author": .object(author.objectID)])
    let next = try first.insert("Book", ["title": "next", "author": .object(author.objectID)])
    let controller = try first.controller(of: first.book, by: ["title"])
    try controller.performFetch()
    var heard: [String] = []
    first.didRenumber = { heard += $0.map { "\($0.old) \($0.new)" } }
    _ = try second.insert("Book", ["title": "second"])
    try second.save()

    try first.save()

    #expect(heard == ["Book/1 Book/3", "Book/2 Book/4"])
    #expect(book.objectID.number == 3 && next.objectID.number == 4)
    #expect(author["books"] == .list([.object(book.objectID), .object(next.objectID)]))
    #expect(controller.fetchedObjects?.map(\.objectID.number) == [3, 4])
    #expect(controller.indexPath(forObject: next)?.row == 1)
    controller.checkInvariants()
    #expect(
      try folder.lines("SELECT Z_PK, ZTITLE, ZAUTHOR FROM ZBOOK ORDER BY Z_PK")
        == ["1|second|nil", "3|first|1", "4|next|1"])
    #expect(try first.insert("Book").objectID.number == 5)
    // The object with the old number in the store belongs to the other process.
    #expect(try first.lines("Book", where: "title == 'second'").count == 1)
  }

  @Test(
    "a request and a controller keep to the new object whose number the other process took",
    arguments: ["fetch", "count", "dictionaries", "batch update", "batch delete", "save"])
  func takenNumberInPredicate(reading: String) throws {
    let first = try open()
    let author = try first.insert("Author", ["name": "mine"])
    let book = try first.insert("Book", ["title": "mine", "author": .object(author.objectID)])
    let request = FetchRequest(
      entity: first.book,
      predicate: try FetchPredicate(format: "author == %@", author.objectID),
      sortDescriptors: [FetchSortDescriptor(key: "title")])
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: first)
    try controller.performFetch()
    let second = try open()
    let other = try second.insert("Author", ["name": "theirs"])
    _ = try second.insert("Book", ["title": "theirs", "author": .object(other.objectID)])
    try second.save()

    switch reading {
    case "fetch": #expect(try first.fetch(request) == [book])
    case "count": #expect(try first.count(for: request) == 1)
    case "dictionaries": #expect(try first.fetchDictionaries(request).isEmpty)
    case "batch update":
      let update = BatchUpdateRequest(
        entity: first.book, predicate: request.predicate,
        propertiesToUpdate: ["title": .value("x")], resultType: .count)
      #expect(try first.execute(update).count == 0)
    case "batch delete":
      let delete = BatchDeleteRequest(fetchRequest: request, resultType: .count)
      #expect(try first.execute(delete).count == 0)
    default: try first.save()
    }
    first.processPendingChanges()

    #expect(author.objectID.number == 2)
    #expect(controller.fetchedObjects.map(Array.init) == [book])
    try controller.performFetch()
    #expect(controller.fetchedObjects.map(Array.init) == [book])
  }

  @Test("new objects of several entities are renumbered, each entity's at its attempt")
  func takenNumbersOfSeveralEntities() throws {
    let first = try open()
    let second = try open()
    for context in [first, second] {
      for name in ["Author", "Book", "Tag"] { _ = try context.insert(name) }
    }
    try second.save()

    try first.save()

    for table in ["ZAUTHOR", "ZBOOK", "ZTAG"] {
      #expect(try folder.lines("SELECT Z_PK FROM \(table) ORDER BY Z_PK") == ["1", "2"])
    }
  }

  @Test("an object that two processes bring back after a third deleted it is saved by both")
  func broughtBackTwice() throws {
    let contexts = try [open(), open(), open()]
    _ = try contexts[0].insert("Book", ["title": "old", "pages": 1])
    try contexts[0].save()
    let books = try contexts.map { try #require(try $0.fetch(FetchRequest(entity: $0.book)).first) }
    for context in contexts { context.mergePolicy = .mergeByPropertyObjectTrump }
    contexts[0].delete(books[0])
    try contexts[0].save()
    try books[1].setValue("one", forKey: "title")
    try books[2].setValue(2, forKey: "pages")
    try contexts[1].save()
    try contexts[2].save()

    #expect(try folder.lines("SELECT Z_PK, ZPAGES FROM ZBOOK") == ["1|2"])
  }

  @Test("a child's new objects are renumbered with those of its parent")
  func takenNumberBelow() throws {
    let first = try open()
    let second = try open()
    let child = ManagedObjectContext(parent: first)
    let book = try child.insert("Book", ["title": "first"])
    try child.save()
    _ = try second.insert("Book", ["title": "second"])
    try second.save()

    try first.save()

    #expect(book.objectID.number == 2)
    #expect(try folder.lines("SELECT Z_PK, ZTITLE FROM ZBOOK") == ["1|second", "2|first"])
    try book.setValue("changed", forKey: "title")
    try child.save()
    try first.save()
    #expect(try folder.lines("SELECT Z_PK, ZTITLE FROM ZBOOK") == ["1|second", "2|changed"])
  }
}

extension ManagedObjectContext {
  fileprivate var book: EntityDescription {
    guard let book = persistentStoreCoordinator.managedObjectModel.entitiesByName["Book"] else {
      preconditionFailure("the model has books")
    }
    return book
  }
}

/// Counts the deleted objects.
private final class ChangeCounter: FetchedResultsControllerDelegate {
  var deletes: [Int64] = []
  let implementedMethods = FetchedResultsDelegateMethods.changes

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    if type == .delete { deletes.append(object.objectID.number) }
  }
}
