import Basics
import FetchedResults
import ScriptSyntax

/// The judgement of runs.
extension PreparedTest {
  /// Returns the outcome of the test.
  ///
  /// - Parameters:
  ///   - runs: One run on each store.
  ///   - again: A second run on each store, if the output must be the same each time.
  ///   - isCancelled: Returns whether the result is no longer needed.
  /// - Complexity: O(*n*) in the lines of output, except for patterns.
  package func outcome(
    of runs: [GoldenRun], again: [GoldenRun] = [],
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> GoldenOutcome {
    var outcome = GoldenOutcome(prepared: self)
    outcome.blocks = runs.first?.blocks ?? []
    let diagnostics = script.diagnostics + directives.diagnostics
    outcome.warnings = diagnostics.filter { $0.severity == .warning } + unreadBlocks
    for conflict in conflicts {
      let lines = conflict.line...conflict.line
      outcome.failures.append(GoldenFailure(.conflictMarker, in: conflict.file, lines))
    }
    if conflicts.isEmpty {
      for error in diagnostics where error.severity == .error {
        outcome.failures.append(
          failure(.diagnostic(error), source.line(of: error.range.lowerBound)))
      }
    }
    if script.statements.isEmpty, outcome.failures.isEmpty, skipReason == nil,
      !GoldenTest.isMarkdown(source.name)
    {
      outcome.failures.append(failure(.empty, 1))
    }
    guard outcome.failures.isEmpty else { return outcome.sorted(as: .failed) }
    if let reason = skipReason { return outcome.sorted(as: .skipped(reason: reason)) }
    let judgements = runs.map { judged($0, isCancelled) }
    outcome.add(zip(runs.map(\.store), judgements).map { ($0, $1) })
    outcome.isStopped = judgements.contains(where: \.isStopped)
    for (judgement, runs) in zip(judgements, zip(runs, again)) {
      outcome.failures += unstable(runs.0, runs.1, judgement, isCancelled)
    }
    if test.lines == nil, test.golden == nil { outcome.failures += strayExpectations }
    if let xfail = directives.xfail, xfail.store == nil, test.lines == nil,
      outcome.failures.isEmpty
    {
      outcome.failures.append(failure(.unexpectedPass(reason: xfail.text), xfail.line))
    }
    let verdict = verdict(on: outcome.failures)
    outcome.warnings += emptyExpectations(besides: outcome.warnings)
    outcome.warnings += idleExpectations + broadExpectedFailure(verdict, outcome.failures)
    if verdict == .passed, test.lines == nil, assertsNothing {
      outcome.assertsNothing = true
      outcome.warnings += emptyTest
    }
    return outcome.sorted(as: verdict)
  }

  private var source: SourceText { test.source }

  private func failure(_ kind: GoldenFailure.Kind, _ line: Int) -> GoldenFailure {
    GoldenFailure(kind, in: source.name, line...line)
  }

  private func failure(_ kind: GoldenFailure.Kind, _ block: StatementGroup) -> GoldenFailure {
    GoldenFailure(kind, in: source.name, block.lines)
  }

  /// Returns the verdict on failures.
  ///
  /// An expected failure excuses whatever a run shows, but not blocks that did not run.
  private func verdict(on failures: [GoldenFailure]) -> GoldenOutcome.Verdict {
    if failures.isEmpty { return .passed }
    guard let xfail = directives.xfail, xfail.store == nil, failures.allSatisfy(\.isExcusable)
    else { return .failed }
    return .expectedFailure(reason: xfail.text)
  }

  /// Returns a warning if an expected failure of the script excuses several blocks, because one of
  /// them may be newly broken.
  private func broadExpectedFailure(
    _ verdict: GoldenOutcome.Verdict, _ failures: [GoldenFailure]
  ) -> [Diagnostic] {
    guard case .expectedFailure = verdict, let xfail = directives.xfail, test.golden == nil,
      test.lines == nil
    else { return [] }
    let blocks = Set(failures.map(\.lines.lowerBound)).count
    guard blocks > 1 else { return [] }
    return [
      Diagnostic(
        severity: .warning,
        message: "this xfail excuses \(blocks) blocks; write it above each of them",
        range: xfail.range)
    ]
  }

  /// A warning if the test only checks that nothing is printed.
  private var emptyTest: [Diagnostic] {
    guard let first = script.statements.first else { return [] }
    return [
      Diagnostic(
        severity: .warning,
        message: "this test asserts only that nothing is printed; add an 'expect' or a 'show'",
        range: first.range)
    ]
  }

  private var strayExpectations: [GoldenFailure] {
    script.strayExpectations.map { failure(.strayExpectation($0.text), $0.line) }
  }

  /// A warning for each block of a Markdown file that is indented or quoted.
  private var unreadBlocks: [Diagnostic] {
    test.unreadBlocks.map {
      Diagnostic(
        severity: .warning, message: "a code block that is not run, for it does not begin its line",
        range: $0)
    }
  }

  /// Returns a warning if expected output says nothing, so that the test passes whatever is
  /// printed.
  ///
  /// - Parameter others: The other warnings. A line with one of them is not mentioned again.
  private func emptyExpectations(besides others: [Diagnostic]) -> [Diagnostic] {
    if let golden = test.golden {
      guard ExpectedOutput(golden.expectedLines).acceptsAnything,
        let first = script.statements.first
      else { return [] }
      return [
        Diagnostic(
          severity: .warning,
          message: "'\(golden.name)' accepts any output; write a part of what is printed",
          range: first.range)
      ]
    }
    let known = Set(others.map(\.range))
    let blocks = script.groups.filter { block in
      isSelected(block) && !block.expected.contains { known.contains($0.range) }
        && directives.skippedBlocks[block.lines.lowerBound] == nil
        && ExpectedOutput(block.expected.map(\.text)).acceptsAnything
    }
    guard let first = blocks.first?.expected.first else { return [] }
    let what =
      blocks.count == 1
      ? "this expectation accepts" : "this expectation and \(blocks.count - 1) more accept"
    return [
      Diagnostic(
        severity: .warning, message: "\(what) any output; write a part of what is printed",
        range: source.range(ofLine: first.line))
    ]
  }

  /// A warning if a script has expected output and also a golden file.
  private var idleExpectations: [Diagnostic] {
    guard let golden = test.golden,
      let line = (script.groups.flatMap(\.expected) + script.strayExpectations).first
    else { return [] }
    return [
      Diagnostic(
        severity: .warning,
        message: "expected lines are not compared, for '\(golden.name)' has the output",
        range: source.range(ofLine: line.line))
    ]
  }
}

// MARK: - One run

extension PreparedTest {
  /// The failures of one run, and the patterns that were not needed in it.
  struct RunFailures {
    /// An expected line whose pattern was not needed.
    struct UnusedPattern: Hashable {
      let line: ExpectedLine
      let use: PatternUse
    }

