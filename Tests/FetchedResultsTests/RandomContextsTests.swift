import FetchedResults
import Foundation
import NaiveModel
import Testing

@Suite("random turns on three contexts")
struct RandomContextsTests {
  private static let isLong = ProcessInfo.processInfo.environment["FRC_LONG"] == "1"
  private static let turnsPerWorld = 60

  @Test(
    "callbacks replayed give what is shown and a fresh fetch shows, and nobody hears of another's",
    arguments: 0..<10)
  func worlds(part: Int) throws {
    let worlds = (Self.isLong ? 20_000 : 6_000) / Self.turnsPerWorld / 10
    for index in 0..<worlds {
      let world = try ContextsWorld(seed: UInt64(part * 10_000 + index))
      for _ in 0..<Self.turnsPerWorld where world.failure == nil { try world.turn() }
      if let failure = world.failure {
        Issue.record(Comment(rawValue: failure))
        return
      }
    }
  }

  @Test("undo of everything returns to the start, redo of everything to the end", arguments: 0..<10)
  func undo(part: Int) throws {
    for index in 0..<(Self.isLong ? 40 : 8) {
      let seed = UInt64(part * 1_000 + index)
      var random = SeededGenerator(seed: seed)
      let shelf = try Shelf()
      let (controller, _) = try shelf.tracked(sort: "pages", "title")
      for number in 0..<Int.random(in: 0...8, using: &random) { shelf.insert("start \(number)") }
      shelf.context.processPendingChanges()
      let start = try Self.state(of: shelf)
      shelf.context.undoHistory = UndoHistory(levelsOfUndo: 1000)

      for turn in 0..<30 {
        try Self.edit(shelf, turn, &random)
        shelf.context.processPendingChanges()
      }
      let end = try Self.state(of: shelf)
      let shown = controller.shown
      while shelf.context.undoHistory?.canUndo == true {
        shelf.context.undo()
        shelf.context.processPendingChanges()
      }
      #expect(try Self.state(of: shelf) == start, "seed \(seed)")
      while shelf.context.undoHistory?.canRedo == true {
        shelf.context.redo()
        shelf.context.processPendingChanges()
      }

      #expect(try Self.state(of: shelf) == end, "seed \(seed)")
      #expect(controller.shown == shown, "seed \(seed)")
      try shelf.context.save()
      let other = ManagedObjectContext(coordinator: shelf.coordinator)
      #expect(
        try other.fetch(FetchRequest(entity: shelf.book)).map(\.values.snapshot)
          == end.map(\.snapshot), "seed \(seed)")
    }
  }

  private struct Row: Equatable {
    let id: ObjectID
    let snapshot: Snapshot
  }

  private static func state(of shelf: Shelf) throws -> [Row] {
    try shelf.context.fetch(FetchRequest(entity: shelf.book)).map {
      Row(id: $0.objectID, snapshot: $0.snapshot)
    }
  }

  private static func edit(
    _ shelf: Shelf, _ turn: Int, _ random: inout SeededGenerator
  ) throws {
    for step in 0..<Int.random(in: 1...4, using: &random) {
      let object = try shelf.context.fetch(FetchRequest(entity: shelf.book))
        .randomElement(using: &random)
      switch (Int.random(in: 0..<6, using: &random), object) {
      case (0, _), (_, nil): shelf.insert("\(turn).\(step)")
      case (1, let object?): shelf.context.delete(object)
      case (2, let object?): object["title"] = .string("\(turn).\(step)")
      case (_, let object?): object["pages"] = .int(Int64.random(in: 0..<9, using: &random))
      }
      if random.chance(8) { try shelf.context.save() }
    }
  }
}
