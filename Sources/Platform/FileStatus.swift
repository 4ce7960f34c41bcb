import CLibrary

/// What a file system knows of a file.
package struct FileStatus: Sendable {
  /// What a path leads to.
  package enum Kind: Sendable {
    case regular
    case folder
    /// A pipe, a socket, a terminal or another device; a link that is not followed.
    case special
  }

  /// A moment, as the file system tells it.
  package struct Time: Hashable, Sendable {
    /// Since 1970.
    package let seconds: Int

    /// Less than a second; always 0 where the file system counts seconds.
    package let nanoseconds: Int

    /// Returns how many seconds later `other` is.
    package func seconds(until other: Time) -> Double {
      Double(other.seconds - seconds) + Double(other.nanoseconds - nanoseconds) / 1e9
    }

    /// The system's clock now.
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

  /// Which file of a file system it is, whatever its name.
  package struct Identity: Hashable, Sendable {
    /// The file system.
    package let device: UInt64

    /// The file's number there.
    package let inode: UInt64
  }

  /// What kind of file it is.
  package let kind: Kind

  /// Which file it is.
  package let identity: Identity

  /// Its length in bytes.
  package let size: Int

  /// When its contents were last written.
  package let modified: Time

  /// When its contents, owner, permissions or names last changed.
  package let changed: Time

  /// Whether no user but root may write to it.
  package var isReadOnly: Bool { permissions & 0o222 == 0 }

  let permissions: mode_t
  let owner: uid_t
  let group: gid_t

  /// Asks for the file that a path leads to.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - followsLinks: Whether a link represents what it leads to.
  /// - Throws: ``SystemError/missing`` if there is none.
  package init(_ path: String, followsLinks: Bool = true) throws(SystemError) {
    var status = stat()
    let answer = followsLinks ? stat(path, &status) : lstat(path, &status)
    guard answer == 0 else { throw .last }
    self.init(status)
  }

  /// Asks for the file of an open descriptor.
  package init(of descriptor: FileDescriptor) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw .last }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      // The system's own numbers, of which others may come.
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
