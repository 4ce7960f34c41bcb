import FetchedResults
import NaiveModel
package import ScriptRuntime
package import ScriptSyntax

/// A run of a script's statements on one store, which checks the laws after each statement.
///
/// The laws are:
/// - The replay law: applying the callbacks to the old sections gives the new ones.
/// - A naive model, which reads every row, expects the same callbacks and sections.
/// - No two saved objects have the same unique values, and derived attributes fit the saved values.
/// - There is no error except those that `try` catches.
///
/// The naive model knows one context and no quirk. It is left out if a script has several contexts
/// or had a quirk. If another process changed the store, results are compared with a fresh fetch
/// after each merge of its history.
package final class TrialRun {
  /// The largest number of statements and repetitions in a script.
  package static let stepLimit = 200_000

  private let interpreter: Interpreter
  private let limit: TrialLimit
  private var controllers: [NaiveController] = []
  private var observer: BatchObserver?
  private let record: Record
  /// The store's generation when its rows were last looked at.
  private var generation = 0
  /// Whether the controllers have done nothing so far that only older versions did.
  private var obeysRules = true

  /// Whether another process may have changed the store.
  private var hasOtherProcess = false
  /// Whether the last statement merged all that others saved.
  private var isMerged = false

  /// The interpreter's reports while a statement runs.
  private final class Record {
    var events: [Event] = []
    /// The objects in the batches.
    var changed: Set<ObjectID> = []
    var breach: (controller: String, breach: ReplayWitness.Breach)?
  }

  /// Starts a run.
  package init(
    on store: TrialStore, environment: any ScriptEnvironment
  ) throws(TrialFailure) {
    let record = Record()
    self.record = record
    let limit = TrialLimit()
    self.limit = limit
    var evaluation = TrialClock.evaluation
    evaluation.isCancelled = { limit.excess != nil }
    interpreter = Interpreter(
      environment: environment, evaluation: evaluation, stepLimit: Self.stepLimit
    ) { record.events.append($0) }
    interpreter.session.memory = limit.memory
    interpreter.hearBreach = { name, breach in record.breach = record.breach ?? (name, breach) }
    observer = BatchObserver(interpreter.session.context) { [unowned self] batch in
      record.changed.formUnion(batch.objects.map(\.objectID))
      takeEvents()
      for controller in controllers { controller.expect(batch) }
    }
    let opening = ScriptParser.parse(SourceText(name: store.name, text: store.opening))
    for statement in opening.statements { _ = try perform(statement, in: opening.source) }
  }

  package var session: Session { interpreter.session }

  /// Runs a statement and checks the laws.
  package func perform(
    _ statement: Statement, in source: SourceText
  ) throws(TrialFailure) -> TrialOutput {
    record.events = []
    record.changed = []
    heardCount = 0
    limit.beginStatement()
    do throws(ScriptError) {
      try interpreter.run(statement, in: source)
    } catch {
      if error.kind == .interrupted, let excess = limit.excess {
        let line = error.source.line(of: error.range.lowerBound)
        throw TrialFailure(.error(excess), "line \(line) \(excess)")
      }
      throw TrialFailure(
        .error(error.cause.description),
        DiagnosticRenderer().render(error.diagnostic, in: error.source))
    }
    if let (name, breach) = record.breach {
      throw TrialFailure(.replayLaw, "\(name): \(breach)")
    }
    obeysRules = obeysRules && session.quirks.isEmpty
    noteOtherProcess(statement)
    if session.contexts.count == 1, obeysRules {
      if hasOtherProcess {
        try passOver()
      } else {
        try checkChange(statement)
        try expectEnd()
      }
    }
    let lines = record.events.flatMap { EventFormatter.text.lines(for: $0) }
    return TrialOutput(lines: lines, rows: try checkRows())
  }

  /// Returns the store's rows, if the statement saved something.
  private func checkRows() throws(TrialFailure) -> SavedRows? {
    let store = session.coordinator.store
    // While SQL statements are printed, only the script may query the store.
    guard store.generation != generation,
      session.coordinator.sqlStore?.keepsStatements != true
    else { return nil }
    generation = store.generation
    let rows = SavedRows(session.coordinator)
    if let shared = rows.shared { throw TrialFailure(.unique, shared) }
    if let outdated = rows.outdated { throw TrialFailure(.derived, outdated) }
    return rows
  }

  /// Checks that an assignment was reported as a change, even if the value is equal.
  private func checkChange(_ statement: Statement) throws(TrialFailure) {
    guard case .assign(let target, _, _) = statement.kind, case .member(let base, _) = target.kind,
      case .object(let name, let number) = base.kind,
      let entity = session.coordinator.managedObjectModel.entitiesByName[name],
      session.context.object(entity: entity, number: number)?.isDeleted != true
    else { return }
    let isTold = record.changed.contains { $0.number == number && $0.entity.root === entity.root }
    if !isTold { throw TrialFailure(.changes, "the assignment to \(base) does not change it") }
  }

  // MARK: The naive model

  /// The number of the statement's events that the controllers have received.
  private var heardCount = 0

  private func expectEnd() throws(TrialFailure) {
    takeEvents()
    for controller in controllers { try controller.expectEnd() }
    followControllers()
  }

  /// Records that what contexts report no longer follows from their own changes alone.
  ///
  /// A merge of the history reports again what was merged from a batch request.
  private func noteOtherProcess(_ statement: Statement) {
    isMerged = false
    if case .extension = statement.kind { hasOtherProcess = true }
    guard case .mergeHistory = statement.kind else { return }
    (hasOtherProcess, isMerged) = (true, true)
  }

  private func passOver() throws(TrialFailure) {
    takeEvents()
    for controller in controllers { try controller.passOver(isMerged: isMerged) }
    followControllers()
  }

  private func followControllers() {
    let bindings = session.controllerNames.compactMap { session.controllers[$0] }
    controllers = bindings.map { binding in
      controllers.first { $0.isFor(binding) } ?? NaiveController(binding)
    }
    names = Dictionary(uniqueKeysWithValues: zip(session.controllerNames, controllers))
  }

  private var names: [String: NaiveController] = [:]

  private func takeEvents() {
    for event in record.events[heardCount...] {
      guard let (name, callback) = event.callback else { continue }
      names[name]?.hear(callback)
    }
    heardCount = record.events.count
  }
}

extension Event {
  /// The callback as a delegate with all four methods receives it.
  fileprivate var callback: (controller: String, Callback)? {
    switch self {
    case .willChangeContent(let name): (name, .willChange)
    case .didChangeContent(let name): (name, .didChange)
    case .didChangeSection(let name, let type, let index, let section):
      (name, .section(type, index, section.byScalars))
    case .didChangeObject(let name, let type, let object, let indexPath, let newIndexPath):
      (name, .object(type, object.id.number, indexPath, newIndexPath))
    case .snapshot, .difference, .counts, .hook, .notification, .show, .table, .dataSource,
      .exception,
      .showTable,
      .request, .value, .rows, .objects, .objectIDs, .dictionaries, .batch, .evaluation,
      .explainedTurn, .explanation, .swift, .cache,
      .statistics, .history, .remoteChange,
      .statement, .model, .note, .console, .error:
      nil
    }
  }
}
