extension String {
  /// How many columns of a terminal the text takes.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text, cut to a width, and with a mark for each control character.
  ///
  /// Books come from files. An escape sequence in a title must not reach the terminal.
  func fitted(to width: Int) -> String {
    // Most lines: each byte is a character of one column.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return String(prefix(width)) }
    var result = ""
    var used = 0
    for character in self {
      let isControl = character.unicodeScalars.contains {
        $0.properties.generalCategory == .control
          || $0.properties.generalCategory == .format
            && $0 != "\u{200D}"
      }
      let shown = isControl ? "\u{FFFD}" : character
      used += shown.columns
      guard used <= width else { break }
      result.append(shown)
    }
    return result
  }
}

extension Character {
  /// 2 for East Asian wide characters and emoji, else 1.
  fileprivate var columns: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
