import Foundation
import GoldenTesting
import ScriptRuntime

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
    guard FileManager.default.contents(atPath: path).map(Array.init) == update.original else {
      throw Refusal(reason: "the file has changed meanwhile")
    }
    do throws(UnreadableSource) {
      try FileEnvironment.replace(path, with: bytes)
    } catch {
      throw Refusal(reason: error.reason)
    }
  }
}
