import CLibrary
import Synchronization

/// A folder of this program in the system's folder for temporary files.
///
/// Only its owner can open it. It is removed with everything in it when the last reference ends. The
/// folder and nothing else is removed, even if another process has replaced it by a link.
package final class TemporaryFolder: Sendable {
  /// The path of the folder.
  package let path: String
  private let name: String
  /// What makes sure that the folder is the one that was made.
  private let identity: FileStatus.Identity
  private let isThere = Mutex(true)

  /// The folders of this process that were not removed yet.
  private static let all = Mutex<[FileStatus.Identity: String]>([:])

  /// The folder in which temporary folders are made: that of TMPDIR.
  package static var parent: String {
    guard let path = ProcessEnvironment["TMPDIR"], !path.isEmpty else { return "/tmp" }
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Makes a folder with an unused name.
  ///
  /// - Parameter prefix: The start of its name.
  /// - Throws: The system's error. The system's folder itself is not made if it is missing.
  package init(prefix: String = "frc") throws(SystemError) {
    let parent = try OpenFolder(Self.parent)
    let name = try Self.make(prefix, in: parent)
    let identity = try parent.status(name).identity
    self.name = name
    self.identity = identity
    path = Self.parent + "/" + name
    Self.all.withLock { $0[identity] = name }
  }

  private static func make(
    _ prefix: String, in parent: borrowing OpenFolder
  ) throws(SystemError) -> String {
    while true {
      let name = prefix + "-" + randomName
      do throws(SystemError) {
        try parent.makeFolder(name, permissions: 0o700)
        return name
      } catch {
        if error != .exists { throw error }
      }
    }
  }

  deinit { remove() }

  /// Returns the message that the system refused to make a folder.
  package static func words(of error: SystemError) -> String {
    let reason = error.isShortageOfFiles ? ": \(error.words)" : "; TMPDIR names it"
    return "no temporary folder can be made in '\(parent)'\(reason)"
  }

  /// Returns the path of a file in the folder.
  package func path(of file: String) -> String { path + "/" + file }

  /// Opens the folder.
  package func opened() throws(SystemError) -> OpenFolder {
    try Self.opened(name, identity, in: OpenFolder(Self.parent))
  }

  /// Removes the folder with everything in it; open files stay readable.
  package func remove() {
    let wasThere = isThere.withLock { isThere in
      defer { isThere = false }
      return isThere
    }
    guard wasThere else { return }
    Self.remove(name, identity)
  }

  /// Removes all folders of this process, before it ends without its deinitializers.
  package static func removeAll() {
    for (identity, name) in all.withLock(\.self) { remove(name, identity) }
  }

  /// Removes the folders of a process that could not remove them itself.
  ///
  /// - Parameter prefix: The start of their names, which no other process has.
  package static func removeAll(ofProcessNaming prefix: String) {
    guard let parent = try? OpenFolder(parent) else { return }
    for name in ((try? parent.names()) ?? []).compactMap(\.text)
    where name.hasPrefix(prefix + "-") {
      guard let folder = try? parent.folder(name) else { continue }
      folder.empty()
      try? parent.removeFolder(name)
    }
  }

  private static func remove(_ name: String, _ identity: FileStatus.Identity) {
    all.withLock { $0[identity] = nil }
    guard let parent = try? OpenFolder(parent),
      let folder = try? opened(name, identity, in: parent)
    else { return }
    folder.empty()
    try? parent.removeFolder(name)
  }

  private static func opened(
    _ name: String, _ identity: FileStatus.Identity, in parent: borrowing OpenFolder
  ) throws(SystemError) -> OpenFolder {
    let folder = try parent.folder(name)
    guard try folder.status().identity == identity else { throw .missing }
    return folder
  }

  private static var randomName: String {
    var random = SystemRandomNumberGenerator()
    return String(random.next(), radix: 36) + String(random.next(), radix: 36)
  }
}
