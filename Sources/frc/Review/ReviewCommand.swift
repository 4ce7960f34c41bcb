import ArgumentParser
import Foundation
import GoldenTesting
import LineEditor
import Platform
import ScriptSyntax

/// `frc review PATH…`: asks about each block whose output is not as expected.
struct ReviewCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "review",
    abstract: "Go through output that is not as expected, and accept or reject it.",
    discussion: """
      frc shows each block that 'frc test --update' would rewrite, with the difference and the \
      rule for each changed callback. Press a to accept the output, r to reject it, e to edit \
      the lines in $EDITOR, or p to replace the differences by patterns. A, R and P answer for the \
      rest of the file; *a, *r and *p answer for all blocks that are left. u undoes the last \
      answer, and q quits.

      The files are written at the end, or when you quit. Until then the answers are kept in \
      .frc/review.json. If a review is interrupted, the next 'frc review' continues it.

      A review needs a terminal. Without one, use frc test with --update --dry-run, --update=new \
      or --accept FILE:LINE.
      """)

  @Argument(help: .value("path", "Scripts, FILE:LINE, or folders; those of frc.toml by default."))
  var paths: [String] = []

  @Flag(help: "Ask again about blocks that were rejected.")
  var again = false

  @OptionGroup(title: "Choosing tests") var choice: ChoiceOptions

  @OptionGroup(title: "Running tests") var options: RunOptions

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  func run(writingTo output: Output) throws {
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal else {
      output.writeError(
        "frc: error: a review needs a terminal; without one, see 'frc test --update --dry-run', "
          + "--update=new and --accept FILE:LINE")
      throw ExitCode(2)
    }
    let project = try Project.found(output)
    let settings = TestSettings(paths: paths, options, project.settings)
    let history = LastRunFile(project)
    let tests = try TestChoice(
      options: choice, settings: settings, history: history, output: output
    ).chosen().tests
    var run = TestRun(
      reporter: TestReporter(output: output, form: .silent, isLive: true),
      permissions: settings.permissions)
    run.options = settings.suite
    run.update = .accept(isDryRun: true) { $0.accepted }
    run.isIsolated = true
    let result = run.perform(tests)
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if let failure = result.startFailure {
      output.tell(startFailure: failure)
      throw ExitCode(2)
    }

    let console = ReviewConsole(
      output: output, usesColor: color.appliesTo(.standardOutput), settings)
    var session = ReviewSession(
      result.report.outcomes, file: ReviewFile(project), asksAgain: again, console: console)
    guard !session.isEmpty else {
      output.write("nothing to review: \(result.report.sums.words)")
      try? history.add(tests, result)
      if result.report.sums.failed > 0 { throw ExitCode(1) }
      return
    }
    let end = session.ask()
    guard end != .interrupted else { throw ExitCode(InterruptFlag.exitStatus ?? 130) }
    let outcomes = session.write()
    var written = result
    written.report = SuiteReport()
    for outcome in outcomes { written.report.add(outcome) }
    try? history.add(tests, written)
    let failed = outcomes.count { !$0.passed }
    if failed > 0 { throw ExitCode(1) }
  }
}

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
    let keys = Dictionary(paths.map { (Array($0.utf8), file.key($0)) }) { first, _ in first }
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
    var unwritten: Set<Int> = []
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
      if let rest = perform(update, of: outcome, &sums) {
        left.append(rest)
      } else {
        left.append(outcome)
        unwritten.formUnion(first..<next)
      }
    }
    try? file.write(review.record(onlyRejected: true, keeping: unwritten), about: scripts)
    let rejected = review.blocks.indices.count { review.answer(to: $0) == .reject }
    let open = review.blocks.count - review.answered
    console.end(sums, rejected: rejected, open: open, failed: left.count { !$0.passed })
    return left
  }

  /// Returns the remaining outcome; nil if the file cannot be written.
  private func perform(
    _ update: GoldenUpdate, of outcome: GoldenOutcome, _ sums: inout UpdateSums
  ) -> GoldenOutcome? {
    guard let path = update.file?.path else { return outcome }
    do {
      try FileReplacement.perform(update, console.permissions)
    } catch {
      console.say("\(path) is not updated: \(error.reason)")
      return nil
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
    let record = bytes.flatMap { try? JSONDecoder().decode(ReviewRecord.self, from: Data($0)) }
    guard var record else { return ReviewRecord() }
    record.encodeNames()
    return record
  }
}

/// The text that a review shows.
struct ReviewConsole {
  let output: Output
  private let text: OutcomeText
  /// The options of test runs.
  private let options: GoldenSuite.Options
  /// The permissions: what scripts may read, and what a review may write.
  let permissions: Permissions

  init(output: Output, usesColor: Bool, _ settings: TestSettings) {
    self.output = output
    options = settings.suite
    permissions = settings.permissions
    text = OutcomeText(usesColor: usesColor)
  }

  /// Shows how much there is to do.
  func begin(_ sums: UpdateSums, answered: Int) {
    output.write(sums.words)
    if answered > 0 { output.write("\(answered) answered before") }
    output.flush()
  }

  /// Shows a block: its place, its difference, and why changed callbacks were sent.
  func show(
    _ block: GoldenUpdate.Proposal, _ index: Int, of count: Int, in outcome: GoldenOutcome
  ) {
    output.write("")
    output.write("\(index + 1) of \(count)\(block.isNew ? ", new" : "")")
    let failure = outcome.failures.first {
      if case .output = $0.kind { $0.file == block.file && $0.lines == block.lines } else { false }
    }
    if let failure {
      for line in text.lines(of: failure, in: outcome) {
        output.write(painted: line, isColored: text.usesColor)
      }
    }
    let runner = GoldenRunner(
      environment: FileEnvironment(permissions: permissions, storeFolder: ScratchFolder()),
      locale: options.locale,
      stores: options.stores, timeout: options.timeout, isStopped: { InterruptFlag.isRaised })
    let explanation = BlockExplanation(of: block, in: outcome.prepared, runner)
    if !explanation.lines.isEmpty {
      output.write("why:")
      for line in explanation.lines { output.write("    " + line) }
    }
    output.flush()
  }

  /// Asks for a key.
  func prompt(_ scope: Review.Scope) {
    let words =
      switch scope {
      case .block, .file: "accept, reject, edit, pattern, undo, quit, ? "
      case .all: "all: accept, reject, pattern "
      }
    output.write(bytes: Array(words.utf8))
    output.flush()
  }

  func echo(_ key: Character) {
    // A key that prints nothing has no visible name.
    let isShown = key.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    output.write(isShown ? String(key) : "")
  }

  func say(_ words: String) {
    output.write(painted: words)
    output.flush()
  }

  func explainKeys() {
    say(
      """
      a accept    r reject    p pattern    e edit    this block
      A accept    R reject    P pattern              the rest of this file
      *a          *r          *p                     all that is left
      u undo the last answer    q quit: write what was accepted
      """)
  }

  /// Shows the results.
  func end(_ sums: UpdateSums, rejected: Int, open: Int, failed: Int) {
    var parts = ["accepted \(sums.words)"]
    if rejected > 0 { parts.append("\(rejected) rejected") }
    if open > 0 { parts.append("\(open) left for the next review") }
    output.write(parts.joined(separator: "; "))
    if failed > 0 { output.write("\(failed) \(failed == 1 ? "test fails" : "tests fail") still") }
    output.flush()
  }
}
