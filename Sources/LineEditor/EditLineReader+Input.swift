import CLibEdit
import Glibc

/// What the function of a key tells libedit.
enum KeyResult {
  /// The text or the cursor may have changed.
  ///
  /// What libedit then draws is not seen, but it must know where it would be:
  /// it keeps count from key to key and would run out of its screen.
  case done
  /// The key can do nothing here; the bell rings.
  case refused
  /// The reading is over; `result` says how.
  case finished

  var code: UInt8 {
    switch self {
    case .done: UInt8(CC_REFRESH)
    case .refused: UInt8(CC_ERROR)
    case .finished: UInt8(CC_EOF)
    }
  }
}

extension EditLineReader {
  /// The key whose function runs `deferred`.
  static var deferredKey: Unicode.Scalar { "\u{1E}" }

  /// Gives libedit the next character, and draws while there is none.
  ///
  /// - Returns: 1 with a character, 0 at the end of the input, -1 where the
  ///   line is dropped.
  func readScalar(into scalar: UnsafeMutablePointer<wchar_t>?) -> CInt {
    while result == nil {
      if let need = signals?.next() {
        answer(need)
        continue
      }
      // What comes in one go, a paste without marks say, is drawn once.
      if !input.isReady { draw() }
      switch input.next() {
      case .scalar(let typed):
        guard let key = key(for: typed) else { continue }
        keepInStep(before: key)
        scalar?.pointee = wchar_t(bitPattern: key.value)
        return 1
      case .end:
        return 0
      case .signal, .timeout:
        continue
      }
    }
    errno = EINTR
    return -1
  }

  /// Passes what was typed through those that want to see it first.
  private func key(for typed: Unicode.Scalar) -> Unicode.Scalar? {
    if search != nil { return searchKey(typed) }
    if hasViKeys, typed == "\u{1B}" { return viEscape() }
    return typed
  }

  /// Has libedit draw anew where its idea of the screen may be wrong.
  ///
  /// In a text higher than the terminal its movements leave its cursor behind,
  /// and the next characters typed would be drawn outside of its screen.
  /// While characters are typed it keeps in step; but the first ones after a
  /// control character may be the rest of a key's sequence, and with vi's keys
  /// each may be a command.
  private func keepInStep(before key: Unicode.Scalar) {
    let longestSequence = 8
    if hasViKeys || textKeyCount < longestSequence { frc_el_refresh(editLine) }
    textKeyCount = key.value >= 0x20 && key.value != 0x7F ? textKeyCount + 1 : 0
  }

  private func answer(_ need: ReadingSignals.Need) {
    switch need {
    case .drop:
      input.flush()
      endSearch()
      finishLine(mark: "^C")
      result = .interrupted
    case .stop:
      // What comes next is written behind the text, not into it.
      showEnd()
      leaveTerminal()
      signals?.perform(SIGTSTP)
      enterTerminal()
    case .resume:
      leaveTerminal()
      enterTerminal()
    case .resize:
      drawForNewSize()
    case .end(let signal):
      finishLine()
      leaveTerminal()
      signals?.perform(signal)
      enterTerminal()
    }
  }

  /// Gives the terminal to somebody else.
  private func leaveTerminal() {
    write(Self.doNotMarkPastes)
    frc_el_set_int(editLine, EL_PREP_TERM, 0)
  }

  /// Takes the terminal back; the line will be drawn where the cursor is then.
  private func enterTerminal() {
    // SIGCONT was part of being stopped.
    _ = SignalInbox.take(SIGCONT)
    frc_el_set_int(editLine, EL_PREP_TERM, 1)
    write(Self.markPastes)
    display.forget()
    takeSize()
  }
}
