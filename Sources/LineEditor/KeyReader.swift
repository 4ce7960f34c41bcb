import Platform

/// The keys of a terminal, each whole.
final class KeyReader {
  /// What `next()` can give.
  enum Event: Equatable {
    case key(TerminalKey)
    /// A signal is in the inbox.
    case signal
    case end
  }

  private let input: TerminalInput
  private var decoder = KeyDecoder()

  init(_ input: TerminalInput) { self.input = input }

  /// Waits for the next key.
  ///
  /// - Parameter endsEscape: Whether Escape is a key of its own, rather than the
  ///   start of another one.
  func next(endsEscape: Bool) -> Event {
    while true {
      // No key after a paste has to wait for others, and the paste may be long.
      switch input.next(
        within: decoder.patience(endsEscape: endsEscape), bulk: decoder.isInPaste)
      {
      case .scalar(let scalar):
        if let key = decoder.take(scalar) { return .key(key) }
      case .timeout:
        if let key = decoder.giveUp() { return .key(key) }
      case .signal: return .signal
      case .end: return .end
      }
    }
  }

  /// Forgets half a key, and a paste with all that has been read of it.
  func drop() {
    if decoder.isInPaste { input.flush() }
    input.dropPartial()
    decoder.reset()
  }
}
