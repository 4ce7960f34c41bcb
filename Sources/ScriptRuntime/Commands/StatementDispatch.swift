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

extension SessionParts {
  /// Runs a statement.
  ///
  /// This is the only list of which command runs each statement.
  ///
  /// - Parameter runner: Runs the statements inside the statement.
  func perform(
    _ prepared: PreparedStatement, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    try frames.refuseWhileReading(prepared.statement)
    if prepared.needsStore { try stores.openIfAwaited(for: prepared.range) }
    let range = prepared.range
    switch prepared.work {
    case .define(let slot, let value): try ObjectCommands(parts: self).define(slot, as: value)
    case .assign(let target): try ObjectCommands(parts: self).assign(target)
    case .insert(let insert): _ = try insertion.insert(insert, range, isWanted: false)
    case .print(let value):
      try LookingCommands(parts: self).show(
        valueOf: value, keepsResult: prepared.statement.keepsResult)
    case .expect(let condition): try ExpectCommand(parts: self).expect(condition)
    case .perform(let context, false, let body):
      try BlockCommands(parts: self).perform(body, on: context, range, runner)
    case .perform(let context, true, let body):
      try BlockCommands(parts: self).performStepping(body, on: context, range, runner)
    case .for(let loop): try BlockCommands(parts: self).run(loop, runner)
    case .if(let condition, let then, let otherwise):
      try runner.execute(try BlockCommands(parts: self).chooses(condition) ? then : otherwise)
    case .repeat(let count, let body): try BlockCommands(parts: self).repeats(count, body, runner)
    case .try(let statement): try BlockCommands(parts: self).attempt(statement, runner)
    case .other: try performOther(prepared.statement, runner)
    }
  }

  /// Runs a statement that has no prepared form.
  ///
  /// This is a separate function because its stack frame is large, and statements may be deeply
  /// nested.
  private func performOther(
    _ statement: Statement, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    if case .include(let path, let isAlone) = statement.kind {
      return try BlockCommands(parts: self).include(path, isAlone: isAlone, statement.range, runner)
    }
    if case .extension(let author, let body) = statement.kind {
      return try HistoryCommands(parts: self).runExtension(author, body, statement.range, runner)
    }
    try performAlone(statement)
  }

  /// Runs a command that replaces values of objects by those of others, which cannot be reverted.
  private func finishing(_ command: () throws(ScriptError) -> Void) throws(ScriptError) {
    try StopCheck.finishing(command)
  }