    var failures: [GoldenFailure] = []
    var unused: [UnusedPattern] = []
    /// Warnings about text that looks like a pattern but is compared literally.
    var warnings: [Diagnostic] = []
    /// Blocks that were skipped or failed as expected.
    var notes: [BlockNote] = []
    /// Whether the comparison was stopped.
    var isStopped = false
    /// The output of each block that an update could accept; with a golden file, the whole output.
    var accepted: [Int: OutputMismatch] = [:]
  }

  private func judged(
    _ run: GoldenRun, _ isCancelled: @escaping @Sendable () -> Bool
  ) -> RunFailures {
    var run = run
    var judgement = RunFailures()
    if run.blocks.isEmpty, let kind = run.end.failure {
      guard neededBlocks.count == 1 else {
        let last = neededBlocks.last?.lines.upperBound ?? 1
        var failure = GoldenFailure(kind, in: source.name, 1...last)
        failure.isOfWholeScript = true
        judgement.failures = [failure]
        return judgement
      }
      run.blocks = [GoldenRun.Block()]
    }
    let budget = ComparisonBudget(time: run.limit.duration, isCancelled: isCancelled)
    var place = 0
    do throws(ComparisonBudget.Exceeded) {
      var captured = CapturedTexts()
      var whole: WholeOutput?
      if let golden = test.golden {
        whole = try WholeOutput(of: run, by: golden, in: self, until: budget)
      }
      while place < run.blocks.count {
        try judge(run, place, whole, &captured, &judgement, until: budget)
        place += 1
      }
      if let golden = test.golden, let whole {
        try judge(whole.lines, by: golden, &judgement, until: budget)
      }
    } catch {
      switch error {
      case .used:
        let end = min(place + 1, run.blocks.count)
        let block = script.groups[max(end - 1, 0)]
        judgement.failures.append(failure(.timedOut(run.limit), block))
        judgement.failures += unreached(after: end)
      case .cancelled: judgement.isStopped = true
      }
      return judgement
    }
    if run.end != .finished { judgement.failures += unreached(after: run.blocks.count) }
    excuse(run, &judgement)
    return judgement
  }

