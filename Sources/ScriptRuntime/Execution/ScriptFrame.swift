import FetchedResults
import ScriptSyntax
import Synchronization

/// The state of running statements: those of a script, of one of its callbacks, or of the
/// expression of a transient attribute.
struct ScriptFrame {
  /// The source of the running statements, for the places of errors.
  var source: SourceText
  /// The variables at the start of a callback; nil if the frame sees those of the frame below.
  var arguments: [String: ScriptValue]?
  /// The value that the callback returned.
  var returnValue: PropertyValue?
  /// The object whose properties bare names refer to, inside `update { }` and while a transient
  /// attribute is computed.
  var updated: NamedValues?
  /// The text of the running `save` statement; nil if there is none.
  var runningSave: String?
  /// The names of the sources whose `include` statements are running.
  var includers: [String] = []
  /// The number of `perform` blocks around the running statement.
  ///
  /// A callback counts as one.
  var performDepth = 0
  /// The number of the script's callbacks around the running statement.
  var callbackDepth = 0
  /// The object whose awakeFromFetch runs, during a read; nil if there is none.
  var awakening: ObjectID?
  /// The number of transient attributes that are being computed, each for another one.
  var transientDepth = 0

  /// Returns the frame of a callback that is called in this frame.
  func callback(with values: [String: ScriptValue], in source: SourceText) -> ScriptFrame {
    ScriptFrame(
      source: source, arguments: values, runningSave: runningSave, includers: includers,
      performDepth: 1, callbackDepth: callbackDepth + 1, transientDepth: transientDepth)
  }

  /// Returns the frame of a transient attribute that is computed in this frame.
  ///
  /// Its expression sees the same variables.
  func transient(of object: ObjectValues, in source: SourceText) -> ScriptFrame {
    var frame = self
    frame.arguments = nil
    frame.source = source
    frame.updated = .values(object)
    frame.transientDepth += 1
    return frame
  }
}

/// The frames of the running statements, and the visible variables.
final class FrameStack {
  private let session: Session
  // Unchecked for speed: every statement and name reads this, and no other code runs during an
  // access.
  @exclusivity(unchecked) private var frames = [ScriptFrame(source: SourceText(name: "", text: ""))]

  /// The variables of the session and of its running statements.
  let variables: VariableTable

  init(_ session: Session) {
    self.session = session
    variables = session.variableTable
  }

  /// The frame of the running statement.
  private(set) var top: ScriptFrame {
    _read { yield frames[frames.count - 1] }
    _modify { yield &frames[frames.count - 1] }
  }

  var source: SourceText { top.source }

  /// The object or entity whose attributes bare names refer to; nil if they only refer to
  /// variables.
  var updated: NamedValues? { top.updated }

  /// Whether the running statement is a part of a turn, and not a turn itself.
  var isInTurn: Bool { top.performDepth > 0 }

  /// Whether a callback is running.
  ///
  /// Its errors are kept and not thrown.
  var isInCallback: Bool { top.callbackDepth > 0 }

  /// Throws an error if the statement cannot run during a read and one is in progress.
  func refuseWhileReading(_ statement: Statement) throws(ScriptError) {
    guard top.awakening != nil, !statement.mayRunWhileReading else { return }
    throw failure(.refusedWhileReading, statement.range)
  }

  /// Throws an error for a change during a read, except for properties of the read object that no
  /// store keeps.
  func refuseWhileReading(
    _ index: Int, of object: ManagedObject, _ range: Range<Int>
  ) throws(ScriptError) {
    guard let awakening = top.awakening else { return }
    guard object.objectID == awakening, object.entity.isTransient(at: index),
      index < object.entity.attributes.count
    else { throw failure(.storedWhileReading, range) }
  }

  /// Runs a closure in a frame of its own.
  func run<Result, Failure: Error>(
    in frame: ScriptFrame, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    frames.append(frame)
    let outer = frame.arguments.map { variables.enter(with: $0) }
    defer {
      if let outer { variables.leave(to: outer) }
      frames.removeLast()
    }
    return try body()
  }

