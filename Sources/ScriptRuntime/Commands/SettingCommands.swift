import FetchedResults
import PredicateSyntax
import ScriptSyntax

/// Statements that change settings of the session.
struct SettingCommands: SessionCommand {
  let parts: SessionParts

  /// `set clock @2026-11-21`, `set locale ja`.
  func set(_ setting: Statement.Setting, _ value: ExpressionSyntax) throws(ScriptError) {
    switch setting {
    case .clock:
      let date = try evaluator.scalar(value)
      guard case .date(let moment) = date else {
        throw frames.failure(.needed("a date", found: date.kind), value.range)
      }
      session.clock.stand(at: moment)
    case .locale:
      session.environment.locale = try evaluator.string(value)
      if let warning = session.environment.localeWarning { warnings.warn(warning, value.range) }
    case .policy: try setPolicy(value)
    case .author: try setAuthor(value)
    case .sql: stores.showStatements(try evaluator.truth(of: value))
    case .nilRule: session.environment.isThreeValued = try evaluator.truth(of: value)
    }
  }

  /// `set policy objectTrump`: sets how a save of the enclosing context resolves a conflict with an
  /// earlier save.
  private func setPolicy(_ value: ExpressionSyntax) throws(ScriptError) {
    let word = try evaluator.string(value)
    guard let policy = MergePolicy(rawValue: word) else {
      throw frames.failure(.needed("a merge policy", found: "'\(word)'"), value.range)
    }
    session.context.mergePolicy = policy
    session.note(.policy(session.context, policy))
  }

  /// `set author "app"`: sets the author of the enclosing context's saves; nil for none.
  private func setAuthor(_ value: ExpressionSyntax) throws(ScriptError) {
    if try evaluator.scalar(value).isNull {
      session.context.transactionAuthor = nil
    } else {
      session.context.transactionAuthor = try evaluator.string(value)
    }
  }

  /// `quirk samePathMove on`: applies to all contexts and controllers, including later ones.
  func set(_ quirk: Statement.Quirk, isOn: Bool) {
    session.set(FetchedResultsQuirks(quirk), isOn: isOn)
  }
}

extension FetchedResultsQuirks {
  fileprivate init(_ quirk: Statement.Quirk) {
    self =
      switch quirk {
      case .samePathMove: .samePathMove
      case .updateAndMove: .updateAndMove
      case .sectionChangeAsUpdate: .sectionChangeAsUpdate
      case .snapshotsWithoutReloads: .snapshotsWithoutReloads
      case .unreadMergesLost: .unreadMergesLost
      case .countedSections: .countedSections
      }
  }
}

/// `evaluate PREDICATE on OBJECT`: shows the value of each part of the predicate for the object.
struct PredicateCommands: SessionCommand {
  let parts: SessionParts

  func evaluate(
    _ syntax: EmbeddedPredicate, on expression: ExpressionSyntax
  ) throws(ScriptError) {
    let object = try evaluator.object(expression)
    let predicate = try requests.predicate(syntax, on: object.entity)
    let evidence = try frames.locating(syntax.range) {
      try predicate.evidence(for: object.values, environment: session.context.environment)
    }
    events.emit(
      .evaluation(
        ShownEvaluation(
          object: object.objectID, parts: evidence.map { ShownEvaluation.Part($0, in: syntax) })))
  }
}

extension ShownEvaluation.Part {
  fileprivate init(_ evidence: PredicateEvidence, in syntax: EmbeddedPredicate) {
    depth = evidence.depth
    predicate = syntax.text(of: evidence.part)
    outcome = evidence.outcome.mapError { ShownEvaluation.Failure(message: "\($0)") }
    operands = evidence.operands.map { operand in
      ShownEvaluation.Operand(
        text: syntax.text(of: operand.expression), value: operand.value,
        collection: operand.collection)
    }
    decider = evidence.decider
  }
}

/// `swift`: prints code for an app that does the same as the script.
struct SwiftCommands: SessionCommand {
  let parts: SessionParts
  private var batches: BatchCommands { BatchCommands(parts: parts) }

  /// `swift books`, `swift Book`, `swift main`.
  func show(_ name: Name) throws(ScriptError) {
    let lines =
      switch try names.swiftSubject(name) {
      case .controller(let binding): SwiftController(binding).lines
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
      if requests.fetchedController(request) != nil { return try show(request.source) }
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
