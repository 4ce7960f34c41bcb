import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import RepositoryFiles
import Testing

/// Models and stores of other projects, if they are available beside this project.
private let shared = RepositoryFiles.shared.path

@Suite("Entities that a store implies")
struct ImpliedModelTests {
  private let folder = StoreFolder()

  private func implied(_ name: String = "library.sqlite") throws -> ImpliedModel {
    try ImpliedModel(ofStoreAt: folder.file(name).path, named: name)
  }

  /// Creates a store for a model, without its description.
  private func make(_ model: ManagedObjectModel, _ name: String = "library.sqlite") throws {
    _ = try folder.coordinator(model, in: name)
    try folder.removeModel(of: name)
  }

  @Test("a file that describes its model needs no guess, and that model opens it without a change")
  func described() throws {
    let node = try EntityDescription(
      name: "Node", attributes: [.init("tagName", .string), .optional("rank", .integer16)],
      relationships: [.toMany("up", "Leaf", inverse: "down")],
      indexes: [FetchIndexDescription(attribute: "rank")])
    let leaf = try EntityDescription(
      name: "Leaf", superentity: node,
      attributes: [
        .optional("code", .uuid), .optional("page", .uri), .optional("data", .binaryData),
      ], relationships: [.toMany("down", "Node", inverse: "up")],
      uniquenessConstraints: [["tagName", "code"]])
    func open(_ entities: [EntityDescription]) throws -> ManagedObjectContext {
      var migration = StoreMigration.inferred()
      migration.didMigrate = { Issue.record("migrated: \($0)") }
      return try folder.context(ManagedObjectModel(entities: entities), migration: migration)
    }
    // The file is closed again, so that no row is in a log.
    try {
      let context = try open([node, leaf])
      _ = try context.insert("Leaf", ["tagName": "a"])
      try context.save()
    }()
    let before = try Data(contentsOf: folder.file())

    let implied = try implied()

    #expect(implied.isStored)
    #expect(implied.doubts.isEmpty)
    #expect(implied.entities.map(\.name) == ["Node", "Leaf"])
    for (found, wanted) in zip(implied.entities, [node, leaf]) {
      #expect(found.propertyNames == wanted.propertyNames)
      #expect(found.attributes.map(\.type) == wanted.attributes.map(\.type))
      #expect(found.attributes.map(\.isOptional) == wanted.attributes.map(\.isOptional))
      #expect(found.relationships.map(\.destination) == wanted.relationships.map(\.destination))
      #expect(found.uniquenessConstraints == wanted.uniquenessConstraints)
      #expect(found.indexes == wanted.indexes)
    }
    #expect(try open(implied.entities).lines("Leaf").count == 1)
    #expect(try Data(contentsOf: folder.file()) == before)
  }

