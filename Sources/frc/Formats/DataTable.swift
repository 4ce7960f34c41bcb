/// Rows as text that other programs read: CSV, or a table of Markdown.
struct DataTable {
  let head: [String]
  let cells: [[EventTable.Cell]]

  /// The rows as RFC 4180 describes CSV.
  ///
  /// Nil is an empty field.
  var csv: [String] {
    [Self.csv(head)] + cells.map { Self.csv($0.map(\.data)) }
  }

  private static func csv(_ fields: [String]) -> String { fields.map(csv).joined(separator: ",") }

  private static func csv(_ field: String) -> String {
    let needsQuotes = field.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D: true
      default: false
      }
    }
    guard needsQuotes else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }

  /// The rows as a table of Markdown, and an empty line that ends it.
  var markdown: [String] {
    let numbers = head.indices.map { column in cells.contains { $0[column].isNumber } }
    return [Self.markdown(head), Self.markdown(numbers.map { $0 ? "---:" : "---" })]
      + cells.map { row in Self.markdown(row.map { Self.escaped($0.line) }) } + [""]
  }

  private static func markdown(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  /// The text without what Markdown would read as a sign of its own.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\\`*_|<>[]#".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
