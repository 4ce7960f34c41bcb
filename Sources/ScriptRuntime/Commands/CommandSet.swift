import FetchedResults
import ScriptSyntax

/// The commands of a session, and the objects that they share.
final class CommandSet {
  let session: Session
  let frames: FrameStack
  let steps: StepCounter
  let events: EventEmitter
  let warnings: WarningLog
  let watch = ReplayWatch()
  let turnLog = TurnLog()
  let turns: Turns
  let callbacks: CallbackRunner

  let names: NameLookup
  let evaluator: Evaluator
  let requestResolver: RequestResolver
  let assignments: AssignmentPreparation
  let insertion: ObjectInsertion

  let entities: EntityCommands
  let models: ModelCommands
  let stores: StoreCommands
  let contexts: ContextCommands
  let history: HistoryCommands
  let objects: ObjectCommands
  let batches: BatchCommands
  let imports: ImportCommands
  let blocks: BlockCommands
  let settings: SettingCommands
  let expectations: ExpectCommand
  let requests: RequestCommands
  let delegates: DelegateCommands
  let controllers: ControllerCommands
  let tables: TableCommands
  let caches: CacheCommands
  let looking: LookingCommands
  let statistics: StatisticsCommands
  let predicates: PredicateCommands
  let explaining: ExplainCommands
  let swift: SwiftCommands

  /// - Parameters:
  ///   - session: The session that the commands change.
  ///   - environment: Provides files, and reports Ctrl-C.
  ///   - stepLimit: The largest number of statements and repetitions; nil for no limit.
  ///   - emit: Called with each event, in order.
  init(
    _ session: Session, _ environment: any ScriptEnvironment, stepLimit: Int?,
    emit: @escaping (Event) -> Void
  ) {
    self.session = session
    frames = FrameStack(session)
    steps = StepCounter(limit: stepLimit, environment, frames)
    events = EventEmitter(of: session, environment, tell: emit)
    warnings = WarningLog(frames)
    let keptError = KeptError()
    turns = Turns(session, frames, events, keptError, turnLog)
    callbacks = CallbackRunner(session, frames, keptError)

    names = NameLookup(session, frames)
    evaluator = Evaluator(session, frames, steps, warnings, keptError)
    requestResolver = RequestResolver(evaluator, session, frames, warnings)
    assignments = AssignmentPreparation(names, frames)
    insertion = ObjectInsertion(evaluator, session, frames, steps)

    entities = EntityCommands(
      session: session, frames: frames, evaluator: evaluator,
      hooks: EntityHooks(callbacks: callbacks, events: events))
    models = ModelCommands(session, environment, frames, events, evaluator)
    stores = StoreCommands(session, environment, frames, events, evaluator, models)
    contexts = ContextCommands(
      session: session, frames: frames, names: names, evaluator: evaluator, events: events,
      turnLog: turnLog)
    history = HistoryCommands(
      session: session, frames: frames, names: names, evaluator: evaluator, events: events,
      stores: stores)
    objects = ObjectCommands(
      session: session, frames: frames, steps: steps, names: names, evaluator: evaluator,
      requests: requestResolver, assignments: assignments, warnings: warnings)
    batches = BatchCommands(
      session: session, frames: frames, steps: steps, evaluator: evaluator,
      requests: requestResolver, assignments: assignments, events: events, turnLog: turnLog)
    imports = ImportCommands(
      session: session, environment: environment, frames: frames, steps: steps, names: names,
      evaluator: evaluator)
    looking = LookingCommands(
      session: session, frames: frames, names: names, evaluator: evaluator, events: events,
      turnLog: turnLog)
    blocks = BlockCommands(
      session: session, environment: environment, frames: frames, steps: steps, events: events,
      turns: turns, names: names, evaluator: evaluator, looking: looking)
    settings = SettingCommands(
      session: session, frames: frames, warnings: warnings, evaluator: evaluator, stores: stores)
    expectations = ExpectCommand(frames: frames, evaluator: evaluator)
    requests = RequestCommands(
      session: session, frames: frames, names: names, evaluator: evaluator,
      requests: requestResolver, events: events)
    delegates = DelegateCommands(
      session: session, frames: frames, names: names, events: events, warnings: warnings,
      callbacks: callbacks, watch: watch)
    controllers = ControllerCommands(
      session: session, frames: frames, names: names, requests: requestResolver,
      delegates: delegates, turnLog: turnLog)
    tables = TableCommands(session: session, names: names, events: events, delegates: delegates)
    caches = CacheCommands(
      session: session, frames: frames, evaluator: evaluator, events: events)
    statistics = StatisticsCommands(session: session, environment: environment, events: events)
    predicates = PredicateCommands(
      session: session, frames: frames, evaluator: evaluator, requests: requestResolver,
      events: events)
    explaining = ExplainCommands(
      session: session, frames: frames, evaluator: evaluator, events: events, turnLog: turnLog)
    swift = SwiftCommands(
      session: session, frames: frames, names: names, evaluator: evaluator,
      requests: requestResolver, batches: batches, events: events)
  }
}
