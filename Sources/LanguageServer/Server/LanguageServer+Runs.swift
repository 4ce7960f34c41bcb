import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// A command of a code lens.
enum ScriptCommand: String, CaseIterable {
  case runTest = "frc.runTest"
  case explain = "frc.explainStatement"
  case play = "frc.playAsPage"

  var title: String {
    switch self {
    case .runTest: "run test"
    case .explain: "explain this statement"
    case .play: "play as page"
    }
  }
}

/// Runs in the background, and what their results show.
extension LanguageServer {
  /// Starts a run of a document, unless it has errors, or includes a file that is not saved.
  ///
  /// A run reads included files from the disk.
  ///
  /// - Returns: Whether it was started.
  @discardableResult
  func startRun(of document: Document, pause: Int) -> Bool {
    let analysis = analysis(of: document)
    guard !analysis.script.hasErrors, !analysis.script.statements.isEmpty,
      analysis.files.unsaved == nil
    else { return false }
    cancelRun(of: document)
    let test = host.test(of: analysis.file)
    let explained = LiveResults.explained(test).map(PreparedTest.init)
    if client.showsProgress {
      let token = progress.token()
      let id = request("window/workDoneProgress/create", ProgressCreateParams(token: token))
      let name = document.path.split(separator: "/").last.map(String.init) ?? document.path
      progress.began(document.uri, token, title: "frc runs \(name)", asking: id)
    }
    host.startRun(
      RunRequest(
        uri: document.uri, version: document.generation, test: PreparedTest(test),
        explained: explained, pause: max(0, pause)))
    return true
  }

  /// The callbacks of each block, at the end of its last line.
  func hints(_ params: RangeParams) throws -> [InlayHint]? {
    let document = try document(params.textDocument)
    guard let live = document.live else { return [] }
    let wanted = document.text.range(of: params.range)
    let source = analysis(of: document).source
    return live.callbacks.compactMap { block in
      let end = source.range(ofLine: block.group.lines.upperBound).upperBound
      guard wanted.lowerBound <= end, end <= wanted.upperBound else { return nil }
      return InlayHint(position: document.text.position(of: end), label: block.words)
    }
  }

  /// Accepts one block, one block as a pattern, or all: the answers of `frc review`.
  func acceptances(in document: Document, _ wanted: Range<Int>) -> [CodeAction] {
    guard let live = document.live else { return [] }
    let proposals = live.proposals
    let source = analysis(of: document).source
    var actions: [CodeAction] = []
    for proposal in proposals where Self.touches(proposal, wanted, source) {
      add("accept the output", to: &actions, in: document, live) { other in
        other.lines == proposal.lines ? other.accepted : nil
      }
      guard let patterns = proposal.patterns else { continue }
      add("accept the output as a pattern", to: &actions, in: document, live) { other in
        other.lines == proposal.lines ? patterns : nil
      }
    }
    if proposals.count > 1 {
      add("accept all output", to: &actions, in: document, live) { $0.accepted }
    }
    return actions
  }

  /// Whether a range touches the lines of a block or of its expected output.
  private static func touches(
    _ proposal: GoldenUpdate.Proposal, _ wanted: Range<Int>, _ source: SourceText
  ) -> Bool {
    let last = min(
      proposal.lines.upperBound + proposal.mismatch.expected.count, source.lineCount)
    let lines = proposal.lines.lowerBound...max(proposal.lines.lowerBound, last)
    return lines.overlaps(
      source.line(of: wanted.lowerBound)...source.line(of: wanted.upperBound))
  }

  private func add(
    _ title: String, to actions: inout [CodeAction], in document: Document, _ live: LiveResults,
    _ choose: (GoldenUpdate.Proposal) -> [String]?
  ) {
    guard let bytes = live.accepted(choose) else { return }
    let edit = document.text.edit(to: bytes)
    actions.append(
      CodeAction(
        title: title, kind: "quickfix", edit: WorkspaceEdit(changes: [document.uri: [edit]])))
  }

  // MARK: Commands

  func lenses(_ params: DocumentParams) throws -> [CodeLens]? {
    let document = try document(params.textDocument)
    let script = analysis(of: document).script
    guard !script.statements.isEmpty else { return [] }
    let top = TextRange(
      start: Position(line: 0, character: 0), end: Position(line: 0, character: 0))
    var lenses = [ScriptCommand.runTest, .play].map { lens($0, top, document, line: nil) }
    for block in document.live?.callbacks ?? [] {
      let line = block.group.lines.lowerBound
      let range = document.text.range(of: script.source.range(ofLine: line))
      lenses.append(lens(.explain, range, document, line: line))
    }
    return lenses
  }

