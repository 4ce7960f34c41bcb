import Platform

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
