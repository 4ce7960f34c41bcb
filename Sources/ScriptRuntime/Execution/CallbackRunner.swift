import FetchedResults
import ScriptSyntax

/// Runs the script's callbacks, each in a frame of its own.
///
/// After a callback fails, no further one runs until the statement whose turn it is has failed too.
final class CallbackRunner {
  /// Runs the callbacks' statements.
  weak var runner: (any StatementRunner)?
  private let session: Session
  private let frames: FrameStack
  private let keptError: KeptError

  /// The largest depth of callbacks that fetch and so cause further callbacks.
  private static var deepestCallback: Int { 32 }

  init(_ session: Session, _ frames: FrameStack, _ keptError: KeptError) {
    self.session = session
    self.frames = frames
    self.keptError = keptError
  }

  /// Runs a callback's statements in its controller's context, and returns its value.
  func run(
    _ callback: CallbackSyntax, with values: [String: ScriptValue], in source: SourceText,
    on context: ManagedObjectContext
  ) -> PropertyValue? {
    run(
      callback.body, callback.range, in: frames.top.callback(with: values, in: source), on: context)
  }

  /// Runs a hook's statements in the context of its object, and returns its value.
  func run(_ hook: HookSyntax, of object: ManagedObject, in source: SourceText) -> PropertyValue? {
    guard let context = object.managedObjectContext else { return nil }
    let values = [HookSyntax.object: ScriptValue.value(.object(object.objectID))]
    var frame = frames.top.callback(with: values, in: source)
    if hook.hook == .awakeFromFetch { frame.awakening = object.objectID }
    return run(hook.body, hook.range, in: frame, on: context)
  }

  private func run(
    _ body: [Statement], _ range: Range<Int>, in frame: ScriptFrame,
    on context: ManagedObjectContext
  ) -> PropertyValue? {
    guard let runner, keptError.isEmpty else { return nil }
    return frames.run(in: frame) {
      do throws(ScriptError) {
        guard frames.top.callbackDepth <= Self.deepestCallback else {
          throw frames.failure(.callbacksTooDeep(Self.deepestCallback), range)
        }
        try session.on(context) { () throws(ScriptError) in
          try runner.execute(body)
        }
      } catch {
        if frames.top.returnValue == nil { keptError.keep(namingSave(error)) }
      }
      return frames.top.returnValue
    }
  }

  /// Adds the running save to an error of a callback.
  ///
  /// The place is that of the callback.
  private func namingSave(_ error: ScriptError) -> ScriptError {
    if error.kind == .interrupted { return error }
    if case .stepLimit = error.kind { return error }
    guard let save = frames.top.runningSave else { return error }
    return ScriptError(
      .duringSave(error.kind, save: save), range: error.range, source: error.source)
  }
}
