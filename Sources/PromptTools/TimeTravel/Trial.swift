import Platform
package import ScriptRuntime
package import ScriptSyntax

/// Runs statements in a copy of a session, to see what they would send.
///
/// The copy has no files and only a store in memory, so that nothing outside can change.
struct Trial {
  private let plan: WiredSession.Plan
  private let points: ArraySlice<SessionTimeline.Point>

  init(_ plan: WiredSession.Plan, _ points: ArraySlice<SessionTimeline.Point>) {
    self.plan = plan
    self.points = points
  }

  /// Returns what statements would send.
  ///
  /// - Parameter limit: The longest time that this thread may have a processor for it.
  /// - Returns: The events, and the error if a statement fails; nil if this takes too long.
  func outcome(of script: ParsedScript, within limit: Duration) -> TrialOutcome? {
    guard points.processorTime < limit else { return nil }
    let end = ProcessLimits.threadTime + limit
    let session = WiredSession(plan, environment: SealedEnvironment())
    let clock = session.clock
    let stopInTime = { @Sendable () -> Void in
      if ProcessLimits.threadTime > end { clock.isStopped = true }
    }
    do throws(SessionTimeline.Obstacle) {
      try session.repeatPoints(points, isInterruptible: true, onProgress: { _, _ in stopInTime() })
    } catch {
      return nil
    }
    session.isSilent = true
    clock.setOnTick(stopInTime)
    defer { clock.setOnTick(nil) }
    var events: [Event] = []
    session.onEvent = { events.append($0) }
    for statement in script.statements {
      do throws(ScriptError) {
        try session.interpreter.run(statement, in: script.source)
      } catch {
        if error.kind == .interrupted { return nil }
        return TrialOutcome(events: events, failure: error.diagnostic.message)
      }
    }
    return TrialOutcome(events: events, failure: nil)
  }
}

/// The effects that statements would have.
package struct TrialOutcome {
  package let events: [Event]
  /// The message of the error that would stop them.
  package let failure: String?

  /// The calls of delegates.
  package var callbacks: [Event] { events.filter(\.isCallback) }
}

/// An environment without files and folders.
private final class SealedEnvironment: ScriptEnvironment {
  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    throw UnreadableSource(reason: "a trial reads no files")
  }
}

extension ParsedScript {
  /// Whether the statements can be tried in a copy of a session without side effects.
  ///
  /// - Parameter points: The statements before, whose hooks and callbacks would run too.
  func isSafeToTry(after points: ArraySlice<SessionTimeline.Point>) -> Bool {
    !hasErrors && !statements.isEmpty && statements.allSatisfy(\.isSafeToTry)
      && points.allSatisfy { !$0.statement.leavesTalkativeCode }
  }

  /// Whether a statement changes something that a controller may report.
  package var changesSomething: Bool { statements.contains { !$0.traits.onlyLooks } }
}

extension Statement {
  private static let safeChanges: Set<StatementKind> = [
    .process, .refresh, .refreshAll, .merge, .batchInsert, .batchUpdate, .batchDelete, .reload,
  ]
  private static let safeBlocks: Set<StatementKind> = [.for, .if, .repeat, .try]

  /// Whether the statement has no effects outside the session.
  fileprivate var isSafeToTry: Bool {
    let areInnerSafe = inner.allSatisfy(\.isSafeToTry)
    switch traits.effect {
    case .inserts, .changesObjects, .changesMatches, .saves, .rollsBack, .resets, .undoes, .redoes,
      .fetches, .changesRequest, .suspends, .resumes, .looks:
      return areInnerSafe
    case .changes: return Self.safeChanges.contains(StatementKind(kind))
    case .runs:
      if case .perform(_, let isStepping, _) = kind { return !isStepping && areInnerSafe }
      return Self.safeBlocks.contains(StatementKind(kind)) && areInnerSafe
    case .defines:
      if case .let = kind { return true }
      return false
    case .stopsTracking: return false
    }
  }

  /// Whether the statement has left code that runs later and prints, or does more than change
  /// objects.
  ///
  /// For an included file this is unknown, and the answer is true.
  fileprivate var leavesTalkativeCode: Bool {
    traits.parts.contains { part in
      switch part {
      case .hook, .callback:
        part.statements.contains { !$0.isSafeToTry || $0.traits.effect == .looks }
      case .file: true
      case .block, .scope, .attempt: part.statements.contains(where: \.leavesTalkativeCode)
      case .value, .target, .name, .request, .clauses, .update, .insert, .predicate, .definition:
        false
      }
    }
  }
}
