package import Platform

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
  ///   - terminal: A terminal; of anything else, the answer is `end`.
  ///   - didReturn: Called when the program goes on after having been stopped,
  ///     for others may have written on the screen.
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
        // The signal to go on was part of being stopped.
        _ = SignalInbox.take(.resume)
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
        if let key = key(from: terminal) { return key }
      }
    }
  }

  /// Waits for a moment; nil where no key was pressed.
  private static func key(from terminal: FileDescriptor) -> SingleKey? {
    // A signal that comes between the look and the wait is seen soon enough.
    guard case .ready = FileDescriptor.wait(for: [terminal], milliseconds: 100) else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try terminal.readOnce(upTo: 32)
    } catch {
      return error.mayPass ? nil : .end
    }
    // Ctrl-D is an end here, too.
    guard let character = String(decoding: bytes, as: UTF8.self).first, bytes[0] != 4 else {
      return .end
    }
    return .character(character)
  }
}
