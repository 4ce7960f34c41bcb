import CLibEdit
import Platform

/// What the function of a key tells libedit.
enum KeyResult {
  /// The text or the cursor may have changed.
  case done
  /// The key can do nothing here; the bell rings.
  case refused
  /// The reading is over; `result` says how.
  case finished

  var code: UInt8 {
    switch self {
    // What libedit draws is not seen, but it keeps count of it from key to key.
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
        scalar?.pointee = wchar_t(bitPattern: key.value)
        return 1
      case .end:
        return 0
      case .signal, .timeout:
        continue
      }
    }
    SystemError.interrupted.makeLast()
    return -1
  }

  /// Passes what was typed through those that want to see it first.
  private func key(for typed: Unicode.Scalar) -> Unicode.Scalar? {
    if typesOver(typed) { return nil }
    if search != nil { return searchKey(typed) }
    if typed == "\u{1B}", isChoosing, !isFollowed() {
      _ = cancel()
      return nil
    }
    if hasViKeys, typed == "\u{1B}" { return viEscape() }
    return typed
  }

  /// Takes a blank at a line's start for one of those that the line began with
  /// by itself, so that an indentation that is typed is not added to it.
  private func typesOver(_ typed: Unicode.Scalar) -> Bool {
    guard typed == " ", blanksToTypeOver > 0 else {
      blanksToTypeOver = 0
      return false
    }
    blanksToTypeOver -= 1
    return true
  }

  private func answer(_ need: ReadingSignals.Need) {
    switch need {
    case .drop:
      input.dropPartial()
      endSearch()
      menu = nil
      finishLine(mark: "^C")
      result = .interrupted
    case .stop:
      // What comes next is written behind the text, not into it.
      showEnd()
      leaveTerminal()
      signals?.perform(.stop)
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
    setRawMode(false)
  }

  /// Takes the terminal back; the line will be drawn where the cursor is then.
  private func enterTerminal() {
    // The signal to go on was part of being stopped.
    _ = SignalInbox.take(.resume)
    setRawMode(true)
    write(Self.markPastes)
    painter.forget()
    size = TerminalSize(of: .standardOutput) ?? size
  }
}
