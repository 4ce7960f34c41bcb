/// Rows as text for other programs: CSV, or a Markdown table.
struct DataTable {
  let head: [String]
  let cells: [[EventTable.Cell]]

  /// The rows as CSV (RFC 4180).
  ///
  /// Nil becomes an empty field.
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

  /// The rows as a Markdown table, followed by an empty line.
  var markdown: [String] {
    let numbers = head.indices.map { column in cells.contains { $0[column].isNumber } }
    return [Self.markdown(head), Self.markdown(numbers.map { $0 ? "---:" : "---" })]
      + cells.map { row in Self.markdown(row.map { Self.escaped($0.line) }) } + [""]
  }

  private static func markdown(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  /// Returns the text escaped for a Markdown table.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\\`*_|<>[]#".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
