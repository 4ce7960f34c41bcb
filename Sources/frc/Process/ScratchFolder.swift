import FetchedResults
import Foundation
import Synchronization

/// A temporary folder for one test's files, which is created when it is needed and removed with its
/// last user.
final class ScratchFolder {
  /// The location, which is made lazily.
  ///
  /// Most tests need none, and finding a name costs more than a short test.
  private lazy var url = FileManager.default.temporaryDirectory
    .appendingPathComponent("\(Self.name)-\(UUID().uuidString)")

  private var isMade = false

  private static let ownName = Mutex(newName)

  /// The start of the names of this process's folders.
  static var name: String { ownName.withLock(\.self) }

  /// Sets the start of the names of this process's folders.
  static func use(name: String) { ownName.withLock { $0 = name } }

  /// A new start of folder names that no other process has.
  static var newName: String { "frc-test-\(UUID().uuidString)" }

  /// Removes the folders of a process that could not remove them itself.
  static func removeAll(named name: String) {
    let files = FileManager.default
    let parent = files.temporaryDirectory
    for folder in (try? files.contentsOfDirectory(atPath: parent.path)) ?? []
    where folder.hasPrefix(name + "-") {
      try? files.removeItem(at: parent.appendingPathComponent(folder))
    }
  }

  /// Returns the path of a file in the folder.
  ///
  /// If the path contains other folders, only its last part is used.
  func path(of file: String) throws(StoreError) -> String {
    do {
      // The system's temporary folder itself is not created if it is missing.
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
