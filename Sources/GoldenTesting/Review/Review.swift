import ScriptSyntax

/// A review of what an update would change, with an answer for each block.
///
/// This is a value: it does no input or output and writes no files.
package struct Review: Sendable {
  /// The answer for a block.
  package enum Answer: Hashable, Sendable {
    /// These lines become the expected output.
    case accept([String])
    /// The block is not changed.
    case reject
  }

  /// A choice that can apply to several blocks at once.
  package enum Choice: Hashable, Sendable {
    case accept
    case reject
    /// Accepts the output, with patterns for what differs.
    case pattern
  }

  /// The blocks that an answer applies to.
  package enum Scope: Hashable, Sendable {
    /// The current block.
    case block
    /// The current block, and those of its file without an answer.
    case file
    /// All blocks without an answer.
    case all
  }

  /// The blocks in order; those of a file are together.
  package let blocks: [GoldenUpdate.Proposal]
  private var answers: [Int: Answer] = [:]
  /// The indices of blocks that were answered together, the last ones at the end.
  private var steps: [[Int]] = []

  package init(_ blocks: [GoldenUpdate.Proposal]) { self.blocks = blocks }

  /// The index of the block to ask about; nil if all have an answer.
  package var current: Int? { blocks.indices.first { answers[$0] == nil } }

  /// The number of blocks with an answer.
  package var answered: Int { answers.count }

  /// Returns the answer for a block; nil if it has none.
  package func answer(to index: Int) -> Answer? { answers[index] }

  /// Answers for the current block, or for more.
  ///
  /// - Returns: Whether any block got an answer. Blocks for which no pattern can be made are left
  ///   out.
  package mutating func answer(_ choice: Choice, _ scope: Scope = .block) -> Bool {
    guard let current else { return false }
    let chosen: [(Int, Answer)] = blocks.indices.filter { index in
      guard answers[index] == nil else { return false }
      return switch scope {
      case .block: index == current
      case .file: blocks[index].file == blocks[current].file
      case .all: true
      }
    }.compactMap { index in
      let block = blocks[index]
      return switch choice {
      case .accept: (index, .accept(block.accepted))
      case .reject: (index, .reject)
      case .pattern: PatternLines.lines(block).map { (index, .accept($0)) }
      }
    }
    return note(chosen)
  }

  /// Accepts other lines for the current block.
  ///
  /// - Returns: Whether they match its output; if not, nothing is accepted.
  package mutating func accept(_ lines: [String]) -> Bool {
    guard let current, PatternLines.fit(lines, blocks[current].mismatch) else { return false }
    return note([(current, .accept(lines))])
  }

  private mutating func note(_ chosen: [(Int, Answer)]) -> Bool {
    guard !chosen.isEmpty else { return false }
    for (index, answer) in chosen { answers[index] = answer }
    steps.append(chosen.map(\.0))
    return true
  }

  /// Removes the last answer from all blocks for which it was given.
  ///
  /// - Returns: Whether there was one.
  package mutating func undo() -> Bool {
    guard let last = steps.popLast() else { return false }
    for index in last { answers[index] = nil }
    return true
  }
}

// MARK: - Resuming

/// The answers of an interrupted review, as a file keeps them until the next one.
package struct ReviewRecord: Codable, Hashable, Sendable {
  private struct Entry: Codable, Hashable {
    let file: String
    let expected: [String]
    let actual: [String]
    /// The accepted lines; nil if the block was rejected.
    let lines: [String]?
    /// A number that answers given together share.
    let step: Int
  }

  private var version = 1
  private var entries: [Entry] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// Returns the answers with those for some scripts replaced by the ones of another record.
  package func replacing(answersFor files: Set<String>, by other: ReviewRecord) -> ReviewRecord {
    var result = self
    result.entries.removeAll { files.contains($0.file) }
    // The numbers of one record do not join its answers with those of another.
    let first = (result.entries.map(\.step).max() ?? -1) + 1
    result.entries += other.entries.map {
      Entry(
        file: $0.file, expected: $0.expected, actual: $0.actual, lines: $0.lines,
        step: $0.step + first)
    }
    return result
  }
}

extension Review {
  /// Returns the answers so far.
  ///
  /// - Parameter onlyRejected: Whether accepted answers are left out, because they are already
  ///   written.
  package func record(onlyRejected: Bool) -> ReviewRecord {
    var record = ReviewRecord()
    for (step, indices) in steps.enumerated() {
      for index in indices { record.add(blocks[index], answers[index], step, onlyRejected) }
    }
    return record
  }

  /// Restores the answers that the same blocks got in an earlier review.
  ///
  /// A block is the same if it has the same expected and actual output. If a file has several such
  /// blocks, the first ones get the answers.
  ///
  /// - Parameter withRejected: Whether rejected blocks stay rejected.
  package mutating func resume(_ record: ReviewRecord, withRejected: Bool = true) {
    var found: [Int: [(Int, Answer)]] = [:]
    var taken: Set<Int> = []
    for (step, file, expected, actual, answer) in record.answers
    where withRejected || answer != .reject {
      let index = blocks.indices.first { index in
        let block = blocks[index]
        return !taken.contains(index) && block.file == file
          && block.mismatch.expected == expected && block.mismatch.actual == actual
      }
      guard let index else { continue }
      taken.insert(index)
      found[step, default: []].append((index, answer))
    }
    for (_, chosen) in found.sorted(by: { $0.key < $1.key }) { _ = note(chosen) }
  }
}

