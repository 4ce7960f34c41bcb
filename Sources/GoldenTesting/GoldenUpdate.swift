import Basics
import ScriptSyntax

/// The update of a test: new expected output that is exactly what was printed.
///
/// A block's output is accepted if the block ran to its end, its callbacks keep the replay law, and
/// it printed the same each time and on each store. All other failures remain. The output of an
/// expected failure is not accepted, because then it would no longer fail.
package struct GoldenUpdate: Sendable {
  /// Output that may become the expected output.
  package struct Proposal: Hashable, Sendable {
    /// The file that would change: the script, a Markdown file, or a golden file.
    package let file: String
    /// The lines of the block.
    ///
    /// With a golden file, the first line that differs.
    package let lines: ClosedRange<Int>
    package let mismatch: OutputMismatch
    /// The new expected lines: the output, with the patterns that still match.
    package let accepted: [String]

    /// Whether nothing was expected before.
    package var isNew: Bool { mismatch.expected.isEmpty }
  }

  /// The file to write, and its new bytes; nil if nothing changes.
  package private(set) var file: (path: String, bytes: [UInt8])?
  /// The bytes that the file must still have when it is written.
  package let original: [UInt8]
  /// The outcome without the failures that the update fixes.
  package private(set) var outcome: GoldenOutcome
  /// The accepted proposals, in the order of the file.
  package private(set) var accepted: [Proposal] = []

  /// Creates an update from the blocks that are accepted.
  ///
  /// - Parameter choose: Returns the new expected lines of a block, or nil to leave it unchanged.
  /// - Complexity: O(*n*), where *n* is the length of the script and its output.
  package init(
    _ outcome: GoldenOutcome, choosing choose: (Proposal) -> [String]? = { $0.accepted }
  ) {
    self.outcome = outcome
    let test = outcome.prepared.test
    original = (test.golden ?? test.file).bytes
    guard outcome.verdict == .failed else { return }
    if let golden = test.golden {
      rewriteAll(golden, choose)
    } else {
      rewriteBlocks(test.file, choose)
    }
  }

  /// Accepts the whole output of a test with a golden file, or nothing.
  private mutating func rewriteAll(_ golden: SourceText, _ choose: (Proposal) -> [String]?) {
    guard outcome.failures.count == 1, case .output(let mismatch) = outcome.failures[0].kind,
      outcome.knowsExpectedFailures
    else { return }
    let proposal = Proposal(
      file: golden.name, lines: outcome.failures[0].lines, mismatch: mismatch,
      accepted: AcceptedOutput.lines(mismatch))
    guard let chosen = choose(proposal) else { return }
    accepted.append(proposal)
    let lines = chosen.flatMap { Array($0.utf8) + golden.lineEnding }
    let mark = golden.bytes.prefix(golden.lineStarts[0])
    file = (golden.name, mark + lines)
    outcome.accept { _ in true }
  }

  /// Updates blocks.
  ///
  /// Offsets in the script are also offsets in its file.
  private mutating func rewriteBlocks(_ source: SourceText, _ choose: (Proposal) -> [String]?) {
    var rewriting = Rewriting(source)
    var accepted: Set<Int> = []
    var tidied: Set<Int> = []
    let script = outcome.prepared.script
    let mismatches = outcome.acceptableMismatches
    var strays = script.strayExpectations[...]
    for (index, block) in script.groups.enumerated() {
      let next = index + 1 < script.groups.count ? script.groups[index + 1].lines.lowerBound : .max
      strays = strays.drop { $0.line <= block.lines.upperBound }
      guard let mismatch = mismatches[block.lines] else { continue }
      let proposal = Proposal(
        file: source.name, lines: block.lines, mismatch: mismatch,
        accepted: AcceptedOutput.lines(mismatch))
      guard let lines = choose(proposal) else { continue }
      self.accepted.append(proposal)
      accepted.insert(block.lines.lowerBound)
      rewriting.expect(lines, of: block)
      // Expected output that was separated from its statement is now directly under it.
      for stray in strays.prefix(while: { $0.line < next }) {
        rewriting.remove(stray.range)
        tidied.insert(stray.line)
      }
    }
    guard !accepted.isEmpty else { return }
    let (bytes, relocation) = rewriting.result
    file = (source.name, bytes)
    outcome.accept { failure in
      failure.isStray
        ? tidied.contains(failure.lines.lowerBound) : accepted.contains(failure.lines.lowerBound)
    }
    outcome.relocate(to: SourceText(name: source.name, bytes: bytes), relocation)
  }
}

