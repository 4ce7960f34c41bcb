import FetchedResults
import ScriptSyntax

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
