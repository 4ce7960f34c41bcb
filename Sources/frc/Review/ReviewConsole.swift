import GoldenTesting
import LineEditor

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
