import FetchedResults
import ScriptSyntax

/// What an update makes of a test: expectations that say what was printed, and
/// not a byte besides.
///
/// A block is accepted that ran to its end and printed the same each time and
/// on each store, and whose callbacks keep the replay law. What else failed
/// goes on failing. Where a failure is expected, nothing is accepted: it would
/// be one no more.
package struct GoldenUpdate: Sendable {
  /// Output that could be expected from now on.
  package struct Proposal: Hashable, Sendable {
    /// The file that would change: the script, a Markdown file, or a golden file.
    package let file: String
    /// The lines of the block; with a golden file, the first line that differs.
    package let lines: ClosedRange<Int>
    package let mismatch: OutputMismatch
    /// The lines to expect: the output, with the patterns that still fit.
    package let accepted: [String]

    /// Whether nothing was expected before.
    package var isNew: Bool { mismatch.expected.isEmpty }
  }

  /// The file to write and its new bytes; nil if nothing changes.
  package private(set) var file: (path: String, bytes: [UInt8])?
  /// The bytes that the file must still have.
  package let original: [UInt8]
  /// What is left of the outcome.
  package private(set) var outcome: GoldenOutcome
  /// What was accepted, in the order of the file.
  package private(set) var accepted: [Proposal] = []

  /// Makes an update of the blocks that are accepted.
  ///
  /// - Parameter choose: Returns the lines to expect of a block, or nil to leave
  ///   it as it is.
  /// - Complexity: O(*n*), where *n* is the length of the script and its
  ///   output.
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

  /// Accepts the whole output, or nothing.
  private mutating func rewriteAll(_ golden: SourceText, _ choose: (Proposal) -> [String]?) {
    guard outcome.failures.count == 1, case .output(let mismatch) = outcome.failures[0].kind else {
      return
    }
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

  /// Places in the script are places in its file.
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
      // What was apart from the statement is expected under it now.
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
  /// How the output of blocks differs, by their lines; of those that fail in
  /// nothing else, and alike on all stores.
  fileprivate var acceptableMismatches: [ClosedRange<Int>: OutputMismatch] {
    let failures = failures.filter { $0.file == source.name && !$0.isStray }
    return Dictionary(grouping: failures, by: \.lines).compactMapValues { failures in
      // What someone predicted stays what it was.
      guard failures.count == 1, failures[0].store == nil, failures[0].reasons == nil,
        case .output(let mismatch) = failures[0].kind
      else { return nil }
      return mismatch
    }
  }

  /// Takes failures out that an update mends.
  fileprivate mutating func accept(_ isAccepted: (GoldenFailure) -> Bool) {
    failures.removeAll {
      if case .output = $0.kind { isAccepted($0) } else { $0.isStray && isAccepted($0) }
    }
    if failures.isEmpty { verdict = .passed }
  }

  /// Adds why the update was not written, with the failures that it would have
  /// mended.
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
