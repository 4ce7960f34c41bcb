import Basics
import GoldenTesting
import ScriptSyntax

/// Decides what the log of a run shows, so that people can read it also if every test fails.
///
/// Each difference is shown once. Of a script, and of a run, only so many lines are shown. The
/// ending lists what failed, what was skipped, and what was not read, one file a line.
///
/// This is a value: it prints nothing. The same outcomes in the same order give the same log.
struct RunLog: Sendable {
  /// How much a log shows.
  enum Detail: Sendable {
    /// Only the ending.
    case ending
    /// Each difference once, as long as there is room, and an ending with the first of long lists.
    case limited
    /// Every difference, and an ending with whole lists.
    case all
  }

  /// The largest number of lines that are shown of a difference.
  private static let mostLinesOfDifference = 40
  /// The number of lines of a script after which no other failure of it is shown.
  private static let mostLinesOfScript = 60
  /// The number of lines of a run after which no other failure is shown.
  ///
  /// In the second half, only failures are shown that are not similar to an earlier one.
  private static let mostLines = 200
  /// The number of lines of a run after which no other warning is shown.
  private static let mostWarningLines = 100
  /// The largest number of failed files that are listed one by one.
  private static let mostFailed = 50
  /// The largest number of groups of failed files, and of the files that are listed of a group.
  private static let mostGroups = 15
  private static let mostOfGroup = 3
  /// The largest number of other files that are listed.
  private static let mostListed = 20

  let detail: Detail
  private let text: OutcomeText

  private var lineCount = 0
  private var warningLineCount = 0
  /// Where each failure that was shown is, `FILE:LINE`.
  private var shown: [FailureLikeness: String] = [:]
  private var forms: Set<FailureLikeness.Form> = []
  /// The failures that are the same as one that was shown.
  private var repeated = 0
  /// The failures that there was no room for.
  private var omitted = 0
  private var omittedWarnings = 0

  init(_ detail: Detail, usesColor: Bool = false) {
    self.detail = detail
    text = OutcomeText(
      usesColor: usesColor,
      mostDiffLines: detail == .all ? OutcomeText.wholeDiff : Self.mostLinesOfDifference)
  }

  /// Whether the lines contain escape sequences for colours.
  var usesColor: Bool { text.usesColor }

  // MARK: During the run

  /// Returns the lines about a test that has ended.
  ///
  /// - Complexity: That of comparing its outputs if it failed, else O(1).
  mutating func lines(of outcome: GoldenOutcome) -> [String] {
    switch detail {
    case .ending: return []
    case .limited, .all: break
    }
    var lines = warnings(of: outcome)
    for failed in outcome.failedTries { lines += failures(of: failed) }
    if outcome.verdict == .failed { lines += failures(of: outcome) }
    return lines
  }

  private mutating func warnings(of outcome: GoldenOutcome) -> [String] {
    var lines: [String] = []
    for warning in outcome.warnings {
      guard detail == .all || warningLineCount < Self.mostWarningLines else {
        omittedWarnings += 1
        continue
      }
      let drawn = text.lines(of: warning, in: outcome).eachLine
      warningLineCount += drawn.count
      lines += drawn
    }
    return lines
  }

  private mutating func failures(of outcome: GoldenOutcome) -> [String] {
    let tries = outcome.triesWords.map { ["\(outcome.name): \($0)"] } ?? []
    guard detail == .limited else {
      let lines = outcome.failures.flatMap { text.lines(of: $0, in: outcome).eachLine } + tries
      lineCount += lines.count
      return lines
    }
    var count = 0
    var drawn: [GoldenFailure: [String]] = [:]
    for cause in outcome.causes where drawn[cause] == nil && makeRoom(for: cause, outcome, count) {
      let lines = text.lines(of: cause, in: outcome).eachLine
      count += lines.count
      drawn[cause] = lines
    }
    guard !drawn.isEmpty else { return [] }
    // What only follows from a failure is shown with it.
    let consequences = Set(outcome.failures).subtracting(outcome.causes)
    var lines = outcome.failures.flatMap { failure in
      drawn[failure]
        ?? (consequences.contains(failure) ? text.lines(of: failure, in: outcome).eachLine : [])
    }
    let left = outcome.failures.count { drawn[$0] == nil && !consequences.contains($0) }
    if left > 0 { lines.append("    (\(left.counted("more failure")) in \(outcome.name))") }
    lines += tries
    lineCount += lines.count
    return lines
  }

  /// Returns whether a failure is shown.
  ///
  /// - Parameter count: The number of lines that are already shown of its script.
  private mutating func makeRoom(
    for failure: GoldenFailure, _ outcome: GoldenOutcome, _ count: Int
  ) -> Bool {
    let likeness = FailureLikeness(failure, in: outcome)
    guard shown[likeness] == nil else {
      repeated += 1
      return false
    }
    let total = lineCount + count
    let hasRoom =
      total < Self.mostLines / 2 || total < Self.mostLines && !forms.contains(likeness.form)
    guard hasRoom, count < Self.mostLinesOfScript else {
      omitted += 1
      return false
    }
    shown[likeness] = failure.place.escapingControls()
    forms.insert(likeness.form)
    return true
  }

