import Basics
import FetchedResults
import Platform
import ScriptFuzzing
import ScriptRuntime

/// Makes random turns until a list under test differs from its controller.
///
/// Turns are made in *worlds*. A world is a separate session that begins with the statements of a
/// shape and some objects. All its statements are recorded, so every failure is a script.
struct ListFuzzer {
  let shapes: [FuzzShape]
  /// Whether objects may change so that rows and sections move.
  let moves: Bool
  let makeList: () throws -> any FuzzedList
  /// Receives what is about to run: nil for a new world, otherwise statements.
  var onStatements: (String?) -> Void = { _ in }

  /// The largest number of turns in a world.
  ///
  /// A short script can be reduced faster.
  private static let turnsPerWorld = 40

  /// The failure of a world's list.
  struct Failure {
    let failure: TrialFailure
    let shape: FuzzShape
    /// The number of the turn, counted from 1.
    let turn: Int
    /// The statements up to the one that failed.
    let script: String
  }

  /// How many failures to look for, because a later one may have a shorter script.
  private static let mostFailures = 3
  /// How many more turns are made after the first failure.
  private static let moreTurns = 400

  /// Makes turns, which are the same for the same seed.
  ///
  /// - Returns: The first failures, in order; empty if there are none. And whether a list was
  ///   compared with a controller at all.
  func run(turns: Int, seed: UInt64) -> (failures: [Failure], hasCompared: Bool) {
    var seeds = SeededGenerator(seed: seed)
    var (made, end) = (0, turns)
    var found: [Failure] = []
    var hasCompared = false
    while made < end, found.count < Self.mostFailures {
      var random = SeededGenerator(seed: seeds.next())
      guard let shape = random.one(of: shapes) else { break }
      let failure = runWorld(shape, &made, until: end, &random, &hasCompared)
      guard let failure else { continue }
      if found.isEmpty { end = min(turns, made + Self.moreTurns) }
      // A failure of another kind must not replace the first one in the report.
      if found.first.map({ $0.failure.kind == failure.failure.kind }) ?? true {
        found.append(failure)
      }
    }
    return (found, hasCompared)
  }

  /// - Parameters:
  ///   - made: How many turns were made before. The world's turns are added to it.
  ///   - hasCompared: Becomes true if a list has results to show.
  private func runWorld(
    _ shape: FuzzShape, _ made: inout Int, until end: Int, _ random: inout SeededGenerator,
    _ hasCompared: inout Bool
  ) -> Failure? {
    onStatements(nil)
    let start = made
    var script = ""
    do throws(TrialFailure) {
      let trial = ListTrial(makeList)
      try begin(shape, trial, &random, &script)
      // The fetch fails if the sections are out of order.
      guard trial.hasResults else {
        made += 1
        return nil
      }
      hasCompared = true
      // Half of the worlds have short turns, because their failures are easier to read.
      let length = random.chance(2) ? 2 : 8
      for _ in 0..<min(Self.turnsPerWorld, end - made) {
        made += 1
        var writer = RandomTurns(trial.session, keeping: moves ? [] : trial.session.keys)
        // Batches after these statements are of other kinds than those after changes of objects.
        let others = ["rollback", "undo", "redo", "try save"]
        let other = random.chance(12) ? random.one(of: others) : nil
        try perform(other ?? writer.turn(atMost: length, &random), trial, &script)
      }
      return nil
    } catch {
      // A world whose model cannot run counts as one turn, so that the loop ends.
      made = max(start + 1, made)
      return Failure(failure: error, shape: shape, turn: made, script: script)
    }
  }

  /// Runs the statements of a shape, inserts some objects, and fetches.
  private func begin(
    _ shape: FuzzShape, _ trial: ListTrial, _ random: inout SeededGenerator,
    _ script: inout String
  ) throws(TrialFailure) {
    try perform(shape.script, trial, &script)
    // Some lists begin empty, and receive all rows through callbacks.
    let isEmpty = random.chance(2)
    if isEmpty { try fetch(trial, &script) }
    for entity in trial.session.entities where !entity.isAbstract {
      for _ in 0..<random.number(0...4) {
        let statement = RandomTurns(trial.session).insertion(of: entity, &random)
        try perform(statement, trial, &script)
      }
    }
    if !isEmpty { try fetch(trial, &script) }
  }

  private func fetch(_ trial: ListTrial, _ script: inout String) throws(TrialFailure) {
    for name in trial.session.controllerNames { try perform("try fetch \(name)", trial, &script) }
  }

  private func perform(
    _ text: String, _ trial: ListTrial, _ script: inout String
  ) throws(TrialFailure) {
    script += text + "\n"
    onStatements(text + "\n")
    try trial.perform(text)
  }
}

extension Session {
  /// The properties that decide the order of rows and sections in any controller.
  fileprivate var keys: [String] {
    controllerNames.compactMap { controllers[$0]?.controller }.flatMap { controller in
      let keys =
        controller.fetchRequest.sortDescriptors.map(\.key)
        + [controller.sectionNameKeyPath].compactMap(\.self)
      guard keys.contains(where: { $0.contains(".") }) else { return keys }
      // The inverse relationship can change an object of the key path as well.
      return keys + entities.flatMap { $0.relationships.map(\.name) }
    }
  }
}

/// A file with the statements of the current world, in case a trap ends the process.
///
/// The file is removed when the run ends without a trap.
final class TurnsFile {
  private let folder: TemporaryFolder?
  private let file: OpenFile?
  private let descriptor: FileDescriptor?

  /// Creates the file, and prints its path and the seed to standard error.
  init(_ place: TestPlace, _ seed: UInt64) {
    let name = "\(place.file)-\(place.line).frc"
    folder = try? TemporaryFolder(prefix: "frc-fuzz")
    if let opened = try? folder?.opened().open(name, .creating) {
      descriptor = opened.descriptor
      file = consume opened
    } else {
      descriptor = nil
      file = nil
    }
    let path = folder?.path(of: name) ?? "no file"
    let words =
      "\(place.path):\(place.line): fuzz with seed \(seed); after a trap, '\(path)' has the "
      + "statements that led to it\n"
    try? FileDescriptor.standardError.write(words.utf8)
  }

  /// How much the file has.
  private var size = 0

  /// Receives the statements that are about to run; nil begins a new world.
  func record(_ statements: String?) {
    // A file that cannot be written does not stop the test, because it is needed only after a trap.
    guard let statements else {
      file?.shorten(to: 0)
      size = 0
      return
    }
    let bytes = Array(statements.utf8)
    try? descriptor?.write(bytes, at: size)
    size += bytes.count
  }
}
