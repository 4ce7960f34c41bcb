import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB

/// A damaged store, and the results of using it.
struct DamagedStore {
  private var random: SeededGenerator
  private let folder: StoreFolder
  /// The damage that was done to the file, for messages.
  private(set) var damage: [String] = []
  /// The error messages from using the file.
  private(set) var messages: [String] = []
  /// How many objects were read.
  private(set) var rowCount = 0

  init(seed: UInt64, bytes: Data) throws {
    random = SeededGenerator(seed: seed)
    folder = StoreFolder()
    try bytes.write(to: folder.file())
    switch seed % 4 {
    case 0, 1: try damageCells()
    case 2: try damageSchema()
    default: try damageBytes(bytes)
    }
  }

  // MARK: Damage

  private static let tables = ["ZAUTHOR", "ZBOOK", "ZTAG", "Z_PRIMARYKEY", "Z_METADATA"]

  private static let values = [
    "NULL", "0", "-1", "1", "2", "3", "4", "5", "77", "32768", "2147483647", "2147483648",
    "-2147483648", "-2147483649", "20000000000", "1000000000000", "4611686018427387904",
    "9223372036854775807", "-9223372036854775807 - 1", "1.5", "1e300", "-1e300", "9e999", "-9e999",
    "1e-320", "''", "'abc'", "'1e999'", "'NaN'", "'a' || char(10) || 'b'", "X''", "X'00'",
    "X'FF00FF'", "CAST(X'FF41' AS TEXT)", "CAST(X'41C3' AS TEXT)", "CAST(X'410042' AS TEXT)",
    "zeroblob(100000)", "X'000102030405060708090A0B0C0D0E0F'",
  ]

  /// Puts unusual values into cells.
  private mutating func damageCells() throws {
    let queue = try DatabaseQueue(path: folder.file().path)
    try queue.writeWithoutTransaction { database in
      let all = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let names = Bool.random(using: &random) ? all : Self.tables
        guard let table = names.randomElement(using: &random) else { continue }
        let columns = try Row.fetchAll(database, sql: "PRAGMA table_info(\(table))")
          .compactMap { String.fromDatabaseValue($0["name"]) }
        guard let column = columns.randomElement(using: &random),
          let value = Self.values.randomElement(using: &random)
        else { continue }
        let isOne = Int.random(in: 0..<8, using: &random) > 0
        let row =
          isOne
          ? "rowid IN (SELECT rowid FROM \(table) LIMIT 1 OFFSET "
            + "\(Int.random(in: 0..<4, using: &random)))" : "1"
        let sql = "UPDATE OR REPLACE \(table) SET \(column) = \(value) WHERE \(row)"
        damage.append(sql)
        // A change that SQLite itself refuses does no damage.
        _ = try? database.execute(sql: sql)
      }
    }
    try queue.close()
  }

  /// Changes the schema in the file.
  private mutating func damageSchema() throws {
    let queue = try DatabaseQueue(path: folder.file().path)
    queue.writeWithoutTransaction { database in
      let words = [
        "VARCHAR", "INTEGER", "TIMESTAMP", "FLOAT", "BLOB", "PRIMARY KEY", "Z_PK", "Z_ENT", "Z_OPT",
        "ZTITLE", "ZAUTHOR", "ZBOOK", "Z_NAME", "Z_MAX", "Z_UUID", "Z_VERSION", ", ", "(", "TABLE",
      ]
      let others = words + ["", "NULL", "ZNONE", "REAL", "WITHOUT ROWID", "'", ")"]
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        guard let table = Self.tables.randomElement(using: &random),
          let old = words.randomElement(using: &random),
          let new = others.randomElement(using: &random)
        else { continue }
        let sql =
          Bool.random(using: &random)
          ? "UPDATE sqlite_master SET sql = replace(sql, '\(old)', '\(new == "'" ? "''" : new)') "
            + "WHERE name = '\(table)'"
          : ["DROP TABLE \(table)", "DELETE FROM \(table)", "ALTER TABLE \(table) ADD COLUMN ZX"]
            .randomElement(using: &random) ?? ""
        damage.append(sql)
        try? database.execute(sql: "PRAGMA writable_schema = ON; \(sql)")
      }
    }
    try queue.close()
  }

  /// Changes bytes at random places.
  private mutating func damageBytes(_ bytes: Data) throws {
    var bytes = bytes
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      let count = Int.random(in: 0..<bytes.count, using: &random)
      bytes = bytes.prefix(count)
      damage.append("the first \(count) bytes")
    case 1:
      let pages = bytes.count / 4096
      let from = Int.random(in: 0..<pages, using: &random) * 4096
      let to = Int.random(in: 0..<pages, using: &random) * 4096
      bytes.replaceSubrange(to..<to + 4096, with: bytes[from..<from + 4096])
      damage.append("the page at \(from) copied to \(to)")
    default:
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        // Damage at the start of a page has the greatest effect.
        let page = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
        let place =
          Bool.random(using: &random)
          ? page + Int.random(in: 0..<120, using: &random)
          : Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
        damage.append("byte \(place)")
      }
    }
    try bytes.write(to: folder.file())
  }

  // MARK: Use

  /// Opens the store twice, reads everything and writes.
  mutating func use() throws {
    let isReadOnly = Int.random(in: 0..<6, using: &random) == 0
    for _ in 0..<2 {
      attempt { store throws in
        let coordinator = try store.folder.coordinator(Library.model(), isReadOnly: isReadOnly)
        let context = ManagedObjectContext(coordinator: coordinator)
        store.read(context)
        store.track(context)
        store.write(context)
        store.read(context)
      }
    }
  }

  private mutating func attempt(_ body: (inout Self) throws -> Void) {
    do {
      try body(&self)
    } catch {
      messages.append("\(error)")
    }
  }

  private mutating func note(_ context: ManagedObjectContext) {
    if let failure = context.persistentStoreCoordinator.takeReadFailure() {
      messages.append("\(failure)")
    }
  }

  private mutating func read(_ context: ManagedObjectContext) {
    for name in ["Author", "Book", "Manga", "Tag"] {
      attempt { $0.rowCount += try context.lines(name).count }
      note(context)
    }
    let formats = [
      ("Book", "pages > 1 AND author.name != 'x'"), ("Book", "title ==[cd] 'e'"),
      ("Book", "ANY tags.name == 'a'"), ("Book", "date < CAST(0, 'NSDate')"),
      ("Book", "cost > 0.01 OR link != nil"), ("Author", "books.pages.@sum > 1"),
      ("Author", "favourite.title LIKE '*'"), ("Tag", "books.@count > 1"),
    ]
    if let (name, format) = formats.randomElement(using: &random) {
      let keys = ["title", "cost", "author.name", "date"].filter { _ in name == "Book" }
      let descriptors = keys.randomElement(using: &random).map { [FetchSortDescriptor(key: $0)] }
      attempt { $0.rowCount += try context.lines(name, where: format, by: descriptors ?? []).count }
      note(context)
    }
  }

  /// Lets a controller track some changes.
  private mutating func track(_ context: ManagedObjectContext) {
    attempt { store throws in
      guard let book = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Book"]
      else { return }
      let section =
        ["pages", "author.name", "title", nil].randomElement(using: &store.random) ?? nil
      let controller = try context.controller(
        of: book, by: [section, "title"].compactMap(\.self), sections: section)
      controller.delegate = store.delegate
      try controller.performFetch()
      for object in controller.fetchedObjects.map(Array.init) ?? [] {
        store.rowCount += object.line.isEmpty ? 0 : 1
      }
      _ = try context.insert("Book", ["title": "new", "pages": 3])
      context.processPendingChanges()
      if let first = controller.fetchedObjects?.first {
        try first.setValue(.string("other"), forKey: "title")
        context.processPendingChanges()
        context.delete(first)
        context.processPendingChanges()
      }
    }
    note(context)
  }

  private let delegate = SilentDelegate()

  private mutating func write(_ context: ManagedObjectContext) {
    for name in ["Author", "Book", "Manga", "Tag"] {
      attempt { store throws in
        guard
          let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[name]
        else { return }
        let object = try context.insert(name)
        for key in entity.relationships.indices {
          let destination = entity.relationships[key].destination
          guard
            let other = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[
              destination],
            let found = try context.fetch(FetchRequest(entity: other)).randomElement(
              using: &store.random)
          else { continue }
          try object.setValue(
            entity.relationships[key].isToMany
              ? .list([.object(found.objectID)]) : .object(found.objectID),
            forKey: entity.relationships[key].name)
        }
        let all = try context.fetch(FetchRequest(entity: entity))
        if let some = all.randomElement(using: &store.random), !some.isDeleted {
          try some.setValue(.null, forKey: name == "Book" || name == "Manga" ? "title" : "name")
        }
        if let some = all.randomElement(using: &store.random) { context.delete(some) }
      }
      note(context)
      attempt { _ in try context.save() }
      note(context)
    }
    if context.hasChanges { context.rollback() }
    note(context)
  }
}