  private func performAlone(_ statement: Statement) throws(ScriptError) {
    let range = statement.range
    switch statement.kind {
    case .entity(let declaration): try EntityCommands(parts: self).define(declaration)
    case .model(let path, let version): try models.define(path, version: version)
    case .storeMemory(let options): try stores.useMemory(options, range)
    case .storeSQLite(let path, let options): try stores.use(path, options)
    case .save(let context): try ContextCommands(parts: self).save(context, range)
    case .rollback(let context): try ContextCommands(parts: self).rollback(context)
    case .reset(let context): try ContextCommands(parts: self).reset(context)
    case .process:
      session.note(.process([session.context]))
      session.context.process()
    case .context(let declaration): try ContextCommands(parts: self).define(declaration)
    case .merge(let source, into: let target):
      try ContextCommands(parts: self).merge(source, into: target)
    case .mergeHistory(let author, into: let target):
      try finishing { () throws(ScriptError) in
        try HistoryCommands(parts: self).merge(by: author, into: target)
      }
    case .automerge(let context, let isOn):
      try ContextCommands(parts: self).automerge(context, isOn: isOn)
    case .observe(let context, let isOn):
      try ContextCommands(parts: self).observe(context, isOn: isOn)
    case .refresh(let target, let isMerging):
      try finishing { () throws(ScriptError) in
        try ContextCommands(parts: self).refresh(target, isMerging: isMerging)
      }
    case .refreshAll:
      session.note(.refreshAll)
      StopCheck.finishing { session.context.refreshAllObjects() }
    case .undo: ContextCommands(parts: self).undo()
    case .redo: ContextCommands(parts: self).redo()
    case .importRows(let path, into: let name):
      try ImportCommands(parts: self).importRows(path, into: name)
    case .obtainIDs(let target): try ObjectCommands(parts: self).obtainIDs(of: target, range)
    case .update(let request, let assignments):
      try ObjectCommands(parts: self).update(request, assignments)
    case .delete(let target): try ObjectCommands(parts: self).delete(target)
    case .deleteMatching(let request): try ObjectCommands(parts: self).deleteMatching(request)
    case .batch(let batch): try BatchCommands(parts: self).run(batch, range)
    case .let, .assign, .insert, .print, .expect, .perform, .for, .if, .repeat, .include,
      .extension, .try:
      break
    case .set(let setting, let value): try SettingCommands(parts: self).set(setting, value)
    case .quirk(let quirk, let isOn): SettingCommands(parts: self).set(quirk, isOn: isOn)
    case .request(let name, let request): try RequestCommands(parts: self).define(name, as: request)
    case .storedRequest(let name, let stored):
      try RequestCommands(parts: self).define(name, asStored: stored)
    case .fetch(let request):
      try RequestCommands(parts: self).fetch(request, keepsResult: statement.keepsResult)
    case .count(let request): try RequestCommands(parts: self).count(request)
    case .controller(let name, let request):
      try ControllerCommands(parts: self).define(name, as: request)
    case .observer(let name, let observed):
      try ObserverCommands(parts: self).define(name, as: observed, range)
    case .change(let name, let clauses): try ControllerCommands(parts: self).change(name, clauses)
    case .delegate(let name, let mode): try DelegateCommands(parts: self).set(name, to: mode)
    case .ownDelegate(let name, let callbacks):
      try DelegateCommands(parts: self).set(name, to: callbacks)
    case .return(let value): try BlockCommands(parts: self).endCallback(value, range)
    case .deleteCache(let name): try CacheCommands(parts: self).delete(name)
    case .deleteCaches: try CacheCommands(parts: self).deleteAll(range)
    case .deleteHistory(let number): try HistoryCommands(parts: self).delete(before: number, range)
    case .history(let author, let number):
      try HistoryCommands(parts: self).show(by: author, after: number, range)
    case .table(let name, let controller, let mode):
      try TableCommands(parts: self).define(name, of: controller, as: mode)
    case .suspend(let name): try TableCommands(parts: self).suspend(name)
    case .resume(let name): try TableCommands(parts: self).resume(name)
    case .reload(let name): try TableCommands(parts: self).reload(name)
    case .trace(let name, let isOn): try TableCommands(parts: self).trace(name, isOn: isOn)
    case .show(let name): try LookingCommands(parts: self).show(name)
    case .showRequest(let name): try LookingCommands(parts: self).showRequest(name)
    case .objects(let entity): try LookingCommands(parts: self).showObjects(entity)
    case .showModel: models.showModel()
    case .caches: CacheCommands(parts: self).show()
    case .stats: StatisticsCommands(parts: self).show()
    case .evaluate(let predicate, on: let object):
      try PredicateCommands(parts: self).evaluate(predicate, on: object)
    case .explain(let object): try ExplainCommands(parts: self).explain(object)
    case .swift(let name): try SwiftCommands(parts: self).show(name)
    case .swiftStatement(let statement): try SwiftCommands(parts: self).show(statement)
    }
  }
}

/// A statement in the form in which it runs.
///
/// The parts that a loop repeats are prepared once.
final class PreparedStatement {
  let statement: Statement
  let range: Range<Int>
  let endsTurn: Bool
  let needsStore: Bool
  let work: Work

  /// The action of a statement.
  enum Work {
    case define(slot: Int, PreparedExpression)
    case assign(PreparedTarget)
    case insert(PreparedInsert)
    case print(PreparedExpression)
    case expect(PreparedCondition)
    case perform(on: Name?, isStepping: Bool, PreparedBlock)
    case `for`(PreparedLoop)
    case `if`(PreparedExpression, then: PreparedBlock, otherwise: PreparedBlock)
    case `repeat`(PreparedExpression, PreparedBlock)
    case `try`(PreparedStatement)
    /// A statement that is rarely in a loop, and so has no prepared form.
    case other
  }

  init(_ statement: Statement, _ variables: VariableTable) {
    self.statement = statement
    range = statement.range
    endsTurn = statement.traits.endsTurn
    needsStore = statement.traits.needsStore
    work = Work(of: statement, variables)
  }
}

/// A sequence of statements, each of which is prepared before its first run.
final class PreparedBlock {
  private let syntax: [Statement]
  private let variables: VariableTable
  private var prepared: ContiguousArray<PreparedStatement> = []

  init(_ syntax: [Statement], _ variables: VariableTable) {
    self.syntax = syntax
    self.variables = variables
  }

