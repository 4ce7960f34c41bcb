import Basics
import EngineWorlds
import FetchedResults
import Foundation
import NaiveModel
import RandomLaws
import Testing

@Suite("random turns on three contexts")
struct RandomContextsTests {
  private static let turnsPerWorld = 60

  @Test(
    "callbacks replayed give what is shown and a fresh fetch shows, and nobody hears of another's")
  func worlds() throws {
    for seed in LawSeeds(
      seconds: 1.2,
      failedOnce: [
        1_111_245_459, 3_838_853_288, 3_886_567_815, 2_097_965_975, 3_905_030_754,
      ])
    {
      let world = try ContextsWorld(seed: seed)
      for _ in 0..<Self.turnsPerWorld where world.failure == nil { try world.turn() }
      if let failure = world.failure {
        Issue.record(Comment(rawValue: failure))
        return
      }
    }
  }

  @Test("the same where operations first fail: the next attempt is as the first would have been")
  func failures() throws {
    for seed in LawSeeds(
      seconds: 1.2, atLeast: 3,
      failedOnce: [324_450_203, 3_762_614_531, 915_419_958, 2_204_978_029, 854_270_719])
    {
      let world = try ContextsWorld(seed: seed, fails: true)
      for _ in 0..<Self.turnsPerWorld where world.failure == nil { try world.turn() }
      if let failure = world.failure {
        Issue.record(Comment(rawValue: failure))
        return
      }
    }
  }

  @Test("undo of everything returns to the start, redo of everything to the end")
  func undo() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: 3) {
      let world = try ContextsWorld(seed: seed, levelsOfUndo: 1000)
      let place = world.places[Int(seed % 3)]
      let context = place.context
      let history = try #require(context.undoManager)
      let start = try world.rows(in: context)
      for _ in 0..<20 {
        try world.edit(place)
        context.processPendingChanges()
        if world.rule != .deny, world.random.chance(6) {
          try context.save()
        }
      }
      let end = try world.rows(in: context)
      while history.canUndo {
        context.undo()
        context.processPendingChanges()
      }
      let back = try world.rows(in: context)
      let lost = Set(back.keys).union(start.keys).filter { back[$0] != start[$0] }
        .map { "\($0): \(describe(start[$0])) became \(describe(back[$0]))" }
      #expect(lost == [], "seed \(seed), undone\n\(world.trail.joined(separator: "\n"))")
      while history.canRedo {
        context.redo()
        context.processPendingChanges()
      }

      let again = try world.rows(in: context)
      let difference = Set(again.keys).union(end.keys).filter { again[$0] != end[$0] }
        .map { "\($0): \(describe(end[$0])) became \(describe(again[$0]))" }
      #expect(difference == [], "seed \(seed), redone\n\(world.trail.joined(separator: "\n"))")
      for other in world.places where other !== place { other.isBehind = true }
      try world.check([place])
      if let failure = world.failure { Issue.record(Comment(rawValue: failure)) }
    }
  }

  private func describe(_ snapshot: ObjectSnapshot?) -> String {
    "\(snapshot.map { Array($0.stored.map(\.value)) } ?? [])"
  }
}
