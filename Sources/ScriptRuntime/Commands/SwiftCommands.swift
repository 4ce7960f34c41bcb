import FetchedResults
import ScriptSyntax

/// `swift`: prints code for an app that does the same as the script.
struct SwiftCommands: SessionCommand {
  let parts: SessionParts
  private var batches: BatchCommands { BatchCommands(parts: parts) }

  /// `swift books`, `swift Book`, `swift main`.
  func show(_ name: Name) throws(ScriptError) {
    let lines =
      switch try names.swiftSubject(name) {
      case .controller(let binding):
        if let observer = binding.observer {
          SwiftObserver(binding.name, of: observer).lines
        } else {
          SwiftController(binding).lines
        }
      case .history(let binding): SwiftObserver(binding).lines
      case .context(let name): SwiftContext(name: name).lines
      case .entity(let entity):
        SwiftEntity(entity: entity, hooks: session.hooks[entity.name] ?? []).lines
      }
    show(lines, of: name.text)
  }

  /// `swift batch delete Book where …`: prints code for the statement, which does not run.
  func show(_ statement: CodedStatement) throws(ScriptError) {
    let text = frames.source.formattedText(in: statement.range)
    switch statement.action {
    case .batch(let batch):
      let request = try batches.request(batch, statement.range)
      show(SwiftBatch(request: request, statement: text).lines, of: statement.words)
    case .fetch(let request):
      if requests.lookup.fetchedController(request) != nil { return try show(request.source) }
      try show(request, isCount: false, statement, text)
    case .count(let request): try show(request, isCount: true, statement, text)
    case .merge(let source, into: let target):
      try names.context(target)
      let lines =
        switch try names.mergeSource(source) {
        case .batch: SwiftStatement.batchMerge(text)
        case .context: SwiftStatement.saves(text)
        }
      show(lines, of: statement.words)
    case .mergeHistory(by: let author, into: let target):
      try names.context(target)
      show(
        SwiftStatement.history(text, by: try string(author), isMerged: true), of: statement.words)
    case .history(by: let author, after: _):
      show(
        SwiftStatement.history(text, by: try string(author), isMerged: false), of: statement.words)
    case .deleteHistory: show(SwiftStatement.historyDeletion(text), of: statement.words)
    case .obtainIDs(let objects):
      show(SwiftStatement.permanentIDs(text, ofSome: objects != nil), of: statement.words)
    }
  }

  private func show(
    _ request: RequestSyntax, isCount: Bool, _ statement: CodedStatement, _ text: String
  ) throws(ScriptError) {
    let request = try requests.resolve(request).request
    show(SwiftFetch(request: request, isCount: isCount, statement: text).lines, of: statement.words)
  }

  private func string(_ value: ExpressionSyntax?) throws(ScriptError) -> String? {
    guard let value else { return nil }
    return try evaluator.string(value)
  }

  private func show(_ lines: [String], of name: String) {
    events.emit(.swift(name: name, text: lines.joined(separator: "\n")))
  }
}
