package import Platform

/// A complete key, as a terminal sends it.
enum TerminalKey: Equatable {
  /// A character, or a control character such as Enter.
  case character(Unicode.Scalar)
  /// Escape, with nothing after it.
  case escape
  /// A character with Alt held, or after Escape.
  case alt(Unicode.Scalar)
  /// A control sequence without its Escape, such as `[1;5D`.
  case sequence(String)
  /// A report of the terminal itself: the cursor's position, the colours, or the mouse. No key was
  /// pressed.
  case report
  /// A pasted text, or a part of one.
  case paste([Unicode.Scalar])
}

/// A decoder that assembles keys from the characters that a terminal sends.
///
/// It always takes whole sequences, even unknown ones, because a part of one must never be taken
/// for typed text. It does not wait: the caller reports when nothing came in time.
struct KeyDecoder {
  private enum State: Equatable {
    case start
    case escape
    /// After `ESC [`, with the characters so far.
    case control(String)
    /// After `ESC O`.
    case single(String)
    /// In a string between two marks, which answers of the terminal use.
    case string(begin: Unicode.Scalar, isEmpty: Bool, endsWithEscape: Bool)
    /// In an old mouse report, which ends after this number of characters.
    case mouse(rest: Int)
    case paste
  }

  private var state = State.start
  /// Whether the present key is to be dropped when it ends.
  private var dropsKey = false
  private var pasted: [Unicode.Scalar] = []

  /// The mark that ends a paste.
  private static let pasteEnd = Array("\u{1B}[201~".unicodeScalars)
  /// The number of characters that are kept of a sequence.
  ///
  /// No key sends a longer one.
  private static let longest = 64

  /// Whether a paste has begun and not ended.
  var isInPaste: Bool { state == .paste }

  /// Whether only a part of a key has come.
  var isWithinKey: Bool { state != .start }

  /// Returns how long the rest of a key may take, in milliseconds; nil for ever.
  ///
  /// - Parameter endsEscape: Whether Escape is a key of its own, rather than the start of another
  ///   one.
  func patience(endsEscape: Bool) -> Int32? {
    switch state {
    case .start: nil
    case .escape where dropsKey: 500
    case .escape: endsEscape ? 50 : nil
    case .control, .single, .string, .mouse: 500
    case .paste: 1000
    }
  }

  /// Forgets an incomplete key.
  mutating func reset() { self = KeyDecoder() }

  /// Drops the present key when it ends.
  mutating func dropKey() { dropsKey = isWithinKey }

  /// Adds a character.
  ///
  /// - Returns: The key that ends with it; nil if the key is incomplete.
  mutating func take(_ scalar: Unicode.Scalar) -> TerminalKey? {
    let key = step(scalar)
    guard dropsKey else { return key }
    if state == .start { dropsKey = false }
    return nil
  }

  private mutating func step(_ scalar: Unicode.Scalar) -> TerminalKey? {
    switch state {
    case .start: return begin(scalar)
    case .escape: return continueEscape(scalar)
    case .control(let sequence): return continueControl(sequence, scalar)
    case .single(let sequence): return continueSingle(sequence, scalar)
    case .string(let begin, _, let endsWithEscape):
      return continueString(scalar, begin, endsWithEscape)
    case .mouse(let rest):
      state = rest > 1 ? .mouse(rest: rest - 1) : .start
      return rest > 1 ? nil : .report
    case .paste: return continuePaste(scalar)
    }
  }

  /// Ends a key whose rest has not come in time.
  ///
  /// - Returns: The key without the rest; nil if that is not a key.
  mutating func giveUp() -> TerminalKey? {
    if dropsKey {
      reset()
      return nil
    }
    switch state {
    case .start: return nil
    case .escape:
      state = .start
      return .escape
    // With nothing after it, this was a key with Alt held.
    case .control("["): return giveUp(.alt("["))
    case .single("O"): return giveUp(.alt("O"))
    case .string(let begin, true, _): return giveUp(.alt(begin))
    case .control, .single, .string, .mouse: return giveUp(nil)
    case .paste: return takePasted(except: pasted.countOfEnd(startedBy: Self.pasteEnd))
    }
  }

  private mutating func giveUp(_ key: TerminalKey?) -> TerminalKey? {
    state = .start
    return key
  }

  private mutating func begin(_ scalar: Unicode.Scalar) -> TerminalKey? {
    // This is another key than the one to drop.
    dropsKey = false
    guard scalar == "\u{1B}" else {
      state = .start
      return .character(scalar)
    }
    state = .escape
    return nil
  }

  private mutating func continueEscape(_ scalar: Unicode.Scalar) -> TerminalKey? {
    switch scalar {
    // Alt was held with a key that sends a sequence itself.
    case "\u{1B}": return nil
    case "[": state = .control("[")
    case "O": state = .single("O")
    case "]", "P", "X", "^", "_":
      state = .string(begin: scalar, isEmpty: true, endsWithEscape: false)
    default:
      state = .start
      return .alt(scalar)
    }
    return nil
  }

  private mutating func continueControl(
    _ sequence: String, _ scalar: Unicode.Scalar
  ) -> TerminalKey? {
    switch scalar.value {
    // Function keys of the Linux console have a second bracket.
    case 0x5B where sequence == "[": state = .control("[[")
    case 0x20..<0x40:
      state = .control(
        sequence.utf8.count < Self.longest ? sequence + String(Character(scalar)) : sequence)
    case 0x40..<0x7F: return finishControl(sequence + String(Character(scalar)))
    // The sequence was cut off; this begins another key.
    default: return begin(scalar)
    }
    return nil
  }

