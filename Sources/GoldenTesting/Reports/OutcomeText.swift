import Basics
import PredicateSyntax
import ScriptSyntax

/// Describes an outcome for people: each failure with its place, the lines of the script, and the
/// difference.
package struct OutcomeText {
  private let diagnostics: DiagnosticRenderer
  private let diffs: DiffRenderer

  /// The number of lines that are shown of a long block.
  private static let mostSourceLines = 8

  /// Whether the lines contain escape sequences for colours.
  package let usesColor: Bool

  /// The largest number of lines of a difference that is shown as a whole.
  static let wholeDiff = 10_000

  /// Descriptions for the files of reports, with whole differences.
  static let ofReports = OutcomeText(mostDiffLines: wholeDiff)

  package init(usesColor: Bool = false, mostDiffLines: Int = 100) {
    self.usesColor = usesColor
    diagnostics = DiagnosticRenderer(usesColor: usesColor)
    diffs = DiffRenderer(usesColor: usesColor, mostLines: mostDiffLines)
  }

  /// Returns the lines about an outcome; none if the test passed without a warning.
  package func lines(of outcome: GoldenOutcome) -> [String] {
    let name = outcome.source.name.escapingControls()
    let warnings =
      outcome.warnings.flatMap { lines(of: $0, in: outcome) }
      + outcome.notes.map { "\(name):\($0.lines.lowerBound): \($0.words)" }
      + lines(ofTriesOf: outcome)
    switch outcome.verdict {
    case .passed: return warnings
    case .failed:
      return warnings + outcome.failures.flatMap { lines(of: $0, in: outcome) }
        + (outcome.triesWords.map { ["\(name): \($0)"] } ?? [])
    case .skipped(let reason):
      return warnings + ["\(name):\(outcome.line): skipped: \(reason.escapingControls())"]
    case .expectedFailure(let reason):
      return warnings + [
        "\(name):\(outcome.line): failed as expected: \(reason.escapingControls())"
      ]
    }
  }

  /// Returns the lines about the failed tries before one that passed.
  func lines(ofTriesOf outcome: GoldenOutcome) -> [String] {
    guard outcome.isFlaky else { return [] }
    return outcome.failedTries.flatMap { failed in
      failed.failures.flatMap { lines(of: $0, in: failed) }
    } + ["\(outcome.source.name.escapingControls()): flaky: \(outcome.flakyWords)"]
  }

  /// Returns the lines about a warning.
  func lines(of warning: Diagnostic, in outcome: GoldenOutcome) -> [String] {
    [diagnostics.render(warning, in: outcome.prepared.test.file)]
  }

  /// Returns the lines about one failure.
  package func lines(of failure: GoldenFailure, in outcome: GoldenOutcome) -> [String] {
    let source = outcome.source
    let place = "\(failure.file.escapingControls()):\(failure.lines.lowerBound): "
    switch failure.kind {
    case .diagnostic(let diagnostic): return [diagnostics.render(diagnostic, in: source)]
    case .uncaught(let error):
      let said = [diagnostics.render(error.diagnostic, in: error.source)]
      guard error.source.name != source.name else { return said }
      return said + [place + "that ended this block"] + lines(failure.lines, of: source)
    case .output(let mismatch):
      return [place + failure.description] + statement(of: failure, in: outcome)
        + diffs.lines(of: OutputDiff(mismatch))
        + (failure.reasons ?? []).map { "      \($0.shortened().escapingControls())" }
        + mismatch.captured.known.map {
          "      [\($0.name)] is '\($0.text.shortened().escapingControls())'"
        }
    case .unstable(let mismatch):
      return [place + failure.description] + lines(failure.lines, of: source)
        + diffs.lines(of: OutputDiff(mismatch))
    case .strayExpectation(let text):
      let mismatch = OutputMismatch(expected: [text], actual: [])
      return [place + failure.description] + diffs.lines(of: OutputDiff(mismatch))
    case .replay, .timedOut, .exceeded, .crashed:
      return [place + failure.description] + lines(failure.lines, of: source)
    case .unreached:
      let isExpectedToFail = outcome.prepared.directives.xfail != nil
      return [
        place + failure.description + (isExpectedToFail ? ", which xfail does not excuse" : "")
      ]
    case .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      return [place + failure.description]
    }
  }

  /// Returns the statement whose output differs.
  private func statement(of failure: GoldenFailure, in outcome: GoldenOutcome) -> [String] {
    let source = outcome.source
    guard failure.file != source.name else { return lines(failure.lines, of: source) }
    guard let block = outcome.block(printing: failure.lines.lowerBound) else { return [] }
    return ["    printed by \(source.name.escapingControls()):\(block.lowerBound)"]
      + lines(block, of: source)
  }

  /// Returns source lines; if there are many, only the first and the last.
  private func lines(_ lines: ClosedRange<Int>, of source: SourceText) -> [String] {
    let left = lines.count - Self.mostSourceLines
    let width = "\(lines.upperBound)".count
    var result: [String] = []
    for line in lines {
      if left > 1, line > lines.lowerBound + Self.mostSourceLines - 2, line < lines.upperBound {
        if line == lines.upperBound - 1 { result.append("    (\(left) more lines)") }
        continue
      }
      let number = "\(line)"
      let blanks = String(repeating: " ", count: width - number.count)
      result.append(
        "  \(blanks)\(number) | "
          + source.text(ofLine: line).shortened().escapingControls(except: ["\t"]))
    }
    return result
  }
}

