import FetchedResults
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
    session.note(.author(session.context.transactionAuthor))
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
      case .unrelatedSavesFire: .unrelatedSavesFire
      case .deletedRowsTrap: .deletedRowsTrap
      }
  }
}
