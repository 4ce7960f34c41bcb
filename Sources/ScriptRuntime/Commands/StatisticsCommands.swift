import FetchedResults

/// `stats`: prints what reading objects has cost so far.
struct StatisticsCommands {
  let session: Session
  let environment: any ScriptEnvironment
  let events: EventEmitter

  func show() {
    let activity = session.coordinator.sqlStore?.activity ?? StoreActivity()
    events.emit(
      .statistics(
        ShownStatistics(
          store: session.openStore, statements: activity.statements, rows: activity.rows,
          faults: session.coordinator.firedFaults + activity.faults,
          memory: environment.memoryInUse)))
  }
}
