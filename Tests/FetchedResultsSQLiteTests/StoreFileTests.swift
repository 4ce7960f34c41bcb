import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

@Suite("The file of a store")
struct StoreFileTests {
  private let folder = StoreFolder()

  private func open(_ url: URL? = nil, isReadOnly: Bool = false) throws -> ManagedObjectContext {
    ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: try Library.model(), sqliteStoreAt: url ?? folder.file(),
        isReadOnly: isReadOnly))
  }

  @Test("tables, columns and their order are those of Core Data")
  func layout() throws {
    _ = try open()

    #expect(
      try folder.lines("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") == [
        "ZAUTHOR", "ZBOOK", "ZTAG", "Z_1FRIENDS", "Z_1READ", "Z_2TAGS", "Z_METADATA",
        "Z_MODELCACHE", "Z_PRIMARYKEY",
      ])
    #expect(
      try folder.lines("SELECT name, type FROM pragma_table_info('ZBOOK')") == [
        "Z_PK|INTEGER", "Z_ENT|INTEGER", "Z_OPT|INTEGER", "ZISNEW|INTEGER", "ZPAGES|INTEGER",
        "ZAUTHOR|INTEGER", "Z_FOK_AUTHOR|INTEGER", "ZVOLUME|INTEGER", "ZDATE|TIMESTAMP",
        "ZCOST|DECIMAL", "ZPRICE|FLOAT", "ZWEIGHT|FLOAT", "ZLINK|VARCHAR", "ZTITLE|VARCHAR",
        "ZCOVER|BLOB", "ZUUID|BLOB",
      ])
    #expect(
      try folder.lines("SELECT name FROM pragma_table_info('ZAUTHOR')") == [
        "Z_PK", "Z_ENT", "Z_OPT", "ZFAVOURITE", "Z2_FAVOURITE", "ZNAME",
      ])
    #expect(
      try folder.lines("SELECT name FROM pragma_table_info('Z_2TAGS')") == [
        "Z_2BOOKS", "Z_4TAGS", "Z_FOK_2BOOKS",
      ])
    #expect(
      try folder.lines(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT NULL "
          + "ORDER BY name") == [
          "ZAUTHOR_ZFAVOURITE_INDEX", "ZBOOK_ZAUTHOR_INDEX", "ZBOOK_Z_ENT_INDEX",
          "Z_1FRIENDS_Z_1FRIENDS_INDEX", "Z_1READ_Z_2READ_INDEX", "Z_2TAGS_Z_4TAGS_INDEX",
          "Z_Tag_UNIQUE_name",
        ])
    #expect(
      try folder.lines("SELECT * FROM Z_PRIMARYKEY") == [
        "1|Author|0|0", "2|Book|0|0", "3|Manga|2|0", "4|Tag|0|0",
      ])
    #expect(try folder.lines("PRAGMA journal_mode") == ["wal"])
    #expect(try folder.lines("PRAGMA auto_vacuum") == ["2"])
    #expect(try folder.lines("SELECT Z_VERSION FROM Z_METADATA") == ["1"])
  }

  @Test("properties whose columns every table has get other columns")
  func ownColumns() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        name: "A",
        attributes: try ["_ent", "_opt"].map {
          try AttributeDescription(name: $0, type: .integer64)
        },
        relationships: [RelationshipDescription(name: "_pk", destination: "A")])
    ])
    let context = try folder.context(model)
    let object = try context.insert("A", ["_ent": 7, "_opt": 8])
    object["_pk"] = .object(object.objectID)
    try context.save()

    #expect(
      try folder.lines("SELECT Z_PK, Z_ENT, Z_OPT, Z_PK1, Z_ENT1, Z_OPT1 FROM ZA")
        == ["1|1|1|1|7|8"])
    context.reset()
    #expect(try context.lines("A") == ["A/1 _ent: 7, _opt: 8, _pk: A/1"])
  }

  @Test(
    "entities that would have the same table are refused, and no file is made",
    arguments: [
      ("BOOK", "Book", "BOOK and Book would have the same table ZBOOK; rename the entity Book"),
      ("SSS", "Sß", "SSS and Sß would have the same table ZSSS; rename the entity Sß"),
      (
        "A", "_metadata",
        "the store itself and _metadata would have the same table Z_METADATA; "
          + "rename the entity _metadata"
      ),
    ])
  func sameTable(first: String, second: String, reason: String) throws {
    let model = try ManagedObjectModel(
      entities: try [second, first].map { try EntityDescription(name: $0, attributes: []) })
    #expect(throws: StoreError.unusable(store: "library.sqlite", reason: reason)) {
      try folder.coordinator(model, migration: .inferred())
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file().path))
  }

  @Test("values stand as Core Data writes them, and are read as they were given")
  func values() throws {
    let context = try open()
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    _ = try context.insert(
      "Manga",
      [
        "title": .string("漫画 \u{1F4DA} e\u{301}"), "pages": .int(-7), "price": .double(9.25),
        "weight": .double(0.1), "cost": .decimal(Decimal(string: "10.11") ?? 0),
        "isNew": .bool(true), "date": .date(Date(timeIntervalSinceReferenceDate: 1.5)),
        "uuid": .uuid(uuid), "link": .uri(try #require(URL(string: "http://a.b/c"))),
        "cover": .data(Data([0, 255])), "volume": .int(3), "mood": .string("kept in memory only"),
      ])
    _ = try context.insert("Book")
    try context.save()

    #expect(
      try folder.lines(
        "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZPRICE, ZWEIGHT, ZCOST, ZISNEW, ZDATE, "
          + "ZUUID, ZLINK, ZCOVER, ZVOLUME FROM ZBOOK") == [
          "1|3|1|漫画 \u{1F4DA} e\u{301}|-7|9.25|0.10000000149011612|10.11|1|1.5|"
            + "00112233445566778899aabbccddeeff|http://a.b/c|00ff|3",
          "2|2|1|nil|nil|nil|nil|nil|nil|nil|nil|nil|nil|nil",
        ])
    #expect(try folder.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == ["2"])
    let before = try context.lines("Book").map { $0.replacing("kept in memory only", with: "nil") }
    #expect(
      try open().lines("Book").map { $0.replacing("kept in memory only", with: "nil") } == before)
  }

  @Test("relationships of every kind are read as they were saved, ordered ones in order")
  func relationships() throws {
    let context = try open()
    let books = try (1...3).map { try context.insert("Book", ["pages": .int(Int64($0))]) }
    let manga = try context.insert("Manga")
    let anna = try context.insert("Author", ["name": .string("Anna")])
    let bert = try context.insert("Author", ["name": .string("Bert")])
    let tag = try context.insert("Tag", ["name": .string("new")])
    func list(_ objects: ManagedObject...) -> PropertyValue {
      .list(objects.map { .object($0.objectID) })
    }
    try anna.setValue(list(books[2], manga, books[0]), forKey: "books")
    try anna.setValue(list(bert, anna), forKey: "friends")
    try anna.setValue(.object(manga.objectID), forKey: "favourite")
    try anna.setValue(list(manga, books[1]), forKey: "read")
    try tag.setValue(list(books[1], books[0]), forKey: "books")
    try context.save()
    var expected = try context.lines("Author") + context.lines("Book") + context.lines("Tag")

    var other = try open()
    #expect(
      try other.lines("Author") + other.lines("Book") + other.lines("Tag") == expected)
    #expect(
      try folder.lines("SELECT ZFAVOURITE, Z2_FAVOURITE FROM ZAUTHOR") == ["4|3", "nil|nil"])

    try anna.setValue(list(books[0], books[2]), forKey: "books")
    try anna.setValue(list(), forKey: "friends")
    try tag.setValue(list(manga, books[0], books[1]), forKey: "books")
    context.delete(books[1])
    try context.save()
    expected = try context.lines("Author") + context.lines("Book") + context.lines("Tag")
    other = try open()
    #expect(
      try other.lines("Author") + other.lines("Book") + other.lines("Tag") == expected)
    #expect(try folder.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test("what is deleted leaves no join behind, not even of a relationship that the model lacks")
  func unknownJoins() throws {
    let context = try open()
    let book = try context.insert("Book")
    let manga = try context.insert("Manga")
    let anna = try context.insert("Author")
    let bert = try context.insert("Author")
    let tag = try context.insert("Tag", ["name": .string("new")])
    func list(_ objects: ManagedObject...) -> PropertyValue {
      .list(objects.map { .object($0.objectID) })
    }
    try tag.setValue(list(book, manga), forKey: "books")
    try anna.setValue(list(bert, anna), forKey: "friends")
    try bert.setValue(list(book, manga), forKey: "read")
    try context.save()
    let tables = ["Z_1FRIENDS", "Z_1READ", "Z_2TAGS"]
    #expect(
      try tables.map { try folder.lines("SELECT count(*) FROM \($0)") } == [["3"], ["2"], ["2"]])

    let plainBook = try EntityDescription(name: "Book", attributes: [.optional("title", .string)])
    let model = try ManagedObjectModel(entities: [
      plainBook, try EntityDescription(name: "Manga", superentity: plainBook, attributes: []),
      try EntityDescription(name: "Author", attributes: []),
    ])
    let narrow = try folder.context(model)
    for name in ["Author", "Manga"] {
      let found = try narrow.fetch(FetchRequest(entity: try #require(model.entitiesByName[name])))
      narrow.delete(try #require(found.first))
    }
    try narrow.save()
    #expect(
      try tables.map { try folder.lines("SELECT count(*) FROM \($0)") } == [["0"], ["1"], ["1"]])
  }

  @Test("a number is not given again, across openings, after a delete or a rollback")
  func numbers() throws {
    var context = try open()
    _ = try context.insert("Book")
    _ = try context.insert("Book")
    try context.save()
    _ = try context.insert("Book")
    context.rollback()
    let last = try context.insert("Manga")
    #expect(last.objectID.number == 4)
    try context.save()
    context.delete(last)
    try context.save()

    context = try open()
    #expect(try context.insert("Book").objectID.number == 5)
  }

  @Test("an empty text is an empty URL, and is written as it was read")
  func emptyURL() throws {
    _ = try open()
    try folder.execute(
      """
      INSERT INTO ZBOOK (Z_PK, Z_ENT, ZLINK)
      SELECT 7, Z_ENT, '' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'
      """)
    let context = try open()
    let book = try #require(context.book(7))
    #expect(try book.value(forKey: "link") == URLComponents().url.map(PropertyValue.uri))
    #expect(try context.lines("Book", where: "link == nil").isEmpty)
    try book.setValue("changed", forKey: "title")
    try context.save()
    #expect(try folder.lines("SELECT ZTITLE, ZLINK FROM ZBOOK WHERE Z_PK = 7") == ["changed|"])
  }

  @Test("rows that were written by hand are read, changed and passed by new numbers")
  func byHand() throws {
    _ = try open()
    try folder.execute(
      """
      INSERT INTO ZBOOK (Z_PK, Z_ENT, ZTITLE)
      SELECT 7, Z_ENT, 'seven' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'
      """)
    let context = try open()
    let book = try #require(context.book(7))
    try book.setValue("changed", forKey: "title")
    let other = try context.insert("Book")
    try context.save()
    #expect(other.objectID.number == 8)
    #expect(try folder.lines("SELECT ZTITLE, Z_OPT FROM ZBOOK WHERE Z_PK = 7") == ["changed|2"])
    try folder.execute("UPDATE ZBOOK SET Z_OPT = NULL")
    let again = try open()
    again.delete(try #require(again.book(7)))
    try again.save()
    #expect(try folder.lines("SELECT Z_PK FROM ZBOOK") == ["8"])
  }

  @Test("a new object does not get the number of a row that was written by hand and read before")
  func byHandAndRead() throws {
    let context = try open()
    let book = try context.insert("Book")
    try context.save()
    try folder.execute(
      """
      INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME)
      SELECT 1, Z_ENT, 1, 'by hand' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Author'
      """)
    try context.mergeChangesFromStore()
    let entities = context.persistentStoreCoordinator.managedObjectModel.entitiesByName
    let author = try #require(entities["Author"])
    let byHand = try #require(try context.fetch(FetchRequest(entity: author)).first)
    try book.setValue(.object(byHand.objectID), forKey: "author")

    let new = try context.insert("Author", ["name": "new"])
    #expect(new.objectID.number == 2)
    try context.save()

    #expect(try folder.lines("SELECT Z_PK, ZNAME FROM ZAUTHOR") == ["1|by hand", "2|new"])
    #expect(try folder.lines("SELECT ZAUTHOR FROM ZBOOK") == ["1"])
  }

  @Test("a save may pass a unique value on")
  func uniqueValues() throws {
    let context = try open()
    let a = try context.insert("Tag", ["name": .string("a")])
    let b = try context.insert("Tag", ["name": .string("b")])
    try context.save()
    try a.setValue(.string("b"), forKey: "name")
    try b.setValue(.string("a"), forKey: "name")
    try context.save()

    #expect(try folder.lines("SELECT ZNAME, Z_OPT FROM ZTAG") == ["b|2", "a|2"])
  }

  @Test("a save that fails leaves nothing of itself")
  func failedSave() throws {
    let context = try open()
    _ = try context.insert("Author", ["name": .string("A")])
    _ = try context.insert("Book", ["title": .string("a\0b")])
    #expect(
      throws: StoreError.self, performing: { try context.saveThrowingCause() })

    #expect(try folder.lines("SELECT count(*) FROM ZAUTHOR") == ["0"])
    #expect(try folder.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1") == ["0"])
    #expect(context.insertedObjects.count == 2)
  }

  @Test("read only, no byte of the file or of its log changes, and no file comes")
  func readOnly() throws {
    let writer = try open()
    _ = try writer.insert("Book", ["title": .string("Emma")])
    try writer.save()
    // The writer is still open, so its save is in the log.
    func bytes() throws -> [String: Data] {
      var bytes: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
        bytes[name] = try Data(contentsOf: folder.file(name))
      }
      return bytes
    }
    let before = try bytes()
    #expect(before.keys.sorted().contains("library.sqlite-wal"))

    let reader = try open(isReadOnly: true)
    #expect(try reader.lines("Book").count == 1)
    _ = try reader.insert("Book")
    #expect(throws: StoreError.readOnly(store: "library.sqlite")) { try reader.saveThrowingCause() }

    #expect(try bytes() == before)
    withExtendedLifetime(writer) {}
  }
}

extension ManagedObjectContext {
  fileprivate func book(_ number: Int64) -> ManagedObject? {
    persistentStoreCoordinator.managedObjectModel.entitiesByName["Book"].flatMap {
      object(entity: $0, number: number)
    }
  }
}