  // MARK: Variables

  /// The names of all visible variables.
  var variableNames: [String] { variables.namesInSight }

  /// Returns the value of the innermost variable with a name.
  func variable(_ name: String) -> ScriptValue? { variables.value(named: name) }

  /// Sets a variable of the innermost scope.
  func setVariable(_ name: String, to value: ScriptValue) {
    variables.set(variables.slot(of: name), to: value)
  }

  func pushScope(_ values: [String: ScriptValue] = [:]) {
    variables.pushScope()
    for (name, value) in values { setVariable(name, to: value) }
  }

  func popScope() { variables.popScope() }

  /// Updates variables after objects got other numbers.
  func renumber(_ ids: [ObjectID: ObjectID]) { session.renumber(ids) }

  // MARK: Parts of the frame

  /// Sets the source of the statements that follow, and returns the previous one.
  func exchangeSource(_ source: SourceText) -> SourceText {
    defer { top.source = source }
    return top.source
  }

  /// Starts the statements of a file that the running source includes.
  func enterInclude() { top.includers.append(top.source.name) }

  func enterIncludes(_ names: [String]) { top.includers = names }

  func leaveInclude() { top.includers.removeLast() }

  /// Starts a block that is one turn.
  func enterTurn() { top.performDepth += 1 }

  func leaveTurn() { top.performDepth -= 1 }

  /// Records the value that the callback returns.
  func returnValue(_ value: PropertyValue) { top.returnValue = value }

  /// Runs a save, which errors of its callbacks then name.
  func withSave<Result>(
    _ text: String, _ body: () throws(ScriptError) -> Result
  ) throws(ScriptError) -> Result {
    let outer = top.runningSave
    top.runningSave = text
    defer { top.runningSave = outer }
    return try body()
  }

  /// Runs a closure in which bare names refer to an object's properties.
  func withUpdated<Result>(
    _ object: ManagedObject, _ body: () throws(ScriptError) -> Result
  ) throws(ScriptError) -> Result {
    let outer = top.updated
    top.updated = .object(object)
    defer { top.updated = outer }
    return try body()
  }
}

extension FrameStack {
  /// Returns an error in the running source.
  func failure(_ kind: ScriptError.Kind, _ range: Range<Int>) -> ScriptError {
    ScriptError(kind, range: range, source: source)
  }

  /// Returns the error for a value that is not an object.
  func notAnObject(_ found: String, _ range: Range<Int>) -> ScriptError {
    failure(.notAnObject(found: found, code: source.text(in: range)), range)
  }

  /// Runs a closure whose errors have no place, and adds the place to them.
  func placing<Result>(
    _ range: Range<Int>, _ body: () throws(ScriptError.Kind) -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch {
      throw failure(error, range)
    }
  }

  /// Fetches a request.
  ///
  /// If a part of the request's own predicate raised an error, the error gets the place of that
  /// part.
  func locating<Result>(
    _ request: RequestSyntax, _ body: () throws -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch {
      if Self.isCancellation(error) { throw failure(.interrupted, request.range) }
      let place = request.clauses.predicate.flatMap { Self.place(of: error, within: $0.range) }
      throw failure(.engine("\(error)"), place ?? request.range)
    }
  }

  /// Runs a part of the engine, and adds the place to its errors.
  func locating<Result>(
    _ range: Range<Int>, _ body: () throws -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch let error as ScriptError {
      throw error
    } catch {
      if Self.isCancellation(error) { throw failure(.interrupted, range) }
      throw failure(.engine("\(error)"), range)
    }
  }

  /// Whether a part of the engine stopped because of Ctrl-C.
  private static func isCancellation(_ error: any Error) -> Bool {
    if case .fetch(let inner)? = error as? FetchedResultsError { return inner == .cancelled }
    return error as? FetchError == .cancelled
  }

