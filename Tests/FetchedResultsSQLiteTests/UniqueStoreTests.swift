import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

@Suite("uniqueness constraints in a file")
struct UniqueStoreTests {
  @Test("after any save no two objects in the file share unique values")
  func law() throws {
    for seed in LawSeeds(seconds: 0.6, from: 1, failedOnce: [12, 3_422_780_962]) {
      let folder = StoreFolder()
      var world = try UniqueWorld(seed: seed) { try folder.coordinator($0) }
      var twin = try UniqueWorld(seed: seed)
      for turn in 1...100 {
        let place = "in turn \(turn) of seed \(seed)"
        let troubles = [try world.turn(), try twin.turn()]
        try #require(troubles == [nil, nil], "\(troubles) \(place)")
        try #require(world.lines() == twin.lines(), "file and memory differ \(place)")
      }
    }
  }

  @Test("nor do they after any save of two coordinators, which fails with conflicts if at all")
  func twoCoordinators() throws {
    for seed in LawSeeds(seconds: 0.6, from: 1, failedOnce: [507_151_221]) {
      var file = try UniqueFile(seed: seed)
      for turn in 1...100 {
        let trouble: String?
        do {
          trouble = try file.turn()
        } catch {
          trouble = "\(error)"
        }
        let trail = trouble == nil ? "" : file.trail.suffix(60).joined(separator: "\n")
        try #require(trouble == nil, "\(trouble ?? ""): turn \(turn) of seed \(seed)\n\(trail)")
      }
    }
  }

  @Test("an entity's own constraint on what it inherits leaves its parent's objects alone")
  func inheritedAttribute() throws {
    let folder = StoreFolder()
    let base = try EntityDescription(name: "Base", attributes: [.init("code", .string)])
    let special = try EntityDescription(
      name: "Special", superentity: base, attributes: [], uniquenessConstraints: [["code"]])
    let context = try folder.context(ManagedObjectModel(entities: [base, special]))
    for entity in [base, special, base] { context.insert(entity)["code"] = "x" }
    try context.save()
    context.insert(special)["code"] = "x"
    #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
  }

  @Test("a value that another process took just before the save is a conflict like any other")
  func takenMeanwhile() throws {
    let folder = StoreFolder()
    func context() throws -> ManagedObjectContext { try folder.context(Library.model()) }
    let (one, other) = (try context(), try context())
    _ = try one.insert("Tag", ["name": "x"])
    let late = try other.insert("Tag", ["name": "x"])
    try one.save()
    #expect(throws: MergeConflictError.self) { try other.saveThrowingCause() }
    other.mergePolicy = .mergeByPropertyStoreTrump
    try other.save()
    #expect(late.isDeleted)
  }

  /// A model of one entity with numbers.
  private func model(unique constraints: [[String]]) throws -> ManagedObjectModel {
    let attributes = try ["a_b", "a", "b", "c", "C"].map {
      try AttributeDescription(name: $0, type: .integer64, isOptional: true)
    }
    return try ManagedObjectModel(entities: [
      EntityDescription(name: "E", attributes: attributes, uniquenessConstraints: constraints)
    ])
  }

  @Test("constraints whose indexes would have the same name have one index each")
  func equalNames() throws {
    let folder = StoreFolder()
    func indexes() throws -> [String] {
      try folder.lines(
        "SELECT m.name, group_concat(i.name) FROM sqlite_master m JOIN pragma_index_info(m.name) i "
          + "WHERE m.name LIKE '%UNIQUE%' GROUP BY m.name ORDER BY m.name")
    }
    func open(_ constraints: [[String]]) throws -> ManagedObjectContext {
      try folder.context(model(unique: constraints), migration: .inferred())
    }
    let constraints = [["a_b"], ["a", "b"], ["c"], ["C"], ["c"]]
    let all = [
      "Z_E_UNIQUE_C1|ZC", "Z_E_UNIQUE_a_b|ZA_B", "Z_E_UNIQUE_a_b1|ZA,ZB", "Z_E_UNIQUE_c|ZC1",
    ]
    let context = try open(constraints)
    #expect(try indexes() == all)
    _ = try context.insert("E", ["a_b": 1, "a": 1, "b": 1, "c": 1, "C": 1])
    try context.save()
    for values: [String: PropertyValue] in [["a_b": 1], ["a": 1, "b": 1], ["c": 1], ["C": 1]] {
      let other = try context.insert("E", values)
      #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
      context.delete(other)
    }

    // The name is that of another constraint's index now.
    _ = try open([["a", "b"]])
    #expect(try indexes() == ["Z_E_UNIQUE_a_b|ZA,ZB"])
    _ = try open(constraints)
    #expect(try indexes() == all)
    try folder.removeModel()
    let implied = try ImpliedModel(ofStoreAt: folder.file().path, named: "library.sqlite")
    #expect(implied.entities[0].uniquenessConstraints.contains(["a", "b"]))
  }

  @Test("the index of a constraint does not have the name of an index of the history")
  func nameInHistory() throws {
    let folder = StoreFolder()
    let entity = try EntityDescription(
      name: "TransactionString", attributes: [.init("name", .string)],
      uniquenessConstraints: [["name"]])
    let context = try folder.context(ManagedObjectModel(entities: [entity]), tracksHistory: true)
    context.insert(entity)["name"] = "x"
    try context.save()
    let names = try folder.lines(
      "SELECT name FROM sqlite_master WHERE name LIKE '%UNIQUE%' ORDER BY name")
    #expect(names == ["Z_TRANSACTIONSTRING_UNIQUE_NAME", "Z_TransactionString_UNIQUE_name1"])
    #expect(try context.fetchHistory().count == 1)
    context.insert(entity)["name"] = "x"
    #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
  }
}
