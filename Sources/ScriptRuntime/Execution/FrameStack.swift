import FetchedResults
import ScriptSyntax

/// The frames of what is running, and the variables in sight.
final class FrameStack {
  private let session: Session
  // Every statement and name looks here, and no body runs during an access.
  @exclusivity(unchecked) private var frames = [ScriptFrame(source: SourceText(name: "", text: ""))]

  /// The variables of the session and of what runs in it.
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

  /// Whose attributes bare names mean; nil if they mean variables only.
  var updated: NamedValues? { top.updated }

  /// Whether the running statement is part of a turn, and not one itself.
  var isInTurn: Bool { top.performDepth > 0 }

  /// Whether a callback runs, where errors are kept rather than thrown.
  var isInCallback: Bool { top.callbackDepth > 0 }

  /// Refuses a statement that cannot run in the midst of a read, where one is under way.
  func refuseWhileReading(_ statement: Statement) throws(ScriptError) {
    guard top.awakening != nil, !statement.mayRunWhileReading else { return }
    throw failure(.refusedWhileReading, statement.range)
  }

  /// Refuses a change in the midst of a read, except for what no store keeps of the
  /// object that is read.
  func refuseWhileReading(
    _ index: Int, of object: ManagedObject, _ range: Range<Int>
  ) throws(ScriptError) {
    guard let awakening = top.awakening else { return }
    guard object.objectID == awakening, object.entity.isTransient(at: index),
      index < object.entity.attributes.count
    else { throw failure(.storedWhileReading, range) }
  }

  /// Runs something in a frame of its own.
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

  /// The names of all variables in sight.
  var variableNames: [String] { variables.namesInSight }

  /// Returns the value of a variable, the innermost of its name.
  func variable(_ name: String) -> ScriptValue? { variables.value(named: name) }

  /// Gives a variable of the innermost scope its value.
  func setVariable(_ name: String, to value: ScriptValue) {
    variables.set(variables.slot(of: name), to: value)
  }

  func pushScope(_ values: [String: ScriptValue] = [:]) {
    variables.pushScope()
    for (name, value) in values { setVariable(name, to: value) }
  }

  func popScope() { variables.popScope() }

  /// Lets variables follow objects that got other numbers.
  func renumber(_ ids: [ObjectID: ObjectID]) { session.renumber(ids) }

  // MARK: Parts of the frame

  /// Takes another source for the statements that follow, and returns the one
  /// before.
  func exchangeSource(_ source: SourceText) -> SourceText {
    defer { top.source = source }
    return top.source
  }

  /// Begins to run the statements of a file that the running source includes.
  func enterInclude() { top.includers.append(top.source.name) }

  func enterIncludes(_ names: [String]) { top.includers = names }

  func leaveInclude() { top.includers.removeLast() }

  /// Begins a block that is one turn.
  func enterTurn() { top.performDepth += 1 }

  func leaveTurn() { top.performDepth -= 1 }

  /// Notes what the callback returns.
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

  /// Runs something in which bare names are an object's.
  func withUpdated<Result>(
    _ object: ManagedObject, _ body: () throws(ScriptError) -> Result
  ) throws(ScriptError) -> Result {
    let outer = top.updated
    top.updated = .object(object)
    defer { top.updated = outer }
    return try body()
  }
}
