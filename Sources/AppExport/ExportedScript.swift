package import ScriptRuntime

/// A script as data: a model, operations, and the events that they bring about.
package struct ExportedScript {
  /// The path by which people know the script.
  package let name: String
  /// What the script says about itself in its first line; empty if nothing.
  package let summary: String
  /// The kind of store: `memory` or `sqlite`.
  package let store: String
  /// Whether turns are undone, which costs Core Data an undo manager.
  package let usesUndo: Bool
  package let entities: [JSON]
  /// The operations in order, each with its line.
  package let steps: [JSON]
  /// The events in order, each with its line.
  package let events: [(line: Int, event: JSON)]
}
