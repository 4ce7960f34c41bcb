import CLibrary

/// The number of an open file, pipe or terminal.
///
/// It does not own the file.
package struct FileDescriptor: Hashable, Sendable {
  /// The system's number.
  package let number: Int32

  /// Creates a value for a descriptor of this process.
  package init(_ number: Int32) { self.number = number }

  /// Standard input.
  package static let standardInput = FileDescriptor(0)

  /// Standard output.
  package static let standardOutput = FileDescriptor(1)

  /// Standard error.
  package static let standardError = FileDescriptor(2)

  /// The actual path of the open file, even if it was renamed; nil if the system does not provide
  /// it.
  package var path: String? { SystemCalls.path(ofDescriptor: number) }

  // MARK: Reading

  /// Reads at most `count` bytes with one system call; empty at the end of the file.
  ///
  /// - Throws: The system's error, also if a signal interrupts the wait.
  package func readOnce(upTo count: Int) throws(SystemError) -> [UInt8] {
    try Self.bytes(upTo: count) { buffer in
      SystemCalls.read(number, buffer, count)
    }
  }

  /// Reads at most `count` bytes, and continues if a signal interrupts the wait; empty at the end
  /// of the file.
  package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
    while true {
      do throws(SystemError) {
        return try readOnce(upTo: count)
      } catch {
        if error != .interrupted { throw error }
      }
    }
  }

  /// Reads at most `count` bytes at an offset of a file.
  package func read(upTo count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    while true {
      do throws(SystemError) {
        return try Self.bytes(upTo: count) { buffer in
          pread(number, buffer, count, off_t(offset))
        }
      } catch {
        if error != .interrupted { throw error }
      }
    }
  }

  /// Reads up to the end, or up to a number of bytes.
  package func readToEnd(atMost limit: Int = .max) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let piece = try read(upTo: min(1 << 16, limit - bytes.count))
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  /// Reads up to the end of a pipe, a terminal or another device, and checks regularly whether to
  /// stop.
  ///
  /// - Parameters:
  ///   - limit: The largest number of bytes to read.
  ///   - goesOn: Returns whether to continue; called ten times a second.
  /// - Throws: ``SystemError/interrupted`` if `goesOn` returns false.
  package func readToEnd(
    atMost limit: Int, while goesOn: () -> Bool
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      guard goesOn() else { throw .interrupted }
      switch Self.wait(for: [self], milliseconds: 100) {
      case .timeout, .interrupted: continue
      // If the wait failed, reading reports the error.
      case .ready, .failed: break
      }
      do throws(SystemError) {
        let piece = try readOnce(upTo: min(1 << 16, limit - bytes.count))
        if piece.isEmpty { break }
        bytes += piece
      } catch {
        if !error.mayPass { throw error }
      }
    }
    return bytes
  }

  private static func bytes(
    upTo count: Int, _ read: (UnsafeMutableRawPointer?) -> Int
  ) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let result = read(UnsafeMutableRawPointer(buffer.baseAddress))
      if result < 0 { failure = .last }
      filled = max(result, 0)
    }
    if let failure { throw failure }
    return bytes
  }

  /// Whether two pieces of files have equal bytes in a range.
  package static func areEqual(_ one: [UInt8], _ other: [UInt8], _ range: Range<Int>) -> Bool {
    guard one.count >= range.upperBound, other.count >= range.upperBound else { return false }
    return one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard let one = one.baseAddress, let other = other.baseAddress else { return true }
        return memcmp(one + range.lowerBound, other + range.lowerBound, range.count) == 0
      }
    }
  }

  // MARK: Writing

  /// Writes all bytes.
  package func write(_ bytes: some Sequence<UInt8>) throws(SystemError) {
    try ContiguousArray(bytes).withUnsafeBufferPointer { buffer throws(SystemError) in
      try writeAll(buffer) { SystemCalls.write(number, $0.baseAddress, $0.count) }
    }
  }

  /// Writes all bytes at a place in a file.
  package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    try bytes.withUnsafeBufferPointer { buffer throws(SystemError) in
      try writeAll(buffer) { rest in
        pwrite(number, rest.baseAddress, rest.count, off_t(offset + buffer.count - rest.count))
      }
    }
  }

  /// Calls a function with the bytes that it has not written yet, until there are none.
  private func writeAll(
    _ bytes: UnsafeBufferPointer<UInt8>, by write: (UnsafeBufferPointer<UInt8>) -> Int
  ) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(UnsafeBufferPointer(rebasing: rest))
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if SystemError.last != .interrupted {
        throw SystemError.last
      }
    }
  }

  // MARK: Waiting

  /// The result of a wait.
  package enum Wait: Equatable {
    /// The descriptors that can be read or are at their end, by their index.
    case ready(Set<Int>)
    case timeout
    case interrupted
    case failed
  }

  /// Waits until one of the descriptors can be read.
  ///
  /// - Parameter milliseconds: How long to wait; nil to wait without a limit.
  package static func wait(
    for descriptors: [FileDescriptor], milliseconds: Int32? = nil
  ) -> Wait {
    var requests = descriptors.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
    let count = poll(&requests, nfds_t(requests.count), milliseconds ?? -1)
    if count < 0 { return SystemError.last.mayPass ? .interrupted : .failed }
    if count == 0 { return .timeout }
    return .ready(Set(requests.indices.filter { requests[$0].revents != 0 }))
  }

  /// Whether something can be read without waiting.
  package var isReady: Bool {
    if case .ready = Self.wait(for: [self], milliseconds: 0) { true } else { false }
  }
}

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

  /// Another program listens at the address.
  package static let addressInUse = SystemError(code: EADDRINUSE)

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
