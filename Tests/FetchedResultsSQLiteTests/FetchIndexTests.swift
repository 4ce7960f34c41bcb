import Basics
import EngineWorlds
import FetchedResults
import Foundation
import GRDB
import RandomLaws
import Testing

@testable import FetchedResultsSQLite

@Suite("Indexes in a file")
struct FetchIndexTests {
  private static func model(
    _ indexes: [FetchIndexDescription], ofMangas: [FetchIndexDescription] = [],
    newAttributes: Int = 0
  ) throws -> ManagedObjectModel {
    let author = try EntityDescription(
      name: "Author", attributes: [.init("name", .string)],
      relationships: [.toMany("books", "Book", inverse: "author")])
    let book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "title", type: .string, isOptional: true),
        AttributeDescription(name: "pages", type: .integer32, isOptional: true),
        AttributeDescription(name: "price", type: .double, isOptional: true),
        AttributeDescription(name: "note", type: .string, isOptional: true),
      ]
        + (0..<newAttributes).map {
          try AttributeDescription(name: "new\($0)", type: .string, isOptional: true)
        },
      relationships: [RelationshipDescription(name: "author", destination: "Author")],
      indexes: indexes)
    let manga = try EntityDescription(
      name: "Manga", superentity: book, attributes: [.optional("volume", .integer32)],
      indexes: ofMangas)
    return try ManagedObjectModel(entities: [author, book, manga])
  }

  private static let byTitle = FetchIndexDescription(attribute: "title")
  private static let byPages = FetchIndexDescription(attribute: "pages")
  private static let compound = FetchIndexDescription(
    name: "byAuthorAndPages",
    elements: [
      FetchIndexElementDescription(propertyName: "author"),
      FetchIndexElementDescription(propertyName: "pages", isAscending: false),
    ])

  private func open(
    _ folder: StoreFolder, _ model: ManagedObjectModel, _ migration: StoreMigration = .inferred(),
    isReadOnly: Bool = false
  ) throws -> PersistentStoreCoordinator {
    try folder.coordinator(model, isReadOnly: isReadOnly, migration: migration)
  }

  /// Returns the statements of the indexes that a model describes.
  private func indexes(_ folder: StoreFolder) throws -> [String] {
    try folder.lines(
      "SELECT sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z\\_%' ESCAPE '\\' "
        + "ORDER BY name")
  }

  private static let titleSQL =
    #"CREATE INDEX "Z_Book_title" ON "ZBOOK" ("ZTITLE" COLLATE BINARY ASC)"#
  private static let pagesSQL =
    #"CREATE INDEX "Z_Book_pages" ON "ZBOOK" ("ZPAGES" COLLATE BINARY ASC)"#

  // MARK: The file

  @Test("a new file has them, named as Core Data names them")
  func creation() throws {
    let folder = StoreFolder()
    let ofMangas = FetchIndexDescription(attribute: "volume")
    _ = try open(folder, try Self.model([Self.byTitle, Self.compound], ofMangas: [ofMangas]))
    #expect(
      try indexes(folder) == [
        #"CREATE INDEX "Z_Book_byAuthorAndPages" ON "ZBOOK" "#
          + #"("ZAUTHOR" COLLATE BINARY ASC, "ZPAGES" COLLATE BINARY DESC)"#,
        Self.titleSQL,
        #"CREATE INDEX "Z_Manga_volume" ON "ZBOOK" ("ZVOLUME" COLLATE BINARY ASC)"#,
      ])
  }

  @Test("names that SQLite takes for the same get digits")
  func names() throws {
    let folder = StoreFolder()
    let others = ["TITLE", "Title"].map {
      FetchIndexDescription(
        name: $0,
        elements: [
          FetchIndexElementDescription(propertyName: "title"),
          FetchIndexElementDescription(propertyName: $0 == "TITLE" ? "pages" : "price"),
        ])
    }
    _ = try open(folder, try Self.model([Self.byTitle] + others))
    #expect(
      try folder.lines("SELECT name FROM sqlite_master WHERE name LIKE 'Z_Book_title%'").sorted()
        == ["Z_Book_TITLE1", "Z_Book_Title2", "Z_Book_title"])
  }

  @Test("a file without them gets them when it is opened, and keeps what the model lacks")
  func opening() throws {
    let folder = StoreFolder()
    _ = try open(folder, try Self.model([]))
    #expect(try indexes(folder) == [])
    _ = try open(folder, try Self.model([Self.byTitle]), .none)
    #expect(try indexes(folder) == [], "without a migration the file stays as it is")
    let bytes = try Data(contentsOf: folder.file())
    _ = try open(folder, try Self.model([Self.byTitle]), isReadOnly: true)
    #expect(try Data(contentsOf: folder.file()) == bytes)

    _ = try open(folder, try Self.model([Self.byTitle]))
    #expect(try indexes(folder) == [Self.titleSQL])
    _ = try open(folder, try Self.model([Self.byPages]))
    #expect(try indexes(folder) == [Self.pagesSQL, Self.titleSQL])
    _ = try open(folder, try Self.model([Self.byPages]), .inferred(allowsDataLoss: true))
    #expect(try indexes(folder) == [Self.pagesSQL])
  }

  @Test("an index of the same columns serves under any name, and others are replaced")
  func otherNames() throws {
    let folder = StoreFolder()
    _ = try open(folder, try Self.model([]))
    let given = [
      #"CREATE INDEX ZBOOK_ZTITLE_INDEX ON ZBOOK (ZTITLE)"#,
      #"CREATE INDEX Z_Book_pages ON ZBOOK (ZPRICE)"#,
    ]
    try DatabaseQueue(path: folder.file().path).write { database in
      for sql in given { try database.execute(sql: sql) }
    }
    _ = try open(folder, try Self.model([Self.byTitle, Self.byPages]))
    #expect(try indexes(folder) == [Self.pagesSQL])
    #expect(
      try folder.lines("SELECT count(*) FROM sqlite_master WHERE name = 'ZBOOK_ZTITLE_INDEX'")
        == ["1"])
  }

  @Test("a locked file opens without them")
  func locked() throws {
    let folder = StoreFolder()
    _ = try open(folder, try Self.model([]))
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder.file().path, configuration: configuration)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let coordinator = try open(folder, try Self.model([Self.byTitle]))
    #expect(try ManagedObjectContext(coordinator: coordinator).lines("Book") == [])
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try indexes(folder) == [])
  }

  @Test("the model that a file implies has them")
  func implied() throws {
    let folder = StoreFolder()
    let ofMangas = FetchIndexDescription(attribute: "volume")
    let model = try Self.model([Self.byTitle, Self.compound], ofMangas: [ofMangas])
    _ = try open(folder, model)
    try folder.removeModel()
    let found = try ImpliedModel(ofStoreAt: folder.file().path, named: "books")
    for entity in found.entities {
      let wanted = try #require(model.entitiesByName[entity.name])
      #expect(Set(entity.indexes) == Set(wanted.indexes))
    }
  }

  @Test("the index of a single attribute shows how its name is spelled")
  func spelling() throws {
    let folder = StoreFolder()
    let page = try EntityDescription(
      name: "Page", attributes: [.init("lineCount", .integer32), .init("fontSize", .integer32)],
      indexes: [FetchIndexDescription(attribute: "lineCount")])
    _ = try open(folder, try ManagedObjectModel(entities: [page]))
    try folder.removeModel()
    let found = try ImpliedModel(ofStoreAt: folder.file().path, named: "pages")
    #expect(found.entities.flatMap(\.attributes).map(\.name).sorted() == ["fontsize", "lineCount"])
  }

  // MARK: Fetches

  @Test(
    "SQLite finds and sorts by them",
    arguments: [
      ("Book", "title == 'a'", "", "SEARCH t0 USING INDEX Z_Book_title (ZTITLE=?)"),
      ("Book", "title IN {'a', 'b'}", "", "SEARCH t0 USING INDEX Z_Book_title (ZTITLE=?)"),
      ("Book", "title >= 'a'", "", "SEARCH t0 USING INDEX Z_Book_title (ZTITLE>?)"),
      (
        "Book", "title BEGINSWITH 'ab'", "",
        "SEARCH t0 USING INDEX Z_Book_title (ZTITLE>? AND ZTITLE<?)"
      ),
      ("Book", "pages > 3", "", "SEARCH t0 USING INDEX Z_Book_pages (ZPAGES>?)"),
      (
        "Book", "pages > 3 AND pages < 9 AND note != 'x'", "note",
        "SEARCH t0 USING INDEX Z_Book_pages (ZPAGES>? AND ZPAGES<?)"
      ),
      ("Book", "pages > 3", "-pages", "SEARCH t0 USING INDEX Z_Book_pages (ZPAGES>?)"),
      ("Book", "note == 'x'", "title", "SCAN t0 USING INDEX Z_Book_title"),
      ("Book", "", "-title", "SCAN t0 USING INDEX Z_Book_title"),
      (
        "Book", "title == 'a' OR pages == 3", "",
        "SEARCH t0 USING INDEX Z_Book_pages (ZPAGES=?)"
      ),
      ("Manga", "title == 'a'", "", "SEARCH t0 USING INDEX Z_Book_title (ZTITLE=?)"),
      ("Manga", "volume > 3", "", "SEARCH t0 USING INDEX Z_Manga_volume (ZVOLUME>?)"),
      ("Manga", "", "volume", "SCAN t0 USING INDEX Z_Manga_volume"),
      ("Manga", "", "title", "SEARCH t0 USING INDEX ZBOOK_Z_ENT_INDEX (Z_ENT=?)"),
    ])
  func plans(entity: String, format: String, sort: String, plan: String) throws {
    let folder = StoreFolder()
    let model = try Self.model(
      [Self.byTitle, Self.byPages], ofMangas: [FetchIndexDescription(attribute: "volume")])
    let context = ManagedObjectContext(coordinator: try open(folder, model))
    let request = FetchRequest(
      entity: try #require(model.entitiesByName[entity]),
      predicate: format.isEmpty ? nil : try FetchPredicate(format: format),
      sortDescriptors: sort.isEmpty
        ? []
        : [
          FetchSortDescriptor(
            key: String(sort.drop { $0 == "-" }), ascending: !sort.hasPrefix("-"))
        ])
    let query = try #require(
      try context.query(for: request, sectionNameKeyPath: nil, keepsLimit: false))
    let lines = try DatabaseQueue(path: folder.file().path).read { database in
      SQLStringFunctions().register(with: database)
      return try Row.fetchAll(
        database, sql: "EXPLAIN QUERY PLAN " + query.sql,
        arguments: StatementArguments(query.binds.map { _ in 1 })
      ).compactMap { $0.text(3) }
    }
    #expect(lines.contains(plan), "\(query.sql)\n\(lines)")
  }

  @Test("random indexes change no result of a random request, in memory or in a file")
  func law() throws {
    for seed in LawSeeds(seconds: 0.9, from: 1) {
      var random = SeededGenerator(seed: seed)
      let folder = StoreFolder()
      let (own, ofMangas) = (Self.randomIndexes(&random), Self.randomIndexes(&random, "volume"))
      let contexts = [
        ManagedObjectContext(
          coordinator: PersistentStoreCoordinator(managedObjectModel: try Self.model([]))),
        ManagedObjectContext(
          coordinator: PersistentStoreCoordinator(
            managedObjectModel: try Self.model(own, ofMangas: ofMangas))),
        ManagedObjectContext(
          coordinator: try open(folder, try Self.model(own, ofMangas: ofMangas))),
      ]
      for _ in 0..<60 {
        let name = Bool.random(using: &random) ? "Book" : "Manga"
        var values = Self.randomValues(&random)
        if name == "Manga" { values["volume"] = Self.randomNumber(&random) }
        for context in contexts { _ = try context.insert(name, values) }
      }
      for context in contexts { try context.save() }
      for step in 0..<60 {
        let question = Question(&random)
        let found = try contexts.map { try question.numbers(in: $0) }
        try #require(
          found[1] == found[0] && found[2] == found[0],
          "seed \(seed), step \(step): \(question) with \(own), \(ofMangas)\n\(found)")
      }
    }
  }

  @Test("a migration that adds and removes random indexes keeps each value")
  func migrations() throws {
    let always = ["ZAUTHOR", "Z_ENT"].map { [IndexKey(column: $0, isDescending: false)] }
    var migrations = 0
    for seed in LawSeeds(seconds: 0.6, from: 1) {
      var random = SeededGenerator(seed: seed)
      let folder = StoreFolder()
      var values: [[PropertyValue]] = []
      for version in 0..<4 {
        let own = Self.randomIndexes(&random)
        let ofMangas = Self.randomIndexes(&random, "volume")
        let newAttributes = Int.random(in: 0...2, using: &random)
        let model = try Self.model(own, ofMangas: ofMangas, newAttributes: newAttributes)
        var migration = StoreMigration.inferred(allowsDataLoss: true)
        migration.didMigrate = { _ in migrations += 1 }
        let context = ManagedObjectContext(coordinator: try open(folder, model, migration))
        let place = "seed \(seed), version \(version)"
        try #require(try Self.values(in: context) == values, "\(place)")
        let found = try DatabaseQueue(path: folder.file().path).read {
          try FoundIndex.all(in: $0).map(\.keys)
        }
        let wanted = (own + ofMangas).map { index in
          index.elements.map {
            IndexKey(
              column: "Z" + $0.propertyName.uppercased(), isDescending: !$0.isAscending)
          }
        }
        // All tables have an index of references or entities besides.
        try #require(
          wanted.allSatisfy(found.contains) && Set(found).count == Set(wanted).union(always).count,
          "\(place): \(wanted) in \(found)")
        for _ in 0..<5 { _ = try context.insert("Manga", Self.randomValues(&random)) }
        try context.save()
        values = try Self.values(in: context)
      }
    }
    if LawSeeds.areMany { #expect(migrations > 0) }
  }

  private static func values(in context: ManagedObjectContext) throws -> [[PropertyValue]] {
    let model = context.persistentStoreCoordinator.managedObjectModel
    return try context.fetch(FetchRequest(entity: try #require(model.entitiesByName["Manga"])))
      .map { manga in ["title", "pages", "price", "note", "volume"].map { manga[$0] } }
  }

  // MARK: Random models

  private static func randomIndexes(
    _ random: inout SeededGenerator, _ more: String? = nil
  ) -> [FetchIndexDescription] {
    (0..<Int.random(in: 0...3, using: &random)).map { index in
      let names = (["title", "pages", "price", "author"] + [more].compactMap(\.self))
        .shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
      return FetchIndexDescription(
        name: "\(more ?? "by")\(index)",
        elements: names.map {
          FetchIndexElementDescription(
            propertyName: $0, isAscending: Bool.random(using: &random))
        })
    }
  }

  private static func randomNumber(_ random: inout SeededGenerator) -> PropertyValue {
    let number = Int64.random(in: -2...4, using: &random)
    return number == 4 ? .null : .int(number)
  }

  fileprivate static let texts = [
    "", "a", "A", "ab", "aé", "b", "e\u{301}", "é", "\u{D7FF}x", "\u{E000}", "\u{10FFFF}",
    "\u{10FFFF}a",
  ]

  private static func randomValues(_ random: inout SeededGenerator) -> [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for name in ["title", "note"] where Int.random(in: 0..<6, using: &random) > 0 {
      values[name] = .string(texts.randomElement(using: &random) ?? "")
    }
    values["pages"] = randomNumber(&random)
    values["price"] = .double(Double.random(in: 0...1, using: &random))
    return values
  }
}

/// A random request on books or mangas.
private struct Question: CustomStringConvertible {
  private let entity: String
  private let format: String
  private let sort: [FetchSortDescriptor]
  private let limit: Int

  init(_ random: inout SeededGenerator) {
    let entity = Bool.random(using: &random) ? "Book" : "Manga"
    self.entity = entity
    let parts = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      Self.comparison(entity, &random)
    }
    format = parts.joined(separator: Bool.random(using: &random) ? " AND " : " OR ")
    sort = ["title", "pages", "price", "note"].shuffled(using: &random)
      .prefix(Int.random(in: 0...2, using: &random))
      .map { FetchSortDescriptor(key: $0, ascending: Bool.random(using: &random)) }
    limit = Bool.random(using: &random) ? Int.random(in: 1...5, using: &random) : 0
  }

  private static func comparison(_ entity: String, _ random: inout SeededGenerator) -> String {
    let order = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? "=="
    let number = Int.random(in: -2...4, using: &random)
    let text = FetchIndexTests.texts.randomElement(using: &random) ?? ""
    let option = ["", "[c]", "[n]"].randomElement(using: &random) ?? ""
    let choices = [
      "title \(order) '\(text)'", "title BEGINSWITH\(option) '\(text)'", "title == nil",
      "NOT (title BEGINSWITH '\(text)')", "title IN {'\(text)', 'a'}", "pages \(order) \(number)",
      "pages BETWEEN {\(number), 2}", "price \(order) 0.5", "author == nil",
      entity == "Manga" ? "volume \(order) \(number)" : "note \(order) '\(text)'",
    ]
    return choices.randomElement(using: &random) ?? "TRUEPREDICATE"
  }

  var description: String { "\(entity) where \(format) sort by \(sort) limit \(limit)" }

  func numbers(in context: ManagedObjectContext) throws -> [Int64] {
    let model = context.persistentStoreCoordinator.managedObjectModel
    return try context.fetch(
      FetchRequest(
        entity: try #require(model.entitiesByName[entity]),
        predicate: format.isEmpty ? nil : try FetchPredicate(format: format),
        sortDescriptors: sort, fetchLimit: limit)
    ).map(\.objectID.number)
  }
}
