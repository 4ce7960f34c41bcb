import Platform

/// Inserts a paste as one text, whatever keys are in it.
struct PasteReader {
  let buffer: LineBuffer
  let input: TerminalInput
  let assistance: LineAssistance

  /// Inserts what the terminal has marked as pasted, whatever keys are in it.
  func insertPaste() -> KeyResult {
    let end = Array("\u{1B}[201~".unicodeScalars)
    var pasted: [Unicode.Scalar] = []
    while !pasted.ends(with: end) {
      switch input.next(bulk: true) {
      case .scalar(let scalar): pasted.append(scalar)
      case .end: return .refused
      case .timeout: continue
      case .signal:
        // All but Ctrl-C can wait until the paste is in.
        if SignalInbox.contains(.interrupt) {
          input.flush()
          return .refused
        }
      }
    }
    pasted.removeLast(end.count)
    buffer.insert(assistance.pasted(Self.text(ofPaste: pasted)))
    return .done
  }

  /// Makes line ends of returns, as terminals send them, and leaves out NULs,
  /// which the editor cannot hold.
  private static func text(ofPaste scalars: [Unicode.Scalar]) -> String {
    var text = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in scalars {
      if scalar == "\r" || (scalar == "\n" && previous != "\r") {
        text.append("\n")
      } else if scalar != "\n", scalar.value != 0 {
        text.append(scalar)
      }
      previous = scalar
    }
    return String(text)
  }
}

extension Array where Element: Equatable {
  fileprivate func ends(with end: [Element]) -> Bool {
    count >= end.count && self[(count - end.count)...].elementsEqual(end)
  }
}
