import FetchedResults
import Foundation

/// A folder for one test's files, which is made when it is needed and goes
/// with its last user.
final class ScratchFolder {
  /// Most tests need none, and to find a name costs more than to run a short one.
  private lazy var url = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-test-\(UUID().uuidString)")

  private var isMade = false

  /// Returns where a file of the folder is; of a path that leads elsewhere only
  /// the file's name counts.
  func path(of file: String) throws(StoreError) -> String {
    do {
      // A folder for temporary files that is missing is nobody's to make.
      if !isMade {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      }
      isMade = true
    } catch {
      let parent = url.deletingLastPathComponent().path
      throw StoreError.unusable(
        store: file, reason: "no temporary folder can be made in '\(parent)'; TMPDIR names it")
    }
    return url.appendingPathComponent(file.split(separator: "/").last.map(String.init) ?? file).path
  }

  deinit {
    if isMade { try? FileManager.default.removeItem(at: url) }
  }
}
