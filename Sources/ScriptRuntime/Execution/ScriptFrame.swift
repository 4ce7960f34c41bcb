import FetchedResults
import ScriptSyntax

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
