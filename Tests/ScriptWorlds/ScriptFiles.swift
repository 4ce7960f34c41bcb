package import ScriptRuntime
package import ScriptSyntax

/// Files that are in memory.
package final class ScriptFiles: ScriptEnvironment {
  private let files: [String: String]
  package var isInterrupted = false
  package var memoryInUse: Int?

  package init(_ files: [String: String] = [:]) { self.files = files }

  package func source(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> SourceText {
    guard let text = files[path] else { throw UnreadableSource(reason: "no such file") }
    return SourceText(name: path, text: text)
  }
}
