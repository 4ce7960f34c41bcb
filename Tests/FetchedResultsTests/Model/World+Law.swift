import Basics
import Testing

extension World {
  /// Makes random turns, and checks every controller after each.
  ///
  /// - Parameter overlap: Whether the controllers fetch before there are rows, and rarely later, so
  ///   that their sections may overlap in the sort order.
  static func check(seed: UInt64, shape: Shape, turns: Int, overlap: Bool = false) throws {
    let world = try World(shape: shape, seed: seed, isEmpty: overlap)
    world.seed = seed
    world.watchers = try Watcher.Configuration.all
      .filter { !overlap || $0.section != nil && $0.sort[0].hasSuffix($0.section ?? "") == false }
      .shuffled(using: &world.random).prefix(4).map { try Watcher($0, in: world) }
    if overlap {
      for _ in 0..<shape.rows { world.insert() }
      world.process()
    }
    for watcher in world.watchers { try watcher.check(isThorough: false) }
    for turn in 0..<turns where world.failures.isEmpty {
      world.trail = ["turn \(turn)"]
      try world.turn()
      for watcher in world.watchers {
        try watcher.check(isThorough: turn % 4 == 0)
        if watcher.needsFetch, world.random.chance(3) { try watcher.fetch() }
        if world.random.chance(100), !overlap || !watcher.isOutOfOrder { try watcher.fetch() }
        if shape.togglesDelegates, world.random.chance(8) { watcher.toggleDelegate() }
      }
    }
    for failure in world.failures.prefix(1) { Issue.record(Comment(rawValue: failure)) }
  }

  private func turn() throws {
    for _ in 0..<Int.random(in: shape.operations, using: &random) {
      act()
      if random.chance(60) { rollback() }
      if random.chance(60) { try save() }
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: try save()
    case 1:
      rollback()
      process()
    default: process()
    }
  }

  /// Records a failure, with everything that is needed to reproduce it.
  func fail(_ reason: String, _ watcher: Watcher) {
    failures.append(
      """
      seed \(seed), \(shape)
      \(watcher.description)
      \(trail.joined(separator: "\n  "))
      \(reason)
      """)
  }
}
