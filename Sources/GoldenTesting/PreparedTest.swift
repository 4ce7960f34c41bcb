import Algorithms
import FetchedResults
package import ScriptSyntax

/// A test that was read: its statements, what it asks of the runner, and what
/// is wrong with it.
package struct PreparedTest: Sendable {
  package let test: GoldenTest
  package let script: ParsedScript
  package let directives: TestDirectives
  /// Lines that a merge left behind, in the script and in its golden file.
  package let conflicts: [Conflict]

  /// A line that a merge left behind.
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

  /// The lines that name a block: those of its statements, and of the
  /// expectations under them.
  private func lines(of block: StatementGroup) -> ClosedRange<Int> {
    block.lines
      .lowerBound...max(
        block.lines.upperBound, block.expected.last?.line ?? block.lines.upperBound)
  }

  /// The number of the session that a block belongs to, by the headings before
  /// it.
  func session(of block: StatementGroup) -> Int {
    test.sessionStarts.countBefore(block.lines.lowerBound)
  }

  /// Whether a block is one of those asked for.
  func isSelected(_ block: StatementGroup) -> Bool {
    test.lines?.contains { lines(of: block).contains($0) } ?? true
  }

  /// The blocks that have to run: no block after the last one asked for.
  var neededBlocks: ArraySlice<StatementGroup> {
    guard let last = script.groups.lastIndex(where: isSelected) else { return [] }
    return script.groups[...last]
  }

  /// The lines asked for that name no block.
  package var unknownLines: [Int] {
    (test.lines ?? []).filter { line in
      !script.groups.contains { lines(of: $0).contains(line) }
    }.sorted()
  }

  /// Why a block is expected to fail on a store; nil if it is not.
  func expectedFailure(of block: StatementGroup, on store: TestStore) -> TestDirectives.Reason? {
    directives.xfailBlocks[block.lines.lowerBound].flatMap { $0.concerns(store) ? $0 : nil }
  }

  /// Whether the script asserts no more than that it prints nothing and runs to its
  /// end, as scripts do that others include.
  package var assertsNothing: Bool {
    test.golden == nil && script.groups.allSatisfy(\.expected.isEmpty)
      && script.strayExpectations.isEmpty && !script.statements.contains(where: \.asserts)
  }

  /// Whether some blocks have predictions under them.
  package let hasPredictions: Bool

  /// Why the test is not to be run, or nil if it is.
  package var skipReason: String? { directives.skip?.text }

  /// The stores to run on: none where the test is wrong or to be skipped.
  package func runnableStores(unlessNamed stores: [TestStore]) -> [TestStore] {
    guard conflicts.isEmpty, !script.hasErrors, skipReason == nil,
      !directives.diagnostics.contains(where: { $0.severity == .error })
    else { return [] }
    return directives.namesStores ? directives.stores : stores
  }
}

extension Statement {
  /// Whether the statement or one in it checks something, or includes a script,
  /// which may.
  fileprivate var asserts: Bool {
    if case .expect = kind { return true }
    if case .include = kind { return true }
    return inner.contains(where: \.asserts)
  }
}

extension [Int] {
  /// How many elements of an ascending array are less than a bound.
  fileprivate func countBefore(_ bound: Int) -> Int {
    partitioningIndex { $0 >= bound }
  }
}

extension SourceText {
  /// The lines that begin as those do which a merge leaves behind.
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