  @Test("a description that does not fit the file or that no script can write is unused")
  func misfit() throws {
    let model = try ManagedObjectModel(entities: [
      try EntityDescription(name: "Page", attributes: [.init(name: "a b", type: .string)])
    ])
    _ = try folder.coordinator(model)
    #expect(try !implied().isStored)

    _ = try folder.coordinator(Library.model(), in: "other.sqlite")
    #expect(try implied("other.sqlite").isStored)
    try folder.execute(
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Volume' WHERE Z_NAME = 'Book'", in: "other.sqlite")
    #expect(try !implied("other.sqlite").isStored)
  }

  @Test("of every type and relationship of a model, what a file has of it")
  func library() throws {
    try make(try Library.model())

    try expectSame(try Library.model(), try implied())
  }

  @Test(
    "of models that others made",
    .enabled(if: FileManager.default.fileExists(atPath: shared + "/models")))
  func models() throws {
    var count = 0
    let files = FileManager.default.enumerator(atPath: shared + "/models")
    for case let path as String in files ?? .init() where path.hasSuffix("/contents") {
      let bytes = Array(try Data(contentsOf: URL(filePath: "\(shared)/models/\(path)")))
      let name = "\(count).sqlite"
      // An entity belongs to one model.
      let model = {
        try ManagedObjectModel(entities: try ModelFile(contents: bytes).entities)
      }
      try make(try model(), name)
      try expectSame(try model(), try implied(name))
      count += 1
    }
    #expect(count == 13)
  }

  /// Compares what a file shows of a model: names apart from upper and lower case, types of
  /// columns, and relationships.
  private func expectSame(_ model: ManagedObjectModel, _ implied: ImpliedModel) throws {
    #expect(implied.omissions.isEmpty)
    let found = try ManagedObjectModel(entities: implied.entities)
    #expect(Set(found.entities.map(\.name)) == Set(model.entities.map(\.name)))
    for entity in model.entities {
      #expect(found.entitiesByName[entity.name]?.superentity?.name == entity.superentity?.name)
      guard entity.superentity == nil else { continue }
      // Without rows, the columns of sub-entities belong to the root.
      let family = model.entities.filter { $0.root === entity }
      let same = found.entities.filter { $0.root.name == entity.name }
      #expect(Self.columns(of: same) == Self.columns(of: family), "\(entity.name)")
    }
    #expect(try Self.joins(in: found) == Self.joins(in: model))
    let known = Self.toOne(in: model)
    for (name, destination) in Self.toOne(in: found) {
      // Without rows, only names are known.
      #expect(known[name] != nil, "\(name)")
      if let known = known[name], name.hasSuffix(".\(known.uppercased())") {
        #expect(destination == known, "\(name)")
      }
    }
  }

  /// Returns attributes and to-one relationships, which are numbers if their destination is
  /// unknown.
  private static func columns(of family: [EntityDescription]) -> [String] {
    var columns: [String] = []
    for entity in family {
      let inherited = entity.superentity
      for attribute in entity.attributes.dropFirst(inherited?.attributes.count ?? 0)
      where !attribute.isTransient {
        columns.append("\(attribute.name.uppercased()) \(column(attribute.type))")
      }
      for relationship in entity.relationships.dropFirst(inherited?.relationships.count ?? 0)
      where !relationship.isToMany && !relationship.isTransient {
        columns.append("\(relationship.name.uppercased()) integer")
      }
    }
    return columns.sorted()
  }

  private static func toOne(in model: ManagedObjectModel) -> [String: String] {
    var found: [String: String] = [:]
    for entity in model.entities {
      for relationship in entity.relationships where !relationship.isToMany {
        found["\(entity.root.name).\(relationship.name.uppercased())"] = relationship.destination
      }
    }
    return found
  }

  /// Returns the to-many relationships with join tables, each from both sides.
  private static func joins(in model: ManagedObjectModel) throws -> Set<String> {
    var found: Set<String> = []
    for entity in model.entities {
      for relationship in entity.relationships.dropFirst(
        entity.superentity?.relationships.count ?? 0)
      where relationship.isToMany {
        let destination = try #require(model.entitiesByName[relationship.destination])
        let back = destination.relationships.first { $0.name == relationship.inverse }
        guard back?.isToMany ?? true else { continue }
        found.insert(
          "\(entity.name).\(relationship.name.uppercased()) to \(destination.name)"
            + " inverse \(relationship.inverse?.uppercased() ?? "none")"
            + (relationship.isOrdered ? " ordered" : ""))
      }
    }
    return found
  }

  private static func column(_ type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: "integer"
    case .date: "timestamp"
    case .decimal: "decimal"
    case .double, .float: "float"
    case .string, .uri: "text"
    case .uuid, .binaryData: "blob"
    }
  }

