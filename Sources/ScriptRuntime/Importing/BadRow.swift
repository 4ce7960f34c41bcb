/// A row of a file that is not imported, and why.
struct BadRow: Error, Hashable {
  let line: Int
  let reason: String

  /// The rows that an error names; it counts the others.
  static var shown: Int { 20 }

  /// Says in one message which rows were left out.
  static func message(_ rows: [BadRow], file: String, imported: Int) -> String {
    let shown = rows.prefix(Self.shown).map { "line \($0.line): \($0.reason)" }
    let others = rows.count - Self.shown
    return "\(rows.count) of \(rows.count + imported) rows of '\(file)' were left out: "
      + (shown + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "; ")
  }
}
