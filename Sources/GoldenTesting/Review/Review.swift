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
