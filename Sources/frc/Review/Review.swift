import Basics
import GoldenTesting
import ScriptSyntax

/// A review of what an update would change, with an answer for each block.
///
/// This is a value: it does no input or output and writes no files.
struct Review: Sendable {
  /// The answer for a block.
  enum Answer: Hashable, Sendable {
    /// These lines become the expected output.
    case accept([String])
    /// The block is not changed.
    case reject
  }

  /// A choice that can apply to several blocks at once.
  enum Choice: Hashable, Sendable {
    case accept
    case reject
    /// Accepts the output, with patterns for what differs.
    case pattern
  }

  /// The blocks that an answer applies to.
  enum Scope: Hashable, Sendable {
    /// The current block.
    case block
    /// The current block, and those of its file without an answer.
    case file
    /// All blocks without an answer.
    case all
  }

  /// The blocks in order; those of a file are together.
  let blocks: [GoldenUpdate.Proposal]
  /// The names that a record has for files, by the bytes of the paths as they were typed.
  private let keys: [[UInt8]: String]
  private var answers: [Int: Answer] = [:]
  /// The indices of blocks that were answered together, the last ones at the end.
  private var steps: [[Int]] = []

  init(_ blocks: [GoldenUpdate.Proposal], keys: [[UInt8]: String] = [:]) {
    self.blocks = blocks
    self.keys = keys
  }

  /// Returns the name that a record has for the file of a block.
  private func key(_ block: GoldenUpdate.Proposal) -> String {
    keys[Array(block.file.utf8)] ?? block.file
  }

  /// The index of the block to ask about; nil if all have an answer.
  var current: Int? { blocks.indices.first { answers[$0] == nil } }

  /// The number of blocks with an answer.
  var answered: Int { answers.count }

  /// Returns the answer for a block; nil if it has none.
  func answer(to index: Int) -> Answer? { answers[index] }

  /// Answers for the current block, or for more.
  ///
  /// - Returns: Whether any block got an answer. Blocks for which no pattern can be made are left
  ///   out.
  mutating func answer(_ choice: Choice, _ scope: Scope = .block) -> Bool {
    guard let current else { return false }
    let chosen: [(Int, Answer)] = blocks.indices.filter { index in
      guard answers[index] == nil else { return false }
      return switch scope {
      case .block: index == current
      case .file: key(blocks[index]) == key(blocks[current])
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
  mutating func accept(_ lines: [String]) -> Bool {
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
  mutating func undo() -> Bool {
    guard let last = steps.popLast() else { return false }
    for index in last { answers[index] = nil }
    return true
  }
}

// MARK: - Resuming

/// The answers of an interrupted review, as a file keeps them until the next one.
struct ReviewRecord: Codable, Hashable, Sendable {
  private struct Entry: Codable, Hashable {
    var file: String
    let expected: [String]
    let actual: [String]
    /// The accepted lines; nil if the block was rejected.
    let lines: [String]?
    /// A number that answers given together share.
    let step: Int
  }

  private var version = 1
  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Encodes the names that an earlier version wrote without encoding.
  mutating func encodeNames() {
    for index in entries.indices { entries[index].file = entries[index].file.encodedInRecords }
  }

  /// Returns the answers with those for some scripts replaced by the ones of another record.
  func replacing(answersFor files: Set<String>, by other: ReviewRecord) -> ReviewRecord {
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
  /// - Parameters:
  ///   - onlyRejected: Whether accepted answers are left out, because they are already written.
  ///   - unwritten: The indices of blocks whose accepted answers could not be written.
  func record(onlyRejected: Bool, keeping unwritten: Set<Int> = []) -> ReviewRecord {
    var record = ReviewRecord()
    for (step, indices) in steps.enumerated() {
      for index in indices {
        let block = blocks[index]
        let isWritten = onlyRejected && !unwritten.contains(index)
        record.add(block, key(block), answers[index], step, isWritten)
      }
    }
    return record
  }

  /// Restores the answers that the same blocks got in an earlier review.
  ///
  /// A block is the same if it has the same expected and actual output. If a file has several such
  /// blocks, the first ones get the answers.
  ///
  /// - Parameter withRejected: Whether rejected blocks stay rejected.
  mutating func resume(_ record: ReviewRecord, withRejected: Bool = true) {
    var found: [Int: [(Int, Answer)]] = [:]
    var taken: Set<Int> = []
    for (step, file, expected, actual, answer) in record.answers
    where withRejected || answer != .reject {
      let index = blocks.indices.first { index in
        let block = blocks[index]
        return !taken.contains(index) && key(block) == file
          && block.mismatch.expected == expected && block.mismatch.actual == actual
      }
      guard let index else { continue }
      taken.insert(index)
      found[step, default: []].append((index, answer))
    }
    for (_, chosen) in found.ordered(by: { $0.key < $1.key }) { _ = note(chosen) }
  }
}

extension ReviewRecord {
  fileprivate mutating func add(
    _ block: GoldenUpdate.Proposal, _ file: String, _ answer: Review.Answer?, _ step: Int,
    _ isWritten: Bool
  ) {
    let lines: [String]?
    switch answer {
    case nil: return
    case .accept(let accepted):
      if isWritten { return }
      lines = accepted
    case .reject: lines = nil
    }
    entries.append(
      Entry(
        file: file, expected: block.mismatch.expected, actual: block.mismatch.actual,
        lines: lines, step: step))
  }

  fileprivate var answers: [(Int, String, [String], [String], Review.Answer)] {
    entries.map { entry in
      let answer = entry.lines.map(Review.Answer.accept) ?? .reject
      return (entry.step, entry.file, entry.expected, entry.actual, answer)
    }
  }
}

/// The reasons why changed callbacks of a block are sent, or no longer sent.
struct BlockExplanation: Sendable {
  /// The lines: each changed callback with the rule that sent it, and each object that lost its
  /// callback with the reason.
  let lines: [String]

  /// Runs a test up to a block and collects the reasons.
  ///
  /// - Parameters:
  ///   - block: The block. If none of its callbacks changed, nothing is run.
  ///   - runner: Runs the script.
  init(of block: GoldenUpdate.Proposal, in test: PreparedTest, _ runner: GoldenRunner) {
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

  /// The heading under which `explain` lists an object without a callback: `books sends nothing
  /// about Book/1` for the line `books didChange object KIND Book/1 …`.
  fileprivate var headingWithoutCallback: String? {
    let words = split(separator: " ", maxSplits: 5)
    guard words.count > 4, words[1] == "didChange", words[2] == "object" else { return nil }
    return "\(words[0]) sends nothing about \(words[4])"
  }
}
