import FetchedResults
import NaiveModel
package import ScriptRuntime
package import ScriptSyntax

/// One run of a script's statements on one store, held to the laws after each.
///
/// The laws: the replay law; a naive model that works callbacks and sections
/// out by asking every row; no two saved objects with the same unique values, and
/// derived attributes that fit what is saved beside them; no error but those that
/// `try` takes. The naive model knows one context and no quirk; where a script has
/// several contexts, or had a quirk, it is left out. Where another process has changed
/// the store, results are compared with a fresh fetch after each merge of its history.
package final class TrialRun {
  /// How many statements and repetitions a script may take.
  package static let stepLimit = 200_000

  private let interpreter: Interpreter
  private let limit: TrialLimit
  private var controllers: [NaiveController] = []
  private var observer: BatchObserver?
  private let record: Record
  /// The store's generation when its rows were last looked at.
  private var generation = 0
  /// Whether controllers did nothing so far that only older versions did.
  private var obeysRules = true

  /// Whether another process may have changed the store.
  private var hasOtherProcess = false
  /// Whether the last statement took over all that others saved.
  private var isMerged = false

  /// What the interpreter tells while a statement runs.
  private final class Record {
    var events: [Event] = []
    /// The objects that the batches name.
    var changed: Set<ObjectID> = []
    var breach: (controller: String, breach: ReplayWitness.Breach)?
  }

  /// Begins a run.
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

  /// Runs a statement and holds what came of it to the laws.
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

  /// Returns what the store has, where the statement saved something.
  private func checkRows() throws(TrialFailure) -> SavedRows? {
    let store = session.coordinator.store
    // Where statements are printed, nobody but the script may ask the store.
    guard store.generation != generation,
      session.coordinator.sqlStore?.keepsStatements != true
    else { return nil }
    generation = store.generation
    let rows = SavedRows(session.coordinator)
    if let shared = rows.shared { throw TrialFailure(.unique, shared) }
    if let outdated = rows.outdated { throw TrialFailure(.derived, outdated) }
    return rows
  }

  /// Looks whether an assignment was told about as a change, also of an equal value.
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

  /// How many of the statement's events the controllers have heard.
  private var heardCount = 0

  private func expectEnd() throws(TrialFailure) {
    takeEvents()
    for controller in controllers { try controller.expectEnd() }
    followControllers()
  }

  /// Notes where what contexts hear follows no longer from their own changes alone.
  ///
  /// A merge of the history tells again of what was merged from a batch request.
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
  /// The callback of a delegate that receives all four.
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
