import Foundation
import LineEditor
import ScriptRuntime
import ScriptSyntax

/// Brings scripts their files and Ctrl-C.
final class FileEnvironment: ScriptEnvironment {
  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    let folder = URL(fileURLWithPath: includer).deletingLastPathComponent()
    let isFile = FileManager.default.fileExists(atPath: includer)
    let file =
      path.hasPrefix("/") || !isFile
      ? URL(fileURLWithPath: path) : folder.appendingPathComponent(path)
    return try Self.read(file.relativePath)
  }

  var isInterrupted: Bool { InterruptFlag.isRaised }

  /// Reads a script.
  static func read(_ path: String) throws(UnreadableSource) -> SourceText {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw UnreadableSource(reason: "no such file")
    }
    guard !isFolder.boolValue else { throw UnreadableSource(reason: "it is a folder") }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw UnreadableSource(reason: "it cannot be read")
    }
    return SourceText(name: path, bytes: Array(bytes))
  }
}
