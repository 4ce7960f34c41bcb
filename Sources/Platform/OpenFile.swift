import CLibrary

/// A file that is open as long as this value lives.
package struct OpenFile: ~Copyable {
  /// What is done with the file.
  package enum Access: Sendable {
    case reading
    case readingAndWriting
    /// Writes go to the end; the file is made if there is none.
    case appending
    /// As `appending`, and the file is read, too.
    case readingAndAppending
    /// The file is made; it is an error if there is one.
    case creating
    /// The file is made, or loses what was in it.
    case emptying
  }

  /// The open file's number.
  package let descriptor: FileDescriptor

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file; links are followed.
  ///   - access: What will be done with it.
  ///   - waits: Whether to wait for the other end of a pipe that has a name.
  ///   - permissions: Of a file that is made, less the process's mask.
  /// - Throws: What the system answered.
  package init(
    _ path: String, _ access: Access, waits: Bool = true, permissions: UInt16 = 0o666
  ) throws(SystemError) {
    var flags: Int32 =
      switch access {
      case .reading: O_RDONLY
      case .readingAndWriting: O_RDWR
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      case .readingAndAppending: O_RDWR | O_CREAT | O_APPEND
      case .creating: O_WRONLY | O_CREAT | O_EXCL
      case .emptying: O_WRONLY | O_CREAT | O_TRUNC
      }
    flags |= O_CLOEXEC
    if !waits { flags |= O_NONBLOCK }
    let number = open(path, flags, mode_t(permissions))
    guard number >= 0 else { throw .last }
    descriptor = FileDescriptor(number)
  }

  /// Makes a file without a name in the folder of another, which is gone at the end of the
  /// process unless it takes a name.
  ///
  /// - Returns: Nil if the system or the file system has no such files.
  init?(unnamedBeside path: String, permissions: UInt16) {
    var folder = "."
    if let slash = path.lastIndex(of: "/") {
      folder = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    let number = SystemCalls.openUnnamed(folder, mode_t(permissions))
    guard number >= 0 else { return nil }
    descriptor = FileDescriptor(number)
  }

  deinit { close(descriptor.number) }

  /// Gives a file that was made without a name one.
  ///
  /// - Returns: What the system answered, such as ``SystemError/exists``; nil if it has it.
  func takeName(_ path: String) -> SystemError? {
    SystemCalls.link(descriptor.number, path) == 0 ? nil : .last
  }

  /// What the file system knows of the file.
  package func status() throws(SystemError) -> FileStatus { try FileStatus(of: descriptor) }

  /// Takes the file for this process alone, if no other has taken it.
  ///
  /// - Returns: Whether it was free; nil if the file cannot be locked.
  package func tryLock() -> Bool? {
    if flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 { return true }
    return errno == EWOULDBLOCK || errno == EINTR ? false : nil
  }

  /// Cuts the file to a size, if the system allows it.
  package func shorten(to size: Int) { _ = ftruncate(descriptor.number, off_t(size)) }

  /// Gives the file the owner, the group and the permissions of another.
  ///
  /// Only root may give a file away; who is not keeps it, without an error.
  func takeRights(of other: FileStatus) throws(SystemError) {
    _ = fchown(descriptor.number, other.owner, other.group)
    guard fchmod(descriptor.number, other.permissions) == 0 else { throw .last }
  }
}
