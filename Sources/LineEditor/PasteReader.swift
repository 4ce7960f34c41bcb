package import Platform

/// Inserts a paste as one text, whatever characters it contains.
final class PasteReader {
  private let buffer: LineBuffer
  private let assistance: LineAssistance
  /// The text to insert.
  private var pasted: [Unicode.Scalar] = []

  init(buffer: LineBuffer, assistance: LineAssistance) {
    self.buffer = buffer
    self.assistance = assistance
  }

  /// Keeps a paste for `insert()`.
  func take(_ scalars: [Unicode.Scalar]) { pasted = scalars }

  /// Inserts the text that the terminal marked as pasted.
  func insert() -> KeyResult {
    buffer.insert(assistance.pasted(Self.text(ofPaste: pasted)))
    pasted = []
    return .done
  }

  /// Replaces returns, which terminals send, by line ends.
  ///
  /// A return and a line feed are one line end, in either order: while a line is edited, the
  /// terminal's mode exchanges the two. Removes NULs, which the editor cannot hold.
  private static func text(ofPaste scalars: [Unicode.Scalar]) -> String {
    var text = String.UnicodeScalarView()
    /// A line end whose second half may follow.
    var half: Unicode.Scalar?
    for scalar in scalars {
      let isEnd = scalar == "\r" || scalar == "\n"
      if isEnd, let first = half, first != scalar {
        half = nil
        continue
      }
      half = isEnd ? scalar : nil
      if isEnd {
        text.append("\n")
      } else if scalar.value != 0 {
        text.append(scalar)
      }
    }
    return String(text)
  }
}

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
        _ = PendingSignals.take(.resume)
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

/// Reads the keys of a terminal, each as a whole.
final class KeyReader {
  /// The results of `next()`.
  enum Event: Equatable {
    case key(TerminalKey)
    /// A signal is in the inbox.
    case signal
    /// No key was pressed in time.
    case rest
    case end
  }

  private let input: TerminalInput
  private var decoder = KeyDecoder()
  /// Whether the incomplete character is to be dropped.
  private var dropsCharacter = false

  init(_ input: TerminalInput) { self.input = input }

  /// Waits for the next key.
  ///
  /// - Parameters:
  ///   - endsEscape: Whether Escape is a key of its own, rather than the start of another one.
  ///   - patience: How long to wait for the start of a key, in milliseconds; nil waits for ever.
  func next(endsEscape: Bool, within patience: Int32? = nil) -> Event {
    while true {
      let isWithinKey = decoder.isWithinKey
      let wait = isWithinKey ? decoder.patience(endsEscape: endsEscape) : patience
      // A paste may be long, so it is read in bulk. No key after it needs to stay for others.
      switch input.next(within: wait, bulk: decoder.isInPaste) {
      case .scalar(let scalar):
        let key = decoder.take(scalar)
        if dropsCharacter {
          dropsCharacter = false
        } else if let key {
          return .key(key)
        }
      case .timeout:
        guard isWithinKey else { return .rest }
        if let key = decoder.giveUp() { return .key(key) }
      case .signal: return .signal
      case .end: return .end
      }
    }
  }

  /// Drops the incomplete key or the paste, because of a signal.
  ///
  /// If a key sent the signal, the system discards the rest of the input. Otherwise the rest is
  /// still to come, and must not be taken for typed text.
  func drop(at origin: SignalOrigin) {
    switch origin {
    case .key:
      if decoder.isInPaste { input.flush() }
      input.dropPartial()
      decoder.reset()
      dropsCharacter = false
    case .process:
      dropsCharacter = input.isWithinCharacter
      decoder.dropKey()
    }
  }
}