/// A delegate that ignores all calls, so that a controller tracks changes.
private final class SilentDelegate: FetchedResultsControllerDelegate {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
}

extension DamagedStore {
  /// Returns a closed store file with some objects of every entity.
  static func sound() throws -> Data {
    let folder = StoreFolder()
    let context = try folder.context(Library.model())
    var books: [ObjectID] = []
    var authors: [ObjectID] = []
    for index in 0..<24 {
      books.append(try insertBook(index, in: context))
      guard index % 3 == 1 else { continue }
      let author = try context.insert("Author", ["name": .string("a\(index)")])
      let members: [(String, [ObjectID])] = [
        ("books", books.suffix(3)), ("read", books.suffix(2)), ("friends", authors.suffix(2)),
      ]
      for (key, ids) in members {
        try author.setValue(.list(ids.map(PropertyValue.object)), forKey: key)
      }
      try author.setValue(.object(books[index]), forKey: "favourite")
      authors.append(author.objectID)
      let tag = try context.insert("Tag", ["name": .string("t\(index)")])
      try tag.setValue(.list(books.suffix(4).map(PropertyValue.object)), forKey: "books")
    }
    try context.save()
    _ = context.persistentStoreCoordinator.store.checkpoint()
    return try Data(contentsOf: folder.file())
  }

  private static func insertBook(
    _ index: Int, in context: ManagedObjectContext
  ) throws -> ObjectID {
    var values: [String: PropertyValue] = [
      "title": .string("title \(index % 7)"), "pages": .int(Int64(index % 5)),
      "price": .double(Double(index) / 4), "weight": .double(0.5),
      "cost": .decimal(Decimal(index) / 100), "isNew": .bool(index % 2 == 0),
    ]
    values["date"] = .date(Date(timeIntervalSinceReferenceDate: Double(index) * 1000))
    values["uuid"] = .uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))
    values["link"] = URL(string: "http://x/\(index)").map(PropertyValue.uri)
    values["cover"] = .data(Data(repeating: 7, count: index * 10))
    return try context.insert(index % 3 == 0 ? "Manga" : "Book", values).objectID
  }
}
