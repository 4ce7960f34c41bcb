import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// Files that do not say of which model they are, as Core Data writes them.
@Suite("Files without a description of their model")
struct UndescribedFileTests {
  private let folder = StoreFolder()

  private func text(
    _ name: String, was oldName: String? = nil, _ type: AttributeType = .string
  ) throws -> AttributeDescription {
    try AttributeDescription(
      name: name, type: type, isOptional: true, renamingIdentifier: oldName)
  }

  private func data(_ name: String, isExternal: Bool) throws -> AttributeDescription {
    try AttributeDescription(
      name: name, type: .binaryData, isOptional: true, allowsExternalBinaryDataStorage: isExternal)
  }

  /// Creates a file with objects, and removes the description of its model.
  private func make(
    _ model: ManagedObjectModel, _ objects: [(String, [String: PropertyValue])]
  ) throws {
    let coordinator = try folder.coordinator(model)
    let context = ManagedObjectContext(coordinator: coordinator)
    for (name, values) in objects { _ = try context.insert(name, values) }
    try context.save()
    try folder.removeModel()
  }

  private func migrate(
    to model: ManagedObjectModel, versions: [ManagedObjectModel] = [], allowsDataLoss: Bool = false
  ) throws -> (context: ManagedObjectContext, reports: [MigrationReport]) {
    var reports: [MigrationReport] = []
    var migration = StoreMigration.inferred(
      allowsDataLoss: allowsDataLoss, versions: { versions })
    migration.didMigrate = { reports.append($0) }
    let coordinator = try folder.coordinator(model, migration: migration)
    return (ManagedObjectContext(coordinator: coordinator), reports)
  }

  // MARK: Siblings

  /// Two siblings with a property of the same name.
  private func messages(_ more: [AttributeDescription] = []) throws -> ManagedObjectModel {
    let message = try EntityDescription(
      name: "Message", isAbstract: true, attributes: [try text("nonce")] + more)
    return try ManagedObjectModel(entities: [
      message,
      EntityDescription(
        name: "SystemMessage", superentity: message, attributes: [try text("text")]),
      EntityDescription(name: "TextMessage", superentity: message, attributes: [try text("text")]),
    ])
  }

  private static let messages: [(String, [String: PropertyValue])] = [
    ("SystemMessage", ["text": "system"]), ("TextMessage", ["text": "one"]),
    ("TextMessage", ["text": "two"]),
  ]

  @Test("siblings with a property of the same name keep its values")
  func siblings() throws {
    try make(try messages(), Self.messages)
    let (context, reports) = try migrate(to: try messages([try text("more")]))
    let found = try context.fetch(named: "Message").map { $0["text"].string }
    #expect(found == ["system", "one", "two"])
    #expect(reports.map { $0.changes.map(\.description) } == [["Message.more added"]])
  }

  @Test("a name with digits is a name of its own if the newer model has it")
  func digits() throws {
    let old = try ManagedObjectModel(entities: [
      EntityDescription(name: "Book", attributes: [try text("text"), try text("text1")])
    ])
    try make(old, [("Book", ["text": "a", "text1": "b"])])
    let (context, _) = try migrate(
      to: try ManagedObjectModel(entities: [
        EntityDescription(
          name: "Book", attributes: [try text("text"), try text("text1"), try text("more")])
      ]))
    let book = try #require(try context.fetch(named: "Book").first)
    #expect(book["text"] == "a")
    #expect(book["text1"] == "b")
  }

  @Test("a column that may be two properties of the newer model is refused, and nothing is lost")
  func twoOwners() throws {
    try make(try messages(), Self.messages)
    let new = try messages([try text("text1")])

    let error = #expect(throws: StoreError.self) { try migrate(to: new) }
    let owners = "ZTEXT1 may be Message.text1 or TextMessage.text"
    #expect(
      error?.description
        == "cannot migrate the store 'library.sqlite': its tables do not tell the older model: "
        + owners)

