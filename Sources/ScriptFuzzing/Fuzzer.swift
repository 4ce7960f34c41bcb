package import Basics
package import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// Makes random turns over a script's model until a law breaks.
///
/// Turns are made in *worlds*: sessions of their own, each of which begins with the script. A
/// world's changes are written as statements and run from that text, so every failure is a script.
package struct Fuzzer {
  /// The largest number of turns in a world, because a short script is faster to read.
  package static let turnsPerWorld = 40

  private let environment: () -> any ScriptEnvironment
  private let prologue: SourceText
  private let stores: [TrialStore]

  /// The result of the turns.
  package struct Outcome: Sendable {
    /// The number of turns, including the one that failed.
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
  ///   - script: The beginning of each world: its entities, and anything else.
  ///   - environment: Makes an environment for each run, which provides the files that the script
  ///     includes and takes those that it writes.
  package init(
    _ script: SourceText = Fuzzer.builtInModel,
    environment: @escaping () -> any ScriptEnvironment, stores: [TrialStore] = [.memory]
  ) {
    prologue = script
    self.environment = environment
    self.stores = stores
  }

  /// What is about to run, reported before it does.
  package enum Step {
    /// A new world, which begins with this text.
    case world(String)
    case statements(String)
  }

  /// Makes turns until the environment is interrupted.
  ///
  /// The same seed makes the same turns.
  ///
  /// - Parameter onStep: Called with each step before it runs. If the program crashes, the
  ///   steps are all that is left.
  package func run(
    turns: Int, seed: UInt64, onStep: @escaping (Step) -> Void = { _ in }
  ) -> Outcome {
    var outcome = Outcome()
    var seeds = SeededGenerator(seed: seed)
    while outcome.turns < turns, outcome.failure == nil, !environment().isInterrupted {
      outcome.worlds += 1
      var world = FuzzedWorld(
        seed: seeds.next(), stores: stores, environment: environment, onStep: onStep)
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
        // A world that was interrupted says nothing about the laws.
        if environment().isInterrupted { break }
        outcome.turns = max(1, begun)
        outcome.failure = Failure(failure: error, script: world.script)
      }
    }
    return outcome
  }
}

/// A session on each store, and the statements that ran in it.
private struct FuzzedWorld {
  private var random: SeededGenerator
  private let stores: [TrialStore]
  private let environment: () -> any ScriptEnvironment
  private let onStep: (Fuzzer.Step) -> Void
  private var runs: [TrialRun] = []
  private(set) var script = ""

  init(
    seed: UInt64, stores: [TrialStore], environment: @escaping () -> any ScriptEnvironment,
    onStep: @escaping (Fuzzer.Step) -> Void
  ) {
    self.onStep = onStep
    random = SeededGenerator(seed: seed)
    self.stores = stores
    self.environment = environment
  }

  mutating func begin(with prologue: SourceText) throws(TrialFailure) {
    for store in stores { runs.append(try TrialRun(on: store, environment: environment())) }
    script = String(decoding: prologue.bytes, as: UTF8.self)
    if !script.isEmpty, !script.hasSuffix("\n") { script += "\n" }
    onStep(.world(script))
    try run(prologue)
    guard let session = runs.first?.session else { return }
    let writer = WorldWriter(session)
    let texts =
      writer.settings(&random) + writer.controllers(&random) + writer.objects(&random)
    for text in texts { try run(text) }
  }

  mutating func makeTurn() throws(TrialFailure) {
    // The writer reads objects, and what it has read stays in their context as it is. So it reads
    // them on every store.
    var texts: [String] = []
    let start = random
    for run in runs {
      random = start
      var writer = TurnWriter(run.session)
      texts.append(writer.turn(&random))
    }
    guard let text = texts.first else { return }
    for (other, store) in zip(texts, stores) where other != text {
      throw TrialFailure(
        .store(store.name), "has other objects: the next turn would be '\(other)', not '\(text)'")
    }
    try run(text)
  }

  private mutating func run(_ text: String) throws(TrialFailure) {
    script += text + "\n"
    onStep(.statements(text + "\n"))
    try run(SourceText(name: "fuzz", text: text))
  }

  /// Runs statements, or none of them if one has a syntax error.
  private func run(_ source: SourceText) throws(TrialFailure) {
    let parsed = ScriptParser.parse(source)
    guard !parsed.hasErrors else {
      let errors = parsed.diagnostics.filter { $0.severity == .error }
      throw TrialFailure(.error("syntax"), DiagnosticRenderer().render(errors, in: source))
    }
    for run in runs { run.prepare(for: parsed) }
    for statement in parsed.statements { try run(statement, in: source) }
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

extension Fuzzer {
  /// The model that is used if the script has none.
  ///
  /// It has sections that change places, keys that are often equal, nil values, an entity that
  /// inherits, relationships, unique values, and transient attributes.
  package static let builtInModel = SourceText(
    name: "built-in model",
    text: """
      entity Team { name: String?, members: [Item] inverse team on delete nullify, unique name }
      entity Item {
        title: String = "x"
        team: Team? inverse members
        group: String?
        place: Int = 0
        rank: Int = 0
        done: Bool = false
        code: String?
        transient label: String = uppercase(title)
        transient note: String?
        derived folded: String? = 'canonical:(title)'
        unique (code, rank)
      }
      entity Special : Item { size: Int = 1; unique (size, code) }
      controller all = Item sort by rank, title
      controller open = Item where done == NO AND rank > 1 sort by title desc
      controller grouped = Item where rank < 6 sort by group, rank desc section by group
      controller placed = Item sort by place, rank section by group
      controller labelled = Item sort by title using caseInsensitive, rank section by label
      controller first = Item where done == NO sort by rank, title limit 3 offset 1 keep limit
      controller teamed = Item where team.name != "b" sort by team.name, rank section by team.name track related
      controller special = Special sort by rank section by done

      """)
}

/// Makes random turns: changes of the objects that a session has.
package struct RandomTurns {
  private var writer: TurnWriter

  /// Reads the objects that the session has now.
  ///
  /// - Parameter keys: Properties that turns do not change, such as the sort keys where no row may
  ///   move. A key path stands for each of its parts.
  package init(_ session: Session, keeping keys: [String] = []) {
    writer = TurnWriter(session)
    writer.kept = Set(keys.flatMap { $0.split(separator: ".").map(String.init) })
  }

  /// Returns one turn, as a statement.
  ///
  /// - Parameter count: The largest number of changes in it.
  package mutating func turn(atMost count: Int, _ random: inout SeededGenerator) -> String {
    writer.changes(atMost: count, &random)
  }

  /// Returns a statement that inserts an object with random values.
  package func insertion(
    of entity: EntityDescription, _ random: inout SeededGenerator
  ) -> String {
    writer.insert(entity, &random)
  }
}
