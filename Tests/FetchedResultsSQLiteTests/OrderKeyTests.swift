import Basics
import EngineWorlds
import FetchedResults
import Foundation
import RandomLaws
import Testing

@testable import FetchedResultsSQLite

/// The keys that give the order of an ordered relationship in a file.
@Suite("Keys of order")
struct OrderKeyTests {
  private let folder = StoreFolder()

  private func open() throws -> ManagedObjectContext {
    let folderEntity = try EntityDescription(
      name: "Folder", attributes: [],
      relationships: [.toMany("items", "Item", inverse: "folder", isOrdered: true)])
    let item = try EntityDescription(
      name: "Item", attributes: [.optional("name", .string)],
      relationships: [.toOne("folder", "Folder", inverse: "items")])
    return try folder.context(ManagedObjectModel(entities: [folderEntity, item]))
  }

  /// Returns the number, version and key of each item, in the order of the keys.
  private func rows() throws -> [String] {
    try folder.lines("SELECT Z_PK, Z_OPT, Z_FOK_FOLDER FROM ZITEM ORDER BY Z_FOK_FOLDER, Z_PK")
  }

  @Test("a member that is inserted with its owner's side set gets a key")
  func inserted() throws {
    let context = try open()
    let owner = try context.insert("Folder")
    try context.save()
    for _ in 1...3 {
      _ = try context.insert("Item", ["folder": .object(owner.objectID)])
      try context.save()
    }
    #expect(try rows() == ["1|1|2048", "2|1|3072", "3|1|4096"])

    // This context has not read the others.
    let later = try open()
    let found = try #require(try later.fetch(named: "Folder").first)
    _ = try later.insert("Item", ["folder": .object(found.objectID)])
    try later.save()
    #expect(try rows().last == "4|1|5120")
  }

  @Test("members that did not move keep their keys, and their rows are not written")
  func kept() throws {
    let context = try open()
    let owner = try context.insert("Folder")
    for name in ["a", "b", "c", "d"] {
      _ = try context.insert("Item", ["name": .string(name), "folder": .object(owner.objectID)])
    }
    try context.save()
    try folder.execute("UPDATE ZITEM SET Z_FOK_FOLDER = Z_PK * 5000")

    let later = try open()
    let found = try #require(try later.fetch(named: "Folder").first)
    let items = try later.fetch(named: "Item").map { PropertyValue.object($0.objectID) }
    try found.setValue(.list([items[0], items[3], items[1], items[2]]), forKey: "items")
    try later.save()
    #expect(try rows() == ["1|1|5000", "4|1|7500", "2|1|10000", "3|1|15000"])
    #expect(try open().fetch(named: "Folder").map(\.line) == [found.line])
  }

  @Test("keys that are missing, equal or far apart are put in order, and nothing traps")
  func damaged() throws {
    for keys in ["NULL", "7", "'x'", "9223372036854775807", "-9223372036854775808", "Z_PK % 2"] {
      let context = try open()
      let owner = try context.insert("Folder")
      for _ in 1...4 { _ = try context.insert("Item", ["folder": .object(owner.objectID)]) }
      try context.save()
      try folder.execute("UPDATE ZITEM SET Z_FOK_FOLDER = \(keys)")

      let later = try open()
      let found = try #require(try later.fetch(named: "Folder").last)
      _ = try later.insert("Item", ["folder": .object(found.objectID)])
      try later.save()
      let again = try #require(try open().fetch(named: "Folder").last)
      #expect(again.line == found.line, "\(keys)")
      try folder.execute("DELETE FROM ZITEM; DELETE FROM ZFOLDER")
    }
  }

  @Test("few keys change, and the new ones rise in the order that is wanted")
  func law() throws {
    let entity = try EntityDescription(name: "Item", attributes: [])
    for seed in LawSeeds(seconds: 0.3, atLeast: 50) {
      var random = SeededGenerator(seed: seed)
      let members = (1...12).map { ObjectID(entity: entity, number: $0) }
      var found: [ObjectID: Int64] = [:]
      let span: Int64 = Bool.random(using: &random) ? 30 : 1 << 40
      for member in members.prefix(Int.random(in: 0...12, using: &random)) {
        found[member] = Int64.random(in: -span...span, using: &random)
      }
      let wanted = members.shuffled(using: &random)
      let changes = OrderKeys.changes(wanted, found: found)
      var keys = found
      for (member, key) in changes {
        #expect(keys[member] != key, "seed \(seed)")
        keys[member] = key
      }
      let written = wanted.map { keys[$0] ?? .min }
      #expect(zip(written, written.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      let sorted = wanted.filter { found[$0] != nil }.map { found[$0] ?? 0 }
      if sorted == sorted.sorted(), Set(sorted).count == sorted.count, span > 30,
        sorted.first ?? 1 > 12
      {
        #expect(changes.allSatisfy { found[$0.member] == nil }, "seed \(seed)")
      }
    }
  }
}
