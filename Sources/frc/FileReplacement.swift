import Foundation
import GoldenTesting

/// Writes what an update makes of files: the one place where a test changes
/// anything.
enum FileReplacement {
  /// Why a file was not written.
  struct Refusal: Error, Equatable {
    let reason: String
  }

  /// Replaces a file at once, the one that a link leads to, with its
  /// permissions; not one that has changed since it was tested.
  static func perform(_ update: GoldenUpdate) throws(Refusal) {
    guard let (path, bytes) = update.file else { return }
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let files = FileManager.default
    guard files.contents(atPath: file.path).map(Array.init) == update.original else {
      throw Refusal(reason: "the file has changed meanwhile")
    }
    do {
      let permissions = try files.attributesOfItem(atPath: file.path)[.posixPermissions]
      try Data(bytes).write(to: file, options: .atomic)
      if let permissions {
        try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
      }
    } catch {
      throw Refusal(reason: error.localizedDescription)
    }
  }
}