  // MARK: At the end

  /// Returns the lines at the end of a run, which come before the sums.
  ///
  /// - Parameter reports: The files with the whole text.
  /// - Complexity: That of comparing the outputs of the failed tests.
  func ending(of report: SuiteReport, reports: [String] = []) -> [String] {
    let hidden = hiddenWords(reports)
    let lists =
      listed(report.outcomes.flatMap(\.excuses))
      + listed(report.unread.map(\.words))
      + listed(
        report.outcomes.filter(\.isFlaky).map { "\($0.name): flaky: \($0.flakyWords)" })
      + failed(report)
    let isApart = lineCount > 0 || warningLineCount > 0
    return (isApart && !lists.isEmpty ? [""] : []) + hidden + lists
  }

  private func hiddenWords(_ reports: [String]) -> [String] {
    var lines: [String] = []
    if repeated > 0 {
      let verb = repeated == 1 ? "is" : "are"
      lines.append("\(repeated.counted("more failure")) \(verb) the same as one above")
    }
    let whole =
      reports.isEmpty
      ? "-v shows all, and --report markdown=FILE writes them"
      : "-v shows all, and the whole text is in \(reports.joined(separator: ", "))"
    if omitted > 0 {
      lines.append("\(omitted.counted("more failure")) not shown; \(whole)")
    }
    if omittedWarnings > 0 {
      lines.append("\(omittedWarnings.counted("more warning")) not shown; -v shows all")
    }
    return lines
  }

  /// Returns the first lines of a list, and the number of the others.
  private func listed(_ lines: [String]) -> [String] {
    guard detail != .all, lines.count > Self.mostListed + 1 else { return lines }
    return lines.prefix(Self.mostListed) + ["  (\(lines.count - Self.mostListed) more like these)"]
  }

  // MARK: Failed files

  private func failed(_ report: SuiteReport) -> [String] {
    let outcomes = report.outcomes.filter { $0.verdict == .failed }
    let strays = report.strayGoldens.map {
      "\($0.escapingControls()): failed: \(SuiteReport.strayGoldenWords)"
    }
    guard detail != .all, outcomes.count > Self.mostFailed else {
      return outcomes.map(line) + listed(strays)
    }
    return groups(outcomes) + listed(strays)
  }

  /// Returns a line about a failed test: its first place, and why.
  private func line(_ outcome: GoldenOutcome) -> String {
    guard let first = outcome.causes.first ?? outcome.failures.first else {
      return "\(outcome.name): failed"
    }
    let place = first.place.escapingControls()
    var words = "\(place): failed: \(first.description.shortened().escapingControls())"
    if let other = shown[FailureLikeness(first, in: outcome)], other != place {
      words += ", as in \(other)"
    }
    let rest = outcome.failures.count - 1
    return words + (rest > 0 ? ", and \(rest) more" : "")
  }

  /// Returns lines about failed tests in groups, in which the first failures are similar.
  private func groups(_ outcomes: [GoldenOutcome]) -> [String] {
    var groups: [[GoldenOutcome]] = []
    var places: [FailureLikeness.Form: Int] = [:]
    for outcome in outcomes {
      guard let first = outcome.causes.first ?? outcome.failures.first else { continue }
      let form = FailureLikeness(first, in: outcome).form
      if let place = places[form] {
        groups[place].append(outcome)
      } else {
        places[form] = groups.count
        groups.append([outcome])
      }
    }
    var lines: [String] = []
    for group in groups.prefix(Self.mostGroups) {
      lines += group.prefix(Self.mostOfGroup).map(line)
      let rest = group.count - Self.mostOfGroup
      if rest > 0 { lines.append("  (\(rest.counted("more script")) failed in the same way)") }
    }
    let others = groups.dropFirst(Self.mostGroups)
    if !others.isEmpty {
      let count = others.reduce(0) { $0 + $1.count }
      lines.append("  (\(count.counted("more script")) failed, in \(others.count) other ways)")
    }
    return lines + ["-v lists every failed script, and --failed runs them again"]
  }
}

extension GoldenOutcome {
  fileprivate var name: String { source.name.escapingControls() }

  /// The lines about the script or its blocks if they were skipped or failed as expected.
  fileprivate var excuses: [String] {
    let notes = notes.map { "\(name):\($0.lines.lowerBound): \($0.words.escapingControls())" }
    switch verdict {
    case .passed, .failed: return notes
    case .skipped(let reason):
      return notes + ["\(name):\(line): skipped: \(reason.escapingControls())"]
    case .expectedFailure(let reason):
      return notes + ["\(name):\(line): failed as expected: \(reason.escapingControls())"]
    }
  }
}

extension UnreadFile {
  fileprivate var words: String {
    "\(path.escapingControls()): not read: \(reason.escapingControls())"
  }
}

extension [String] {
  /// The lines of the texts.
  fileprivate var eachLine: [String] {
    flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
  }
}

extension Int {
  /// The number with a noun, in the plural if it is not 1.
  fileprivate func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
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
      isItsPlace || failure.isOfWholeScript
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
