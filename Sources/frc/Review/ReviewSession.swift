import Foundation
import GoldenTesting
import LineEditor
import Platform
import ScriptSyntax

/// A review at a terminal: asks, saves the answers, and writes the files at the end.
struct ReviewSession {
  /// The ways in which asking can end.
  enum End {
    case finished
    case interrupted
  }

  private let outcomes: [GoldenOutcome]
  /// For each block, the index of its outcome.
  private let owners: [Int]
  private var review: Review
  private let file: ReviewFile
  /// The names of the reviewed scripts, and of their golden files, in the file of answers.
  private let scripts: Set<String>
  private let console: ReviewConsole
  /// When the answers are next kept.
  private var keepsFrom = ContinuousClock.now

  init(_ outcomes: [GoldenOutcome], file: ReviewFile, asksAgain: Bool, console: ReviewConsole) {
    var blocks: [GoldenUpdate.Proposal] = []
    var owners: [Int] = []
    for (index, outcome) in outcomes.enumerated() {
      for block in GoldenUpdate(outcome).accepted {
        blocks.append(block)
        owners.append(index)
      }
    }
    self.outcomes = outcomes
    self.owners = owners
    self.file = file
    let paths = outcomes.flatMap { [$0.source.name, GoldenTest.goldenPath(of: $0.source.name)] }
    let keys = Dictionary(paths.map { ($0, file.key($0)) }) { first, _ in first }
    scripts = Set(keys.values)
    self.console = console
    review = Review(blocks, keys: keys)
    review.resume(file.read(), withRejected: !asksAgain)
  }

  /// Whether there is nothing to ask.
  var isEmpty: Bool { review.blocks.isEmpty }

  // MARK: Asking

  /// Asks about each block without an answer.
  mutating func ask() -> End {
    var sums = UpdateSums()
    sums.add(review.blocks)
    console.begin(sums, answered: review.answered)
    while let index = review.current {
      let outcome = outcomes[owners[index]]
      console.show(review.blocks[index], index, of: review.blocks.count, in: outcome)
      switch answer(review.blocks[index]) {
      case .answered: keep()
      case .quit:
        keep(isLast: true)
        return .finished
      case .interrupted:
        keep(isLast: true)
        console.say("interrupted; nothing is written, and 'frc review' continues from here")
        return .interrupted
      }
    }
    return .finished
  }

  private enum Step {
    case answered
    case quit
    case interrupted
  }

  /// Reads keys until one of them is an answer.
  private mutating func answer(_ block: GoldenUpdate.Proposal) -> Step {
    var scope = Review.Scope.block
    while true {
      console.prompt(scope)
      let key: Character
      switch SingleKey.read(from: .standardInput) {
      // A closed terminal is not an answer, so nothing is written.
      case .interrupted, .closed: return .interrupted
      case .end: return .quit
      case .character(let character): key = character
      }
      let wasAll = scope == .all
      scope = .block
      console.echo(key)
      switch key {
      case "*": scope = .all
      case "q": return .quit
      case "u":
        if review.undo() { return .answered }
        console.say("there is no answer to take back")
      case "e":
        if edit(block) { return .answered }
      case "a", "A", "r", "R", "p", "P":
        if choose(key, isAll: wasAll) { return .answered }
        console.say("no pattern can be made of this: nothing in it looks as if it varies")
      default: console.explainKeys()
      }
    }
  }

  private mutating func choose(_ key: Character, isAll: Bool) -> Bool {
    let scope: Review.Scope = isAll ? .all : key.isUppercase ? .file : .block
    return switch key.lowercased() {
    case "a": review.answer(.accept, scope)
    case "r": review.answer(.reject, scope)
    default: review.answer(.pattern, scope)
    }
  }

  private mutating func edit(_ block: GoldenUpdate.Proposal) -> Bool {
    do {
      let text = try ExternalEditor.edit(block.accepted.joined(separator: "\n"))
      let lines = text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false)
      if review.accept(lines.map(String.init)) { return true }
      console.say("these lines do not fit the output, so the block stays as it is")
    } catch {
      console.say("\(error)")
    }
    return false
  }

  /// Keeps all answers, unless that was just done: keeping each of *n* quick answers would write
  /// *n*² of them.
  private mutating func keep(isLast: Bool = false) {
    let start = ContinuousClock.now
    guard isLast || start >= keepsFrom else { return }
    defer { keepsFrom = ContinuousClock.now.advanced(by: start.duration(to: .now) * 20) }
    do {
      try file.write(review.record(onlyRejected: false), about: scripts)
    } catch {
      console.say("the answers cannot be kept: \(error.reason)")
    }
  }

  // MARK: Writing

  /// Writes the accepted lines, and returns the remaining outcomes.
  func write() -> [GoldenOutcome] {
    var left: [GoldenOutcome] = []
    var sums = UpdateSums()
    var next = 0
    for (index, outcome) in outcomes.enumerated() {
      let first = next
      while next < owners.count, owners[next] == index { next += 1 }
      let answers = (first..<next).map { review.answer(to: $0) }
      var asked = 0
      let update = GoldenUpdate(outcome) { _ in
        defer { asked += 1 }
        guard asked < answers.count, case .accept(let lines) = answers[asked] else { return nil }
        return lines
      }
      left.append(perform(update, of: outcome, &sums))
    }
    try? file.write(review.record(onlyRejected: true), about: scripts)
    let rejected = review.blocks.indices.count { review.answer(to: $0) == .reject }
    let open = review.blocks.count - review.answered
    console.end(sums, rejected: rejected, open: open, failed: left.count { !$0.passed })
    return left
  }

  private func perform(
    _ update: GoldenUpdate, of outcome: GoldenOutcome, _ sums: inout UpdateSums
  ) -> GoldenOutcome {
    guard let path = update.file?.path else { return outcome }
    do {
      try FileReplacement.perform(update, console.permissions)
    } catch {
      console.say("\(path) is not updated: \(error.reason)")
      return outcome
    }
    console.say("updated \(path)")
    sums.add(update.accepted)
    return update.outcome
  }
}

/// The file `.frc/review.json` in the project's folder, with the answers of an unfinished review
/// and the rejected blocks.
struct ReviewFile {
  private static let name = "review.json"
  private let records: ProjectRecords

  init(_ project: Project) { records = ProjectRecords(project) }

  /// Returns the name of a script in the file, whatever folder it was typed in.
  func key(_ script: String) -> String { records.key(script) }

  /// Returns the contents of the file; empty if there is no file, or if it is damaged.
  func read() -> ReviewRecord {
    Self.record(records.read(Self.name))
  }

  /// Saves the answers of a review.
  ///
  /// The answers for scripts of other reviews stay as they are in the file now. If there are no
  /// answers, the file is removed.
  ///
  /// - Parameter files: The names of the scripts of this review.
  func write(_ record: ReviewRecord, about files: Set<String>) throws(UnwritableFile) {
    try records.change(Self.name) { old in
      let all = Self.record(old).replacing(answersFor: files, by: record)
      return all.isEmpty ? nil : (try? JSONEncoder().encode(all)).map(Array.init) ?? old
    }
  }

  private static func record(_ bytes: [UInt8]?) -> ReviewRecord {
    bytes.flatMap { try? JSONDecoder().decode(ReviewRecord.self, from: Data($0)) }
      ?? ReviewRecord()
  }
}
