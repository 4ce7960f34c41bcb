import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// The findings of a script and the failures of its last run, as the protocol's diagnostics.
struct DiagnosticItems {
  let document: Document
  let analysis: Analysis

  /// A diagnostic with the edit that removes the problem.
  struct Fixable {
    let item: DiagnosticItem
    let title: String
    let edit: TextEdit
  }

  private var text: DocumentText { document.text }

  var items: [DiagnosticItem] {
    // The lines of an included file are found once.
    var others: [String: DocumentText] = [:]
    let items = analysis.parts.flatMap { part in
      part.findings.map { item(of: $0, in: part, &others) }
    }
    return items + failures
  }

  /// - Parameter others: The texts of included files that are known, by name.
  private func item(
    of finding: Finding, in part: Analysis.Part, _ others: inout [String: DocumentText]
  ) -> DiagnosticItem {
    let severity = finding.diagnostic.severity == .error ? 1 : 2
    guard finding.source.name != analysis.source.name else {
      return DiagnosticItem(
        range: text.range(of: clamped(finding.diagnostic.range)), severity: severity,
        source: "frc", message: finding.diagnostic.message)
    }
    // The problem is in an included file: it is shown where that file is included.
    let place = finding.source.position(of: finding.diagnostic.range.lowerBound)
    let name = finding.source.name
    let other = others[name] ?? DocumentText(finding.source, encoding: text.encoding)
    others[name] = other
    let related = DiagnosticItem.Related(
      location: Location(
        uri: Document.uri(of: name),
        range: other.range(of: finding.diagnostic.range)),
      message: finding.diagnostic.message)
    return DiagnosticItem(
      range: text.range(of: include(in: part)), severity: severity, source: "frc",
      message: "\(name):\(place): \(finding.diagnostic.message)",
      relatedInformation: [related])
  }

  /// Returns the range of the first `include`; the start of the text if there is none.
  private func include(in part: Analysis.Part) -> Range<Int> {
    let include = part.script.statements.first { statement in
      if case .include = statement.kind { true } else { false }
    }
    guard let range = include?.range else { return 0..<0 }
    return (range.lowerBound + part.start)..<(range.upperBound + part.start)
  }

  private func clamped(_ range: Range<Int>) -> Range<Int> {
    range.clamped(to: 0..<text.bytes.count)
  }

  /// The problems with a fix: those of `frc check`, such as `did you mean`.
  var fixable: [Fixable] {
    var others: [String: DocumentText] = [:]
    return analysis.parts.flatMap { part in
      part.findings.compactMap { finding -> Fixable? in
        guard finding.source.name == analysis.source.name, let title = finding.fixTitle,
          let replacement = finding.diagnostic.replacement
        else { return nil }
        let item = item(of: finding, in: part, &others)
        return Fixable(
          item: item, title: title, edit: TextEdit(range: item.range, newText: replacement))
      }
    }
  }

  // MARK: Results

  /// What failed in the last run, without errors that are shown already.
  private var failures: [DiagnosticItem] {
    guard let outcome = document.live?.outcome, outcome.verdict == .failed else { return [] }
    return outcome.failures.compactMap { failure in
      switch failure.kind {
      case .diagnostic, .conflictMarker, .empty, .update: return nil
      case .uncaught(let error) where isFound(error): return nil
      case .output, .strayExpectation, .replay, .uncaught, .timedOut, .exceeded, .crashed,
        .unreached, .unstable, .missingGolden, .unexpectedPass:
        return item(of: failure)
      }
    }
  }

  /// Whether the check of the script has found the error, too.
  private func isFound(_ error: GoldenRun.UncaughtError) -> Bool {
    analysis.findings.contains { finding in
      finding.source.name == error.source.name
        && finding.diagnostic.message == error.diagnostic.message
        && finding.diagnostic.range == error.diagnostic.range
    }
  }

  private func item(of failure: GoldenFailure) -> DiagnosticItem {
    var range = range(of: failure)
    var message = failure.description
    if case .output(let mismatch) = failure.kind {
      let lines = DiffRenderer(mostLines: 20).lines(of: OutputDiff(mismatch))
      message += "\n" + lines.joined(separator: "\n")
    }
    if case .uncaught(let error) = failure.kind, error.source.name == analysis.source.name {
      range = clamped(error.diagnostic.range)
    }
    return DiagnosticItem(
      range: text.range(of: range), severity: failure.isOfOutput ? 2 : 1, code: failure.code,
      source: "frc test", message: message)
  }

  /// Returns the statements of the failed block.
  private func range(of failure: GoldenFailure) -> Range<Int> {
    guard failure.file == analysis.source.name else { return 0..<0 }
    let source = analysis.source
    let first = source.range(ofLine: failure.lines.lowerBound)
    let last = source.range(ofLine: failure.lines.upperBound)
    return first.lowerBound..<max(first.upperBound, last.upperBound)
  }
}

extension GoldenFailure {
  fileprivate var isOfOutput: Bool {
    if case .output = kind { true } else { false }
  }
}
