/// A review of what an update would change: each block gets an answer.
///
/// A value; nothing is asked, shown or written here.
package struct Review: Sendable {
  /// What is said about a block.
  package enum Answer: Hashable, Sendable {
    /// These lines are expected from now on.
    case accept([String])
    /// The block stays as it is.
    case reject
  }

  /// What may be said of several blocks at once.
  package enum Choice: Hashable, Sendable {
    case accept
    case reject
    /// The output, with patterns for what differs.
    case pattern
  }

  /// Which blocks an answer is for.
  package enum Scope: Hashable, Sendable {
    /// The block that is asked about.
    case block
    /// That block, and those of its file that have no answer.
    case file
    /// All blocks that have no answer.
    case all
  }

  /// The blocks, those of a file together, in order.
  package let blocks: [GoldenUpdate.Proposal]
  private var answers: [Int: Answer] = [:]
  /// The blocks that were answered together, the last ones at the end.
  private var steps: [[Int]] = []

  package init(_ blocks: [GoldenUpdate.Proposal]) { self.blocks = blocks }

  /// The block to ask about; nil if each has an answer.
  package var current: Int? { blocks.indices.first { answers[$0] == nil } }

  /// How many blocks have an answer.
  package var answered: Int { answers.count }

  /// What was said about a block.
  package func answer(to index: Int) -> Answer? { answers[index] }

  /// Answers for the current block, or more.
  ///
  /// - Returns: Whether any block has a new answer. A pattern cannot be made of
  ///   every block; those are left.
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
  /// - Returns: Whether they fit its output; if not, nothing is accepted.
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

  /// Takes the last answer back, for all blocks for which it was given.
  ///
  /// - Returns: Whether there was one.
  package mutating func undo() -> Bool {
    guard let last = steps.popLast() else { return false }
    for index in last { answers[index] = nil }
    return true
  }
}

// MARK: - Resuming

/// The answers of a review, as a file keeps them until the next one.
package struct ReviewRecord: Codable, Hashable, Sendable {
  private struct Entry: Codable, Hashable {
    let file: String
    let expected: [String]
    let actual: [String]
    /// The lines that were accepted; nil if the block was rejected.
    let lines: [String]?
    /// A number for the answers that were given together.
    let step: Int
  }

  private var version = 1
  private var entries: [Entry] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }
}

extension Review {
  /// The answers so far.
  ///
  /// - Parameter onlyRejected: Whether those are left out whose lines are written.
  package func record(onlyRejected: Bool) -> ReviewRecord {
    var record = ReviewRecord()
    for (step, indices) in steps.enumerated() {
      for index in indices { record.add(blocks[index], answers[index], step, onlyRejected) }
    }
    return record
  }

  /// Takes answers that were given to the same blocks in an earlier review.
  ///
  /// A block is the same if it expects and prints the same; of several such blocks
  /// of a file the first ones are.
  ///
  /// - Parameter withRejected: Whether blocks that were rejected stay so.
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