  private func lens(
    _ command: ScriptCommand, _ range: TextRange, _ document: Document, line: Int?
  ) -> CodeLens {
    CodeLens(
      range: range,
      command: Command(
        title: command.title, command: command.rawValue,
        arguments: [.init(uri: document.uri, line: line)]))
  }

  func execute(_ params: ExecuteParams) throws -> Nothing? {
    guard let command = ScriptCommand(rawValue: params.command) else {
      throw ResponseError(.invalidParams, "unknown command '\(params.command)'")
    }
    guard let argument = params.arguments?.first else {
      throw ResponseError(.invalidParams, "'\(params.command)' needs the URI of a document")
    }
    let document = try document(DocumentID(uri: argument.uri))
    switch command {
    case .runTest:
      guard startRun(of: document, pause: 0) else {
        try refuse(unsaved: analysis(of: document).files.unsaved)
        throw ResponseError(.requestFailed, "the script has errors; fix them first")
      }
      document.needsRun = false
      awaitedRuns.insert(document.uri)
    case .explain:
      let lines = document.live?.explanation(ofBlockAt: argument.line ?? 1)
      guard let lines, !lines.isEmpty else {
        throw ResponseError(
          .requestFailed, "nothing is known of this statement yet; wait until the script has run")
      }
      show(lines.joined(separator: "\n"), type: 3)
    case .play:
      try refuse(unsaved: unsavedFile(of: document))
      host.startPage(of: document.uri, path: document.path)
    }
    return nil
  }

  /// Returns the first of a document and its included files whose text is not as on the disk.
  private func unsavedFile(of document: Document) -> String? {
    let analysis = analysis(of: document)
    let saved = try? host.environment(ofScriptAt: document.path).source(
      at: document.path, from: document.path)
    guard let saved, analysis.file.hasLines(of: saved) else { return document.path }
    return analysis.files.unsaved
  }

  private func refuse(unsaved file: String?) throws(ResponseError) {
    guard let file else { return }
    throw ResponseError(.requestFailed, "'\(file)' is not saved; save it first")
  }

  /// Takes the result of ``ServerHost/startPage(of:path:)`` and shows it.
  package func take(page result: PageResult) {
    switch result.page {
    case .success(let path) where client.showsDocuments:
      request(
        "window/showDocument", ShowDocumentParams(uri: Document.uri(of: path), external: true))
    case .success(let path): show("the page is \(path)", type: 3)
    case .failure(let error): show("the page cannot be written: \(error.reason)", type: 1)
    }
  }

  /// Tells the user how a test ended that was asked for.
  func show(verdictOf outcome: GoldenOutcome) {
    switch outcome.verdict {
    case .passed: show("the test passes", type: 3)
    case .skipped(let reason): show("the test is skipped: \(reason)", type: 3)
    case .expectedFailure(let reason): show("the test fails as expected: \(reason)", type: 3)
    case .failed:
      let words = outcome.failures.map {
        $0.isOfWholeScript ? "\($0)" : "line \($0.lines.lowerBound): \($0)"
      }
      show("the test fails\n" + words.joined(separator: "\n"), type: 1)
    }
  }

  func show(_ message: String, type: Int) {
    notify("window/showMessage", ShowMessageParams(type: type, message: message))
  }
}

extension DocumentText {
  /// Returns the edit of whole lines that makes another text of this one.
  func edit(to other: [UInt8]) -> TextEdit {
    var start = zip(bytes, other).prefix { $0 == $1 }.count
    while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    var end = 0
    let most = min(bytes.count, other.count) - start
    while end < most, bytes[bytes.count - 1 - end] == other[other.count - 1 - end] { end += 1 }
    // The equal end begins with a line, in both texts.
    while end > 0, !bytes.isLineStart(bytes.count - end) || !other.isLineStart(other.count - end) {
      end -= 1
    }
    return TextEdit(
      range: range(of: start..<(bytes.count - end)),
      newText: String(decoding: other[start..<(other.count - end)], as: UTF8.self))
  }
}

extension [UInt8] {
  fileprivate func isLineStart(_ offset: Int) -> Bool {
    offset == 0 || self[offset - 1] == UInt8(ascii: "\n")
  }
}
