import FetchedResults
import ScriptSyntax

/// What belongs to the running statements of a script, of one of its callbacks,
/// or to the expression of a transient attribute.
struct ScriptFrame {
  /// The source whose statements run, for the places of errors.
  var source: SourceText
  /// The variables that a callback begins with; nil if the frame sees those of the one below.
  var arguments: [String: ScriptValue]?
  /// What the callback returned.
  var returnValue: PropertyValue?
  /// Whose attributes bare names mean, inside `update { }` and where a
  /// transient attribute is computed.
  var updated: NamedValues?
  /// The `save` statement that is running, as it is written; nil if none is.
  var runningSave: String?
  /// The names of the sources whose `include` statements are running.
  var includers: [String] = []
  /// How many `perform` blocks enclose the running statement; a callback is as
  /// one.
  var performDepth = 0
  /// How many of the script's own callbacks enclose the running statement.
  var callbackDepth = 0
  /// The object whose awakeFromFetch runs, in the midst of a read; nil if none does.
  var awakening: ObjectID?
  /// How many transient attributes are being computed, one for another.
  var transientDepth = 0

  /// The frame of a callback that is called in this one.
  func callback(with values: [String: ScriptValue], in source: SourceText) -> ScriptFrame {
    ScriptFrame(
      source: source, arguments: values, runningSave: runningSave, includers: includers,
      performDepth: 1, callbackDepth: callbackDepth + 1, transientDepth: transientDepth)
  }

  /// The frame of a transient attribute that is computed in this one: its
  /// expression sees the same variables.
  func transient(of object: ObjectValues, in source: SourceText) -> ScriptFrame {
    var frame = self
    frame.arguments = nil
    frame.source = source
    frame.updated = .values(object)
    frame.transientDepth += 1
    return frame
  }
}
