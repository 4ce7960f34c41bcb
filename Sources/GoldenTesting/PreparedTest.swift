import Basics
package import ScriptRuntime
package import ScriptSyntax

/// A test after it was read: its statements, its directives, and its errors.
package struct PreparedTest: Sendable {
  package let test: GoldenTest
  package let script: ParsedScript
  package let directives: TestDirectives
  /// Lines with conflict marks of a merge, in the script and in its golden file.
  package let conflicts: [Conflict]

  /// A line with a conflict mark of a merge.
  package struct Conflict: Hashable, Sendable {
    package let file: String
    package let line: Int
  }

  package init(_ test: GoldenTest) {
    self.test = test
    script = ScriptParser.parse(test.source)
    directives = TestDirectives(script)
    hasPredictions = script.groups.contains(where: \.isPrediction)
    conflicts = [test.source, test.golden].compactMap(\.self).flatMap { source in
      source.conflictLines.map { Conflict(file: source.name, line: $0) }
    }
  }

  /// Returns the lines that select a block: those of its statements and of its expected output.
  private func lines(of block: StatementGroup) -> ClosedRange<Int> {
    block.lines
      .lowerBound...max(
        block.lines.upperBound, block.expected.last?.line ?? block.lines.upperBound)
  }

  /// Returns the number of the session that a block belongs to; headings separate sessions.
  func session(of block: StatementGroup) -> Int {
    test.sessionStarts.countBefore(block.lines.lowerBound)
  }

  /// Whether a block is selected.
  func isSelected(_ block: StatementGroup) -> Bool {
    test.lines?.contains { lines(of: block).contains($0) } ?? true
  }

  /// The blocks that have to run: all up to the last selected one.
  var neededBlocks: ArraySlice<StatementGroup> {
    guard let last = script.groups.lastIndex(where: isSelected) else { return [] }
    return script.groups[...last]
  }

  /// The selected lines that belong to no block.
  package var unknownLines: [Int] {
    (test.lines ?? []).filter { line in
      !script.groups.contains { lines(of: $0).contains(line) }
    }.sorted()
  }

  /// Returns why a block is expected to fail on a store; nil if it is not.
  func expectedFailure(of block: StatementGroup, on store: TestStore) -> TestDirectives.Reason? {
    directives.xfailBlocks[block.lines.lowerBound].flatMap { $0.concerns(store) ? $0 : nil }
  }

  /// Whether the script only checks that it prints nothing and runs to its end.
  ///
  /// Scripts that others include do this.
  package var assertsNothing: Bool {
    test.golden == nil && script.groups.allSatisfy(\.expected.isEmpty)
      && script.strayExpectations.isEmpty && !script.statements.contains(where: \.asserts)
  }

  /// Whether some blocks have a prediction.
  package let hasPredictions: Bool

  /// The reason to skip the test; nil if it is run.
  package var skipReason: String? { directives.skip?.text }

  /// Returns the stores to run on; none if the test has errors or is skipped.
  package func runnableStores(unlessNamed stores: [TestStore]) -> [TestStore] {
    guard conflicts.isEmpty, !script.hasErrors, skipReason == nil,
      !directives.diagnostics.contains(where: { $0.severity == .error })
    else { return [] }
    return directives.namesStores ? directives.stores : stores
  }
}

extension Statement {
  /// Whether the statement or one inside it checks something, or includes a script that may.
  fileprivate var asserts: Bool {
    if case .expect = kind { return true }
    if case .include = kind { return true }
    return inner.contains(where: \.asserts)
  }
}

extension [Int] {
  /// Returns the number of elements of an ascending array that are less than a bound.
  fileprivate func countBefore(_ bound: Int) -> Int {
    partitioningIndex { $0 >= bound }
  }
}

extension SourceText {
  /// The lines that begin like conflict marks.
  fileprivate var conflictLines: [Int] {
    (1...lineCount).filter { line in
      let bytes = bytes[range(ofLine: line)]
      guard let first = bytes.first, UInt8(ascii: "<") == first || UInt8(ascii: ">") == first,
        bytes.count >= 7, bytes.prefix(7).allSatisfy({ $0 == first })
      else { return false }
      return bytes.count == 7 || bytes.dropFirst(7).first == UInt8(ascii: " ")
    }
  }
}

extension PreparedTest {
  /// Returns the script with the lines of its golden file under the statements that print them; nil
  /// if it has no golden file.
  ///
  /// A line that was not printed stays where it was expected. If a `…` matches output of several
  /// statements, it is under each of them. So the same statements fail as before, and each can be
  /// reviewed separately.
  package func inlinedGolden(after run: GoldenRun) -> SourceText? {
    guard let golden = test.golden else { return nil }
    let expected = ExpectedOutput(golden.expectedLines)
    let output = run.blocks.enumerated().flatMap { index, block in
      block.output.map { (line: $0, block: index) }
    }
    var lines = Array(repeating: [String](), count: script.groups.count)
    let alignment = LineAlignment(expected, output.map(\.line))
    let last = max(run.blocks.count - 1, 0)
    var old = 0
    var new = 0
    var isAnyLines = false
    while old < expected.lines.count || new < output.count {
      let block = new < output.count ? output[new].block : last
      guard lines.indices.contains(block) else { break }
      if old < expected.lines.count, alignment.isRemoved[old] {
        isAnyLines = isAnyLines || expected.lines[old].isAnyLines
        if !expected.lines[old].isAnyLines { lines[block].append(expected.lines[old]) }
        old += 1
      } else if new < output.count, alignment.isAdded[new] {
        if isAnyLines, lines[block].last != ExpectedOutput.anyLines {
          lines[block].append(ExpectedOutput.anyLines)
        }
        new += 1
      } else {
        isAnyLines = false
        lines[block].append(expected.lines[old])
        old += 1
        new += 1
      }
    }
    var rewriting = Rewriting(test.source)
    for (block, lines) in zip(script.groups, lines) { rewriting.expect(lines, of: block) }
    return SourceText(name: test.source.name, bytes: rewriting.result.bytes)
  }
}

/// A script with all that can be said about it without running it.
///
/// `frc check` and the language server show the same findings.
package struct CheckedScript {
  package let script: ParsedScript
  package let directives: TestDirectives
  /// The problems of syntax, directives and names, also those in included files.
  package let findings: [Finding]
  /// The names that the script defines; nil if it has errors and they were not asked for.
  package let checker: Checker?

  /// Checks a script.
  ///
  /// - Parameters:
  ///   - firstLine: The number of the first line in the file, for a part of a file.
  ///   - environment: Provides the files that the script includes.
  ///   - knowsNames: Whether the names are looked up even if the script has syntax errors. Then they
  ///     are not findings, because a statement with an error would make others look wrong.
  package init(
    _ source: SourceText, firstLine: Int = 1, environment: any ScriptEnvironment,
    knowsNames: Bool = false
  ) {
    script = ScriptParser.parse(source)
    directives = TestDirectives(script, firstLine: firstLine)
    let faults = script.diagnostics.map { Finding($0, in: source) }
    guard !script.hasErrors || knowsNames else {
      findings = faults
      checker = nil
      return
    }
    let checker = Checker(environment: environment)
    self.checker = checker
    let names = checker.check(script)
    findings =
      script.hasErrors
      ? faults : faults + directives.diagnostics.map { Finding($0, in: source) } + names
  }
}
