import Basics
import EngineWorlds
import FetchedResults
import Foundation
import RandomLaws
import Testing

@Suite("uniqueness as a rule of the outcome")
struct UniquenessRuleTests {
  /// Two saved books.
  ///
  /// The first gets the value of the second, and the second changes, too.
  private func clash(
    _ policy: MergePolicy, firstTakesFirst: Bool
  ) throws -> [String] {
    let world = try UniqueWorld(seed: 1)
    let context = world.context
    let (a, b) = (context.insert(world.base), context.insert(world.base))
    a["code"] = "A"
    b["code"] = "B"
    try context.save()
    context.mergePolicy = policy
    let edits: [() -> Void] = [{ a["code"] = "B" }, { b["name"] = "b2" }]
    for edit in firstTakesFirst ? edits : edits.reversed() { edit() }
    try context.save()
    return world.savedRows().map { "\($0.id) \($0.snapshot[0])" }
  }

  @Test(
    "the order of edits does not decide who keeps a value",
    arguments: [
      (MergePolicy.mergeByPropertyStoreTrump, ["Base/1 A", "Base/2 B"]),
      (.rollback, ["Base/1 A", "Base/2 B"]),
      (.mergeByPropertyObjectTrump, ["Base/1 B"]),
      (.overwrite, ["Base/1 B"]),
    ])
  func orderOfEdits(policy: MergePolicy, rows: [String]) throws {
    #expect(try clash(policy, firstTakesFirst: true) == rows)
    #expect(try clash(policy, firstTakesFirst: false) == rows)
  }

  @Test("a restored object takes its saved value back from one that was given it")
  func chain() throws {
    let world = try UniqueWorld(seed: 1)
    let context = world.context
    let objects = ["A", "B", "C"].map { code in
      let object = context.insert(world.base)
      object["code"] = .string(code)
      return object
    }
    try context.save()
    context.mergePolicy = .mergeByPropertyStoreTrump
    // C stays, so B gets its value back. So does A, because the new object has A's value.
    objects[0]["code"] = "B"
    objects[1]["code"] = "C"
    context.insert(world.base)["code"] = "A"
    try context.save()
    #expect(
      world.savedRows().map { "\($0.id) \($0.snapshot[0])" } == [
        "Base/1 A", "Base/2 B", "Base/3 C",
      ])
  }

  @Test("values that change places are in no conflict")
  func swapped() throws {
    let world = try UniqueWorld(seed: 1)
    let (a, b) = (world.context.insert(world.base), world.context.insert(world.base))
    a["code"] = "A"
    b["code"] = "B"
    try world.context.save()
    a["code"] = "B"
    b["code"] = "A"
    try world.context.save()
    #expect(world.savedRows().map(\.snapshot[0]) == ["B", "A"])
  }

  @Test(
    "an object of one sub-entity takes over what it has in common with one of another",
    arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func subentities(policy: MergePolicy) throws {
    let world = try UniqueWorld(seed: 1)
    let context = world.context
    let other = context.insert(world.left)
    other["code"] = "x"
    other["width"] = 7
    other["name"] = "left"
    let friend = context.insert(world.base)
    try friend.add(other, to: "links")
    let base = context.insert(world.base)
    base["code"] = "x"
    base["name"] = "base"
    let right = context.insert(world.right)
    right["code"] = "x"
    right["height"] = "tall"
    try right.add(friend, to: "links")
    context.mergePolicy = policy
    try context.save()

    #expect(other["name"] == (policy == .overwrite ? .null : "base"))
    #expect(other["width"] == 7)
    #expect(other["links"] == .list([.object(friend.objectID)]))
    #expect(friend["links"] == .list([.object(other.objectID)]))
    #expect(world.savedRows().map(\.id) == [other.objectID, friend.objectID])
  }

  @Test("decimals that a SQLite column cannot tell apart are equal in memory, too")
  func decimals() throws {
    let entity = try EntityDescription(
      name: "Price", attributes: [.init("amount", .decimal)], uniquenessConstraints: [["amount"]])
    let context = try ManagedObjectContext(of: [entity])
    for text in ["0.1", "0.100000000000000000001"] {
      context.insert(entity)["amount"] = .decimal(try #require(Decimal(string: text)))
    }
    #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
  }

  @Test("a derived attribute is held unique by its new value")
  func derived() throws {
    let world = try UniqueWorld(seed: 1)
    let (a, b) = (world.context.insert(world.folded), world.context.insert(world.folded))
    a["text"] = "É"
    b["text"] = "f"
    try world.context.save()
    b["text"] = "e"
    #expect(throws: MergeConflictError.self) { try world.context.saveThrowingCause() }
    world.context.mergePolicy = .mergeByPropertyStoreTrump
    try world.context.save()
    #expect(b["text"] == "f")
  }

  @Test("a transient attribute cannot be unique")
  func transient() throws {
    #expect(throws: ModelError.uniqueTransient("note", entity: "Book")) {
      try EntityDescription(
        name: "Book",
        attributes: [AttributeDescription(name: "note", type: .string, isTransient: true)],
        uniquenessConstraints: [["note"]])
    }
  }

  @Test("after any save no two objects share unique values")
  func law() throws {
    for seed in LawSeeds(seconds: 0.6) {
      var world = try UniqueWorld(seed: seed)
      for turn in 1...200 {
        let trouble = try world.turn()
        try #require(trouble == nil, "\(trouble ?? "") in turn \(turn) of seed \(seed)")
      }
    }
  }

  @Test("the outcome of a save does not depend on the order of edits")
  func order() throws {
    for seed in LawSeeds(seconds: 0.6) {
      let worlds = try (0..<2).map { _ in try UniqueWorld(seed: seed) }
      let rows = try worlds.enumerated().map { index, world in
        var world = world
        return try world.editInOrder(isReversed: index == 1)
      }
      try #require(rows[0] == rows[1], "seed \(seed)")
    }
  }
}