  /// Returns the place of the predicate part that raised an error; nil if none did.
  private static func place(of error: any Error, within range: Range<Int>) -> Range<Int>? {
    var fetch = error as? FetchError
    if case .fetch(let inner)? = error as? FetchedResultsError { fetch = inner }
    guard case .predicate(let predicate)? = fetch, let place = predicate.range, !place.isEmpty,
      range.contains(place.lowerBound), place.upperBound <= range.upperBound
    else { return nil }
    return place
  }
}

/// The object whose properties bare names refer to: the one that an `update` is changing, or the
/// one whose transient attribute is computed.
enum NamedValues {
  case object(ManagedObject)
  case values(ObjectValues)

  var entity: EntityDescription {
    switch self {
    case .object(let object): object.entity
    case .values(let values): values.objectID.entity
    }
  }

  /// Returns the value of the property at an index in the entity.
  func value(at index: Int) -> PropertyValue {
    switch self {
    case .object(let object): object.value(at: index)
    case .values(let values): values.value(at: index)
    }
  }

  /// Returns the value of a property; nil if the entity has none with this name.
  func value(named name: String) -> PropertyValue? {
    guard let index = entity.propertyIndex(named: name) else { return nil }
    return value(at: index)
  }
}

/// Runs the statements inside others, such as those of a loop or a callback.
protocol StatementRunner: AnyObject {
  func execute(_ statements: [Statement]) throws(ScriptError)

  /// Runs the statements of another file in the frame of the running one.
  func run(_ script: ParsedScript) throws(ScriptError)

  /// Runs the statements of another file in a session of their own.
  ///
  /// - Parameter includers: The names of the files that include it.
  func runAlone(_ script: ParsedScript, includedBy includers: [String]) throws(ScriptError)
}

/// Counts statements and repetitions, and stops at a limit or if the user asks.
package final class StepCounter {
  /// The number of statements and repetitions that may still run; nil for no limit.
  @exclusivity(unchecked) package var remaining: Int?
  /// The check that stops the running top-level statement; nil if only the enclosing one can be
  /// stopped.
  @exclusivity(unchecked) var stopCheck: StopCheck?
  private let limit: Int
  let progress = StatementProgress()
  private let environment: any ScriptEnvironment
  private let frames: FrameStack

  init(limit: Int?, _ environment: any ScriptEnvironment, _ frames: FrameStack) {
    self.limit = limit ?? 0
    remaining = limit
    self.environment = environment
    self.frames = frames
  }

  /// Counts one step.
  func count(at range: Range<Int>) throws(ScriptError) {
    progress.count()
    let isStopped = stopCheck?.isWanted(after: 16) ?? StopCheck.isWanted(after: 16)
    if isStopped || environment.isInterrupted {
      stopCheck?.stop()
      throw frames.failure(.interrupted, range)
    }
    guard let remaining else { return }
    guard remaining > 0 else { throw frames.failure(.stepLimit(limit), range) }
    self.remaining = remaining - 1
  }
}

/// The progress of the running top-level statement: the number of finished objects or repetitions,
/// and of all.
///
/// Any thread may read it.
package final class StatementProgress: Sendable {
  private let doneCount = Atomic(0)
  private let totalCount = Atomic(0)

  init() {}

  /// The number that is finished.
  package var done: Int { doneCount.load(ordering: .relaxed) }

  /// The number of all; nil if unknown.
  package var total: Int? {
    let total = totalCount.load(ordering: .relaxed)
    return total > 0 ? total : nil
  }

  /// Starts a statement.
  func begin() {
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(0, ordering: .relaxed)
  }

  /// Sets the number of all.
  ///
  /// The first call decides, because loops may be nested.
  func expect(_ count: Int) {
    guard total == nil else { return }
    // The steps before this call do not count.
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(count, ordering: .relaxed)
  }

  /// Counts some as finished.
  func count(_ number: Int = 1) { doneCount.wrappingAdd(number, ordering: .relaxed) }
}
