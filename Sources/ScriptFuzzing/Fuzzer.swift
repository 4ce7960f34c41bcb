package import ScriptRuntime
package import ScriptSyntax
import SeededRandom

/// Makes random turns over a script's model until a law breaks.
///
/// Turns are made in *worlds*, sessions of their own, each of which begins with
/// the script. What a world does is written down as statements and run from
/// that text, so that whatever fails is a script.
package struct Fuzzer {
  /// How many turns a world has at most: a short script is read sooner.
  package static let turnsPerWorld = 40

  private let environment: () -> any ScriptEnvironment
  private let prologue: SourceText
  private let stores: [TrialStore]

  /// What came of the turns.
  package struct Outcome: Sendable {
    /// How many turns were made, the one that failed included.
    package var turns = 0
    package var worlds = 0
    package var failure: Failure?
  }

  /// A world that broke a law.
  package struct Failure: Sendable {
    package let failure: TrialFailure
    /// The statements up to the one that failed.
    package let script: String
  }

  /// Creates a fuzzer.
  ///
  /// - Parameters:
  ///   - script: What each world begins with: its entities, and anything else.
  ///   - environment: Makes, for each run, where files come from that the script
  ///     includes, and go that it makes.
  package init(
    _ script: SourceText = Fuzzer.builtInModel,
    environment: @escaping () -> any ScriptEnvironment, stores: [TrialStore] = [.memory]
  ) {
    prologue = script
    self.environment = environment
    self.stores = stores
  }

  /// What is about to run, told before it does.
  package enum Step {
    /// A new world begins with this text.
    case world(String)
    case statements(String)
  }

  /// Makes turns, until the environment is interrupted; the same for the same
  /// seed.
  ///
  /// - Parameter hear: Called with each step, for what stops the program leaves
  ///   nothing else.
  package func run(
    turns: Int, seed: UInt64, hear: @escaping (Step) -> Void = { _ in }
  ) -> Outcome {
    var outcome = Outcome()
    var seeds = SeededGenerator(seed: seed)
    while outcome.turns < turns, outcome.failure == nil, !environment().isInterrupted {
      outcome.worlds += 1
      var world = FuzzedWorld(
        seed: seeds.next(), stores: stores, environment: environment, hear: hear)
      let count = min(Self.turnsPerWorld, turns - outcome.turns)
      var begun = outcome.turns
      do throws(TrialFailure) {
        try world.begin(with: prologue)
        for _ in 0..<count {
          begun += 1
          try world.makeTurn()
          outcome.turns = begun
        }
      } catch {
        // What was stopped in its midst says nothing.
        if environment().isInterrupted { break }
        outcome.turns = max(1, begun)
        outcome.failure = Failure(failure: error, script: world.script)
      }
    }
    return outcome
  }
}

/// One session on each store, and what was done in it.
private struct FuzzedWorld {
  private var random: SeededGenerator
  private let stores: [TrialStore]
  private let environment: () -> any ScriptEnvironment
  private let hear: (Fuzzer.Step) -> Void
  private var runs: [TrialRun] = []
  private(set) var script = ""

  init(
    seed: UInt64, stores: [TrialStore], environment: @escaping () -> any ScriptEnvironment,
    hear: @escaping (Fuzzer.Step) -> Void
  ) {
    self.hear = hear
    random = SeededGenerator(seed: seed)
    self.stores = stores
    self.environment = environment
  }

  mutating func begin(with prologue: SourceText) throws(TrialFailure) {
    for store in stores { runs.append(try TrialRun(on: store, environment: environment())) }
    let parsed = ScriptParser.parse(prologue)
    script = String(decoding: prologue.bytes, as: UTF8.self)
    if !script.isEmpty, !script.hasSuffix("\n") { script += "\n" }
    hear(.world(script))
    for statement in parsed.statements { try run(statement, in: prologue) }
    guard let session = runs.first?.session else { return }
    let writer = WorldWriter(session)
    let texts =
      writer.settings(&random) + writer.controllers(&random) + writer.objects(&random)
    for text in texts { try run(text) }
  }

  mutating func makeTurn() throws(TrialFailure) {
    guard let session = runs.first?.session else { return }
    var writer = TurnWriter(session)
    try run(writer.turn(&random))
  }

  private mutating func run(_ text: String) throws(TrialFailure) {
    script += text + "\n"
    hear(.statements(text + "\n"))
    let source = SourceText(name: "fuzz", text: text)
    for statement in ScriptParser.parse(source).statements { try run(statement, in: source) }
  }

  /// Runs a statement on every store, and compares what they print and save.
  private func run(_ statement: Statement, in source: SourceText) throws(TrialFailure) {
    var first: TrialOutput?
    for (run, store) in zip(runs, stores) {
      let output = try run.perform(statement, in: source)
      if let first { try Trial.compare([output], with: [first], on: store) }
      first = first ?? output
    }
  }
}
