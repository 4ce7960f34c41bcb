import FetchedResults
import ScriptSyntax

/// What runs mean.
extension PreparedTest {
  /// Returns what came of the test.
  ///
  /// - Parameters:
  ///   - runs: One on each store.
  ///   - again: The same once more, where the output has to be the same each
  ///     time.
  /// - Complexity: O(*n*) in the lines of output, but for patterns.
  package func outcome(of runs: [GoldenRun], again: [GoldenRun] = []) -> GoldenOutcome {
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
    guard outcome.failures.isEmpty else { return outcome.sorted(as: .failed) }
    if let reason = skipReason { return outcome.sorted(as: .skipped(reason: reason)) }
    outcome.add(runs.map { ($0.store, judged($0)) })
    for (first, second) in zip(runs, again) { outcome.failures += unstable(first, second) }
    if test.lines == nil, test.golden == nil { outcome.failures += strayExpectations }
    if let xfail = directives.xfail, test.lines == nil, outcome.failures.isEmpty {
      outcome.failures.append(failure(.unexpectedPass(reason: xfail.text), xfail.line))
    }
    outcome.warnings += idleExpectations
    return outcome.sorted(as: verdict(on: outcome.failures))
  }

  private var source: SourceText { test.source }

  private func failure(_ kind: GoldenFailure.Kind, _ line: Int) -> GoldenFailure {
    GoldenFailure(kind, in: source.name, line...line)
  }

  private func failure(_ kind: GoldenFailure.Kind, _ block: StatementGroup) -> GoldenFailure {
    GoldenFailure(kind, in: source.name, block.lines)
  }

  /// An expected failure excuses whatever a run may show, but a block that did
  /// not run was not seen to fail.
  private func verdict(on failures: [GoldenFailure]) -> GoldenOutcome.Verdict {
    if failures.isEmpty { return .passed }
    guard let xfail = directives.xfail, failures.allSatisfy(\.isExcusable) else { return .failed }
    return .expectedFailure(reason: xfail.text)
  }

  private var strayExpectations: [GoldenFailure] {
    script.strayExpectations.map { failure(.strayExpectation($0.text), $0.line) }
  }

  /// A warning for each block of a Markdown file that does not begin its line.
  private var unreadBlocks: [Diagnostic] {
    test.unreadBlocks.map {
      Diagnostic(
        severity: .warning, message: "a code block that is not run, for it does not begin its line",
        range: $0)
    }
  }

  /// A warning where a script has expectations and a golden file.
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
  /// What one run failed in, and the places of patterns that it had no use for.
  struct Judgement {
    var failures: [GoldenFailure] = []
    var unused: [ExpectedLine] = []
  }

  private func judged(_ run: GoldenRun) -> Judgement {
    var judgement = Judgement()
    for (block, given) in zip(script.groups, run.blocks) {
      for breach in given.breaches {
        judgement.failures.append(failure(.replay(breach: breach), block))
      }
      if test.golden == nil, isSelected(block) { judge(given, of: block, &judgement) }
    }
    if let golden = test.golden { judge(run, by: golden, &judgement) }
    judge(run.end, after: run.blocks.count, &judgement)
    return judgement
  }

  private func judge(
    _ given: GoldenRun.Block, of block: StatementGroup, _ judgement: inout Judgement
  ) {
    let expected = ExpectedOutput(
      block.expected.map(\.text),
      isUnordered: directives.unorderedBlocks.contains(block.lines.lowerBound))
    if let match = expected.match(given.output) {
      judgement.unused += match.unusedPatterns.map { block.expected[$0] }
    } else {
      let mismatch = OutputMismatch(
        expected: expected.lines, actual: given.output, isUnordered: expected.isUnordered)
      judgement.failures.append(failure(.output(mismatch), block))
    }
  }

  /// Holds the whole output to a golden file.
  private func judge(_ run: GoldenRun, by golden: SourceText, _ judgement: inout Judgement) {
    var expected = golden.textOfLines
    if expected.last == "" { expected.removeLast() }
    let actual = run.blocks.flatMap(\.output)
    guard ExpectedOutput(expected).match(actual) == nil else { return }
    let line = zip(expected, actual).prefix { ExpectedOutput.matches($0, $1) }.count + 1
    let mismatch = OutputMismatch(expected: expected, actual: actual)
    judgement.failures.append(GoldenFailure(.output(mismatch), in: golden.name, line...line))
  }

  private func judge(_ end: GoldenRun.End, after count: Int, _ judgement: inout Judgement) {
    guard end != .finished, count > 0 else { return }
    let block = script.groups[count - 1]
    switch end {
    case .finished, .stopped: break
    case .uncaught(let error): judgement.failures.append(failure(.uncaught(error), block))
    case .timedOut(let limit): judgement.failures.append(failure(.timedOut(limit), block))
    }
    let rest = neededBlocks.dropFirst(count)
    guard let next = rest.first else { return }
    judgement.failures.append(failure(.unreached(blocks: rest.count), next.lines.lowerBound))
  }

  /// The blocks that printed something else when they ran again.
  private func unstable(_ first: GoldenRun, _ second: GoldenRun) -> [GoldenFailure] {
    zip(script.groups, zip(first.blocks, second.blocks)).compactMap { block, given in
      guard !given.0.output.hasSameScalars(as: given.1.output) else { return nil }
      return failure(
        .unstable(OutputMismatch(expected: given.0.output, actual: given.1.output)), block)
    }
  }
}

extension GoldenFailure {
  /// Whether `xfail` excuses it.
  fileprivate var isExcusable: Bool {
    switch kind {
    case .output, .strayExpectation, .replay, .uncaught, .timedOut: true
    case .unreached, .unstable, .diagnostic, .conflictMarker, .unexpectedPass, .update: false
    }
  }
}

extension GoldenOutcome {
  /// Adds what runs failed in; what all fail in alike stands once.
  ///
  /// A pattern is of use where it is to one of them.
  fileprivate mutating func add(_ runs: [(store: TestStore, judgement: PreparedTest.Judgement)]) {
    for line in runs.first?.judgement.unused ?? []
    where runs.allSatisfy({ $0.judgement.unused.contains(line) }) {
      warnings.append(
        Diagnostic(
          severity: .warning, message: "a pattern that stands for nothing", range: line.range))
    }
    for (store, judgement) in runs {
      for var failure in judgement.failures {
        if !runs.allSatisfy({ $0.judgement.failures.contains(failure) }) { failure.store = store }
        if !failures.contains(failure) { failures.append(failure) }
      }
    }
  }

  fileprivate func sorted(as verdict: Verdict) -> GoldenOutcome {
    var outcome = self
    outcome.verdict = verdict
    outcome.failures = failures.enumerated().sorted {
      ($0.element.lines.lowerBound, $0.offset) < ($1.element.lines.lowerBound, $1.offset)
    }.map(\.element)
    outcome.warnings.sort { $0.range.lowerBound < $1.range.lowerBound }
    return outcome
  }
}

extension SourceText {
  /// The lines without their ends.
  fileprivate var textOfLines: [String] { (1...lineCount).map(text(ofLine:)) }
}
