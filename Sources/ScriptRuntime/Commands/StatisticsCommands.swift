import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `stats`: what looking at objects has cost so far.
  func showStatistics() {
    let activity = session.coordinator.store.activity
    emit(
      .statistics(
        ShownStatistics(
          store: session.openStore, statements: activity.statements, rows: activity.rows,
          faults: session.coordinator.firedFaults + activity.faults,
          memory: environment.memoryInUse)))
  }

  /// `set sql on`: whether each statement of the store is printed.
  func showStatements(_ isOn: Bool) {
    session.showsStatements = isOn
    session.coordinator.store.keepsStatements = isOn
    if isOn && session.openStore == nil && awaitedStore == nil {
      emit(.note("the store in memory runs no statements"))
    }
  }

  /// Throws what a look at an object met, which could not be told at once.
  func throwReadFailure(_ range: Range<Int>) throws(ScriptError) {
    guard let error = session.coordinator.takeReadFailure() else { return }
    throw failure(.engine("\(error)"), range)
  }
}

extension Session {
  /// The statements that the store has run since the last call, if they are to
  /// be printed.
  func takeStatements(measuresTime: Bool) -> [Event] {
    guard showsStatements else { return [] }
    return coordinator.store.takeStatements().map { statement in
      .statement(ShownStatement(statement, seconds: measuresTime ? statement.seconds : 0))
    }
  }
}
