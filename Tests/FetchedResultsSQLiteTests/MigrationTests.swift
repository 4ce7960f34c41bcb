import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

@Suite("A file of an older model")
struct MigrationTests {
  private let folder = StoreFolder()

  // MARK: What is inferred

  @Test("gets columns, and keeps its rows")
  func addedColumns() throws {
    try make([attribute("name"), attribute("pages", .integer16)])
    let new = try model([
      attribute("note"),
      try AttributeDescription(
        name: "rating", type: .integer16, defaultValue: .int(3)),
      try AttributeDescription(
        name: "title", type: .string, isOptional: true, renamingIdentifier: "name"),
      attribute("pages", .integer16),
    ])
    let (books, reports) = try migrate(new)
    #expect(books.map { $0["title"] } == [.string("Dune"), .string("Emma")])
    #expect(books.map { $0["pages"] } == [.int(412), .int(474)])
    #expect(books.map { $0["rating"] } == [.int(3), .int(3)])
    #expect(books.map { $0["note"] } == [.null, .null])
    #expect(
      reports.map { $0.changes.map(\.description) } == [
        ["Book.note added", "Book.rating added", "Book.title renamed from name"]
      ])
    #expect(reports.map(\.dropped) == [[]])
    #expect(try migrate(try model(new.entitiesByName["Book"]?.attributes ?? [])).reports.isEmpty)
  }

  @Test("reports the entities that get a new parent, and those that lose one")
  func newParent() throws {
    func model(under parent: String?, _ grandparent: String? = nil) throws -> ManagedObjectModel {
      let top = try grandparent.map { try EntityDescription(name: $0, attributes: []) }
      let middle = try parent.map {
        try EntityDescription(name: $0, superentity: top, attributes: [])
      }
      let book = try EntityDescription(
        name: "Book", superentity: middle, attributes: [attribute("name")])
      return try ManagedObjectModel(entities: [top, middle, book].compactMap(\.self))
    }
    func changes(to model: ManagedObjectModel) throws -> [String] {
      try migrate(model, .inferred(allowsDataLoss: true)).reports.flatMap(\.changes)
        .map(\.description)
    }
    try make([attribute("name")])
    #expect(try changes(to: model(under: "P")) == ["P added", "Book inherits from P"])
    #expect(try changes(to: model(under: "P", "G")) == ["G added", "P inherits from G"])
    #expect(
      try changes(to: model(under: "G")) == ["Book inherits from G", "P removed"])
    #expect(try changes(to: model(under: nil)) == ["Book inherits from no entity", "G removed"])
  }

  @Test("is refused without a migration")
  func refused() throws {
    try make([attribute("name")])
    #expect(throws: StoreError.self) { try open(try model([attribute("note")])) }
    let error = StoreError.unusable(
      store: "library.sqlite", reason: "it does not fit the model: ZBOOK has no column ZNOTE")
    #expect(throws: error) { try open(try model([attribute("note")])) }
  }

  @Test("keeps its entity tables where they only get columns")
  func keptTable() throws {
    try make([attribute("name")])
    try folder.execute("CREATE INDEX own ON ZBOOK (ZNAME)")
    _ = try migrate(try model([attribute("name"), attribute("note")]))
    #expect(try folder.lines("SELECT name FROM sqlite_master WHERE name LIKE 'frc%'").isEmpty)
    #expect(
      try folder.lines("SELECT name FROM pragma_table_info('ZBOOK')")
        == ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME", "ZNOTE"])
  }

  @Test("has the tables of a new file afterwards")
  func sameTables() throws {
    try make([attribute("name"), attribute("pages", .integer16)])
    func entities() throws -> [EntityDescription] {
      [
        try EntityDescription(name: "Ape", attributes: [attribute("name")]),
        try EntityDescription(
          name: "Book", attributes: [attribute("pages", .double)],
          relationships: [.toMany("apes", "Ape")], uniquenessConstraints: [["pages"]]),
      ]
    }
    let migration = StoreMigration.inferred(allowsDataLoss: true)
    _ = try open(try ManagedObjectModel(entities: entities()), migration)
    _ = try folder.coordinator(ManagedObjectModel(entities: entities()), in: "new.sqlite")
    func schema(_ name: String) throws -> [String] {
      try folder.lines("SELECT name FROM sqlite_master ORDER BY name", in: name)
        + folder.lines("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY", in: name)
        + folder.lines("SELECT name, type FROM pragma_table_info('ZBOOK')", in: name)
    }
    #expect(try schema("library.sqlite") == schema("new.sqlite"))
  }

  // MARK: What is refused

  @Test("is as it was where data would be dropped")
  func dataLoss() throws {
    try make([attribute("name"), attribute("pages", .integer16)])
    let before = try Data(contentsOf: folder.file())
    #expect(
      throws: StoreError.migration(
        store: "library.sqlite",
        .dataLoss([MigrationLoss(entity: "Book", property: "pages", objects: 2)]))
    ) { try migrate(try model([attribute("name"), attribute("note")])) }
    #expect(try Data(contentsOf: folder.file()) == before)
    let (books, reports) = try migrate(
      try model([attribute("name"), attribute("note")]), .inferred(allowsDataLoss: true))
    #expect(books.map { $0["name"] } == [.string("Dune"), .string("Emma")])
    #expect(reports.map { $0.dropped.map(\.description) } == [["Book.pages (2 values)"]])
  }

  @Test("is migrated where what goes has no values")
  func emptyColumn() throws {
    try make([attribute("name"), attribute("empty")])
    let (_, reports) = try migrate(try model([attribute("name"), attribute("note")]))
    #expect(
      reports.map { $0.changes.map(\.description) } == [["Book.note added", "Book.empty removed"]])
  }

  @Test("says which value is missing")
  func missingValue() throws {
    try make([attribute("name")])
    let new = try model([attribute("name"), AttributeDescription(name: "code", type: .string)])
    #expect(
      throws: StoreError.migration(
        store: "library.sqlite", .missingValue(entity: "Book", property: "code", objects: 2))
    ) { try migrate(new) }
    #expect(try folder.lines("SELECT ZNAME FROM ZBOOK") == ["Dune", "Emma"])
  }

  @Test("says which values do not fit, and which types do not convert")
  func conversions() throws {
    try make([attribute("name"), attribute("pages", .integer32)])
    try folder.execute("UPDATE ZBOOK SET ZPAGES = 70000 WHERE Z_PK = 1")
    func failure(_ type: AttributeType) throws -> StoreError? {
      let new = try model([attribute("name"), attribute("pages", type), attribute("note")])
      return #expect(throws: StoreError.self) { try migrate(new) }
    }
    #expect(
      try failure(.integer16)
        == .migration(
          store: "library.sqlite",
          .unfitValues(entity: "Book", attribute: "pages", type: .integer16, objects: 1)))
    #expect(
      try failure(.string)
        == .migration(
          store: "library.sqlite",
          .noConversion(entity: "Book", attribute: "pages", from: .integer32, to: .string)))
  }

  @Test("says that a number is too large or too small for a decimal, and converts all others")
  func decimals() throws {
    try make([attribute("name"), attribute("price", .double)])
    func migrated(_ price: String) throws -> StoreError? {
      try folder.execute("UPDATE ZBOOK SET ZPRICE = \(price) WHERE Z_PK = 1")
      let new = try model([attribute("name"), attribute("price", .decimal)])
      do {
        _ = try migrate(new).books.map { $0["price"] }
      } catch let error as StoreError {
        return error
      }
      return nil
    }
    for price in ["1e300", "-1e300", "1e-200", "1.5e-128"] {
      #expect(
        try migrated(price)
          == .migration(
            store: "library.sqlite",
            .unfitValues(entity: "Book", attribute: "price", type: .decimal, objects: 1)))
    }
    #expect(try migrated("1e-128") == nil)
    #expect(try folder.lines("SELECT ZPRICE = 1e-128 FROM ZBOOK") == ["1", "nil"])
  }

  @Test("says which values are not unique")
  func notUnique() throws {
    try make([attribute("name"), attribute("pages", .integer16)])
    try folder.execute("UPDATE ZBOOK SET ZPAGES = 1")
    let new = try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Book",
        attributes: [attribute("name"), attribute("pages", .integer16), attribute("note")],
        uniquenessConstraints: [["pages"]])
    ])
    #expect(
      throws: StoreError.migration(
        store: "library.sqlite", .notUnique(entity: "Book", attributes: ["pages"]))
    ) { try migrate(new) }
  }

  @Test("gets the constraints of its model, and loses others, where nothing else is different")
  func constraints() throws {
    func constraints() throws -> [String] {
      try folder.lines("SELECT name FROM sqlite_master WHERE name LIKE '%UNIQUE%'")
    }
    try make([attribute("name")])
    let plain = try model([attribute("name")])
    let unique = try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Book", attributes: [attribute("name")], uniquenessConstraints: [["name"]])
    ])
    #expect(try migrate(unique).books.count == 2)
    #expect(try constraints() == ["Z_Book_UNIQUE_name"])

    let context = ManagedObjectContext(coordinator: try open(plain, .inferred()))
    #expect(try constraints().isEmpty)
    context.insert(try #require(plain.entitiesByName["Book"]))["name"] = "Dune"
    try context.save()

    #expect(
      throws: StoreError.migration(
        store: "library.sqlite", .notUnique(entity: "Book", attributes: ["name"]))
    ) { try migrate(unique) }
    #expect(try constraints().isEmpty)
    #expect(try migrate(plain).books.count == 3)
  }

  @Test("is not touched while somebody has it open, or where it is read only")
  func inUse() throws {
    try make([attribute("name")])
    let model = try model([attribute("name"), attribute("note")])
    let other = try open(try self.model([attribute("name")]))
    #expect(throws: StoreError.migration(store: "library.sqlite", .inUse)) { try migrate(model) }
    #expect(try fetch(other).count == 2)
    #expect(
      throws: StoreError.migration(
        store: "library.sqlite", .readOnly(reason: "ZBOOK has no column ZNOTE"))
    ) { try folder.coordinator(model, isReadOnly: true, migration: .inferred()) }
  }

  // MARK: Steps

  @Test("lets the app itself set values")
  func steps() throws {
    try make([attribute("name"), attribute("pages", .integer32)])
    let new = try model([
      attribute("name"), attribute("pages", .string),
      AttributeDescription(name: "code", type: .string),
    ])
    let step: MigrationStep = { book in
      let pages = book.oldValue(forKey: "pages")?.int ?? 0
      try book.setValue(.string("\(pages) pages"), forKey: "pages")
      try book.setValue(.string("B\(book.number)"), forKey: "code")
    }
    let (books, _) = try migrate(new, .inferred(steps: ["Book": step]))
    #expect(books.map { $0["pages"] } == [.string("412 pages"), .string("474 pages")])
    #expect(books.map { $0["code"] } == [.string("B1"), .string("B2")])
  }

  @Test("is as it was where a step fails")
  func failingStep() throws {
    try make([attribute("name")])
    let new = try model([attribute("name"), attribute("note")])
    let step: MigrationStep = { try $0.setValue(.int(1), forKey: "nothing") }
    #expect(throws: StoreError.self) { try migrate(new, .inferred(steps: ["Book": step])) }
    #expect(throws: StoreError.migration(store: "library.sqlite", .unusedStep(entity: "Ape"))) {
      try migrate(
        try model([attribute("name"), attribute("note")]), .inferred(steps: ["Ape": step]))
    }
    let old = try open(try model([attribute("name")]))
    #expect(try fetch(old).map { $0["name"] } == [.string("Dune"), .string("Emma")])
  }

  // MARK: Stages

  @Test(
    "goes through the versions after its own in one opening", arguments: [0, 1, 2], [true, false])
  func stages(version: Int, isDescribed: Bool) throws {
    let models = try [
      model([attribute("name"), attribute("pages", .integer32)]),
      model([attribute("name"), attribute("pages", .string)]),
      model([attribute("name"), attribute("length", .string)]),
    ]
    let toText: MigrationStep = { book in
      try book.setValue(.string("\(book.oldValue(forKey: "pages")?.int ?? 0)p"), forKey: "pages")
    }
    let toLength: MigrationStep = { book in
      let pages = book.oldValue(forKey: "pages")?.string ?? "?"
      try book.setValue(.string("<\(pages)>"), forKey: "length")
    }
    try make(models[0].entities[0].attributes)
    if version > 0 { try migrate(models[1], .inferred(steps: ["Book": toText])) }
    if version > 1 { try migrate(models[2], .inferred(steps: ["Book": toLength])) }
    if !isDescribed { try folder.removeModel() }

    let migration = StoreMigration.inferred(steps: ["Book": toLength])
      .through([.init(models[0]), .init(models[1], steps: ["Book": toText])])
    let (books, reports) = try migrate(models[2], migration)

    #expect(books.map { $0["length"] } == ["<412p>", "<474p>"])
    #expect(reports.count == 2 - version)
    #expect(try migrate(models[2], migration).reports.isEmpty)
  }

  @Test("stays at the stage before one that fails, and goes on from there")
  func failingStage() throws {
    struct Refusal: Error {}
    let models = try [
      model([attribute("name")]), model([attribute("name"), attribute("note")]),
      model([attribute("name"), attribute("note"), attribute("more")]),
    ]
    try make(models[0].entities[0].attributes)
    var fails = true
    let mark: MigrationStep = { try $0.setValue("noted", forKey: "note") }
    let last: MigrationStep = { book in
      if fails { throw Refusal() }
      try book.setValue("more", forKey: "more")
    }
    let migration = StoreMigration.inferred(steps: ["Book": last])
      .through([.init(models[0]), .init(models[1], steps: ["Book": mark])])
    #expect(throws: StoreError.self) { try migrate(models[2], migration) }
    #expect(try fetch(try open(models[1])).map { $0["note"] } == ["noted", "noted"])

    fails = false
    let (books, reports) = try migrate(models[2], migration)
    #expect(books.map { $0["more"] } == ["more", "more"])
    #expect(reports.count == 1)
  }

  // MARK: What is beside the rows

  @Test("keeps its history, and removes files to which nothing refers")
  func historyAndFiles() throws {
    func data(_ name: String) throws -> AttributeDescription {
      try AttributeDescription(
        name: name, type: .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true)
    }
    try make([attribute("name"), data("cover"), data("scan")], tracksHistory: true)
    let support = folder.url.appendingPathComponent(".library_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
    let names = [UUID().uuidString, UUID().uuidString]
    for (name, column) in zip(names, ["ZCOVER", "ZSCAN"]) {
      try Data([7, 8]).write(to: support.appendingPathComponent(name))
      let bytes = "02" + name.utf8.map { String($0, radix: 16) }.joined() + "00"
      try folder.execute("UPDATE ZBOOK SET \(column) = x'\(bytes)' WHERE Z_PK = 1")
    }
    let (books, _) = try migrate(
      try model([attribute("name"), data("cover"), attribute("author")]),
      .inferred(allowsDataLoss: true))
    #expect(books[0]["cover"] == .data(Data([7, 8])))
    #expect(try FileManager.default.contentsOfDirectory(atPath: support.path) == [names[0]])
    #expect(try folder.lines("SELECT count(*) FROM ACHANGE") == ["2"])
  }

  @Test("is migrated by its tables where it has no model")
  func tablesAlone() throws {
    try make([attribute("name"), attribute("pages", .integer16)])
    try folder.execute("UPDATE Z_METADATA SET Z_PLIST = NULL")
    let (books, reports) = try migrate(
      try model([attribute("name"), attribute("pages", .integer16), attribute("note")]))
    #expect(books.map { $0["pages"] } == [.int(412), .int(474)])
    #expect(reports.map { $0.changes.map(\.description) } == [["Book.note added"]])
  }

  @Test("must be of the model that is given")
  func otherSource() throws {
    try make([attribute("name")])
    let other = try ManagedObjectModel(entities: [
      EntityDescription(name: "Ape", attributes: [attribute("name")])
    ])
    #expect(
      throws: StoreError.migration(
        store: "library.sqlite", .otherSource(reason: "the file has no entity 'Ape'"))
    ) { try migrate(try model([attribute("note")]), .inferred(from: other)) }
  }
}

