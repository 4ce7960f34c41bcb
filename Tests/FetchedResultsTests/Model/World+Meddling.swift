import Basics
import FetchedResults
import NaiveModel
import Testing

extension World {
  /// Makes random turns with delegates that change the context.
  static func checkMeddling(seed: UInt64, shape: Shape, turns: Int) throws {
    let world = try World(shape: shape, seed: seed)
    let meddlers = try Watcher.Configuration.all
      .filter { $0.section == nil || $0.sort[0].hasSuffix($0.section ?? "") }
      .filter { $0.limit == 0 }
      .shuffled(using: &world.random).prefix(3).map { try Meddler($0, in: world) }
    world.meddlers = meddlers
    for turn in 0..<turns {
      world.trail = ["turn \(turn)"]
      world.budget = Int.random(in: 0...8, using: &world.random)
      for _ in 0..<Int.random(in: shape.operations, using: &world.random) { world.act() }
      world.context.processPendingChanges()
      // Changes made in callbacks are processed in later turns.
      world.budget = 0
      world.context.processPendingChanges()
      for meddler in meddlers {
        try meddler.check()
        guard let failure = meddler.failure else { continue }
        Issue.record("seed \(seed), \(shape)\n\(world.trail.joined(separator: "\n  "))\n\(failure)")
        return
      }
    }
    #expect(meddlers.contains { $0.replayed > 0 }, "seed \(seed) replayed nothing")
  }

  /// Makes a change inside a callback, as long as the turn's budget allows it.
  func meddle() {
    guard budget > 0, random.chance(3) else { return }
    budget -= 1
    trail.append("meddle")
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<6: act()
    case 6..<9: context.processPendingChanges()
    case 9..<11:
      act()
      context.processPendingChanges()
    case 11, 12: try? save()
    case 13: rollback()
    case 14: meddlers.randomElement(using: &random)?.fetch()
    default: resetContext()
    }
  }

  /// Drops all unsaved changes.
  ///
  /// The controllers fetch again.
  private func resetContext() {
    trail.append("reset")
    context.reset()
    for (number, thing) in things {
      things[number]?.now = thing.saved
      things[number]?.isPending = false
      things[number]?.isTouched = false
      objects[number] = context.findObject(with: ObjectID(entity: entity, number: number))
    }
    for meddler in meddlers { meddler.fetch() }
  }
}
