import Foundation
import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax

/// A failure of a list that does not show its controller's results, with steps to reproduce it.
public struct FuzzFailure: Error, Hashable, Sendable {
  /// The difference, in one or more lines.
  public let reason: String
  /// The shortest script found with the same failure, as statements of frc; empty if nothing was
  /// tested.
  public let script: String
  /// The number of statements in the script, including nested ones.
  public let statementCount: Int
  /// The callbacks that the script's last turn sends to the delegate.
  public let callbacks: [String]
  /// A test for Swift Testing that reproduces the failure.
  public let test: String
  /// The path of the file that contains the failed call.
  public let filePath: String
  /// The line of the failed call, counted from 1.
  public let line: Int
  /// The seed of the random turns; nil for a failure of a script.
  public let seed: UInt64?
  private let headline: String

  /// The origin of a failing script.
  enum Run {
    case turns(Int, of: Int, shape: FuzzShape, seed: UInt64)
    case script
  }

  init(script: ParsedScript, failure: TrialFailure, list: String, run: Run, _ place: TestPlace) {
    (reason, filePath, line) = (failure.reason, place.path, place.line)
    let text = script.source.text(in: 0..<script.source.bytes.count)
    self.script = text.hasSuffix("\n") ? text : text + "\n"
    statementCount = script.statementCount
    callbacks = script.hasErrors ? [] : Self.lastCallbacks(of: script)
    let problem =
      switch failure.kind {
      case .list: "\(list) shows something else than its controller has"
      case .listFault: "\(list) could not follow its controller"
      case .replayLaw, .changes, .callbacks, .sections, .store, .rows, .unique, .derived, .error,
        .golden:
        "the script cannot run"
      }
    switch run {
    case .turns(let turn, let turns, let shape, let seed):
      self.seed = seed
      headline =
        "\(problem): turn \(turn) of \(turns), shape \(shape), seed \(seed)"
      test = Self.test(named: "\(list)Seed\(seed)", list, self.script)
    case .script:
      seed = nil
      headline = problem
      test = Self.test(named: "\(list)Script", list, self.script)
    }
  }

  /// A failure of shapes that let no list be compared with a controller.
  init(untested list: String, _ place: TestPlace) {
    reason = "no shape has a controller that can be fetched"
    (filePath, line) = (place.path, place.line)
    (script, statementCount, callbacks, test, seed) = ("", 0, [], "", nil)
    headline = "\(list) was not tested"
  }

  /// Returns the callbacks of the script's last statement, without the list.
  private static func lastCallbacks(of script: ParsedScript) -> [String] {
    var lines: [String] = []
    let interpreter = Interpreter(
      environment: ScriptFolder(), evaluation: TrialClock.evaluation,
      stepLimit: TrialRun.stepLimit
    ) { lines += $0.lines }
    interpreter.prepare(for: script)
    for statement in script.statements {
      lines = []
      do {
        try interpreter.run(statement, in: script.source)
      } catch {
        return lines
      }
    }
    return lines
  }

  private static func test(named name: String, _ list: String, _ script: String) -> String {
    let type = list.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let first = name.first.map { $0.lowercased() } ?? ""
    let letters = (first + name.dropFirst()).filter { $0.isLetter || $0.isNumber || $0 == "_" }
    // A raw string needs no escapes.
    let quote = script.contains("\\") || script.contains("\"\"\"") ? "#" : ""
    let lines = script.split(separator: "\n").map { "    \($0)\n" }.joined()
    return """
      @Test func \(letters)() throws {
        try replay(
          \(quote)\"\"\"
      \(lines)    \"\"\"\(quote)
        ) { \(type)() }
      }
      """
  }
}

extension FuzzFailure: CustomStringConvertible {
  /// The failure with its place, the script, the callbacks and the test.
  public var description: String {
    var parts = ["\(filePath):\(line): \(headline)", reason]
    let last = callbacks.isEmpty ? "" : "\nIts last statement sends:\n\(callbacks.indented)"
    if let seed {
      parts.append("A script of \(statementCount) statements shows it:\n\(script.lines.indented)")
      if !last.isEmpty { parts.append(String(last.dropFirst())) }
      parts.append("This test repeats it:\n\(test.lines.indented)")
      parts.append("'fuzz(seed: \(seed))' makes the same turns again.")
    } else if !last.isEmpty {
      parts.append(String(last.dropFirst()))
    }
    return parts.joined(separator: "\n\n")
  }
}

extension String {
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .reversed().drop { $0.isEmpty }.reversed()
  }
}

extension [String] {
  fileprivate var indented: String {
    map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
  }
}
