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
  /// Where the program is stopped or ended meanwhile, the terminal is put in
  /// order before.
  ///
  /// - Parameters:
  ///   - fileDescriptor: The terminal's; where it is none, the answer is `end`.
  ///   - didReturn: Called when the program goes on after having been stopped,
  ///     for others may have written on the screen.
  package static func read(
    from fileDescriptor: Int32, didReturn: () -> Void = {}
  ) -> SingleKey {
    guard let mode = KeyMode(fileDescriptor) else { return .end }
    var signals = ReadingSignals()
    mode.enter()
    defer {
      mode.leave()
      signals.finish()
    }
    while true {
      switch signals.next(leavesInterrupt: true) {
      case .drop: return .interrupted
      case .stop:
        mode.leave()
        signals.perform(SIGTSTP)
        // SIGCONT was part of being stopped.
        _ = SignalInbox.take(SIGCONT)
        mode.enter()
        didReturn()
      case .resume:
        mode.enter()
        didReturn()
      case .end(let signal):
        mode.leave()
        signals.perform(signal)
        mode.enter()
      case .resize: break
      case nil:
        if let key = key(from: fileDescriptor) { return key }
      }
    }
  }

  /// Waits for a moment; nil where no key was pressed.
  private static func key(from fileDescriptor: Int32) -> SingleKey? {
    // A signal that comes between the look and the wait is seen soon enough.
    var request = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, 100) > 0 else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
      count = max(0, Glibc.read(fileDescriptor, bytes.baseAddress, 32))
    }
    if bytes.isEmpty { return errno == EINTR ? nil : .end }
    // Ctrl-D is an end here, too.
    guard let character = String(decoding: bytes, as: UTF8.self).first, bytes[0] != 4 else {
      return .end
    }
    return .character(character)
  }
}

/// A terminal that sends each key as it is pressed and does not show it, or is
/// as it was before.
private struct KeyMode {
  private let fileDescriptor: Int32
  private let before: termios

  /// Nil where the descriptor is no terminal's.
  init?(_ fileDescriptor: Int32) {
    var before = termios()
    guard tcgetattr(fileDescriptor, &before) == 0 else { return nil }
    self.fileDescriptor = fileDescriptor
    self.before = before
  }

  func enter() {
    var mode = before
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(fileDescriptor, TCSADRAIN, &mode)
  }

  func leave() {
    var mode = before
    tcsetattr(fileDescriptor, TCSADRAIN, &mode)
  }
}
