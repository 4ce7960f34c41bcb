package import ScriptRuntime

/// A script as data: a model, operations, and the events that they cause.
package struct ExportedScript {
  /// The path of the script, for people.
  package let name: String
  /// The script's description in its first line; empty if there is none.
  package let summary: String
  /// The kind of store: `memory` or `sqlite`.
  package let store: String
  /// Whether turns are undone, for which Core Data needs an undo manager.
  package let usesUndo: Bool
  package let entities: [JSON]
  /// The operations in order, each with its line.
  package let steps: [JSON]
  /// The events in order, each with its line.
  package let events: [(line: Int, event: JSON)]
}
