import Basics
import ScriptSyntax

/// Help text with lines that are broken between words if the window is narrow.
struct FlowedText {
  let lines: [String]

  /// - Parameters:
  ///   - lines: The lines of a paragraph, which are joined if one of them is too long, and rows,
  ///     which begin with blanks or stand alone.
  ///   - width: The width of the window in columns.
  init(_ lines: [String], width: Int) {
    var flowed: [String] = []
    var paragraph: [String] = []
    for line in lines {
      if line.isEmpty || line.hasPrefix(" ") {
        flowed += Self.flowed(paragraph, width)
        paragraph = []
        flowed += Self.broken(line, width)
      } else {
        paragraph.append(line)
      }
    }
    self.lines = flowed + Self.flowed(paragraph, width)
  }

  private static func flowed(_ paragraph: [String], _ width: Int) -> [String] {
    guard paragraph.contains(where: { DisplayWidth.width(of: $0) > width }) else {
      return paragraph
    }
    return broken(paragraph.joined(separator: " "), width)
  }

  /// Breaks a line.
  ///
  /// The rest of a row is placed under the row's last column.
  private static func broken(_ line: String, _ width: Int) -> [String] {
    guard DisplayWidth.width(of: line) > width else { return [line] }
    let margin = String(repeating: " ", count: lastColumn(of: line, within: width / 2))
    var rows: [String] = []
    var row = ""
    var hasWord = false
    for word in words(of: line) {
      if hasWord, DisplayWidth.width(of: row + word) > width {
        rows.append(row)
        row = margin
        hasWord = false
      }
      row += hasWord || rows.isEmpty ? word : String(word.drop { $0 == " " })
      hasWord = hasWord || word.contains { $0 != " " }
    }
    return rows + [row]
  }

  /// Returns the words with the blanks before them.
  private static func words(of line: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in line {
      if character == " ", word.contains(where: { $0 != " " }) {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    return words + [word]
  }

  /// Returns where the last column of a row begins, after at least two blanks; 0 if that is too far
  /// to the right.
  private static func lastColumn(of line: String, within limit: Int) -> Int {
    var column = 0
    var blanks = 0
    for (index, character) in line.prefix(limit + 1).enumerated() {
      if character != " ", blanks > 1 { column = index }
      blanks = character == " " ? blanks + 1 : 0
    }
    return column
  }
}
