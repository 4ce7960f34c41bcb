package import Platform

/// A key that is pressed while no line is edited.
package enum SingleKey: Equatable {
  /// The first character that the key sends. If it sends several, as an arrow does, the others are
  /// skipped.
  case character(Character)
  /// Ctrl-C was pressed, or another signal asks the program to end; ``InterruptFlag`` is raised.
  case interrupted
  /// The input has ended.
  case end
  /// The terminal was closed.
  case closed

  /// Waits for a key, which is not shown.
  ///
  /// If the program is stopped or ended in the meantime, the terminal is restored first.
  ///
  /// - Parameters:
  ///   - terminal: A terminal. For anything else, the result is `end`.
  ///   - didReturn: Called when the program continues after a stop, because others may have written
  ///     to the screen.
  package static func read(
    from terminal: FileDescriptor, didReturn: () -> Void = {}
  ) -> SingleKey {
    guard let mode = KeyMode(terminal) else { return .end }
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
        signals.perform(.stop)
        // The signal to continue belongs to the stop, and needs no answer of its own.
        _ = SignalInbox.take(.resume)
        mode.enter()
        didReturn()
      case .resume:
        mode.enter()
        didReturn()
      case .end(let signal):
        mode.leave()
        signals.perform(signal)
        // The program ends itself when the flag is raised. Another wait would answer the same
        // signal again and again.
        if InterruptFlag.isRaised { return .interrupted }
        mode.enter()
      case .resize: break
      case nil:
        if let key = key(from: terminal) { return key }
      }
    }
  }

  /// Waits for a moment; returns nil if no key was pressed.
  private static func key(from terminal: FileDescriptor) -> SingleKey? {
    // A signal between the check and the wait is noticed when the wait times out.
    guard case .ready = FileDescriptor.wait(for: [terminal], milliseconds: 100) else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try terminal.readOnce(upTo: 32)
    } catch {
      return error.mayPass ? nil : .closed
    }
    // Ctrl-D ends the input here, too.
    guard let character = String(decoding: bytes, as: UTF8.self).first, bytes[0] != 4 else {
      return .end
    }
    return .character(character)
  }
}
