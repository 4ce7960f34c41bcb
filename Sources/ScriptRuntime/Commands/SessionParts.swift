import FetchedResults
import ScriptSyntax

/// What the statements of a session work with: one value, which every command is given.
final class SessionParts {
  let session: Session
  /// Provides files, and reports Ctrl-C.
  let environment: any ScriptEnvironment
  let frames: FrameStack
  let steps: StepCounter
  let events: EventEmitter
  let warnings: WarningLog
  let replayChecker = ReplayChecker()
  let turnLog = TurnLog()
  let turns: Turns
  let callbacks: CallbackRunner

  let names: NameLookup
  let evaluator: Evaluator
  let requests: RequestResolver
  let assignments: AssignmentPreparation
  let insertion: ObjectInsertion

  /// The commands that remember something from one statement to the next.
  private(set) lazy var models = ModelCommands(self)
  private(set) lazy var stores = StoreCommands(self)

  /// - Parameters:
  ///   - session: The session that the commands change.
  ///   - stepLimit: The largest number of statements and repetitions; nil for no limit.
  ///   - emit: Called with each event, in order.
  init(
    _ session: Session, _ environment: any ScriptEnvironment, stepLimit: Int?,
    emit: @escaping (Event) -> Void
  ) {
    self.session = session
    self.environment = environment
    frames = FrameStack(session)
    steps = StepCounter(limit: stepLimit, environment, frames)
    events = EventEmitter(of: session, environment, tell: emit)
    warnings = WarningLog(frames)
    let keptError = KeptError()
    turns = Turns(session, frames, events, keptError, turnLog)
    callbacks = CallbackRunner(session, frames, keptError)

    names = NameLookup(session, frames)
    evaluator = Evaluator(session, frames, steps, warnings, keptError)
    requests = RequestResolver(evaluator, session, frames, warnings)
    assignments = AssignmentPreparation(names, frames)
    insertion = ObjectInsertion(evaluator, session, frames, steps)
  }
}

/// Runs some kinds of statements, with the parts of a session.
protocol SessionCommand {
  var parts: SessionParts { get }
}

extension SessionCommand {
  var session: Session { parts.session }
  var environment: any ScriptEnvironment { parts.environment }
  var frames: FrameStack { parts.frames }
  var steps: StepCounter { parts.steps }
  var events: EventEmitter { parts.events }
  var warnings: WarningLog { parts.warnings }
  var turnLog: TurnLog { parts.turnLog }
  var turns: Turns { parts.turns }
  var callbacks: CallbackRunner { parts.callbacks }
  var names: NameLookup { parts.names }
  var evaluator: Evaluator { parts.evaluator }
  var requests: RequestResolver { parts.requests }
  var assignments: AssignmentPreparation { parts.assignments }
  var models: ModelCommands { parts.models }
  var stores: StoreCommands { parts.stores }
}
