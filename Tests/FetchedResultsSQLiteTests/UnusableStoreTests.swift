import FetchedResults
import Foundation
import GRDB
import Testing

@testable import FetchedResultsSQLite

@Suite("Stores that cannot be used")
struct UnusableStoreTests {
  private let folder = StoreFolder()

  private func reason(
    _ name: String = "library.sqlite", isReadOnly: Bool = false
  ) throws -> String? {
    do {
      _ = try folder.coordinator(Library.model(), in: name, isReadOnly: isReadOnly)
      return nil
    } catch StoreError.unusable(_, let reason) {
      return reason
    }
  }

  @Test("what is no store says so, and stays as it is")
  func noStore() throws {
    let text = Data("no database at all, but a text that is long enough to be one".utf8)
    try text.write(to: folder.file())
    #expect(try reason() == "it is not an SQLite database")
    #expect(try Data(contentsOf: folder.file()) == text)

    try folder.execute("CREATE TABLE t (x)", in: "other.sqlite")
    #expect(try reason("other.sqlite") == "it is a SQLite database, but no Core Data store")
    #expect(try reason(".") == "it is a folder")
    #expect(try reason("none/a.sqlite") == "there is no folder to make it in")
    #expect(
      try reason("none.sqlite", isReadOnly: true)
        == "there is no such file to read")
    #expect(!FileManager.default.fileExists(atPath: folder.file("none.sqlite").path))
  }

  @Test("a URL that leads to no file is refused, and makes none")
  func noFile() throws {
    let url = try #require(URL(string: "https://example.com\(folder.file("web.sqlite").path)"))
    let error = StoreError.unusable(
      store: url.absoluteString, reason: "a store is in a file; write URL(filePath:)")
    let model = try Library.model()
    #expect(throws: error) {
      try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: url)
    }
    #expect(throws: error) {
      try PersistentContainer(managedObjectModel: model, sqliteStoreAt: url)
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
    let bare = try #require(URL(string: folder.file("bare.sqlite").path))
    _ = try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: bare)
    #expect(FileManager.default.fileExists(atPath: bare.path))
  }

  @Test(
    "a layout that is newer, or does not fit the model, says what is wrong",
    arguments: [
      (
        "UPDATE Z_METADATA SET Z_VERSION = 2",
        "its layout is version 2, and only version 1 is known"
      ),
      ("DROP TABLE Z_METADATA", "it is a SQLite database, but no Core Data store"),
      (
        "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Manga'",
        "it does not fit the model: the file has no entity 'Manga'"
      ),
      (
        "ALTER TABLE ZBOOK DROP COLUMN ZPAGES",
        "it does not fit the model: ZBOOK has no column ZPAGES"
      ),
      ("DROP TABLE Z_2TAGS", "it does not fit the model: the file has no table Z_2TAGS"),
      (
        "ALTER TABLE ZBOOK DROP COLUMN ZPAGES; ALTER TABLE ZBOOK ADD COLUMN ZPAGES VARCHAR",
        "it does not fit the model: ZBOOK.ZPAGES is VARCHAR, where the model needs INTEGER"
      ),
    ])
  func misfits(change: String, expected: String) throws {
    #expect(try reason() == nil)
    try folder.execute(change)
    #expect(try reason() == expected)
  }

  @Test(
    "numbers and texts that are never written there are named with their place",
    arguments: [
      (
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Book'",
        "Z_MAX of row 2 of Z_PRIMARYKEY is out of range"
      ),
      (
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 'x' WHERE Z_NAME = 'Book'",
        "Z_MAX of row 2 of Z_PRIMARYKEY has no value of its type"
      ),
      (
        "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL WHERE Z_NAME = 'Tag'",
        "Z_NAME of row 4 of Z_PRIMARYKEY has no value of its type"
      ),
      (
        "UPDATE Z_PRIMARYKEY SET Z_NAME = X'00FF' WHERE Z_NAME = 'Tag'",
        "Z_NAME of row 4 of Z_PRIMARYKEY has no value of its type"
      ),
      (
        "UPDATE Z_METADATA SET Z_UUID = X'00FF'",
        "Z_UUID of row 1 of Z_METADATA has no value of its type"
      ),
      (
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT) VALUES (9223372036854775807, 2, 1)",
        "Z_PK of row 9223372036854775807 of ZBOOK is out of range"
      ),
    ])
  func impossibleEntity(change: String, expected: String) throws {
    #expect(try reason() == nil)
    try folder.execute(change)
    #expect(try reason() == expected)
    #expect(try reason(isReadOnly: true) == expected)
  }

  @Test(
    "rows that no object is are named with their place",
    arguments: [
      ("Z_PK = -5", "Z_PK of row -5 of ZBOOK is out of range"),
      ("Z_OPT = 2147483648", "Z_OPT of row 1 of ZBOOK is out of range"),
      ("Z_OPT = 2147483647", "Z_OPT of row 1 of ZBOOK is out of range"),
      ("Z_OPT = -2147483648", "Z_OPT of row 1 of ZBOOK is out of range"),
      ("Z_OPT = 'x'", "Z_OPT of row 1 of ZBOOK has no value of its type"),
      ("ZAUTHOR = 'x'", "ZAUTHOR of row 1 of ZBOOK has no value of its type"),
      ("ZAUTHOR = -1", "ZAUTHOR of row 1 of ZBOOK has no value of its type"),
      (
        "ZTITLE = CAST(X'41FF' AS TEXT)", "ZTITLE of row 1 of ZBOOK is not written in UTF-8"
      ),
    ])
  func impossibleRow(change: String, expected: String) throws {
    #expect(try reason() == nil)
    try folder.execute(
      "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1); UPDATE ZBOOK SET \(change)")
    let context = try folder.context(Library.model())
    let error = StoreError.unusable(store: "library.sqlite", reason: expected)
    var found: StoreError?
    do {
      _ = try context.lines("Book")
      found = context.persistentStoreCoordinator.takeReadFailure()
    } catch FetchError.store(let error) {
      found = error
    }
    #expect(found == error)
  }

  @Test("rows with very large numbers cost what others cost, and others follow them")
  func largeNumbers() throws {
    #expect(try reason() == nil)
    try folder.execute(
      "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 4, 1, 'a'), "
        + "(20000000000, 4, 1, 'b'), (4000000000000000000, 4, 1, 'c')")
    let context = try folder.context(Library.model())
    _ = try context.insert("Tag", ["name": "d"])
    let tag = try context.entity("Tag")
    let first = try #require(try context.fetch(FetchRequest(entity: tag)).first)
    context.delete(first)
    try context.save()
    #expect(
      try folder.lines("SELECT Z_PK, ZNAME FROM ZTAG") == [
        "20000000000|b", "4000000000000000000|c", "4000000000000000001|d",
      ])
  }

  @Test("a pipe and a device are no stores, and nothing waits for them")
  func notRegular() throws {
    #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
    for isReadOnly in [false, true] {
      #expect(try reason("pipe", isReadOnly: isReadOnly) == "it is not a regular file")
    }
  }

  @Test("a small file is checked when it is opened")
  func damaged() throws {
    #expect(try reason() == nil)
    try folder.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
        + "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 4, 1, 'tag ' || i FROM n")
    let page = try #require(
      try folder.lines("SELECT rootpage FROM sqlite_master WHERE name = 'Z_Tag_UNIQUE_name'").first
        .flatMap { Int($0) })
    var bytes = try Data(contentsOf: folder.file())
    for place in page * 4096 - 64..<page * 4096 { bytes[place] = 0 }
    try bytes.write(to: folder.file())
    #expect(try reason()?.hasPrefix("the file is damaged (") == true)
  }

  @Test("a table whose triggers call what only Core Data has can be read and not written")
  func triggers() throws {
    #expect(try reason() == nil)
    try folder.execute(
      "INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Anna');"
        + "CREATE TRIGGER t AFTER UPDATE ON ZAUTHOR BEGIN SELECT NSCoreDataOnly(1); END")
    let context = try folder.context(Library.model())
    let entity = try context.entity("Author")
    let anna = try #require(try context.fetch(FetchRequest(entity: entity)).first)
    try anna.setValue(.string("Bert"), forKey: "name")
    #expect(
      throws: StoreError.unusable(
        store: "library.sqlite",
        reason: "a trigger of the table calls what only Core Data has "
          + "(no such function: NSCoreDataOnly)")
    ) { try context.saveThrowingCause() }
    #expect(try folder.lines("SELECT ZNAME, Z_OPT FROM ZAUTHOR") == ["Anna|1"])
  }

  @Test("a full disk loses nothing that was saved, and nothing that is not")
  func fullDisk() throws {
    let model = try Library.model()
    let store = try SQLiteStore(model: model, path: folder.file().path, name: "library.sqlite")
    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: model, store: store, sectionCaches: InMemorySectionCaches()))
    _ = try context.insert("Author", ["name": .string("saved")])
    try context.save()
    // The file may not grow, so SQLite answers as on a full disk.
    try store.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1") }
    _ = try context.insert("Book", ["cover": .data(Data(count: 1 << 20))])
    #expect(
      throws: StoreError.unusable(
        store: "library.sqlite", reason: "the disk is full; nothing was saved")
    ) { try context.saveThrowingCause() }
    #expect(try folder.lines("SELECT ZNAME FROM ZAUTHOR") == ["saved"])
    #expect(try folder.lines("SELECT count(*) FROM ZBOOK") == ["0"])

    try store.queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA max_page_count = 100000")
    }
    try context.save()
    #expect(try folder.lines("SELECT count(*) FROM ZBOOK") == ["1"])
  }

  @Test("a row that holds no value of its attribute's type is an error, not a missing object")
  func unreadableRow() throws {
    #expect(try reason() == nil)
    try folder.execute(
      "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES) VALUES (1, 2, 1, 'many'), (2, 2, 1, 3)")
    let context = try folder.context(Library.model())
    let expected = FetchError.store(
      .unusable(
        store: "library.sqlite", reason: "ZPAGES of row 1 of ZBOOK has no value of its type"))
    #expect(throws: expected) { try context.lines("Book") }
    #expect(throws: expected) { try context.lines("Book", where: "title.length == 3") }
  }

  @Test("a store that another process writes to waits, then says so")
  func busy() throws {
    let context = try folder.context(Library.model())
    let other = try DatabaseQueue(path: folder.file().path)
    _ = try context.insert("Author")
    let start = ContinuousClock.now
    try other.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        #expect(
          throws: StoreError.busy(store: "library.sqlite")
        ) { try context.saveThrowingCause() }
        return .rollback
      }
    }
    #expect(ContinuousClock.now - start >= .seconds(4))
    try context.save()
    #expect(try folder.lines("SELECT count(*) FROM ZAUTHOR") == ["1"])
  }

  @Test(
    "what SQLite answers is said in words that tell what to do, and what became of the data",
    arguments: [
      (ResultCode.SQLITE_FULL, "the disk is full; nothing was saved"),
      (.SQLITE_READONLY, "the file cannot be written; nothing was saved"),
      (.SQLITE_CANTOPEN, "it cannot be opened, or made there"),
      (.SQLITE_NOTADB, "it is not an SQLite database"),
      (
        .SQLITE_IOERR,
        "reading or writing the file failed (disk I/O error); what was saved before is kept"
      ),
    ])
  func words(code: ResultCode, words: String) {
    let error = DatabaseError(
      resultCode: code, message: code == .SQLITE_IOERR ? "disk I/O error" : nil)
    #expect(
      StoreError(error, store: "a.sqlite") == .unusable(store: "a.sqlite", reason: words))
  }

  @Test("a file that a process left before it made a store is made one")
  func leftBehind() throws {
    try folder.execute("CREATE TABLE t (x); DROP TABLE t")
    #expect(try reason() == nil)
    #expect(try folder.lines("SELECT count(*) FROM ZBOOK") == ["0"])
  }

  @Test(
    "a row of an entity that the model does not have is named with the entity's number",
    arguments: [
      ("17", "row 2 of ZBOOK is of entity number 17, which the model does not have"),
      ("NULL", "Z_ENT of row 2 of ZBOOK has no value of its type"),
      ("'x'", "Z_ENT of row 2 of ZBOOK has no value of its type"),
    ])
  func foreignEntity(value: String, expected: String) throws {
    let context = try folder.context(Library.model())
    for _ in 1...3 { _ = try context.insert("Book") }
    try context.save()
    try folder.execute("UPDATE ZBOOK SET Z_ENT = \(value) WHERE Z_PK = 2")
    let later = try folder.context(Library.model())
    let error = StoreError.unusable(store: "library.sqlite", reason: expected)

    let book = try later.entity("Book")
    #expect(later.findObject(with: ObjectID(entity: book, number: 2)) == nil)
    #expect(later.persistentStoreCoordinator.takeReadFailure() == error)
    #expect(throws: error) { try later.persistentStoreCoordinator.store.objectIDs(of: book) }
    #expect(later.findObject(with: ObjectID(entity: book, number: 3)) != nil)
  }
}
