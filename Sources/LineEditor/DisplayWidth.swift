import CLibEdit

extension String {
  /// The number of cells a terminal gives this text. Control characters count
  /// as none.
  package var displayWidth: Int {
    reduce(0) { $0 + $1.displayWidth }
  }

  /// This text with blanks behind it up to `width` cells.
  func padded(toDisplayWidth width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }
}

extension String {
  /// Where the cursor stands behind this text if it begins at the left edge,
  /// counted from 0. Behind a full row that is the start of the next.
  func endPosition(columns: Int) -> (row: Int, column: Int) {
    var row = 0
    var column = 0
    for character in self {
      let width = character.displayWidth
      if character == "\n" || column + width > columns {
        row += 1
        column = 0
      }
      column += width
      if column == columns {
        row += 1
        column = 0
      }
    }
    return (row, column)
  }
}

extension Character {
  /// The number of cells a terminal gives this character.
  ///
  /// The widest part of a character decides, for marks stand in the cell of
  /// their base; flags and what is asked to look like an emoji take two.
  package var displayWidth: Int {
    let scalars = unicodeScalars
    let widest = scalars.map { max(0, Int(wcwidth(wchar_t(bitPattern: $0.value)))) }.max() ?? 0
    guard scalars.count > 1 else { return widest }
    let isEmoji = scalars.contains { $0 == "\u{FE0F}" || (0x1F1E6...0x1F1FF).contains($0.value) }
    return isEmoji ? 2 : widest
  }
}