  /// Marks the failures of a run as expected, if the script expects a failure on its store only.
  private func excuse(_ run: GoldenRun, _ judgement: inout RunFailures) {
    guard let xfail = directives.xfail, xfail.store == run.store, test.lines == nil else { return }
    if judgement.failures.isEmpty {
      judgement.failures.append(failure(.unexpectedPass(reason: xfail.text), xfail.line))
    } else if judgement.failures.allSatisfy(\.isExcusable) {
      let lines = xfail.line...xfail.line
      judgement.failures = []
      judgement.accepted = [:]
      judgement.notes.append(BlockNote(kind: .expectedFailure, reason: xfail.text, lines: lines))
    }
  }

  /// Judges one block: its callbacks, its output, and its end.
  private func judge(
    _ run: GoldenRun, _ index: Int, _ whole: WholeOutput?, _ captured: inout CapturedTexts,
    _ judgement: inout RunFailures, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) {
    let block = script.groups[index]
    let given = run.blocks[index]
    if given.isSkipped, let skip = directives.skippedBlocks[block.lines.lowerBound] {
      if isSelected(block) {
        judgement.notes.append(BlockNote(kind: .skipped, reason: skip.text, lines: block.lines))
      }
      captured = captured.adding(expectation(of: block, captured).unknownNames)
      return
    }
    let before = judgement.failures.count
    for breach in given.breaches {
      judgement.failures.append(failure(.replay(breach: breach), block))
    }
    if test.golden == nil {
      try judge(given, index, &captured, &judgement, until: budget)
    }
    if let error = given.error { judgement.failures.append(failure(.uncaught(error), block)) }
    if index == run.blocks.count - 1, let kind = run.end.failure {
      judgement.failures.append(failure(kind, block))
    }
    guard let xfail = expectedFailure(of: block, on: run.store) else { return }
    if judgement.failures.count > before || whole?.excused.contains(index) == true {
      guard judgement.failures[before...].allSatisfy(\.isExcusable) else { return }
      judgement.failures.removeSubrange(before...)
      judgement.accepted[index] = nil
      judgement.notes.append(
        BlockNote(kind: .expectedFailure, reason: xfail.text, lines: block.lines))
    } else if isSelected(block), run.end != .stopped, whole?.mixed.contains(index) != true {
      judgement.failures.append(failure(.unexpectedPass(reason: xfail.text), xfail.line))
    }
  }

  /// Returns the blocks that did not run, or were not compared.
  private func unreached(after count: Int) -> [GoldenFailure] {
    let rest = neededBlocks.dropFirst(count)
    guard let next = rest.first else { return [] }
    return [failure(.unreached(blocks: rest.count), next.lines.lowerBound)]
  }

  /// Returns the expected output of a block.
  private func expectation(
    of block: StatementGroup, _ captured: CapturedTexts
  ) -> ExpectedOutput {
    ExpectedOutput(
      block.expected.map(\.text),
      isUnordered: directives.unorderedBlocks.contains(block.lines.lowerBound), captured: captured)
  }

  private func judge(
    _ given: GoldenRun.Block, _ index: Int, _ captured: inout CapturedTexts,
    _ judgement: inout RunFailures, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) {
    let block = script.groups[index]
    let expected = expectation(of: block, captured)
    let isSelected = isSelected(block)
    for fault in expected.faults {
      judgement.warnings.append(
        Diagnostic(
          severity: .warning, message: fault.message, range: block.expected[fault.index].range))
    }
    // Other blocks are compared only for the names that they capture.
    guard isSelected || expected.unknownNames.isNamed else { return }
    if let match = try expected.match(given.output, until: budget) {
      captured = captured.adding(match.captured)
      guard isSelected else { return }
      judgement.unused += match.unusedPatterns.map {
        RunFailures.UnusedPattern(line: block.expected[$0.index], use: $0.use)
      }
    } else {
      if isSelected, !given.isPredicted {
        let mismatch = OutputMismatch(expected, given.output)
        var failure = failure(.output(mismatch), block)
        if block.isPrediction {
          failure.reasons = given.reasons
        } else {
          judgement.accepted[index] = mismatch
        }
        judgement.failures.append(failure)
      }
      captured = captured.adding(expected.unknownNames)
    }
  }

