import FetchedResults
import ScriptSyntax

/// Callbacks in the script's own words.
///
/// A callback runs in the midst of a turn, where no error can be thrown. The
/// first is kept, no further callback runs, and the statement whose turn it is
/// fails with it.
extension Interpreter {
  /// How deep callbacks may nest by fetching inside one another.
  private static var deepestCallback: Int { 32 }
  /// How many turns callbacks may make that change objects again and again.
  private static var mostTurns: Int { 100 }

  /// Runs a callback's statements on its controller's context, and returns what
  /// they return.
  func run(
    _ callback: CallbackSyntax, with values: [String: ScriptValue], in source: SourceText,
    on context: ManagedObjectContext
  ) -> Value? {
    guard callbackError == nil else { return nil }
    let outer = (source: self.source, scopes: session.scopes, value: returnValue, updated: updated)
    self.source = source
    session.scopes = [session.scopes[0], values]
    returnValue = nil
    updated = nil
    callbackDepth += 1
    defer {
      callbackDepth -= 1
      self.source = outer.source
      session.scopes = [session.scopes[0]] + outer.scopes.dropFirst()
      returnValue = outer.value
      updated = outer.updated
    }
    do throws(ScriptError) {
      guard callbackDepth <= Self.deepestCallback else {
        throw failure(.callbacksTooDeep(Self.deepestCallback), callback.range)
      }
      try onContext(context) { () throws(ScriptError) in try executeInTurn(callback.body) }
    } catch {
      if returnValue == nil { callbackError = namingSave(error) }
    }
    return returnValue
  }

  /// Names the running save in an error of a callback, which has the callback's
  /// place.
  private func namingSave(_ error: ScriptError) -> ScriptError {
    if error.kind == .interrupted { return error }
    if case .stepLimit = error.kind { return error }
    guard let save = runningSave else { return error }
    return ScriptError(
      .duringSave(error.kind, save: save), range: error.range, source: error.source)
  }

  /// `return EXPRESSION`: ends the callback.
  func returnFromCallback(
    _ expression: ExpressionSyntax, _ range: Range<Int>
  ) throws(ScriptError) {
    guard callbackDepth > 0 else { throw failure(.returnOutsideCallback, range) }
    returnValue = try scalar(expression)
    throw failure(.returnOutsideCallback, range)
  }

  /// Processes what the turn changed, and then what the callbacks changed, as
  /// the turns that follow in an app would.
  func processTurn(of contexts: [ManagedObjectContext], _ range: Range<Int>) {
    for _ in 0..<Self.mostTurns {
      for context in contexts { context.processPendingChanges() }
      if callbackError != nil || !contexts.contains(where: \.awaitsTurn) { return }
    }
    callbackError = failure(.endlessCallbacks(Self.mostTurns), range)
  }

  /// Throws what a callback failed with.
  func throwCallbackError() throws(ScriptError) {
    guard callbackDepth == 0, let error = callbackError else { return }
    callbackError = nil
    throw error
  }
}
