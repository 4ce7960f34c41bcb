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
    for seed in LawSeeds(seconds: 1, from: 1, failedOnce: [12, 3_422_780_962]) {
      let folder = try StoreFolder()
      var world = try UniqueWorld(seed: seed) {
        try PersistentStoreCoordinator(managedObjectModel: $0, sqliteStoreAt: folder.file())
      }
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
    for seed in LawSeeds(seconds: 1, from: 1, failedOnce: [507_151_221]) {
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
    let folder = try StoreFolder()
    let base = try EntityDescription(
      name: "Base", attributes: [AttributeDescription(name: "code", type: .string)])
    let special = try EntityDescription(
      name: "Special", superentity: base, attributes: [], uniquenessConstraints: [["code"]])
    let context = ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(entities: [base, special]),
        sqliteStoreAt: folder.file()))
    for entity in [base, special, base] { context.insert(entity)["code"] = "x" }
    try context.save()
    context.insert(special)["code"] = "x"
    #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
  }

  @Test("a value that another process took just before the save is a conflict like any other")
  func takenMeanwhile() throws {
    let folder = try StoreFolder()
    func context() throws -> ManagedObjectContext {
      ManagedObjectContext(
        coordinator: try PersistentStoreCoordinator(
          managedObjectModel: try Library.model(), sqliteStoreAt: folder.file()))
    }
    let (one, other) = (try context(), try context())
    _ = try one.insert("Tag", ["name": "x"])
    let late = try other.insert("Tag", ["name": "x"])
    try one.save()
    #expect(throws: MergeConflictError.self) { try other.saveThrowingCause() }
    other.mergePolicy = .mergeByPropertyStoreTrump
    try other.save()
    #expect(late.isDeleted)
  }
}