    let (context, reports) = try migrate(to: new, versions: [try messages()])
    let texts = try context.fetch(named: "Message").map { $0["text"].string }
    #expect(texts == ["system", "one", "two"])
    #expect(reports.map { $0.changes.map(\.description) } == [["Message.text1 added"]])
  }

  // MARK: Versions

  @Test("the version that has the file's tables is its model")
  func versions() throws {
    func model(_ names: String...) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription(name: "Book", attributes: try names.map { try text($0) })
      ])
    }
    try make(try model("name", "page1"), [("Book", ["name": "Emma", "page1": "x"])])
    let new = try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Book", attributes: [try text("name"), try text("firstPage", was: "page1")])
    ])
    let (context, reports) = try migrate(
      to: new,
      versions: [try model("name"), try model("name", "page1", "more")]
        + [try model("name", "page1")])
    #expect(try context.fetch(named: "Book").first?["firstPage"] == "x")
    #expect(
      reports.map { $0.changes.map(\.description) } == [["Book.firstPage renamed from page1"]])
  }

  @Test("a file with the tables of the model stays as it is")
  func ownTables() throws {
    try make(try messages(), Self.messages)
    let (context, reports) = try migrate(to: try messages(), allowsDataLoss: true)
    #expect(try context.fetch(named: "TextMessage").map { $0["text"].string } == ["one", "two"])
    #expect(reports.isEmpty)
  }

  // MARK: Renaming identifiers

  @Test("an identifier of an earlier version takes no values of another property")
  func oldIdentifiers() throws {
    func model(_ more: [AttributeDescription] = []) throws -> ManagedObjectModel {
      let item = try EntityDescription(
        name: "Item", attributes: [try text("title", was: "name")] + more)
      return try ManagedObjectModel(entities: [
        item, EntityDescription(name: "Note", superentity: item, attributes: [try text("name")]),
      ])
    }
    try make(try model(), [("Item", ["title": "a"]), ("Note", ["title": "b"])])
    let (context, _) = try migrate(to: try model([try text("more")]))
    #expect(try context.fetch(named: "Item").map { $0["title"].string } == ["a", "b"])
    #expect(try context.fetch(named: "Note").map { $0["name"] } == [.null])
  }

  @Test("names that are exchanged are renamed")
  func exchangedNames() throws {
    func model(_ attributes: [AttributeDescription]) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [EntityDescription(name: "Book", attributes: attributes)])
    }
    try make(
      try model([try text("a"), try text("b")]), [("Book", ["a": "first", "b": "second"])])
    let (context, _) = try migrate(
      to: try model([try text("a", was: "b"), try text("b", was: "a"), try text("more")]))
    let book = try #require(try context.fetch(named: "Book").first)
    #expect(book["a"] == "second")
    #expect(book["b"] == "first")
  }

  // MARK: External data

  @Test(
    "data that becomes external, or no longer is, keeps its bytes", arguments: [true, false],
    [true, false])
  func externalData(isDescribed: Bool, becomesExternal: Bool) throws {
    func model(isExternal: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription(name: "Photo", attributes: [try data("data", isExternal: isExternal)])
      ])
    }
    let bytes = [[0x89, 0x50], [1, 2], [2]].map { PropertyValue.data(Data($0)) }
    try make(
      try model(isExternal: !becomesExternal), bytes.map { ("Photo", ["data": $0]) })
    // Without a file, the tables do not show that data with a marker was external.
    let name = UUID().uuidString
    if !becomesExternal {
      let form = CoreDataForm(folder: folder, random: SeededGenerator(seed: 1))
      try FileManager.default.createDirectory(at: form.files, withIntermediateDirectories: true)
      try Data([0x89, 0x50]).write(to: form.files.appendingPathComponent(name))
      let hex = name.utf8.map { String($0, radix: 16) }.joined()
      try folder.execute("UPDATE ZPHOTO SET ZDATA = x'02\(hex)00' WHERE Z_PK = 1")
    }
    let versions = isDescribed ? [try model(isExternal: !becomesExternal)] : []
    let (context, _) = try migrate(
      to: try model(isExternal: becomesExternal), versions: versions)
    #expect(try context.fetch(named: "Photo").map { $0["data"] } == bytes)
    #expect(context.persistentStoreCoordinator.takeReadFailure() == nil)
  }

  // MARK: References

  @Test("a relationship with references to missing objects is one, and these references go")
  func danglingReferences() throws {
    func model(_ more: [AttributeDescription] = []) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription(
          name: "Author", attributes: [try text("name")],
          relationships: [
            .toMany("works", "Book", inverse: "writer"),
            .toMany("read", "Book", inverse: "readers"),
          ]),
        EntityDescription(
          name: "Book", attributes: [try text("title")] + more,
          relationships: [
            .toOne("writer", "Author", inverse: "works"),
            .toMany("readers", "Author", inverse: "read"),
          ]),
      ])
    }
    try make(
      try model(),
      [("Author", ["name": "Ann"]), ("Book", ["title": "a"]), ("Book", ["title": "b"])])
    try folder.execute(
      """
      UPDATE ZBOOK SET ZWRITER = CASE Z_PK WHEN 1 THEN 1 ELSE 99 END;
      INSERT INTO Z_1READ (Z_1READERS, Z_2READ) VALUES (1, 1), (1, 98), (97, 1), (96, 95);
      """)
    let (context, reports) = try migrate(to: try model([try text("more")]))
    let books = try context.fetch(named: "Book")
    #expect(books.map { $0["writer"].objectID?.number } == [1, nil])
    #expect(
      reports.map { Set($0.dangling.map(\.description)) } == [
        [
          "1 reference of Book.writer to missing objects removed",
          "3 references of Author.read to missing objects removed",
        ]
      ])
    #expect(try folder.lines("SELECT count(*) FROM Z_1READ") == ["1"])
    #expect(try folder.lines("SELECT ZWRITER FROM ZBOOK ORDER BY Z_PK") == ["1", "nil"])
  }
}