extension GoldenOutcome {
  /// The note on a flaky test: `passed when it ran for the 3rd time`.
  var flakyWords: String { "passed when it ran for the \(tries.ordinal) time" }

  /// The note on a test that failed after it was run several times; nil if it was run once.
  var triesWords: String? {
    verdict == .failed && tries > 1 ? "failed when it ran for the \(tries.ordinal) time" : nil
  }

  /// The number of the line that says why a test is skipped or expected to fail, counted from 1.
  package var line: Int {
    prepared.directives.skip?.line ?? prepared.directives.xfail?.line ?? 1
  }

  /// Returns the lines of the block that printed a line of the whole output; nil if none did.
  ///
  /// All are counted from 1.
  fileprivate func block(printing line: Int) -> ClosedRange<Int>? {
    var rest = line
    for (group, block) in zip(prepared.script.groups, blocks) {
      if rest <= block.output.count { return group.lines }
      rest -= block.output.count
    }
    return nil
  }
}

extension Int {
  /// The number as an ordinal: `2nd`, `3rd`, `11th`.
  fileprivate var ordinal: String {
    let isTeen = (11...13).contains(self % 100)
    return switch self % 10 {
    case 1 where !isTeen: "\(self)st"
    case 2 where !isTeen: "\(self)nd"
    case 3 where !isTeen: "\(self)rd"
    default: "\(self)th"
    }
  }
}

/// What is compared to find failures with the same cause.
///
/// It has two strengths. Two failures are the same if a reader would learn nothing from the second.
/// They are similar if they differ only in numbers and quoted texts.
struct FailureLikeness: Hashable {
  /// The kind of failure, in words.
  private let words: String
  /// The place of an error in a file that several scripts include.
  private let place: String?
  /// The statement, or the line of a golden file.
  private let statement: [String]
  private let removed: [String]
  private let added: [String]

  /// The similar failures.
  struct Form: Hashable {
    fileprivate let words: String
    fileprivate let place: String?
    fileprivate let changes: Set<String>
  }

  /// - Complexity: That of a comparison of the expected with the actual output.
  init(_ failure: GoldenFailure, in outcome: GoldenOutcome) {
    var failure = failure
    failure.store = nil
    let changes: (removed: [String], added: [String])
    var place: String?
    var isItsPlace = false
    var source = outcome.source
    var lines = failure.lines
    switch failure.kind {
    case .output(let mismatch), .unstable(let mismatch): changes = OutputDiff.changes(mismatch)
    case .strayExpectation(let text): changes = ([text], [])
    case .uncaught(let error):
      changes = ([], [])
      // A mistake in an included file may have another message in each script.
      if error.source.name != source.name {
        source = error.source
        let line = source.line(of: error.diagnostic.range.lowerBound)
        place = "\(source.name):\(line)"
        lines = line...line
      }
    case .replay, .timedOut, .exceeded, .crashed, .unreached, .diagnostic: changes = ([], [])
    case .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      // A reader has to go to each of these places.
      changes = ([], [])
      isItsPlace = true
    }
    words = place == nil ? failure.description : failure.code
    self.place = place
    if failure.file != outcome.source.name, let golden = outcome.prepared.test.golden {
      source = golden
    }
    statement =
      isItsPlace
      ? ["\(failure.file):\(lines.lowerBound)"]
      : lines.filter { $0 <= source.lineCount }.map(source.text(ofLine:))
    (removed, added) = changes
  }

  /// The form, which similar failures share.
  var form: Form {
    let changes = removed.map { "-" + $0.withoutValues } + added.map { "+" + $0.withoutValues }
    return Form(
      words: place == nil ? words.withoutValues : words, place: place, changes: Set(changes))
  }
}

extension OutputDiff {
  /// Returns the lines that were only expected, and those that were only printed.
  static func changes(_ mismatch: OutputMismatch) -> (removed: [String], added: [String]) {
    let hunks = hunks(mismatch)
    return (hunks.flatMap(\.removed).map(\.text), hunks.flatMap(\.added).map(\.text))
  }
}

extension String {
  /// The text without its numbers and without what is between double quotes.
  fileprivate var withoutValues: String {
    var result = ""
    var isInNumber = false
    var isInText = false
    for scalar in unicodeScalars {
      if scalar == "\"" { isInText.toggle() } else if isInText { continue }
      let isDigit = ("0"..."9").contains(scalar)
      if !isDigit { result.unicodeScalars.append(scalar) } else if !isInNumber { result += "0" }
      isInNumber = isDigit
    }
    return result
  }
}