  @Test(
    "stores that Core Data wrote open with what they imply",
    .enabled(if: FileManager.default.fileExists(atPath: shared + "/stores")))
  func stores() throws {
    for (path, count) in [
      ("coredataplus-samplemodel/SampleModel_V1.sqlite", ["Car": 125, "Person": 20]),
      ("coredataplus-samplemodel/SampleModel_V2.sqlite", ["Car": 125, "Person": 20]),
      ("coredataplus-samplemodel3/SampleModel3_V1.sqlite", ["User": 12]),
    ] {
      let url = try folder.copy("\(shared)/stores/\(path)", as: "copy.sqlite")
      let implied = try implied("copy.sqlite")
      #expect(implied.omissions.isEmpty)
      let context = ManagedObjectContext(
        coordinator: try PersistentStoreCoordinator(
          managedObjectModel: try ManagedObjectModel(entities: implied.entities),
          sqliteStoreAt: url))
      for (name, number) in count {
        let entity = try context.entity(name)
        let objects = try context.fetch(FetchRequest(entity: entity))
        #expect(objects.count == number)
        for object in objects { for name in entity.propertyNames { _ = object[name] } }
      }
      if let car = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Car"] {
        // The unique index has the name in the model's spelling.
        #expect(car.attributes.contains { $0.name == "numberPlate" })
        #expect(car.uniquenessConstraints == [["numberPlate"]])
        let owner = try #require(car.relationships.first { $0.name == "owner" })
        #expect(owner.destination == "Person")
        #expect(implied.doubts["Person"]?["cars"] == [.madeUpName])
      }
      try FileManager.default.removeItem(at: url)
    }
  }

  @Test("rows tell UUIDs, flags, the other entity, one-to-one pairs and a sub-entity's columns")
  func rows() throws {
    try make(try Self.peopleModel())
    try folder.execute(
      """
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZISADULT, ZPASSPORT, ZHOME, ZTOKEN, ZSALARY)
        VALUES (1, 3, 1, 'Ann', 1, 7, 2, randomblob(16), NULL),
               (2, 4, 1, 'Bob', 0, 8, 2, randomblob(16), 10);
      INSERT INTO ZPASSPORT (Z_PK, Z_ENT, Z_OPT, ZHOLDER) VALUES (7, 2, 1, 1), (8, 2, 1, 2);
      INSERT INTO ZADDRESS (Z_PK, Z_ENT, Z_OPT, ZCITY) VALUES (2, 1, 1, 'Rome');
      """)

    let implied = try implied()

    let person = try #require(implied.entities.first { $0.name == "Person" })
    let employee = try #require(implied.entities.first { $0.name == "Employee" })
    let type = { (name: String) in person.attributes.first { $0.name == name }?.type }
    #expect(type("isadult") == .boolean)
    #expect(type("token") == .uuid)
    #expect(type("name") == .string)
    #expect(type("salary") == nil)
    #expect(employee.attributes.last?.name == "salary")
    #expect(implied.doubts["Employee"]?["salary"]?.contains(.ownerByRows) == true)
    let passport = try #require(person.relationships.first { $0.name == "passport" })
    #expect(passport.destination == "Passport")
    #expect(passport.inverse == "holder")
    let home = try #require(person.relationships.first { $0.name == "home" })
    #expect(home.destination == "Address")
    #expect(home.inverse == "people" || home.inverse == "persons")
  }

  private static func peopleModel() throws -> ManagedObjectModel {
    func optional(_ name: String, _ type: AttributeType) throws -> AttributeDescription {
      try AttributeDescription(name: name, type: type, isOptional: true)
    }
    let person = try EntityDescription(
      name: "Person",
      attributes: [
        try optional("name", .string), try optional("isAdult", .boolean),
        try optional("token", .uuid),
      ],
      relationships: [
        .toOne("passport", "Passport", inverse: "holder"),
        .toOne("home", "Address", inverse: "residents"),
      ])
    let employee = try EntityDescription(
      name: "Employee", superentity: person, attributes: [try optional("salary", .integer64)])
    let passport = try EntityDescription(
      name: "Passport", attributes: [],
      relationships: [.toOne("holder", "Person", inverse: "passport")])
    let address = try EntityDescription(
      name: "Address", attributes: [try optional("city", .string)],
      relationships: [.toMany("residents", "Person", inverse: "home")])
    return try ManagedObjectModel(entities: [person, employee, passport, address])
  }

  @Test("names that no script can write are left out, and nothing traps")
  func hostile() throws {
    try make(try Library.model())
    try folder.execute(
      #"""
      INSERT INTO Z_PRIMARYKEY VALUES
        (90, 'A { }' || char(10) || 'include "/etc/passwd"', 0, 0), (91, 'Loop', 92, 0),
        (92, 'Pool', 91, 0), (94, 'Orphan', 4711, 0), (95, 'Book', 0, 0),
        (96, 'book', 0, 0), (98, 'Odd', 0, 0);
      CREATE TABLE "Z_1"";DROP" (a, b);
      CREATE TABLE Z_1NOTHING (Z_99NOTHING INTEGER, Z_1X INTEGER);
      CREATE TABLE Z_99999999999999999999X (a);
      CREATE TABLE "ZO""DD" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE ZODD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        "ZA B" VARCHAR, "Z#" VARCHAR, "Z1" VARCHAR, ZTEXT TEXT, Zé VARCHAR, Zlower VARCHAR,
        "Z" VARCHAR);
      """#)

    let implied = try implied()

    #expect(!implied.entities.contains { !$0.name.allSatisfy { $0.isLetter || $0.isNumber } })
    let odd = try #require(implied.entities.first { $0.name == "Odd" })
    #expect(odd.attributes.allSatisfy { $0.name.allSatisfy(\.isLetter) })
    #expect(implied.omissions.contains(.column("ZA B", table: "ZODD")))
    #expect(implied.omissions.contains(.joinTable("Z_1NOTHING")))
    #expect(implied.omissions.contains(.entity("Loop")))
    #expect(implied.omissions.contains(.entity("Orphan")))
    #expect(throws: Never.self) { try ManagedObjectModel(entities: implied.entities) }
  }

  @Test("what is no store is an error that says so")
  func noStore() throws {
    #expect(throws: StoreError.self) { try implied("missing.sqlite") }
    try folder.execute("CREATE TABLE a (b)", in: "plain.sqlite")
    #expect(throws: StoreError.self) { try implied("plain.sqlite") }
    try Data("no database at all, but a text".utf8).write(to: folder.file("text.sqlite"))
    #expect(throws: StoreError.self) { try implied("text.sqlite") }
    try Data().write(to: folder.file("empty.sqlite"))
    #expect(throws: StoreError.self) { try implied("empty.sqlite") }
    #expect(throws: StoreError.self) {
      try ImpliedModel(ofStoreAt: folder.url.path, named: "folder")
    }
  }

  @Test("nothing of the file changes, nor beside it")
  func untouched() throws {
    try make(try Library.model())
    let before = try Data(contentsOf: folder.file())
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()

    _ = try implied()

    #expect(try Data(contentsOf: folder.file()) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
  }

  @Test("damaged files are errors or give fewer entities", arguments: 0..<60)
  func damaged(seed: Int) throws {
    try make(try Library.model())
    var bytes = try Data(contentsOf: folder.file())
    // The log, if it existed, would restore pages.
    for ending in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder.file().path + ending)
    }
    for step in 0..<8 {
      bytes[100 + (seed * 7919 + step * 104_729) % (bytes.count - 100)] = UInt8(
        truncatingIfNeeded: seed &* 31 &+ step)
    }
    try bytes.write(to: folder.file())

    _ = try? implied()
  }
}