  /// Compares the whole output with a golden file.
  private func judge(
    _ actual: [String], by golden: SourceText, _ judgement: inout RunFailures,
    until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) {
    let expected = ExpectedOutput(golden.expectedLines)
    guard try expected.match(actual, until: budget) == nil else { return }
    let line = expected.commonPrefix(with: actual) + 1
    let mismatch = OutputMismatch(expected, actual)
    judgement.accepted[0] = mismatch
    judgement.failures.append(GoldenFailure(.output(mismatch), in: golden.name, line...line))
  }

  /// Returns the blocks whose second run printed something else, unless the output that an update
  /// would accept allows both.
  private func unstable(
    _ first: GoldenRun, _ second: GoldenRun, _ judgement: RunFailures,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) -> [GoldenFailure] {
    let budget = ComparisonBudget(time: first.limit.duration, isCancelled: isCancelled)
    func fits(_ expected: ExpectedOutput, _ output: [String]) -> CapturedTexts? {
      ((try? expected.match(output, until: budget)) ?? nil)?.captured
    }
    if let golden = test.golden {
      let expected = judgement.accepted[0].map(AcceptedOutput.lines) ?? golden.expectedLines
      if let whole = try? WholeOutput(of: second, by: golden, in: self, until: budget),
        fits(ExpectedOutput(expected), whole.lines) != nil
      {
        return []
      }
    }
    var captured = CapturedTexts()
    var failures: [GoldenFailure] = []
    for (index, block) in script.groups.enumerated().prefix(
      min(first.blocks.count, second.blocks.count))
    {
      let outputs = (first.blocks[index].output, second.blocks[index].output)
      var expected = expectation(of: block, captured)
      let names = expected.unknownNames
      if expectedFailure(of: block, on: first.store) != nil || first.blocks[index].isSkipped {
        captured = captured.adding(names)
        continue
      }
      if outputs.0.hasSameScalars(as: outputs.1), !names.isNamed { continue }
      if let mismatch = judgement.accepted[index], test.golden == nil {
        expected = ExpectedOutput(
          AcceptedOutput.lines(mismatch), isUnordered: expected.isUnordered, captured: captured)
      }
      if test.golden == nil, let found = fits(expected, outputs.1) {
        captured = captured.adding(found)
        continue
      }
      captured = captured.adding(names)
      if outputs.0.hasSameScalars(as: outputs.1) { continue }
      failures.append(
        failure(.unstable(OutputMismatch(expected: outputs.0, actual: outputs.1)), block))
    }
    return failures
  }
}

/// The whole output of a run, to be compared with a golden file.
private struct WholeOutput {
  /// The lines; the expected ones where only blocks differ that are expected to fail.
  private(set) var lines: [String] = []
  /// Such blocks, by their indices.
  private(set) var excused: Set<Int> = []
  /// Blocks that are expected to fail and differ, but look the same as others that differ.
  private(set) var mixed: Set<Int> = []

  init(
    of run: GoldenRun, by golden: SourceText, in test: PreparedTest, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) {
    let output = run.blocks.enumerated().flatMap { index, block in
      block.output.map { (text: $0, block: index) }
    }
    let failing = Set(
      run.blocks.indices.filter {
        test.expectedFailure(of: test.script.groups[$0], on: run.store) != nil
      })
    let mismatch = OutputMismatch(expected: golden.expectedLines, actual: output.map(\.text))
    guard !failing.isEmpty,
      try mismatch.expectation.match(mismatch.actual, until: budget) == nil
    else {
      lines = mismatch.actual
      return
    }
    var next = 0
    for hunk in OutputDiff.ordered(mismatch) {
      let added = output[next..<next + hunk.added.count]
      let before = next > 0 ? output[next - 1].block : 0
      next += added.count
      let after = next < output.count ? output[next].block : run.blocks.count - 1
      // Lines that are missing may be of any block from the one before them to the one after.
      let isShorter = hunk.removed.count > added.count
      add(hunk, added, failing, isShorter ? failing.intersection(before...after) : [])
      lines += output[next..<next + hunk.same.count].map(\.text)
      next += hunk.same.count
    }
  }

