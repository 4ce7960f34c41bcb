import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// The columns of join tables, some of which have digits after their names.
@Suite("Join tables")
struct JoinTableTests {
  private let folder = StoreFolder()

  /// Returns a model in which three relationships have the same name and destination; one is
  /// ordered.
  private func model() throws -> ManagedObjectModel {
    func side(_ name: String, isOrdered: Bool) throws -> EntityDescription {
      try EntityDescription(
        name: name, attributes: [],
        relationships: [
          .toMany("artworks", "Work", inverse: name.lowercased() + "s", isOrdered: isOrdered)
        ])
    }
    let names = ["Album", "Person", "Song"]
    let work = try EntityDescription(
      name: "Work", attributes: [],
      relationships: names.map {
        RelationshipDescription(
          name: $0.lowercased() + "s", destination: $0, inverse: "artworks", isToMany: true)
      })
    return try ManagedObjectModel(
      entities: names.map { try side($0, isOrdered: $0 == "Person") } + [work])
  }

  private func open() throws -> ManagedObjectContext { try folder.context(model()) }

  /// Saves two works on each side, the second one first, and reads them from the file.
  private func expectSavedAndRead() throws {
    let context = try open()
    let works = try (1...2).map { _ in PropertyValue.object(try context.insert("Work").objectID) }
    for name in ["Album", "Person", "Song"] {
      _ = try context.insert(name, ["artworks": .list([works[1], works[0]])])
    }
    try context.save()

    let again = try open()
    for name in ["Album", "Person", "Song"] {
      let entity = try again.entity(name)
      let object = try #require(try again.fetch(FetchRequest(entity: entity)).last)
      guard case .list(let found) = try object.value(forKey: "artworks") else {
        Issue.record("\(name) has no list")
        continue
      }
      let numbers = found.map { if case .object(let id) = $0 { id.number } else { Int64(0) } }
      let given = works.map { if case .object(let id) = $0 { id.number } else { Int64(0) } }
      #expect(numbers == (name == "Person" ? [given[1], given[0]] : given.sorted()), "\(name)")
    }
  }

