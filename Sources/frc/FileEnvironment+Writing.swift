import Foundation
import ScriptRuntime

extension FileEnvironment {
  /// Replaces a file at once, the one that a link leads to, and keeps its
  /// permissions.
  static func replace(_ path: String, with bytes: [UInt8]) throws(UnreadableSource) {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let folder = file.deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: folder) else {
      throw UnreadableSource(reason: "there is no folder '\(folder)'")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    do {
      try Data(bytes).write(to: file, options: .atomic)
      if let permissions = attributes?[.posixPermissions] {
        try FileManager.default.setAttributes(
          [.posixPermissions: permissions], ofItemAtPath: file.path)
      }
    } catch {
      throw UnreadableSource(reason: error.localizedDescription)
    }
  }
}
