import CLibrary

/// The number of an open file, pipe or terminal, which belongs to others.
package struct FileDescriptor: Hashable, Sendable {
  /// The system's number.
  package let number: Int32

  /// Names a descriptor of this process.
  package init(_ number: Int32) { self.number = number }

  /// Standard input.
  package static let standardInput = FileDescriptor(0)

  /// Standard output.
  package static let standardOutput = FileDescriptor(1)

  /// Standard error.
  package static let standardError = FileDescriptor(2)

  /// Where the open file really is, whatever its path leads to by now; nil if the system does not
  /// say.
  package var path: String? { SystemCalls.path(ofDescriptor: number) }

  // MARK: Reading

  /// Reads at most `count` bytes in one call; none at the end of the file.
  ///
  /// - Throws: Also if a signal ends the wait.
  package func readOnce(upTo count: Int) throws(SystemError) -> [UInt8] {
    try Self.bytes(upTo: count) { buffer in
      SystemCalls.read(number, buffer, count)
    }
  }

  /// Reads at most `count` bytes, and waits again where a signal ends the wait;
  /// none at the end of the file.
  package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
    while true {
      do throws(SystemError) {
        return try readOnce(upTo: count)
      } catch {
        if error != .interrupted { throw error }
      }
    }
  }

  /// Reads at most `count` bytes from a place in a file.
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

  /// Reads what is left, up to the end or a number of bytes.
  package func readToEnd(atMost limit: Int = .max) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let piece = try read(upTo: min(1 << 16, limit - bytes.count))
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  /// Reads up to the end of a pipe, a terminal or another device, and waits without
  /// missing a signal.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that are read.
  ///   - goesOn: Whether to wait; asked ten times a second.
  /// - Throws: ``SystemError/interrupted`` when it is no longer to be waited for.
  package func readToEnd(
    atMost limit: Int, while goesOn: () -> Bool
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      guard goesOn() else { throw .interrupted }
      switch Self.wait(for: [self], milliseconds: 100) {
      case .timeout, .interrupted: continue
      // Reading says what is wrong.
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

  // MARK: Writing

  /// Writes all bytes.
  package func write(_ bytes: some Sequence<UInt8>) throws(SystemError) {
    let bytes = ContiguousArray(bytes)
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = SystemCalls.write(
          number, buffer.baseAddress?.advanced(by: written), buffer.count - written)
        if count < 0 {
          let error = SystemError.last
          if error == .interrupted { continue }
          failure = error
          return
        }
        written += count
      }
    }
    if let failure { throw failure }
  }

  // MARK: Waiting

  /// What ended a wait.
  package enum Wait: Equatable {
    /// The descriptors that can be read now, or have ended; by their place.
    case ready(Set<Int>)
    case timeout
    case interrupted
    case failed
  }

  /// Waits until one of the descriptors can be read.
  ///
  /// - Parameter milliseconds: How long to wait; nil is for ever.
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
