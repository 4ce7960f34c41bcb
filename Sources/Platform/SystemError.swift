import CLibrary

/// Why the system refused a request: one of its error numbers.
package struct SystemError: Error, Hashable, Sendable {
  /// The system's number, such as `ENOENT`.
  package let code: Int32

  /// Creates an error from the system's number.
  package init(code: Int32) { self.code = code }

  /// The error of the last call that failed on this thread.
  static var last: SystemError { SystemError(code: errno) }

  /// There is no file of this name.
  package static let missing = SystemError(code: ENOENT)

  /// There is a file of this name already.
  package static let exists = SystemError(code: EEXIST)

  /// The path leads to a folder.
  package static let folder = SystemError(code: EISDIR)

  /// The kind of file does not allow the request.
  package static let invalid = SystemError(code: EINVAL)

  /// Permissions do not allow the request.
  package static let denied = SystemError(code: EACCES)

  /// The file system can only be read.
  package static let readOnly = SystemError(code: EROFS)

  /// Every reader of a pipe is gone.
  package static let brokenPipe = SystemError(code: EPIPE)

  /// A file has more bytes than are wanted.
  package static let tooLarge = SystemError(code: EFBIG)

  /// A signal ended the wait.
  package static let interrupted = SystemError(code: EINTR)

  /// Makes this the error of the last call, for a C library that asks for it.
  package func makeLast() { errno = code }

  /// Whether the same call may succeed later: a signal ended the wait, or
  /// nothing is there yet.
  package var mayPass: Bool { code == EINTR || code == EAGAIN }

  /// The system's own words, which begin with a capital.
  package var systemWords: String { String(cString: strerror(code)) }

  /// The error in words, as a message continues with them.
  package var words: String {
    switch self {
    case .missing: "no such file"
    case .folder: "it is a folder"
    case .interrupted: "interrupted while waiting for it"
    default: systemWords.lowercased()
    }
  }
}
