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

/// A file system's information about a file.
package struct FileStatus: Sendable {
  /// The kind of file at a path.
  package enum Kind: Sendable {
    case regular
    case folder
    /// A pipe, a socket, a terminal or another device, or a link that was not followed.
    case special
  }

  /// A time in a file system.
  package struct Time: Hashable, Sendable {
    /// Seconds since 1970.
    package let seconds: Int

    /// The fraction of a second; always 0 if the file system has only whole seconds.
    package let nanoseconds: Int

    /// Returns the number of seconds from this time to `other`.
    package func seconds(until other: Time) -> Double {
      Double(other.seconds - seconds) + Double(other.nanoseconds - nanoseconds) / 1e9
    }

    /// The current time of the system's clock.
    package static var now: Time {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return Time(now)
    }

    init(_ time: timespec) {
      seconds = Int(time.tv_sec)
      nanoseconds = Int(time.tv_nsec)
    }
  }

  /// The identity of a file in a file system, which does not depend on its name.
  package struct Identity: Hashable, Sendable {
    /// The file system.
    package let device: UInt64

    /// The number of the file in the file system.
    package let inode: UInt64
  }

  /// What kind of file it is.
  package let kind: Kind

  /// Whether it is a link that was not followed.
  package let isLink: Bool

  /// The file's identity.
  package let identity: Identity

  /// The length in bytes.
  package let size: Int

  /// When the contents were last written.
  package let modified: Time

  /// When the contents, owner, permissions or names last changed.
  package let changed: Time

  /// Whether only root may write to it.
  package var isReadOnly: Bool { permissions & 0o222 == 0 }

  let permissions: mode_t
  let owner: uid_t
  let group: gid_t

  /// Reads the status of the file at a path.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - followsLinks: Whether to return the status of a link's target.
  /// - Throws: ``SystemError/missing`` if there is none, or another error of the system.
  package init(_ path: String, followsLinks: Bool = true) throws(SystemError) {
    var status = stat()
    let answer = followsLinks ? stat(path, &status) : lstat(path, &status)
    guard answer == 0 else { throw .last }
    self.init(status)
  }

  /// Whether there is a file at a path, after following links.
  package static func exists(_ path: String) -> Bool { (try? FileStatus(path)) != nil }

  /// Whether the process may read, or read and write, the file at a path.
  ///
  /// The system may still refuse to open it, and the rights may change in the meantime.
  package static func isAllowed(_ access: OpenFile.Access, of path: String) -> Bool {
    let isReading = if case .reading = access { true } else { false }
    return SystemCalls.access(path, isReading ? R_OK : W_OK) == 0
  }

  /// Whether there is a folder at a path, after following links.
  package static func isFolder(_ path: String) -> Bool {
    (try? FileStatus(path))?.kind == .folder
  }

  /// Reads the status of an open file.
  package init(of descriptor: FileDescriptor) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw .last }
    self.init(status)
  }

  /// Reads the status of a file in an open folder; that of a link is its own.
  init(_ name: String, in folder: FileDescriptor) throws(SystemError) {
    var status = stat()
    guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last }
    self.init(status)
  }

  private init(_ status: stat) {
    isLink = status.st_mode & S_IFMT == S_IFLNK
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      // The system may add other numbers.
      default: .special
      }
    identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(truncatingIfNeeded: status.st_ino))
    size = Int(status.st_size)
    modified = Time(status.modificationTime)
    changed = Time(status.changeTime)
    permissions = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
  }
}
