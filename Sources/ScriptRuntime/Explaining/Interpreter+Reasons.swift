import FetchedResults
package import ScriptSyntax

extension Interpreter {
  /// Begins to keep by what changes are decided, so that `explain` can tell of
  /// the turns from now on.
  ///
  /// It costs about as much as deciding them; so a script that never asks does
  /// not do it.
  package func keepReasons() {
    guard !keepsReasons else { return }
    keepsReasons = true
    for entry in session.contexts { turnLog.listen(to: entry.context) }
    for binding in session.controllers.values { turnLog.listen(to: binding) }
  }

  /// Looks ahead in a script that is about to run: at the names of its entities,
  /// which relationships may lead to before they are defined, and whether it asks
  /// for reasons, which then are kept.
  package func prepare(for script: ParsedScript) {
    for case .entity(let declaration) in script.statements.map(\.kind) {
      declaredEntities.insert(declaration.name.text)
    }
    if script.statements.contains(where: \.mayExplain) { keepReasons() }
  }
}

extension Statement {
  /// Whether the statement, or one inside it, is an `explain`; a file that it
  /// includes may hold one.
  fileprivate var mayExplain: Bool {
    if case .explain = kind { return true }
    if case .include = kind { return true }
    return inner.contains(where: \.mayExplain)
  }
}
