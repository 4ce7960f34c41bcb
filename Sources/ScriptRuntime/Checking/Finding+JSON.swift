import ScriptSyntax

extension Finding {
  /// The finding as JSON for editors: its start and end, and the edits that fix it.
  ///
  /// Lines and columns are counted from 1, and columns in characters. Offsets count UTF-8 bytes
  /// from the start of the file.
  package var json: JSON {
    .object([
      ("file", .string(source.name)), ("severity", .string(diagnostic.severity.rawValue)),
      ("message", .string(diagnostic.message)), ("range", place(of: diagnostic.range)),
      ("fixes", .array(fixes)),
    ])
  }

  private var fixes: [JSON] {
    guard let text = diagnostic.replacement else { return [] }
    let title = "replace '\(source.text(in: diagnostic.range))' with '\(text)'"
    let edit = JSON.object([("range", place(of: diagnostic.range)), ("text", .string(text))])
    return [.object([("title", .string(title)), ("edits", .array([edit]))])]
  }

  private func place(of range: Range<Int>) -> JSON {
    .object([("start", place(of: range.lowerBound)), ("end", place(of: range.upperBound))])
  }

  private func place(of offset: Int) -> JSON {
    let offset = min(offset, source.bytes.count)
    let position = source.position(of: offset)
    return .object([
      ("line", .number(String(position.line))), ("column", .number(String(position.column))),
      ("offset", .number(String(offset))),
    ])
  }
}