extension GoldenOutcome {
  /// The differences of blocks that have no other failure and print the same on all stores, by the
  /// blocks' lines.
  fileprivate var acceptableMismatches: [ClosedRange<Int>: OutputMismatch] {
    let failures = failures.filter { $0.file == source.name && !$0.isStray }
    return Dictionary(grouping: failures, by: \.lines).compactMapValues { failures in
      // A prediction stays as it was.
      guard failures.count == 1, failures[0].store == nil, failures[0].reasons == nil,
        case .output(let mismatch) = failures[0].kind
      else { return nil }
      return mismatch
    }
  }

  /// Whether each block that is expected to fail is known to have failed.
  ///
  /// Otherwise its output may be among that which differs from the golden file.
  fileprivate var knowsExpectedFailures: Bool {
    let known = Set(notes.filter { $0.kind == .expectedFailure }.map(\.lines.lowerBound))
    return prepared.directives.xfailBlocks.allSatisfy { line, reason in
      reason.store != nil || known.contains(line)
    }
  }

  /// Removes the failures that an update fixes.
  fileprivate mutating func accept(_ isAccepted: (GoldenFailure) -> Bool) {
    failures.removeAll {
      if case .output = $0.kind { isAccepted($0) } else { $0.isStray && isAccepted($0) }
    }
    if failures.isEmpty { verdict = .passed }
  }

  /// Adds the reason why the update was not written, and keeps the failures that it would have
  /// fixed.
  package func refusing(update reason: String) -> GoldenOutcome {
    var outcome = self
    let file = prepared.test.golden?.name ?? source.name
    outcome.failures.append(GoldenFailure(.update(reason: reason), in: file, 1...1))
    outcome.verdict = .failed
    return outcome
  }
}

extension GoldenFailure {
  fileprivate var isStray: Bool {
    if case .strayExpectation = kind { true } else { false }
  }
}

/// Builds the bytes of a script with other expected lines, and records where its text moves.
struct Rewriting {
  private let source: SourceText
  private let lineEnding: [UInt8]
  private var bytes: [UInt8] = []
  /// The offset up to which the source was copied.
  private var copied = 0
  private var relocation = Relocation()

  init(_ source: SourceText) {
    self.source = source
    lineEnding = source.lineEnding
  }

  /// Writes new expected lines for a block.
  mutating func expect(_ lines: [String], of block: StatementGroup) {
    bytes += source.bytes[copied..<block.expectedOffset]
    if let last = bytes.last, last != UInt8(ascii: "\n"), !lines.isEmpty { bytes += lineEnding }
    for line in lines { bytes += Array((line.isEmpty ? "#>" : "#> \(line)").utf8) + lineEnding }
    copied = block.expected.last?.range.upperBound ?? block.expectedOffset
    relocation.moves.append((from: copied, by: bytes.count - copied))
  }

  mutating func remove(_ range: Range<Int>) {
    bytes += source.bytes[copied..<range.lowerBound]
    copied = range.upperBound
    relocation.moves.append((from: copied, by: bytes.count - copied))
  }

  var result: (bytes: [UInt8], relocation: Relocation) {
    (bytes + source.bytes[copied...], relocation)
  }
}

extension SourceText {
  /// The line end that the text uses.
  var lineEnding: [UInt8] {
    guard let first = bytes.firstIndex(of: UInt8(ascii: "\n")), first > 0,
      bytes[first - 1] == UInt8(ascii: "\r")
    else { return [UInt8(ascii: "\n")] }
    return [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }
}

/// The new offsets of a text after an update changed it.
struct Relocation {
  /// The distances by which the text after each offset has moved, in order.
  var moves: [(from: Int, by: Int)] = []

