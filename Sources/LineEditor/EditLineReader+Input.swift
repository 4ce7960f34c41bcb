import CLibEdit
import Glibc

/// What the function of a key tells libedit to do next.
enum KeyResult {
  /// Nothing; the screen is right.
  case done
  /// Draw what has changed.
  case refresh
  /// Beep.
  case refused
  /// Stop reading.
  case endOfInput

  var code: UInt8 {
    switch self {
    case .done: UInt8(CC_NORM)
    case .refresh: UInt8(CC_REFRESH)
    case .refused: UInt8(CC_ERROR)
    case .endOfInput: UInt8(CC_EOF)
    }
  }
}

extension EditLineReader {
  /// The key that drops the line. The terminal sends a signal for it, which is
  /// made a key again here.
  static var dropKey: Unicode.Scalar { "\u{03}" }

  /// The key whose function runs what `whenShown(_:)` was given.
  static var deferredKey: Unicode.Scalar { "\u{1E}" }

  /// Gives libedit the next character.
  ///
  /// - Returns: 1 with a character, 0 at the end of the input, -1 where the
  ///   line is dropped.
  func readScalar(into scalar: UnsafeMutablePointer<wchar_t>?) -> CInt {
    while true {
      if drop == .announced {
        errno = EINTR
        return -1
      }
      if let need = signals?.next() {
        guard let key = answer(need) else { continue }
        scalar?.pointee = wchar_t(bitPattern: key.value)
        return 1
      }
      switch input.next() {
      case .scalar(let typed):
        guard let key = key(for: typed) else { continue }
        scalar?.pointee = wchar_t(bitPattern: key.value)
        return 1
      case .end:
        return 0
      case .signal, .timeout:
        continue
      }
    }
  }

  /// Passes what was typed through those that want to see it first.
  private func key(for typed: Unicode.Scalar) -> Unicode.Scalar? {
    if search != nil { return searchKey(typed) }
    if hasViKeys, typed == "\u{1B}" { return viEscape() }
    return typed
  }

  /// Runs `action` when the terminal shows what the current key changed.
  ///
  /// libedit draws when a key's function has returned. So another key is put
  /// before all that were typed, and its function runs `action`.
  func whenShown(_ action: @escaping () -> KeyResult) {
    deferred = action
    String(Self.deferredKey).withWide { el_wpush(editLine, $0) }
  }

  /// Has `action` run by a key's function, for outside of one libedit draws
  /// nothing.
  ///
  /// - Returns: The key.
  func atKey(_ action: @escaping () -> KeyResult) -> Unicode.Scalar {
    deferred = action
    return Self.deferredKey
  }

  /// Does what a signal asks for.
  ///
  /// - Returns: A key to be pressed, if that is part of it.
  private func answer(_ need: ReadingSignals.Need) -> Unicode.Scalar? {
    switch need {
    case .drop:
      input.flush()
      endSearch()
      drop = .announced
      // The key takes the cursor behind the text, so that nothing of it is
      // written over.
      return isEditing ? Self.dropKey : nil
    case .stop:
      leaveTerminal()
      signals?.perform(SIGTSTP)
      enterTerminal()
    case .resume:
      leaveTerminal()
      enterTerminal()
    case .resize:
      redrawForNewSize()
    case .end(let signal):
      leaveTerminal()
      signals?.perform(signal)
      enterTerminal()
    }
    return nil
  }

  /// Draws the line for the window's new size.
  ///
  /// Most terminals wrap their rows anew, some do not. The smaller number of
  /// rows is taken back, so that nothing above the line is ever erased.
  private func redrawForNewSize() {
    let before = shownPrompt + line.before
    let old = columns
    el_resize(editLine)
    columns = TerminalSize(of: 1)?.columns ?? old
    guard understandsSequences else { return }
    let rows = min(before.endPosition(columns: old).row, before.endPosition(columns: columns).row)
    write((rows > 0 ? "\u{1B}[\(rows)A" : "") + "\r\u{1B}[J")
    frc_el_refresh(editLine)
  }

  /// Gives the terminal to somebody else.
  private func leaveTerminal() {
    markPastes(false)
    if isEditing { frc_el_set_int(editLine, EL_PREP_TERM, 0) }
  }

  /// Takes the terminal back, and draws the line where the cursor is now.
  private func enterTerminal() {
    // SIGCONT was part of being stopped.
    _ = SignalInbox.take(SIGCONT)
    markPastes(true)
    guard isEditing else { return }
    frc_el_set_int(editLine, EL_PREP_TERM, 1)
    el_resize(editLine)
    frc_el_refresh(editLine)
  }
}
