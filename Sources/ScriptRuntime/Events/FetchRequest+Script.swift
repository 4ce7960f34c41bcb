import FetchedResults
import ScriptSyntax

extension FetchRequest {
  /// The request as a script writes it, with what a controller adds to it.
  func scriptText(sectionNameKeyPath: String? = nil, cacheName: String? = nil) -> String {
    var text = entity.name + (includesSubentities ? "" : ".self")
    if let predicate { text += " where \(predicate.predicateFormat)" }
    if !sortDescriptors.isEmpty {
      text += " sort by " + sortDescriptors.map(\.scriptText).joined(separator: ", ")
    }
    if let sectionNameKeyPath { text += " section by \(sectionNameKeyPath)" }
    if fetchLimit > 0 { text += " limit \(fetchLimit)" }
    if fetchOffset > 0 { text += " offset \(fetchOffset)" }
    if fetchBatchSize > 0 { text += " batch \(fetchBatchSize)" }
    if let cacheName { text += " cache \(cacheName.quoted)" }
    return text
  }

  /// The statement that defines the request under a name.
  ///
  /// One with variables is a comment, since they are bound when it runs: whoever
  /// wants it says what they are. So is one whose name in the model cannot be a
  /// request's in a script.
  package func scriptLine(named name: String) -> String {
    let line = "request \(name) = \(scriptText())"
    let hasVariables = predicate?.predicateFormat.contains("$") == true
    return hasVariables || !line.definesRequest(name) ? "# \(line)" : line
  }
}

extension String {
  /// Whether the text is one statement, which defines a request of a name.
  fileprivate func definesRequest(_ name: String) -> Bool {
    let script = ScriptParser.parse(SourceText(name: "", text: self))
    guard !script.hasErrors, script.statements.count == 1,
      case .request(let defined, _)? = script.statements.first?.kind
    else { return false }
    return defined.text == name
  }
}

extension FetchSortDescriptor {
  fileprivate var scriptText: String {
    key + (ascending ? "" : " desc") + (selector.scriptWord.map { " using \($0)" } ?? "")
  }
}
