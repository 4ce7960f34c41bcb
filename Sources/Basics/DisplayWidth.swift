/// The number of terminal columns that a text takes.
///
/// East Asian wide and fullwidth characters and emoji take two columns. Combining, invisible and
/// control characters take none, except for a tab, which counts as one. The table is our own,
/// because the width must not depend on the system's locale.
package enum DisplayWidth {
  /// Returns the number of columns that a text takes.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package static func width(of text: String) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns the number of columns that a character takes.
  package static func width(of character: Character) -> Int {
    if let ascii = character.asciiValue {
      return (0x20..<0x7F).contains(ascii) || ascii == 9 ? 1 : 0
    }
    let scalars = character.unicodeScalars
    if scalars.count > 1, isEmojiSequence(scalars) { return 2 }
    return scalars.reduce(0) { $0 + width(of: $1) }
  }

  /// Whether scalars are drawn as one emoji: a sign with a variation selector, a skin tone or a
  /// joined sign, or the two letters of a flag.
  private static func isEmojiSequence(_ scalars: Character.UnicodeScalarView) -> Bool {
    guard let first = scalars.first, first.properties.isEmoji else { return false }
    return scalars.dropFirst().contains { scalar in
      scalar == "\u{FE0F}" || scalar == "\u{200D}" || scalar.properties.isEmojiModifier
        || isRegionalIndicator(scalar)
    }
  }

  /// Returns the number of columns that a scalar takes by itself.
  package static func width(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value == 9 { return 1 }
    if value < 0x20 || 0x7F..<0xA0 ~= value { return 0 }
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    if isInvisible(scalar) { return 0 }
    return contains(value, in: wide) ? 2 : 1
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    // The vowels and finals of a Hangul syllable join the consonant before.
    if 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value { return true }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return true
    default: return false
    }
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    0x1F1E6...0x1F1FF ~= scalar.value
  }

  private static func contains(_ value: UInt32, in ranges: [ClosedRange<UInt32>]) -> Bool {
    let index = ranges.partitioningIndex { $0.upperBound >= value }
    return index < ranges.endIndex && ranges[index].contains(value)
  }

  /// The ranges of wide and fullwidth characters, ascending.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul initial consonants
    0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
    0x25FD...0x25FE, 0x2614...0x2615, 0x2630...0x2637, 0x2648...0x2653, 0x267F...0x267F,
    0x268A...0x268F, 0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE,
    0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3,
    0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
    0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757,
    0x2795...0x2797, 0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50,
    0x2B55...0x2B55,
    0x2E80...0x2E99, 0x2E9B...0x2EF3,  // CJK radicals
    0x2F00...0x2FD5, 0x2FF0...0x303E,  // radicals, CJK punctuation
    0x3041...0x3096, 0x3099...0x30FF,  // Hiragana, Katakana
    0x3105...0x312F, 0x3131...0x318E,  // Bopomofo, Hangul compatibility
    0x3190...0x31E5, 0x31EF...0x321E, 0x3220...0x3247, 0x3250...0xA48C,  // CJK
    0xA490...0xA4C6, 0xA960...0xA97C,  // Yi radicals, Hangul extended A
    0xAC00...0xD7A3,  // Hangul syllables
    0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE52, 0xFE54...0xFE66, 0xFE68...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6,  // fullwidth forms
    0x16FE0...0x16FE4, 0x16FF0...0x16FF6, 0x17000...0x18CD5, 0x18CFF...0x18D1E,  // Tangut
    0x18D80...0x18DF2, 0x1AFF0...0x1AFF3, 0x1AFF5...0x1AFFB, 0x1AFFD...0x1AFFE,
    0x1B000...0x1B122, 0x1B132...0x1B132, 0x1B150...0x1B152, 0x1B155...0x1B155,  // Kana
    0x1B164...0x1B167, 0x1B170...0x1B2FB, 0x1D300...0x1D356, 0x1D360...0x1D376,
    0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A,
    0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248, 0x1F250...0x1F251,
    0x1F260...0x1F265, 0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
    0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
    0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC,
    0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
    0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
    0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF,
    0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0,
    0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FA7C,
    0x1FA80...0x1FA8A, 0x1FA8E...0x1FAC6, 0x1FACD...0x1FADC, 0x1FADF...0x1FAEA,
    0x1FAEF...0x1FAF8, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}

extension Int {
  /// The number with commas between thousands.
  package var grouped: String {
    let digits = String(magnitude)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return (self < 0 ? "-" : "") + result
  }
}

extension String {
  /// Returns the text, cut to a width in terminal columns.
  ///
  /// A cut text ends with `…`.
  package func cut(toColumns width: Int) -> String {
    // A text has at most as many columns as bytes.
    guard utf8.count > width, DisplayWidth.width(of: self) > width else { return self }
    var result = ""
    var columns = 0
    for character in self {
      columns += DisplayWidth.width(of: character)
      guard columns < width else { break }
      result.append(character)
    }
    return result + "…"
  }

  /// Returns the text with blanks after it, up to a width in terminal columns.
  package func padded(toColumns width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - DisplayWidth.width(of: self)))
  }

  /// Returns the text with blanks before it, up to a width in terminal columns.
  package func rightAligned(toColumns width: Int) -> String {
    String(repeating: " ", count: max(0, width - DisplayWidth.width(of: self))) + self
  }
}
