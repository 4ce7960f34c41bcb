import Foundation
import GoldenTesting

/// Writes what an update makes of files: the one place where a test changes
/// anything.
enum FileReplacement {
  /// Replaces a file at once, the one that a link leads to, with its
  /// permissions; not one that has changed since it was tested.
  static func perform(_ update: GoldenUpdate) throws(UnwritableFile) {
    guard let (path, bytes) = update.file else { return }
    guard FileManager.default.contents(atPath: path).map(Array.init) == update.original else {
      throw UnwritableFile(reason: "the file has changed meanwhile")
    }
    try FileEnvironment.replace(path, with: bytes)
  }
}
