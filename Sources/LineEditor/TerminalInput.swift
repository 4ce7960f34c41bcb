import Glibc

/// Characters from a terminal, as they are typed.
///
/// Bytes are read one at a time, so that what was typed ahead stays for
/// whoever reads the terminal next; only a paste is read in large pieces.
struct TerminalInput {
  /// What `next(…)` can give.
  enum Event: Equatable {
    case scalar(Unicode.Scalar)
    /// A signal is in the inbox.
    case signal
    /// Nothing was typed in time.
    case timeout
    case end
  }

  private let fileDescriptor: Int32
  private var bytes: [UInt8] = []
  private var position = 0
  /// The bytes of a character that is not complete yet.
  private var partial: [UInt8] = []
  /// Scalars given back by `unread(_:)`.
  private var returned: [Unicode.Scalar] = []

  init(fileDescriptor: Int32) {
    self.fileDescriptor = fileDescriptor
  }

  /// Waits for the next character.
  ///
  /// - Parameters:
  ///   - milliseconds: How long to wait; nil is for ever.
  ///   - bulk: Whether to read more than is needed.
  /// - Returns: The character, or why there is none.
  mutating func next(within milliseconds: Int32? = nil, bulk: Bool = false) -> Event {
    if let scalar = returned.popLast() { return .scalar(scalar) }
    while true {
      while position < bytes.count {
        let byte = bytes[position]
        guard partial.isEmpty || byte & 0xC0 == 0x80 else {
          // The character before was cut off; this byte begins the next.
          partial.removeAll()
          return .scalar("\u{FFFD}")
        }
        position += 1
        partial.append(byte)
        if partial.count == Self.length(ofLead: partial[0]) {
          let text = String(decoding: partial, as: UTF8.self)
          partial.removeAll()
          let scalars = text.unicodeScalars
          return .scalar(scalars.count == 1 ? scalars.first ?? "\u{FFFD}" : "\u{FFFD}")
        }
      }
      if let event = fill(within: milliseconds, bulk: bulk) { return event }
      // At Ctrl-C the system forgets what was typed before it, so what is read
      // with the signal there was typed behind it and stays for the next line.
      if SignalInbox.contains(SIGINT) { return .signal }
    }
  }

  /// Whether something was typed that has not been given yet.
  var isReady: Bool {
    if !returned.isEmpty || position < bytes.count { return true }
    var request = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  /// Gives `scalar` again at the next call of `next(…)`.
  mutating func unread(_ scalar: Unicode.Scalar) {
    returned.append(scalar)
  }

  /// Forgets what was read and not used.
  mutating func flush() {
    bytes.removeAll()
    position = 0
    dropPartial()
  }

  /// Forgets half a character, and what was given back.
  mutating func dropPartial() {
    partial.removeAll()
    returned.removeAll()
  }

  /// Reads at least a byte.
  ///
  /// - Returns: Why there is none, or nil if there is.
  private mutating func fill(within milliseconds: Int32?, bulk: Bool) -> Event? {
    var requests = [
      pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: SignalInbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&requests, 2, milliseconds ?? -1)
    if ready < 0 { return errno == EINTR || errno == EAGAIN ? .signal : .end }
    if ready == 0 { return .timeout }
    if requests[1].revents != 0 {
      SignalInbox.drainWakePipe()
      return .signal
    }

    let room = bulk ? 4096 : 1
    var count = 0
    var code: Int32 = 0
    bytes = [UInt8](unsafeUninitializedCapacity: room) { bytes, size in
      count = read(fileDescriptor, bytes.baseAddress, room)
      code = errno
      size = max(count, 0)
    }
    position = 0
    if count > 0 { return nil }
    return count < 0 && (code == EINTR || code == EAGAIN) ? .signal : .end
  }

  /// How many bytes a character has that begins with `byte`; 1 for a byte that
  /// begins none.
  private static func length(ofLead byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
