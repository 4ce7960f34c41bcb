import Glibc

/// A key that is pressed where no line is edited.
package enum SingleKey: Equatable {
  /// The first character that the key sends; of a key that sends several, such
  /// as an arrow, the others are taken with it.
  case character(Character)
  /// Ctrl-C was pressed; ``InterruptFlag`` is raised.
  case interrupted
  /// Nothing will be typed any more.
  case end

  /// Waits for a key, which is not shown.
  ///
  /// - Parameter fileDescriptor: The terminal's; where it is none, the answer is
  ///   `end`.
  package static func read(from fileDescriptor: Int32) -> SingleKey {
    var before = termios()
    guard tcgetattr(fileDescriptor, &before) == 0 else { return .end }
    var mode = before
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(fileDescriptor, TCSADRAIN, &mode)
    defer { tcsetattr(fileDescriptor, TCSADRAIN, &before) }
    while true {
      if InterruptFlag.isRaised { return .interrupted }
      // A signal that comes between the look and the wait is seen soon enough.
      var request = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 100) > 0 else { continue }
      let bytes = [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
        count = max(0, Glibc.read(fileDescriptor, bytes.baseAddress, 32))
      }
      if bytes.isEmpty {
        if errno == EINTR { continue }
        return .end
      }
      // Ctrl-D is an end here, too.
      guard let character = String(decoding: bytes, as: UTF8.self).first, bytes[0] != 4 else {
        return .end
      }
      return .character(character)
    }
  }
}
