import FetchedResults
import Foundation
import Platform
import Synchronization

/// A temporary folder for one test's files, which is created when it is needed and removed with its
/// last user.
final class ScratchFolder {
  /// The folder, which is made lazily, because most tests need none.
  private var folder: TemporaryFolder?

  private static let ownName = Mutex(newName)

  /// The start of the names of this process's folders.
  static var name: String { ownName.withLock(\.self) }

  /// Sets the start of the names of this process's folders.
  static func use(name: String) { ownName.withLock { $0 = name } }

  /// A new start of folder names that no other process has.
  static var newName: String { "frc-test-\(UUID().uuidString)" }

  /// Returns the path of a file in the folder.
  ///
  /// If the path contains other folders, only its last part is used.
  func path(of file: String) throws(StoreError) -> String {
    let made: TemporaryFolder
    do throws(SystemError) {
      if let folder { made = folder } else { made = try TemporaryFolder(prefix: Self.name) }
    } catch {
      let reason = error.isShortageOfFiles ? ": \(error.words)" : "; TMPDIR names it"
      throw StoreError.unusable(
        store: file,
        reason: "no temporary folder can be made in '\(TemporaryFolder.parent)'\(reason)")
    }
    folder = made
    return made.path(of: file.split(separator: "/").last.map(String.init) ?? file)
  }
}