  /// - Complexity: O(log *n*), where *n* is the number of moves.
  func offset(of old: Int) -> Int {
    let index = moves.partitioningIndex { $0.from > old }
    return old + (index > 0 ? moves[index - 1].by : 0)
  }

  func range(of old: Range<Int>) -> Range<Int> {
    let start = offset(of: old.lowerBound)
    return start..<start + old.count
  }

  func diagnostic(_ old: Diagnostic) -> Diagnostic {
    var diagnostic = old
    diagnostic.range = range(of: old.range)
    return diagnostic
  }
}

extension GoldenOutcome {
  /// Moves the remaining failures to their places in the new text.
  mutating func relocate(to new: SourceText, _ relocation: Relocation) {
    let old = prepared.test.file
    func line(of line: Int) -> Int {
      new.line(of: relocation.offset(of: old.range(ofLine: line).lowerBound))
    }
    prepared = PreparedTest(
      GoldenTest(source: new, lines: prepared.test.lines.map { Set($0.map(line)) }))
    warnings = warnings.map(relocation.diagnostic)
    notes = notes.map { note in
      var moved = BlockNote(
        kind: note.kind, reason: note.reason,
        lines: line(of: note.lines.lowerBound)...line(of: note.lines.upperBound))
      moved.store = note.store
      return moved
    }
    failures = failures.map { failure in
      let lines = line(of: failure.lines.lowerBound)...line(of: failure.lines.upperBound)
      var kind = failure.kind
      if case .uncaught(let error) = kind, error.source.name == old.name {
        kind = .uncaught(
          .init(diagnostic: relocation.diagnostic(error.diagnostic), source: new))
      }
      var moved = GoldenFailure(kind, in: failure.file, lines)
      moved.store = failure.store
      moved.isOfWholeScript = failure.isOfWholeScript
      moved.reasons = failure.reasons
      return moved
    }
  }
}

/// The number of blocks that an update changed.
package struct UpdateSums: Hashable, Sendable {
  /// The number of blocks with other expected output before.
  package private(set) var changed = 0
  /// The number of blocks without expected output before.
  package private(set) var new = 0
  /// The bytes of the paths of the files that contain these blocks.
  private var files: Set<[UInt8]> = []

  package init() {}

  /// Counts blocks.
  package mutating func add(_ blocks: some Sequence<GoldenUpdate.Proposal>) {
    for block in blocks {
      files.insert(Array(block.file.utf8))
      if block.isNew { new += 1 } else { changed += 1 }
    }
  }

  /// The sums in words: `3 blocks in 2 files: 2 changed, 1 new`.
  package var words: String {
    let count = changed + new
    let kinds = [(changed, "changed"), (new, "new")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "\(count) \(count == 1 ? "block" : "blocks") in \(files.count) "
      + (files.count == 1 ? "file" : "files")
      + (kinds.isEmpty ? "" : ": " + kinds.joined(separator: ", "))
  }
}

/// The lines that a block expects from now on: the printed lines, with the patterns that still
/// match.
struct AcceptedOutput {
  private let mismatch: OutputMismatch
  /// The captured names that the block may reuse.
  private let names: CapturedTexts
  /// The limit for finding patterns that can be kept.
  ///
  /// Once it is reached, lines are accepted without patterns.
  private let budget = ComparisonBudget(steps: 20_000_000)

  static func lines(_ mismatch: OutputMismatch) -> [String] {
    guard !mismatch.expected.isEmpty else {
      return mismatch.actual.map { LinePattern.escaped($0, names: mismatch.captured) }
    }
    let expectation = mismatch.expectation
    let accepted = AcceptedOutput(
      mismatch: mismatch, names: mismatch.captured.adding(expectation.unknownNames))
    let lines = mismatch.isUnordered ? accepted.unordered : accepted.ordered
    let fit = try? ExpectedOutput(
      lines, isUnordered: mismatch.isUnordered, captured: mismatch.captured
    ).match(mismatch.actual, until: ComparisonBudget(steps: 100_000_000))
    guard (fit ?? nil) == nil else { return lines }
    // Without patterns, only earlier blocks keep names.
    return mismatch.actual.map { LinePattern.escaped($0, names: mismatch.captured) }
  }

  private func escaped(_ line: String) -> String { LinePattern.escaped(line, names: names) }

  /// Returns a line of output in place of an expected one.
  ///
  /// It keeps the expected line's patterns if they still match.
  private func line(_ actual: String, for expected: String?) -> String {
    expected.flatMap { adapted(adaptations(of: $0), to: actual) } ?? escaped(actual)
  }

  private func adaptations(of expected: String) -> [LineAdaptation] {
    LinePattern(expected, names: names)?.adaptations(names: names) ?? []
  }

  private func adapted(_ adaptations: [LineAdaptation], to actual: String) -> String? {
    for adaptation in adaptations {
      if let line = (try? adaptation.line(for: actual, until: budget)) ?? nil { return line }
    }
    return nil
  }

  // MARK: In order

  private var ordered: [String] {
    OutputDiff.ordered(mismatch).flatMap { lines(of: $0) + $0.same }
  }

  private func lines(of hunk: OutputDiff.Hunk) -> [String] {
    guard let first = hunk.removed.firstIndex(where: { $0.text.isAnyLines }),
      let last = hunk.removed.lastIndex(where: { $0.text.isAnyLines })
    else { return lines(hunk.added.map(\.text), for: hunk.removed.map(\.text)) }
    // The lines around `…` are replaced by as many lines of the output.
    let head = hunk.removed[..<first]
    let tail = hunk.removed[(last + 1)...]
    let before = hunk.added.prefix(head.count)
    let after = hunk.added.dropFirst(before.count).suffix(tail.count)
    return zip(before, head).map { line($0.text, for: $1.text) } + [ExpectedOutput.anyLines]
      + zip(after, tail.suffix(after.count)).map { line($0.text, for: $1.text) }
  }

  /// Returns lines of output in place of expected ones.
  ///
  /// The patterns of an expected line are kept in the next line of output that they can match.
  private func lines(_ actual: [String], for expected: [String]) -> [String] {
    var lines: [String] = []
    for line in expected {
      let adaptations = adaptations(of: line)
      guard !adaptations.isEmpty else { continue }
      let near = actual[lines.count...].prefix(Self.reach)
      for (index, candidate) in zip(near.indices, near) {
        guard let adapted = adapted(adaptations, to: candidate) else { continue }
        lines += actual[lines.count..<index].map(escaped) + [adapted]
        break
      }
    }
    return lines + actual[lines.count...].map(escaped)
  }

  /// The number of lines that are searched for the successor of an expected line.
  private static let reach = 50

  // MARK: In any order

  private var unordered: [String] {
    let pairing = mismatch.expectation.largestPairing(with: mismatch.actual)
    var rest = pairing.rest.map { mismatch.actual[$0] }[...]
    var lines: [String] = []
    var missing = 0
    for (expected, place) in zip(mismatch.expected, pairing.places) {
      guard place == nil, !expected.isAnyLines else {
        lines.append(expected)
        continue
      }
      missing += 1
      if let new = replacement(of: expected, missing, among: rest.prefix(Self.reach)) {
        lines.append(new.line)
        Self.remove(new.index, from: &rest)
      }
    }
    return mismatch.expected.contains(where: \.isAnyLines) ? lines : lines + rest.map(escaped)
  }

  /// The largest number of expected lines for which a similar line is searched that does not match.
  ///
  /// Such a line only takes the place of the old one.
  private static let mostPartners = 200

  /// Returns the line that replaces an expected line, and its index.
  ///
  /// - Parameter number: The number of expected lines without such a line so far, including this
  ///   one.
  private func replacement(
    of expected: String, _ number: Int, among near: ArraySlice<String>
  ) -> (index: Int, line: String)? {
    let adaptations = adaptations(of: expected)
    for (index, candidate) in zip(near.indices, near) {
      if let line = adapted(adaptations, to: candidate) { return (index, line) }
    }
    guard number <= Self.mostPartners,
      let partner = near.firstIndex(where: { WordDiff(from: expected, to: $0).isLikely })
    else { return nil }
    return (partner, escaped(near[partner]))
  }

  /// Removes a line that is close to the first one.
  private static func remove(_ index: Int, from lines: inout ArraySlice<String>) {
    for place in (lines.startIndex..<index).reversed() { lines[place + 1] = lines[place] }
    lines.removeFirst()
  }
}

extension GoldenUpdate.Proposal {
  /// The new expected lines with patterns for what differs; nil if no pattern can be made.
  package var patterns: [String]? { PatternLines.lines(self) }
}

/// Makes patterns from output where it differs from the expected output.
package enum PatternLines {
  /// The typed patterns, the most specific first.
  private static let types = ["[uuid]", "[date]", "[int]", "[number]"]

  /// Whether output matches some lines.
  package static func fit(_ lines: [String], _ mismatch: OutputMismatch) -> Bool {
    let expected = ExpectedOutput(
      lines, isUnordered: mismatch.isUnordered, captured: mismatch.captured)
    let match = try? expected.match(mismatch.actual)
    return (match ?? nil) != nil
  }

  /// Returns expected lines for a block with patterns for the words that differ.
  ///
  /// Lines that are new get patterns for dates and UUIDs. Returns nil if no pattern can be made.
  package static func lines(_ block: GoldenUpdate.Proposal) -> [String]? {
    let mismatch = block.mismatch
    // A line `…` that matches several lines has no partner.
    guard block.accepted.count == mismatch.actual.count else { return nil }
    var changes: [String: WordDiff] = [:]
    for case .changed(let words) in OutputDiff(mismatch).lines {
      changes[words.new.map(\.text).joined()] = words
    }
    let kept = Set(mismatch.expected)
    let lines = zip(block.accepted, mismatch.actual).map { accepted, actual in
      if kept.contains(accepted) { return accepted }
      guard let words = changes[actual] else {
        return volatile(actual, mismatch.captured) ?? accepted
      }
      return joined(words.new).map { piece in
        piece.differs
          ? pattern(piece.text) : LinePattern.escaped(piece.text, names: mismatch.captured)
      }.joined()
    }
    return lines != block.accepted && fit(lines, mismatch) ? lines : nil
  }

  /// Returns the pieces of a line.
  ///
  /// Differing pieces are joined if only blanks and signs are between them.
  private static func joined(_ pieces: [WordDiff.Piece]) -> [WordDiff.Piece] {
    var result: [WordDiff.Piece] = []
    for piece in pieces {
      let isBetween = result.last.map {
        !$0.differs && !$0.text.contains { $0.isLetter || $0.isNumber }
      }
      if piece.differs, isBetween == true, result.dropLast().last?.differs == true {
        let between = result.removeLast().text
        let before = result.removeLast().text
        result.append(WordDiff.Piece(text: before + between + piece.text, differs: true))
      } else if piece.differs, let last = result.last, last.differs {
        result[result.count - 1] = WordDiff.Piece(text: last.text + piece.text, differs: true)
      } else {
        result.append(piece)
      }
    }
    return result
  }

  /// Returns a pattern for a text.
  private static func pattern(_ text: String) -> String {
    types.first { stands($0, for: text) } ?? "[..]"
  }

  /// Returns a line with patterns for the words that change with every run; nil if there are none.
  private static func volatile(_ line: String, _ names: CapturedTexts) -> String? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { word in
      types.prefix(2).first { stands($0, for: String(word)) }
        ?? LinePattern.escaped(String(word), names: names)
    }
    let result = words.joined(separator: " ")
    return result == LinePattern.escaped(line, names: names) ? nil : result
  }

  private static func stands(_ pattern: String, for text: String) -> Bool {
    fit([pattern], OutputMismatch(expected: [], actual: [text]))
  }
}
