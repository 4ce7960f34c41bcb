import ArgumentParser
import Basics
import Foundation
import GoldenTesting
import LineEditor
import Platform
import PredicateSyntax
import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax

/// `frc fuzz [SCRIPT]`: makes random turns until a law breaks.
struct FuzzCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz", abstract: "Make random turns over a model, and check the laws.",
    discussion: """
      The turns are made in worlds: sessions that begin with the script, or with a built-in model. \
      Each world adds controllers and objects, and makes up to \(Fuzzer.turnsPerWorld) turns. The \
      same seed makes the same turns.

      These laws are checked after each turn: Replaying the callbacks on the old sections produces \
      the new ones. A second, simple implementation sends the same callbacks and shows the same \
      sections. Every store prints and saves the same. No two saved objects share unique values. \
      Derived attributes fit their sources. No statement fails, except under try.

      A failure is printed as a script. 'frc reduce' makes it as short as possible.
      """)

  @Option(help: .value("n", "The number of turns."))
  var turns = 1_000

  @Option(help: .value("s", "The seed of the turns; random by default."))
  var seed: UInt64?

  @Argument(help: .value("script", "The statements that each world begins with."))
  var script: String?

  @OptionGroup var access: ReadingOptions

  func validate() throws {
    if turns < 1 { throw ValidationError("--turns \(turns): at least one turn is needed") }
  }

  func run(writingTo output: Output) throws {
    let permissions = access.paths.permissions(ofTests: [script ?? "."])
    guard let source = source(permissions, output) else {
      throw ExitCode(InterruptFlag.exitStatus ?? 2)
    }
    let seed = seed ?? .random(in: 0...UInt64(UInt32.max))
    CrashReport.install()
    let fuzzer = Fuzzer(
      source,
      environment: { FileEnvironment(permissions: permissions, storeFolder: ScratchFolder()) },
      stores: TrialStore.named(by: ScriptParser.parse(source)) ?? TrialStore.all)
    // The crash handler writes raw bytes, so control characters are escaped here.
    let isTerminal = FileDescriptor.standardOutput.isTerminal
    func shown(_ text: String) -> String { isTerminal ? ShownText.lines(text) : text }
    let outcome = fuzzer.run(turns: turns, seed: seed) { step in
      switch step {
      case .world(let text):
        CrashReport.begin(with: "# seed \(seed): the program was stopped\n" + shown(text))
      case .statements(let text): CrashReport.append(shown(text))
      }
    }
    guard let failure = outcome.failure else {
      let worlds = "\(outcome.worlds) \(outcome.worlds == 1 ? "world" : "worlds")"
      let made = "# \(outcome.turns) turns in \(worlds) by seed \(seed)"
      if let status = InterruptFlag.exitStatus {
        output.write("\(made), then interrupted: every law held")
        throw ExitCode(status)
      }
      output.write("\(made): every law holds")
      return
    }
    output.write("# turn \(outcome.turns), seed \(seed): \(failure.failure.kind.name)")
    output.write(document: Array(failure.script.utf8))
    output.writeError(
      lines: "frc: error: turn \(outcome.turns) by seed \(seed), \(failure.failure)")
    throw ExitCode(1)
  }

  /// Returns the script, or the built-in model; nil if the script has errors.
  private func source(_ permissions: Permissions, _ output: Output) -> SourceText? {
    guard let script else { return Fuzzer.builtInModel }
    return output.readScript(script, permissions)?.source
  }
}

/// `frc reduce FILE`: makes a failing script as short as possible.
struct ReduceCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "reduce", abstract: "Make a failing script as short as possible.",
    discussion: """
      A script fails if it breaks a law of 'frc fuzz', or if its output is not the expected one: \
      the #> lines under a statement, or the file NAME.golden next to NAME.frc. The shortest \
      script that fails in the same way is printed. The file itself is not changed.
      """)

  @Argument(help: .value("file", "The script; - is standard input."))
  var file: String

  @OptionGroup var access: ReadingOptions

  func run(writingTo output: Output) throws {
    let permissions = access.paths.permissions(ofTests: [file])
    guard let read = output.readScript(file, permissions) else {
      throw ExitCode(InterruptFlag.exitStatus ?? 2)
    }
    let directives = TestDirectives(read)
    for diagnostic in directives.diagnostics {
      output.writeError(
        painted: DiagnosticRenderer().render(diagnostic, in: read.source))
    }
    guard !directives.diagnostics.contains(where: { $0.severity == .error }) else {
      throw ExitCode(2)
    }
    if let skip = directives.skip {
      throw output.failure(
        "'\(read.source.name)' is skipped: \(skip.text); remove '#@ skip' to reduce it", status: 1)
    }
    let (script, differs) = try withGolden(read, permissions, output)
    let trial = Trial(
      environment: { FileEnvironment(permissions: permissions, storeFolder: ScratchFolder()) },
      stores: TrialStore.all, expectsAllOutput: differs)
    guard let result = Reducer.reduce(script, test: trial.failure) else {
      throw output.failure("'\(script.source.name)' passes; there is nothing to reduce", status: 1)
    }
    output.write(document: result.script.source.bytes)
    let statements = result.script.statementCount
    let count = "frc: \(statements) \(statements == 1 ? "statement" : "statements")"
    if let status = InterruptFlag.exitStatus {
      output.writeError(lines: "\(count) when interrupted, \(result.failure)")
      throw ExitCode(status)
    }
    output.writeError(lines: "\(count), \(result.failure)")
  }

  /// Returns the script with the lines of its golden file, if it has one, under its statements, and
  /// whether the file differs from the output.
  ///
  /// Where it differs, it may lack what a statement prints, under which no line then is.
  private func withGolden(
    _ script: ParsedScript, _ permissions: Permissions, _ output: Output
  ) throws -> (ParsedScript, differs: Bool) {
    let path = GoldenTest.goldenPath(of: file)
    guard file != "-", FileStatus.exists(path) else { return (script, false) }
    let golden: SourceText
    do {
      golden = try permissions.script(at: path, named: path)
    } catch {
      throw output.failure("cannot read '\(path)': \(error.reason)", status: 2)
    }
    let test = PreparedTest(GoldenTest(source: script.source, golden: golden))
    let runner = GoldenRunner(
      environment: FileEnvironment(permissions: permissions, storeFolder: ScratchFolder())
    ) { InterruptFlag.isRaised }
    let runs = Array(runner.runs(of: test).prefix(1))
    guard let inlined = runs.first.flatMap(test.inlinedGolden) else { return (script, false) }
    let differs = test.outcome(of: runs).failures.contains {
      if case .output = $0.kind { true } else { false }
    }
    return (ScriptParser.parse(inlined), differs)
  }
}

extension Output {
  /// Reads a script and reports its errors; nil if it cannot run.
  fileprivate func readScript(_ path: String, _ permissions: Permissions) -> ParsedScript? {
    do {
      let source = try permissions.namedScript(at: path).refusingMarkdown()
      let script = ScriptParser.parse(source)
      for diagnostic in script.diagnostics {
        writeError(painted: DiagnosticRenderer().render(diagnostic, in: source))
      }
      return script.hasErrors ? nil : script
    } catch {
      writeError("frc: error: cannot read '\(path)': \(error.reason)")
      return nil
    }
  }
}
