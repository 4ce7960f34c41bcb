/// A row of a file that was not imported, with the reason.
struct BadRow: Error, Hashable {
  let line: Int
  let reason: String

  /// The number of rows that an error names.
  ///
  /// It counts the others.
  static var shown: Int { 20 }

  /// Returns one message about all skipped rows.
  static func message(_ rows: [BadRow], file: String, imported: Int) -> String {
    let shown = rows.prefix(Self.shown).map { "line \($0.line): \($0.reason)" }
    let others = rows.count - Self.shown
    return "\(rows.count) of \(rows.count + imported) rows of '\(file)' were left out: "
      + (shown + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "; ")
  }
}