  /// Adds the different lines of a hunk.
  private mutating func add(
    _ hunk: OutputDiff.Hunk, _ added: ArraySlice<(text: String, block: Int)>, _ failing: Set<Int>,
    _ missing: Set<Int>
  ) {
    let printing = Set(added.map(\.block))
    let isExcused = added.isEmpty ? !missing.isEmpty : printing.isSubset(of: failing)
    if hunk.removed.contains(where: { $0.text.isAnyLines }) {
      lines += added.map(\.text)
    } else if isExcused {
      lines += hunk.removed.map(\.text)
      excused.formUnion(added.isEmpty ? missing : printing)
    } else if hunk.removed.count == added.count {
      for (old, new) in zip(hunk.removed, added) {
        let isExcused = failing.contains(new.block)
        lines.append(isExcused ? old.text : new.text)
        if isExcused { excused.insert(new.block) }
      }
    } else {
      lines += added.map(\.text)
      mixed.formUnion(printing.intersection(failing).union(missing))
    }
  }
}

extension OutputMismatch {
  /// Creates a mismatch.
  ///
  /// It keeps only the captured names that its lines reuse, so that the same mismatch on two stores
  /// is equal. Of names in brackets in the output it keeps no text: an update only has to know that
  /// they need a backslash.
  fileprivate init(_ expected: ExpectedOutput, _ actual: [String]) {
    var captured = expected.captured.only(expected.reusedNames)
    if expected.captured.isNamed {
      for name in Set(actual.flatMap(LinePattern.bracketedWords)).subtracting(expected.reusedNames)
      where expected.captured.has(name) {
        captured.set(name, to: nil)
      }
    }
    self.init(
      expected: expected.lines, actual: actual, isUnordered: expected.isUnordered,
      captured: captured)
  }
}

extension GoldenRun.End {
  /// The failure of a run that ended early; nil if it has none.
  fileprivate var failure: GoldenFailure.Kind? {
    switch self {
    case .finished, .stopped: nil
    case .uncaught(let error): .uncaught(error)
    case .timedOut(let limit): .timedOut(limit)
    case .exceeded(let limit): .exceeded(limit)
    case .crashed(let reason): .crashed(reason)
    }
  }
}

extension GoldenFailure {
  /// Whether `xfail` excuses the failure.
  ///
  /// If it is unknown in which block the run ended, others may not have run.
  fileprivate var isExcusable: Bool {
    if isOfWholeScript { return false }
    return switch kind {
    case .output, .strayExpectation, .replay, .uncaught, .timedOut: true
    case .exceeded, .crashed, .unreached, .unstable, .diagnostic, .conflictMarker, .empty,
      .missingGolden,
      .unexpectedPass, .update:
      false
    }
  }
}

extension GoldenOutcome {
  /// Adds the failures of runs.
  ///
  /// A failure that all runs have is added once.
  ///
  /// A pattern counts as needed if one of the runs needs it.
  fileprivate mutating func add(_ runs: [(store: TestStore, judgement: PreparedTest.RunFailures)]) {
    guard let first = runs.first?.judgement else { return }
    let others = runs.dropFirst().map(\.judgement)
    let unusedByOthers = others.map { Set($0.unused) }
    for pattern in first.unused where unusedByOthers.allSatisfy({ $0.contains(pattern) }) {
      warnings.append(
        Diagnostic(
          severity: .warning, message: pattern.use.warning, range: pattern.line.range))
    }
    warnings += first.warnings
    let notesOfRuns = runs.map { Set($0.judgement.notes) }
    var noted: Set<BlockNote> = []
    for (store, judgement) in runs {
      for var note in judgement.notes {
        if !notesOfRuns.allSatisfy({ $0.contains(note) }) { note.store = store }
        if noted.insert(note).inserted { notes.append(note) }
      }
    }
    let failuresOfRuns = runs.map { Set($0.judgement.failures) }
    var added = Set(failures)
    for (store, judgement) in runs {
      for var failure in judgement.failures {
        if !failuresOfRuns.allSatisfy({ $0.contains(failure) }) { failure.store = store }
        if added.insert(failure).inserted { failures.append(failure) }
      }
    }
  }

  fileprivate func sorted(as verdict: Verdict) -> GoldenOutcome {
    var outcome = self
    outcome.verdict = verdict
    outcome.failures = failures.ordered { $0.lines.lowerBound < $1.lines.lowerBound }
    outcome.notes = outcome.notes.ordered { $0.lines.lowerBound < $1.lines.lowerBound }
    outcome.warnings = outcome.warnings.ordered { $0.range.lowerBound < $1.range.lowerBound }
    return outcome
  }
}

extension PatternUse {
  fileprivate var warning: String {
    switch self {
    case .used, .nothing: "this pattern matched nothing"
    case .ownText: "this pattern matched its own text; write '\\' before it to expect that text"
    }
  }
}

extension SourceText {
  /// The lines of a golden file without their ends.
  var expectedLines: [String] {
    var lines = (1...lineCount).map(text(ofLine:))
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
