import ScriptSyntax

extension Statement {
  /// Whether the statement or one inside it is an `explain`.
  ///
  /// An included file may contain one.
  var mayExplain: Bool {
    if case .explain = kind { return true }
    if case .include = kind { return true }
    return inner.contains(where: \.mayExplain)
  }
}
