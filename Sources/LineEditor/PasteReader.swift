/// Inserts a paste as one text, whatever keys are in it.
final class PasteReader {
  private let buffer: LineBuffer
  private let assistance: LineAssistance
  /// What is to be inserted.
  private var pasted: [Unicode.Scalar] = []

  init(buffer: LineBuffer, assistance: LineAssistance) {
    self.buffer = buffer
    self.assistance = assistance
  }

  /// Keeps a paste for `insert()`.
  func take(_ scalars: [Unicode.Scalar]) { pasted = scalars }

  /// Inserts what the terminal has marked as pasted.
  func insert() -> KeyResult {
    buffer.insert(assistance.pasted(Self.text(ofPaste: pasted)))
    pasted = []
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
