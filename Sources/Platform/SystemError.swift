import CLibrary

/// An error of a system call: one of the system's error numbers.
package struct SystemError: Error, Hashable, Sendable {
  /// The system's number, such as `ENOENT`.
  package let code: Int32

  /// Creates an error from the system's number.
  package init(code: Int32) { self.code = code }

  /// The error of the last failed call on this thread.
  static var last: SystemError { SystemError(code: errno) }

  /// There is no file with this name.
  package static let missing = SystemError(code: ENOENT)

  /// A file with this name already exists.
  package static let exists = SystemError(code: EEXIST)

  /// The path leads to a folder.
  package static let folder = SystemError(code: EISDIR)

  /// The path is a link that must not be followed.
  package static let link = SystemError(code: ELOOP)

  /// The kind of file does not allow the request.
  package static let invalid = SystemError(code: EINVAL)

  /// Permissions do not allow the request.
  package static let denied = SystemError(code: EACCES)

  /// The file system is read-only.
  package static let readOnly = SystemError(code: EROFS)

  /// All readers of a pipe have closed it.
  package static let brokenPipe = SystemError(code: EPIPE)

  /// A file has more bytes than the limit.
  package static let tooLarge = SystemError(code: EFBIG)

  /// A signal interrupted the wait.
  package static let interrupted = SystemError(code: EINTR)

  /// Another process holds a lock.
  package static let locked = SystemError(code: EWOULDBLOCK)

  /// The process or the system has too many open files.
  package static let tooManyFiles = SystemError(code: EMFILE)

  /// Whether the process or the system has too many open files.
  package var isShortageOfFiles: Bool { code == EMFILE || code == ENFILE }

  /// Sets `errno`, for a C library that reads it.
  package func makeLast() { errno = code }

  /// Whether the same call may succeed later, because a signal interrupted it or no data has
  /// arrived.
  package var mayPass: Bool { code == EINTR || code == EAGAIN }

  /// The system's own description, which begins with a capital letter.
  package var systemWords: String { String(cString: strerror(code)) }

  /// A description in a form that can continue a message.
  package var words: String {
    switch self {
    case .missing: "no such file"
    case .folder: "it is a folder"
    case .interrupted: "interrupted while waiting for it"
    case .locked: "another process has locked it"
    case .tooManyFiles: "the process may open no further files; raise the limit with 'ulimit -n'"
    default: systemWords.lowercased()
    }
  }
}
