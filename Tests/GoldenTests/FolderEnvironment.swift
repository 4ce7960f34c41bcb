import Foundation
import ScriptRuntime
import ScriptSyntax

/// Brings a golden the files that stand beside it.
final class FolderEnvironment: ScriptEnvironment {
  let isInterrupted = false

  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    let file = URL(fileURLWithPath: includer).deletingLastPathComponent()
      .appendingPathComponent(path)
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw UnreadableSource(reason: "no such file")
    }
    return SourceText(name: file.path, bytes: Array(bytes))
  }
}