  private mutating func finishControl(_ sequence: String) -> TerminalKey? {
    state = .start
    if sequence == "[200~" {
      state = .paste
      return nil
    }
    if sequence == "[M" {
      state = .mouse(rest: 3)
      return nil
    }
    return Self.isReport(sequence) ? .report : .sequence(sequence)
  }

  private mutating func continueSingle(
    _ sequence: String, _ scalar: Unicode.Scalar
  ) -> TerminalKey? {
    switch scalar.value {
    case 0x30..<0x3C where sequence.utf8.count < Self.longest:
      state = .single(sequence + String(Character(scalar)))
      return nil
    case 0x20..<0x7F:
      state = .start
      return .sequence(sequence + String(Character(scalar)))
    default: return begin(scalar)
    }
  }

  private mutating func continueString(
    _ scalar: Unicode.Scalar, _ begin: Unicode.Scalar, _ endsWithEscape: Bool
  ) -> TerminalKey? {
    if endsWithEscape, scalar != "\\" {
      // The Escape has begun another key.
      dropsKey = false
      state = .escape
      return continueEscape(scalar)
    }
    if endsWithEscape || scalar == "\u{7}" {
      state = .start
      return .report
    }
    switch scalar.value {
    case 0x1B: state = .string(begin: begin, isEmpty: false, endsWithEscape: true)
    // An answer contains no line end, so this is not one.
    case 0..<0x20: return self.begin(scalar)
    default: state = .string(begin: begin, isEmpty: false, endsWithEscape: false)
    }
    return nil
  }

  private mutating func continuePaste(_ scalar: Unicode.Scalar) -> TerminalKey? {
    pasted.append(scalar)
    guard scalar == "~", pasted.countOfEnd(startedBy: Self.pasteEnd) == Self.pasteEnd.count
    else { return nil }
    state = .start
    pasted.removeLast(Self.pasteEnd.count)
    defer { pasted = [] }
    return .paste(pasted)
  }

  /// Returns the text that was pasted so far.
  private mutating func takePasted(except kept: Int) -> TerminalKey? {
    guard pasted.count > kept else { return nil }
    let text = Array(pasted.dropLast(kept))
    pasted.removeFirst(text.count)
    return .paste(text)
  }

  /// Whether a sequence is not a key: a cursor position, a terminal type, the mouse, the window's
  /// focus, a colour scheme, or the end of a paste that never began.
  private static func isReport(_ sequence: String) -> Bool {
    let parameters = sequence.dropFirst().dropLast()
    switch sequence.last {
    case "I", "O": return parameters.isEmpty
    case "R": return parameters.contains(";")
    case "c", "n", "t", "x", "y": return true
    default: return parameters.first.map { "<>?=".contains($0) } ?? false || sequence == "[201~"
    }
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
  private let leavesRest: Bool

  /// - Parameter leavesRest: Whether the keys after a paste stay for the next reader of the terminal.
  init(_ input: TerminalInput, leavesRest: Bool = false) {
    self.input = input
    self.leavesRest = leavesRest
  }

  /// Waits for the next key.
  ///
  /// - Parameters:
  ///   - endsEscape: Whether Escape is a key of its own, rather than the start of another one.
  ///   - patience: How long to wait for the start of a key, in milliseconds; nil waits for ever.
  func next(endsEscape: Bool, within patience: Int32? = nil) -> Event {
    while true {
      let isWithinKey = decoder.isWithinKey
      let wait = isWithinKey ? decoder.patience(endsEscape: endsEscape) : patience
      // A paste may be long, so it is read in bulk, unless a key after it must stay for others.
      switch input.next(within: wait, bulk: decoder.isInPaste && !leavesRest) {
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
  /// Keys that were typed ahead or pasted with it stay in the terminal for the next reader. If the
  /// program is stopped or ended in the meantime, the terminal is restored first.
  ///
  /// - Parameters:
  ///   - terminal: A terminal. For anything else, the result is `end`.
  ///   - didReturn: Called when the program continues after a stop, because others may have written
  ///     to the screen.
  package static func read(
    from terminal: FileDescriptor, didReturn: () -> Void = {}
  ) -> SingleKey {
    guard let mode = KeyMode(terminal) else { return .end }
    let keys = KeyReader(TerminalInput(terminal), leavesRest: true)
    var signals = ReadingSignals()
    mode.enter()
    defer {
      mode.leave()
      signals.finish()
    }
    while true {
      switch signals.next(leavesInterrupt: true) {
      case .drop: return .interrupted
      case .stop(let origin):
        if origin == .key { keys.drop(at: origin) }
        mode.leave()
        signals.perform(.stop)
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
        switch keys.next(endsEscape: true) {
        case .key(let key):
          if let key = SingleKey(key) { return key }
        case .signal, .rest: break
        // Without a key, only the end of the terminal ends the wait.
        case .end: return .closed
        }
      }
    }
  }

  /// - Returns: Nil for a report of the terminal, for which no key was pressed.
  private init?(_ key: TerminalKey) {
    switch key {
    // Ctrl-D ends the input here, too.
    case .character("\u{4}"): self = .end
    case .character(let scalar): self = .character(Character(scalar))
    case .escape, .alt, .sequence, .paste: self = .character("\u{1B}")
    case .report: return nil
    }
  }
}

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

extension Array where Element: Equatable {
  /// Returns how many elements at the end are the start of `mark`.
  fileprivate func countOfEnd(startedBy mark: [Element]) -> Int {
    for count in stride(from: Swift.min(mark.count, self.count), to: 0, by: -1)
    where self[(self.count - count)...].elementsEqual(mark[..<count]) {
      return count
    }
    return 0
  }
}