extension MigrationTests {
  private func attribute(
    _ name: String, _ type: AttributeType = .string
  ) throws -> AttributeDescription {
    try AttributeDescription(name: name, type: type, isOptional: true)
  }

  private func model(_ attributes: [AttributeDescription]) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [EntityDescription(name: "Book", attributes: attributes)])
  }

  /// Creates a file with two books.
  private func make(_ attributes: [AttributeDescription], tracksHistory: Bool = false) throws {
    let model = try model(attributes)
    let coordinator = try folder.coordinator(model, tracksHistory: tracksHistory)
    let context = ManagedObjectContext(coordinator: coordinator)
    for (name, pages) in [("Dune", 412), ("Emma", 474)] {
      let book = context.insert(try #require(model.entitiesByName["Book"]))
      try book.setValue(.string(name), forKey: "name")
      if attributes.contains(where: { $0.name == "pages" }) {
        try book.setValue(.int(Int64(pages)), forKey: "pages")
      }
    }
    try context.save()
  }

  private func open(
    _ model: ManagedObjectModel, _ migration: StoreMigration = .none
  ) throws -> PersistentStoreCoordinator { try folder.coordinator(model, migration: migration) }

  @discardableResult
  private func migrate(
    _ model: ManagedObjectModel, _ migration: StoreMigration = .inferred()
  ) throws -> (books: [ManagedObject], reports: [MigrationReport]) {
    var reports: [MigrationReport] = []
    var migration = migration
    migration.didMigrate = { reports.append($0) }
    let books = try fetch(try open(model, migration))
    return (books, reports)
  }

  private func fetch(_ coordinator: PersistentStoreCoordinator) throws -> [ManagedObject] {
    let entity = try #require(coordinator.managedObjectModel.entitiesByName["Book"])
    return try ManagedObjectContext(coordinator: coordinator).fetch(FetchRequest(entity: entity))
  }
}
