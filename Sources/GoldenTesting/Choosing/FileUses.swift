package import ScriptSyntax

/// The files that a script uses, as it writes their paths.
package struct FileUses: Hashable, Sendable {
  /// The included scripts.
  package private(set) var scripts: [String] = []
  /// Models, stores, and imported files.
  package private(set) var others: [String] = []
  /// Whether the lists are complete.
  ///
  /// They are not if the script computes a path.
  package private(set) var isComplete = true

  package init(_ script: ParsedScript) {
    for statement in script.statements { add(statement) }
  }

  private mutating func add(_ statement: Statement) {
    if case .include(let path, _) = statement.kind { add(path, to: \.scripts) }
    if case .model(let path, version: _) = statement.kind { add(path, to: \.others) }
    if case .storeSQLite(let path, _) = statement.kind { add(path, to: \.others) }
    if case .importRows(let path, into: _) = statement.kind { add(path, to: \.others) }
    for inner in statement.inner { add(inner) }
  }

  private mutating func add(_ path: ExpressionSyntax, to list: WritableKeyPath<Self, [String]>) {
    guard let text = path.plainText else {
      isComplete = false
      return
    }
    self[keyPath: list].append(text)
  }
}

extension ExpressionSyntax {
  /// The text of a string; nil if it has interpolations.
  fileprivate var plainText: String? {
    guard case .string(let parts) = kind else { return nil }
    var text = ""
    for part in parts {
      guard case .text(let piece) = part else { return nil }
      text += piece
    }
    return text
  }
}
