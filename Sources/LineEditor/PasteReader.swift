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
  /// Removes NULs, which the editor cannot hold.
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
