import RandomLaws
import TableViews
import Testing

@Suite("random batches: what a table makes of them")
struct TableLawTests {
  private static let turnsPerWorld = 50

  /// Reactions that handle every change correctly.
  private static let right: [(name: String, mode: TableWorld.Table.Mode)] = [
    ("the template's", .reactions(TableReactions())),
    ("reload", .reload),
    (
      "cells configured with their objects",
      .reactions(TableReactions([.update: [.configureCellWithObject]]))
    ),
  ]

  @Test("the right reactions never raise, and leave the table as its controller is")
  func right() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: 5) {
      // The template's reactions get all batches, and the others a part of them.
      for (name, mode) in Self.right.prefix(seed.isMultiple(of: 5) ? Self.right.count : 1) {
        let world = try TableWorld(seed: seed, mode: mode)
        for turn in 0..<Self.turnsPerWorld {
          world.turn()
          for watched in world.watched where watched.raised != [] || !watched.isRight {
            Issue.record(
              """
              \(name), seed \(seed), turn \(turn), \(watched.configuration.name): \
              raised \(watched.raised)
              """)
            return
          }
        }
      }
    }
  }

  /// A wrong reaction to a change, and its effect.
  struct Fault: CustomTestStringConvertible, Sendable {
    let change: TableReactions.Change
    let reactions: [TableReactions.Reaction]
    /// Whether some batch raises an exception, and whether some batch leaves a stale cell without
    /// one.
    let raises: Bool
    let leavesStale: Bool

    init(
      _ change: TableReactions.Change, _ reactions: TableReactions.Reaction..., raises: Bool,
      leavesStale: Bool
    ) {
      self.change = change
      self.reactions = reactions
      self.raises = raises
      self.leavesStale = leavesStale
    }

    var testDescription: String {
      "\(change) " + reactions.map(\.rawValue).joined(separator: " ")
    }
  }

  static let faults = [
    Fault(.insert, .nothing, raises: true, leavesStale: false),
    Fault(.insert, .deleteRows, raises: true, leavesStale: false),
    Fault(.delete, .nothing, raises: true, leavesStale: false),
    Fault(.delete, .insertRows, raises: true, leavesStale: false),
    Fault(.update, .nothing, raises: false, leavesStale: true),
    Fault(.update, .configureCell, raises: true, leavesStale: true),
    Fault(.update, .deleteRows, raises: true, leavesStale: false),
    Fault(.move, .nothing, raises: true, leavesStale: true),
    Fault(.move, .deleteRows, raises: true, leavesStale: false),
    Fault(.move, .insertRows, raises: true, leavesStale: false),
    Fault(.move, .reloadRows, raises: true, leavesStale: true),
    Fault(.move, .moveRow, raises: true, leavesStale: true),
    Fault(.move, .moveRow, .reloadRows, raises: true, leavesStale: false),
    Fault(.sectionInsert, .nothing, raises: true, leavesStale: false),
    Fault(.sectionDelete, .nothing, raises: true, leavesStale: false),
  ]

  @Test(
    "a reaction that does not follow its change raises or leaves what is stale", arguments: faults)
  func broken(fault: Fault) throws {
    var raised = 0
    var stale = 0
    // The short form ends when every effect was seen, and no other in two worlds.
    for seed in UInt64(0)..<(LawForm.isLong ? 200 : 10)
    where LawForm.isLong || seed < 2
      || (raised > 0, stale > 0) != (fault.raises, fault.leavesStale)
    {
      let mode = TableWorld.Table.Mode.reactions(TableReactions([fault.change: fault.reactions]))
      let world = try TableWorld(seed: seed, mode: mode)
      for _ in 0..<Self.turnsPerWorld {
        world.turn()
        for watched in world.watched {
          if !watched.raised.isEmpty {
            raised += 1
          } else if !watched.isRight {
            stale += 1
          }
          watched.table.reload()
        }
      }
    }
    #expect((raised > 0) == fault.raises, "\(raised) of the batches raised")
    #expect((stale > 0) == fault.leavesStale, "\(stale) of the batches left something stale")
  }

  @Test("a table that has raised is right again once it is reloaded")
  func reloaded() throws {
    let mode = TableWorld.Table.Mode.reactions(TableReactions([.delete: [.nothing]]))
    let world = try TableWorld(seed: 1, mode: mode)
    var broken = 0
    for _ in 0..<Self.turnsPerWorld {
      world.turn()
      for watched in world.watched where watched.table.table.isBroken {
        broken += 1
        watched.table.reload()
        #expect(watched.isRight)
        #expect(!watched.table.table.isBroken)
      }
    }
    #expect(broken > 0)
  }
}
