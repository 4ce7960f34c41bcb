import ArgumentParser
import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// `frc test PATH…`: runs scripts as golden tests.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Compare what scripts print with what they say they print.",
    discussion: """
      A PATH is a script, FILE:LINE for the statement on one line, or a folder, whose *.frc files \
      are all taken. The expected output of a statement stands under it in lines that begin with \
      #>, or the whole output in NAME.golden beside NAME.frc. Nothing is written without --update.
      """)

  @Argument(help: ArgumentHelp("Scripts, FILE:LINE, or folders.", valueName: "path"))
  var paths: [String]

  @Flag(help: "Rewrite the expected output in place, and nothing else.")
  var update = false

  @Option(help: ArgumentHelp("The locale of localized sorts.", valueName: "id"))
  var locale = "en"

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  func run() throws {
    let output = Output()
    defer { output.flush() }
    let reporter = TextReporter(output: output, usesColor: color.appliesTo(1))
    let found = TestSearch.tests(at: paths)
    for failure in found.failures { output.writeError("frc: error: \(failure)") }
    guard !found.tests.isEmpty, found.failures.isEmpty else {
      if found.failures.isEmpty { output.writeError("frc: error: no test found") }
      throw ExitCode(2)
    }
    let runner = GoldenRunner(environment: FileEnvironment(), locale: locale)
    for test in found.tests {
      var outcome = runner.run(test)
      if update {
        do {
          outcome = try rewrite(outcome, reporter)
        } catch {
          output.writeError("frc: error: \(error.description)")
        }
      }
      reporter.report(outcome)
    }
    reporter.finish()
    if reporter.failed > 0 { throw ExitCode(1) }
  }

  /// Accepts an outcome's output, where nothing is wrong but the expectations.
  private func rewrite(
    _ outcome: GoldenOutcome, _ reporter: TextReporter
  ) throws(UnwritableFile) -> GoldenOutcome {
    var outcome = outcome
    let path = outcome.test.source.name
    guard !outcome.mismatches.isEmpty else { return outcome }
    if outcome.test.golden != nil {
      guard outcome.uncaught == nil else { return outcome }
      let text = outcome.outputs.flatMap(\.self).map { $0 + "\n" }.joined()
      let goldenPath = TestSearch.goldenPath(of: path)
      try write(Array(text.utf8), to: goldenPath)
      reporter.noteUpdate(of: goldenPath)
      outcome.mismatches = []
    } else if let bytes = GoldenRewriter.rewrite(outcome) {
      try write(bytes, to: path)
      reporter.noteUpdate(of: path)
      outcome.mismatches.removeAll { if case .block = $0.kind { true } else { false } }
    }
    return outcome
  }

  /// A file that an update cannot write.
  private struct UnwritableFile: Error {
    let path: String
    let reason: String

    var description: String { "cannot write '\(path)': \(reason)" }
  }

  /// Replaces a file at once, the one that a link leads to, with its permissions.
  private func write(_ bytes: [UInt8], to path: String) throws(UnwritableFile) {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    do {
      try Data(bytes).write(to: file, options: .atomic)
      if let permissions = attributes?[.posixPermissions] {
        try FileManager.default.setAttributes(
          [.posixPermissions: permissions], ofItemAtPath: file.path)
      }
    } catch {
      throw UnwritableFile(path: path, reason: error.localizedDescription)
    }
  }
}