  @Test("several relationships of one name that lead to one entity have digits")
  func written() throws {
    try expectSavedAndRead()
    func columns(_ table: String) throws -> [String] {
      try folder.lines("SELECT name FROM pragma_table_info('\(table)') ORDER BY name")
    }
    #expect(try columns("Z_1ARTWORKS") == ["Z_1ALBUMS", "Z_4ARTWORKS"])
    #expect(
      try columns("Z_2ARTWORKS") == ["Z_2PERSONS", "Z_4ARTWORKS1", "Z_FOK_4ARTWORKS1"])
    #expect(try columns("Z_3ARTWORKS") == ["Z_3SONGS", "Z_4ARTWORKS2"])
    #expect(try folder.lines("SELECT * FROM Z_3ARTWORKS ORDER BY Z_4ARTWORKS2") == ["1|1", "1|2"])
    #expect(
      try folder.lines("SELECT Z_4ARTWORKS1 FROM Z_2ARTWORKS ORDER BY Z_FOK_4ARTWORKS1")
        == ["2", "1"])
  }

  @Test(
    "a file may have digits in any order, or none",
    arguments: [["", "", ""], ["2", "", "1"], ["1", "2", ""]], [true, false])
  func read(digits: [String], isOrderAlike: Bool) throws {
    _ = try open()
    for (index, side) in ["ALBUMS", "PERSONS", "SONGS"].enumerated() {
      let number = index + 1
      let order = "Z_FOK_4ARTWORKS" + (isOrderAlike ? digits[index] : "")
      try folder.execute(
        """
        DROP TABLE Z_\(number)ARTWORKS;
        CREATE TABLE Z_\(number)ARTWORKS (
          Z_\(number)\(side) INTEGER, Z_4ARTWORKS\(digits[index]) INTEGER\(index == 1 ? ", \(order) INTEGER" : ""),
          PRIMARY KEY (Z_\(number)\(side), Z_4ARTWORKS\(digits[index])));
        INSERT INTO Z_\(number)ARTWORKS (Z_\(number)\(side), Z_4ARTWORKS\(digits[index])) VALUES (1, 1);
        INSERT INTO Z\(side.dropLast()) (Z_PK, Z_ENT, Z_OPT) VALUES (1, \(number), 1);
        """)
    }
    try folder.execute("INSERT INTO ZWORK (Z_PK, Z_ENT, Z_OPT) VALUES (1, 4, 1)")

    let context = try open()
    let work = try context.entity("Work")
    let object = try #require(try context.fetch(FetchRequest(entity: work)).first)
    for key in ["albums", "persons", "songs"] {
      guard case .list(let found) = try object.value(forKey: key) else { continue }
      #expect(found.count == 1, "\(key)")
    }
    try expectSavedAndRead()
    #expect(try folder.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test("transient relationships have no column and no table, and are not written")
  func transient() throws {
    let node = try EntityDescription(
      name: "Node", attributes: [],
      relationships: [
        RelationshipDescription(
          name: "next", destination: "Node", inverse: "previous", isTransient: true),
        RelationshipDescription(
          name: "previous", destination: "Node", inverse: "next", isToMany: true, isOrdered: true,
          isTransient: true),
        RelationshipDescription(
          name: "friends", destination: "Node", isToMany: true, isTransient: true),
        .toOne("home", "Node"),
      ])
    let coordinator = try folder.coordinator(ManagedObjectModel(entities: [node]))
    let context = ManagedObjectContext(coordinator: coordinator)
    let first = try context.insert("Node")
    let other = PropertyValue.object(first.objectID)
    let second = try context.insert(
      "Node", ["next": other, "friends": .list([other]), "home": other])
    try context.save()
    #expect(try second.value(forKey: "next") == .object(first.objectID))

    #expect(
      try folder.lines("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") == [
        "ZNODE", "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY",
      ])
    #expect(
      try folder.lines("SELECT name FROM pragma_table_info('ZNODE')") == [
        "Z_PK", "Z_ENT", "Z_OPT", "ZHOME",
      ])
    let reader = ManagedObjectContext(coordinator: coordinator)
    let read = try #require(try reader.fetch(FetchRequest(entity: node)).last)
    #expect(try read.value(forKey: "next") == .null)
    #expect(try read.value(forKey: "friends") == .list([]))
    #expect(try read.value(forKey: "home") == .object(first.objectID))
  }

  @Test("a model with transient relationships reads a file that has nothing for them")
  func transientInFile() throws {
    let file = try ModelFile(
      contents: Array(
        """
        <model><entity name="Node">
          <attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="next" optional="YES" transient="YES" destinationEntity="Node"
            inverseName="previous"/>
          <relationship name="previous" optional="YES" transient="YES" toMany="YES"
            destinationEntity="Node" inverseName="next"/>
          <relationship name="friends" optional="YES" transient="YES" toMany="YES"
            destinationEntity="Node"/>
        </entity></model>
        """.utf8))
    try folder.execute(
      """
      CREATE TABLE ZNODE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE Z_PRIMARYKEY
        (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Node', 0, 1);
      INSERT INTO Z_METADATA VALUES (1, 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F', NULL);
      INSERT INTO ZNODE VALUES (1, 1, 1, 'old');
      """)
    let context = try folder.context(ManagedObjectModel(entities: file.entities))
    let old = try #require(try context.fetch(FetchRequest(entity: file.entities[0])).first)
    #expect(try old.value(forKey: "next") == .null)
    #expect(try old.value(forKey: "previous") == .list([]))
    let new = try context.insert("Node", ["next": .object(old.objectID)])
    try context.save()
    #expect(try old.value(forKey: "previous") == .list([.object(new.objectID)]))
    #expect(try folder.lines("SELECT * FROM ZNODE") == ["1|1|2|old", "2|1|1|nil"])
  }

  @Test("a new file takes time linear in the number of entities")
  func linear() throws {
    func time(_ count: Int) throws -> Duration {
      let entities = try (0..<count).map {
        try EntityDescription(name: "E\($0)", attributes: [])
      }
      let file = folder.file(UUID().uuidString)
      return try ThreadClock.measure {
        _ = try PersistentStoreCoordinator(
          managedObjectModel: try ManagedObjectModel(entities: entities), sqliteStoreAt: file)
      }
    }
    var ratio = 0.0
    for _ in 0..<5 {
      ratio = try time(1_200) / time(300)
      if ratio < 8 { return }
    }
    Issue.record("four times as many entities take \(ratio) times as long")
  }
}
