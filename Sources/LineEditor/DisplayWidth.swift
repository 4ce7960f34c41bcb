import CLibEdit

extension String {
  /// The number of cells a terminal gives this text.
  ///
  /// Control characters count as none.
  package var displayWidth: Int {
    reduce(0) { $0 + $1.displayWidth }
  }

  /// This text with blanks behind it up to `width` cells.
  func padded(toDisplayWidth width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }
}

extension Character {
  /// The number of cells a terminal gives this character.
  ///
  /// Known to the system for each scalar; a character of several takes their
  /// sum, accents nothing. What is joined to an emoji, and flags, take two.
  package var displayWidth: Int {
    if let ascii = asciiValue { return (0x20..<0x7F).contains(ascii) ? 1 : 0 }
    let scalars = unicodeScalars
    if scalars.count > 1, isEmojiSequence { return 2 }
    return scalars.reduce(0) { $0 + $1.displayWidth }
  }

  private var isEmojiSequence: Bool {
    guard let first = unicodeScalars.first, first.properties.isEmoji else { return false }
    return unicodeScalars.dropFirst().contains { scalar in
      scalar == "\u{FE0F}" || scalar == "\u{200D}" || scalar.properties.isEmojiModifier
        || (0x1F1E6...0x1F1FF).contains(scalar.value)
    }
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    let width = Int(wcwidth(wchar_t(bitPattern: value)))
    // The system's tables may be older than the character.
    return width < 0 ? (properties.generalCategory == .control ? 0 : 1) : width
  }
}
