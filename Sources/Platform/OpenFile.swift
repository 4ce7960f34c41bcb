import CLibrary

/// A file that stays open as long as this value exists.
package struct OpenFile: ~Copyable {
  /// How to open a file.
  package enum Access: Sendable {
    case reading
    case readingAndWriting
    /// Writes append to the file, which is created if there is none.
    case appending
    /// Like `appending`, and the file can also be read.
    case readingAndAppending
    /// The file is created. It is an error if it exists.
    case creating
    /// The file is created, or emptied if it exists.
    case emptying

    /// The system's flags.
    var flags: Int32 {
      switch self {
      case .reading: O_RDONLY | O_CLOEXEC
      case .readingAndWriting: O_RDWR | O_CLOEXEC
      case .appending: O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
      case .readingAndAppending: O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC
      case .creating: O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
      case .emptying: O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
      }
    }
  }

  /// The open file's number.
  package let descriptor: FileDescriptor

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file; links are followed.
  ///   - access: How to open it.
  ///   - waits: Whether to wait for the other end of a named pipe.
  ///   - permissions: The permissions of a new file, before the process's mask is applied.
  /// - Throws: The system's error.
  package init(
    _ path: String, _ access: Access, waits: Bool = true, permissions: UInt16 = 0o666
  ) throws(SystemError) {
    let flags = access.flags | (waits ? 0 : O_NONBLOCK)
    let number = open(path, flags, mode_t(permissions))
    guard number >= 0 else { throw .last }
    descriptor = FileDescriptor(number)
  }

  /// Takes over a file that is open.
  init(descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { close(descriptor.number) }

  /// Reads a whole file; links are followed.
  ///
  /// It does not wait for the other end of a named pipe.
  ///
  /// - Throws: ``SystemError/invalid`` if it is not a regular file, ``SystemError/tooLarge`` if it
  ///   is larger than the limit, or else the system's error.
  package static func contents(
    of path: String, atMost limit: Int = .max - 1
  ) throws(SystemError) -> [UInt8] {
    let file = try OpenFile(path, .reading, waits: false)
    guard try file.status().kind == .regular else { throw .invalid }
    let bytes = try file.descriptor.readToEnd(atMost: limit + 1)
    guard bytes.count <= limit else { throw .tooLarge }
    return bytes
  }

  /// Returns the status of the file.
  package func status() throws(SystemError) -> FileStatus { try FileStatus(of: descriptor) }

  /// Locks the file for this process, if no other process has locked it.
  ///
  /// - Returns: Whether it was locked; nil if the file does not support locks.
  package func tryLock() -> Bool? {
    if flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 { return true }
    return errno == EWOULDBLOCK || errno == EINTR ? false : nil
  }

  /// Truncates the file to a size, if the system allows it.
  package func shorten(to size: Int) { _ = ftruncate(descriptor.number, off_t(size)) }

  /// Gives the file the owner, the group and the permissions of another.
  ///
  /// Only root can change the owner. For other users it stays, without an error.
  func takeRights(of other: FileStatus) throws(SystemError) {
    _ = fchown(descriptor.number, other.owner, other.group)
    guard fchmod(descriptor.number, other.permissions) == 0 else { throw .last }
  }
}
