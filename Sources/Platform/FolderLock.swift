import CLibrary

/// An exclusive lock on a folder, held as long as this object exists.
///
/// Processes that change the same file of the folder take the lock first. The folder is locked and
/// not the file, because a file that is replaced atomically is a new file each time. The lock ends
/// with the process, also if it is killed, and leaves nothing in the folder.
///
/// A file system without locks, such as some network file systems, grants every lock.
package final class FolderLock {
  private let folder: OpenFile

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - patience: How long to wait while another process holds the lock.
  ///   - isHurried: Whether the program is asked to end, and waits for 0.3 s at most; called again
  ///     and again.
  /// - Throws: ``SystemError/locked`` if another process holds the lock for longer, or the system's
  ///   error if the folder cannot be opened.
  package init(
    _ path: String, patience: Duration = .seconds(10), isHurried: () -> Bool = { false }
  ) throws(SystemError) {
    folder = try OpenFile(path, .reading, waits: false)
    let start = ContinuousClock.now
    while folder.tryLock() == false {
      let patience = isHurried() ? min(patience, .milliseconds(300)) : patience
      guard start.duration(to: .now) < patience else { throw .locked }
      _ = FileDescriptor.wait(for: [], milliseconds: 5)
    }
  }
}

/// Creates folders.
package enum NewFolder {
  /// Creates a folder, unless there is one.
  ///
  /// The folder above it has to exist.
  ///
  /// - Throws: ``SystemError/exists`` if there is another file at the path, or else the system's
  ///   error.
  package static func make(_ path: String, permissions: UInt16 = 0o777) throws(SystemError) {
    guard mkdir(path, mode_t(permissions)) != 0 else { return }
    let error = SystemError.last
    // Some systems report that a file system is read-only although the folder exists.
    guard !FileStatus.isFolder(path) else { return }
    throw error
  }

  /// Creates a folder with the folders above it, unless there is one.
  ///
  /// - Throws: The system's error, such as ``SystemError/exists`` if there is another file at the
  ///   path.
  package static func makeWithParents(
    _ path: String, permissions: UInt16 = 0o777
  ) throws(SystemError) {
    do throws(SystemError) {
      try make(path, permissions: permissions)
    } catch {
      let parent = path.split(separator: "/").dropLast()
      guard error == .missing, !parent.isEmpty else { throw error }
      try makeWithParents(
        (path.hasPrefix("/") ? "/" : "") + parent.joined(separator: "/"), permissions: permissions)
      try make(path, permissions: permissions)
    }
  }
}
