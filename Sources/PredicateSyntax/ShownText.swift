extension Unicode.Scalar {
  /// Whether a terminal reacts to the character instead of showing it.
  ///
  /// These are the control characters of C0 and C1, DEL, line and paragraph separators, and marks
  /// that change the text direction.
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// Returns the text with control characters as codes such as `\u{9b}`.
  ///
  /// - Parameter kept: Control characters that stay.
  /// - Complexity: O(*n*) in the length of the text.
  package func escapingControls(except kept: [Unicode.Scalar] = []) -> String {
    guard unicodeScalars.contains(where: { $0.isControl && !kept.contains($0) }) else {
      return self
    }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isControl, !kept.contains(scalar) {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}