  var count: Int { syntax.count }

  /// Returns a statement in its prepared form.
  func statement(at index: Int) -> PreparedStatement {
    if index < prepared.count { return prepared[index] }
    let statement = PreparedStatement(syntax[index], variables)
    if index == prepared.count { prepared.append(statement) }
    return statement
  }
}

/// `for i in 1...3 { … }`.
final class PreparedLoop {
  let name: Name
  let slot: Int
  let sequence: PreparedExpression
  let body: PreparedBlock

  init(
    _ name: Name, _ sequence: ExpressionSyntax, _ body: [Statement], _ variables: VariableTable
  ) {
    self.name = name
    slot = variables.slot(of: name.text)
    self.sequence = PreparedExpression(sequence, variables)
    self.body = PreparedBlock(body, variables)
  }
}

/// `dune.pages += 10`.
final class PreparedTarget {
  let range: Range<Int>
  /// The object and its property; nil for a target that cannot be assigned.
  let member: (owner: PreparedExpression, name: Name)?
  let sign: Statement.AssignmentOperator
  let value: PreparedExpression

  init(
    _ target: ExpressionSyntax, _ sign: Statement.AssignmentOperator, _ value: ExpressionSyntax,
    _ variables: VariableTable
  ) {
    range = target.range
    self.sign = sign
    self.value = PreparedExpression(value, variables)
    if case .member(let owner, let name) = target.kind {
      member = (PreparedExpression(owner, variables), name)
    } else {
      member = nil
    }
  }
}

/// The condition of an `expect`.
final class PreparedCondition {
  let range: Range<Int>
  let form: Form

  enum Form {
    case truth(PreparedExpression)
    case comparison(
      PreparedExpression, ExpressionSyntax.BinaryOperator, PreparedExpression)
  }

  init(_ condition: ExpressionSyntax, _ variables: VariableTable) {
    range = condition.range
    if case .binary(let left, let sign, let right) = condition.kind, sign.isComparison {
      form = .comparison(
        PreparedExpression(left, variables), sign, PreparedExpression(right, variables))
    } else {
      form = .truth(PreparedExpression(condition, variables))
    }
  }
}

extension PreparedStatement.Work {
  fileprivate init(of statement: Statement, _ variables: VariableTable) {
    func block(_ statements: [Statement]) -> PreparedBlock {
      PreparedBlock(statements, variables)
    }
    switch statement.kind {
    case .let(let name, let value):
      self = .define(slot: variables.slot(of: name.text), PreparedExpression(value, variables))
    case .assign(let target, let sign, let value):
      self = .assign(PreparedTarget(target, sign, value, variables))
    case .insert(let insert): self = .insert(PreparedInsert(insert, variables))
    case .print(let value): self = .print(PreparedExpression(value, variables))
    case .expect(let condition): self = .expect(PreparedCondition(condition, variables))
    case .perform(let context, let isStepping, let body):
      self = .perform(on: context, isStepping: isStepping, block(body))
    case .for(let name, in: let sequence, let body):
      self = .for(PreparedLoop(name, sequence, body, variables))
    case .if(let condition, let then, let otherwise):
      self = .if(
        PreparedExpression(condition, variables), then: block(then), otherwise: block(otherwise))
    case .repeat(let count, let body):
      self = .repeat(PreparedExpression(count, variables), block(body))
    case .try(let statement): self = .try(PreparedStatement(statement, variables))
    case .include, .extension, .entity, .model, .storeMemory, .storeSQLite, .save, .rollback,
      .reset, .process, .context, .merge, .mergeHistory, .automerge, .observe, .refresh,
      .refreshAll, .undo, .redo, .update, .importRows, .delete, .deleteMatching, .batch, .obtainIDs,
      .set, .request, .storedRequest, .controller, .observer, .fetch, .count, .change, .delegate,
      .ownDelegate, .return, .deleteCache, .deleteCaches, .deleteHistory, .history, .table,
      .suspend, .resume, .reload, .trace, .show, .showRequest, .showModel, .objects, .caches,
      .stats, .evaluate, .explain, .swift, .swiftStatement, .quirk:
      self = .other
    }
  }
}

/// Runs prepared statements.
protocol PreparedStatementRunner: StatementRunner {
  func execute(_ statement: PreparedStatement) throws(ScriptError)

  func execute(_ block: PreparedBlock) throws(ScriptError)
}
