import FetchedResults
import Foundation
import Synchronization

/// A folder for one test's files, which is made when it is needed and goes
/// with its last user.
final class ScratchFolder {
  /// Most tests need none, and to find a name costs more than to run a short one.
  private lazy var url = FileManager.default.temporaryDirectory
    .appendingPathComponent("\(Self.name)-\(UUID().uuidString)")

  private var isMade = false

  private static let ownName = Mutex(newName)

  /// What the names of this process's folders begin with.
  static var name: String { ownName.withLock(\.self) }

  /// Lets the names of this process's folders begin with a text.
  static func use(name: String) { ownName.withLock { $0 = name } }

  /// What the names of one process's folders could begin with, and no other's.
  static var newName: String { "frc-test-\(UUID().uuidString)" }

  /// Removes the folders that a process left behind which could not do it itself.
  static func removeAll(named name: String) {
    let files = FileManager.default
    let parent = files.temporaryDirectory
    for folder in (try? files.contentsOfDirectory(atPath: parent.path)) ?? []
    where folder.hasPrefix(name + "-") {
      try? files.removeItem(at: parent.appendingPathComponent(folder))
    }
  }

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
