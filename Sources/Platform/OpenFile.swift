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

  private init(descriptor: FileDescriptor) throws(SystemError) {
    guard descriptor.number >= 0 else { throw .last }
    self.descriptor = descriptor
  }

  /// Creates a file without a name in the folder of another.
  ///
  /// It is removed when the process ends, unless it gets a name.
  ///
  /// - Returns: Nil if the system or the file system does not support such files.
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

  /// Gives a name to a file that was created without one.
  ///
  /// - Returns: The system's error, such as ``SystemError/exists``; nil for success.
  func takeName(_ path: String) -> SystemError? {
    SystemCalls.link(descriptor.number, path) == 0 ? nil : .last
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

// MARK: - Paths without links

extension OpenFile {
  /// Opens a folder below another, without following a link.
  ///
  /// - Parameters:
  ///   - path: The names of the folders on the way.
  ///   - root: The folder in which the way begins; links in its own path are followed.
  /// - Throws: ``SystemError/link`` if one of the folders is a link, or else the system's error.
  package init(folder path: [String], below root: String) throws(SystemError) {
    var folder = try OpenFile(descriptor: FileDescriptor(open(root, Self.folderFlags)))
    for name in path {
      folder = try OpenFile(name, Self.folderFlags | O_NOFOLLOW, in: folder)
    }
    self = folder
  }

  /// Opens a file in an open folder for reading, unless it is a link.
  ///
  /// It does not wait for the other end of a named pipe.
  ///
  /// - Throws: ``SystemError/link`` if it is a link, or else the system's error.
  package init(_ name: String, in folder: borrowing OpenFile) throws(SystemError) {
    try self.init(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, in: folder)
  }

  private static var folderFlags: Int32 { O_RDONLY | O_DIRECTORY | O_CLOEXEC }

  private init(_ name: String, _ flags: Int32, in folder: borrowing OpenFile) throws(SystemError) {
    let number = openat(folder.descriptor.number, name, flags)
    guard number >= 0 else {
      let error = SystemError.last
      // The system's error for a link in place of a folder is that it is no folder.
      throw folder.kind(of: name) == S_IFLNK ? .link : error
    }
    try self.init(descriptor: FileDescriptor(number))
  }

  /// Removes a regular file from an open folder.
  ///
  /// A folder or a link with the name stays.
  ///
  /// - Throws: ``SystemError/invalid`` if it is no regular file, or else the system's error.
  package borrowing func removeFile(_ name: String) throws(SystemError) {
    guard kind(of: name).map({ $0 == S_IFREG }) ?? true else { throw .invalid }
    // Even if the name has become a folder's meanwhile, this removes no folder.
    guard unlinkat(descriptor.number, name, 0) == 0 else { throw .last }
  }

  /// Returns the kind of a name in an open folder, as the system numbers it; nil if there is none.
  private borrowing func kind(of name: String) -> mode_t? {
    var status = stat()
    guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }
}