extension ReviewRecord {
  fileprivate mutating func add(
    _ block: GoldenUpdate.Proposal, _ answer: Review.Answer?, _ step: Int, _ onlyRejected: Bool
  ) {
    let lines: [String]?
    switch answer {
    case nil: return
    case .accept(let accepted):
      if onlyRejected { return }
      lines = accepted
    case .reject: lines = nil
    }
    entries.append(
      Entry(
        file: block.file, expected: block.mismatch.expected, actual: block.mismatch.actual,
        lines: lines, step: step))
  }

  fileprivate var answers: [(Int, String, [String], [String], Review.Answer)] {
    entries.map { entry in
      let answer = entry.lines.map(Review.Answer.accept) ?? .reject
      return (entry.step, entry.file, entry.expected, entry.actual, answer)
    }
  }
}

extension GoldenUpdate.Proposal {
  /// The new expected lines with patterns for what differs; nil if no pattern can be made.
  package var patterns: [String]? { PatternLines.lines(self) }
}

/// Makes patterns from output where it differs from the expected output.
enum PatternLines {
  /// The typed patterns, the most specific first.
  private static let types = ["[uuid]", "[date]", "[int]", "[number]"]

  /// Whether output matches some lines.
  static func fit(_ lines: [String], _ mismatch: OutputMismatch) -> Bool {
    let expected = ExpectedOutput(
      lines, isUnordered: mismatch.isUnordered, captured: mismatch.captured)
    let match = try? expected.match(mismatch.actual)
    return (match ?? nil) != nil
  }

  /// Returns expected lines for a block with patterns for the words that differ.
  ///
  /// Lines that are new get patterns for dates and UUIDs. Returns nil if no pattern can be made.
  static func lines(_ block: GoldenUpdate.Proposal) -> [String]? {
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
      guard let words = changes[actual] else { return volatile(actual) ?? accepted }
      return joined(words.new).map { piece in
        piece.differs ? pattern(piece.text) : ExpectedOutput.escaped(piece.text)
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
  private static func volatile(_ line: String) -> String? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { word in
      types.prefix(2).first { stands($0, for: String(word)) }
        ?? ExpectedOutput.escaped(String(word))
    }
    let result = words.joined(separator: " ")
    return result == ExpectedOutput.escaped(line) ? nil : result
  }

  private static func stands(_ pattern: String, for text: String) -> Bool {
    fit([pattern], OutputMismatch(expected: [], actual: [text]))
  }
}

/// The reasons why changed callbacks of a block are sent, or no longer sent.
package struct BlockExplanation: Sendable {
  /// The lines: each changed callback with the rule that sent it, and each object that lost its
  /// callback with the reason.
  package let lines: [String]

  /// Runs a test up to a block and collects the reasons.
  ///
  /// - Parameters:
  ///   - block: The block. If none of its callbacks changed, nothing is run.
  ///   - runner: Runs the script.
  package init(of block: GoldenUpdate.Proposal, in test: PreparedTest, _ runner: GoldenRunner) {
    let sent = Set(block.mismatch.actual).subtracting(block.mismatch.expected)
    let lost = Set(block.mismatch.expected).subtracting(block.mismatch.actual)
    guard test.test.golden == nil, sent.union(lost).contains(where: \.isCallback),
      let group = test.script.groups.first(where: { $0.lines == block.lines })
    else {
      lines = []
      return
    }
    let file = test.test.file
    var bytes = Array(file.bytes[..<group.expectedOffset])
    if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    let line = SourceText(name: file.name, bytes: bytes).lineCount
    bytes += Array("explain\n".utf8)
    let asking = PreparedTest(
      GoldenTest(source: SourceText(name: file.name, bytes: bytes), lines: [line]))
    let explanation = runner.runs(of: asking).first?.blocks.last?.output ?? []
    lines = Self.rules(in: explanation, sent: sent, lost: lost)
  }

  /// Returns the explained callbacks that are in `lines`, each with its rule, and the objects
  /// without a callback whose callbacks are in the other lines.
  private static func rules(
    in explanation: [String], sent: Set<String>, lost: Set<String>
  ) -> [String] {
    let silent = Set(lost.compactMap(\.headingWithoutCallback))
    var result: [String] = []
    var isWanted = false
    for line in explanation {
      if !line.hasPrefix(" ") {
        let heading = line.split(separator: " ").prefix(5).joined(separator: " ")
        isWanted = sent.contains(line) || silent.contains(heading)
        if isWanted { result.append(line) }
      } else if isWanted, line.hasPrefix("  rule ") {
        result.append(line)
      }
    }
    return result
  }
}

extension String {
  /// Whether an output line is a callback: `books didChange object …`.
  fileprivate var isCallback: Bool {
    let words = split(separator: " ", maxSplits: 2)
    return words.count > 1
      && ["willChangeContent", "didChangeContent", "didChange"].contains(words[1])
  }

  /// The kind of change that an output line reports: `move` for `books didChange object move …`, and
  /// `section insert` for a section; nil for other lines.
  package var reportedChange: String? {
    let words = split(separator: " ", maxSplits: 4)
    guard words.count > 3, words[1] == "didChange" else { return nil }
    return words[2] == "section" ? "section \(words[3])" : String(words[3])
  }

  /// The heading under which `explain` lists an object without a callback: `books sends nothing
  /// about Book/1` for the line `books didChange object KIND Book/1 …`.
  fileprivate var headingWithoutCallback: String? {
    let words = split(separator: " ", maxSplits: 5)
    guard words.count > 4, words[1] == "didChange", words[2] == "object" else { return nil }
    return "\(words[0]) sends nothing about \(words[4])"
  }
}
