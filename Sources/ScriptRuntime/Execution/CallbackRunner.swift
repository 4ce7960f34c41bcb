import FetchedResults
import ScriptSyntax

/// Runs callbacks in the script's own words, each in a frame of its own.
///
/// After one has failed, no further callback runs until the statement has
/// failed whose turn it is.
final class CallbackRunner {
  /// Runs the callbacks' statements.
  weak var runner: (any StatementRunner)?
  private let session: Session
  private let frames: FrameStack
  private let keptError: KeptError

  /// How deep callbacks may nest by fetching inside one another.
  private static var deepestCallback: Int { 32 }

  init(_ session: Session, _ frames: FrameStack, _ keptError: KeptError) {
    self.session = session
    self.frames = frames
    self.keptError = keptError
  }

  /// Runs a callback's statements on its controller's context, and returns what
  /// they return.
  func run(
    _ callback: CallbackSyntax, with values: [String: ScriptValue], in source: SourceText,
    on context: ManagedObjectContext
  ) -> Value? {
    guard let runner, keptError.isEmpty else { return nil }
    return frames.run(in: frames.top.callback(with: values, in: source)) {
      do throws(ScriptError) {
        guard frames.top.callbackDepth <= Self.deepestCallback else {
          throw frames.failure(.callbacksTooDeep(Self.deepestCallback), callback.range)
        }
        try session.on(context) { () throws(ScriptError) in
          try runner.execute(callback.body)
        }
      } catch {
        if frames.top.returnValue == nil { keptError.keep(namingSave(error)) }
      }
      return frames.top.returnValue
    }
  }

  /// Names the running save in an error of a callback, which has the callback's
  /// place.
  private func namingSave(_ error: ScriptError) -> ScriptError {
    if error.kind == .interrupted { return error }
    if case .stepLimit = error.kind { return error }
    guard let save = frames.top.runningSave else { return error }
    return ScriptError(
      .duringSave(error.kind, save: save), range: error.range, source: error.source)
  }
}
