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

  /// Begins to keep reasons where a script asks for them.
  package func keepReasons(for script: ParsedScript) {
    if script.statements.contains(where: \.mayExplain) { keepReasons() }
  }
}

extension Statement {
  /// Whether the statement, or one inside it, is an `explain`; a file that it
  /// includes may hold one.
  fileprivate var mayExplain: Bool {
    switch kind {
    case .explain, .include: true
    case .perform(_, _, let body), .for(_, in: _, let body), .repeat(_, let body):
      body.contains(where: \.mayExplain)
    case .if(_, let then, else: let otherwise):
      (then + otherwise).contains(where: \.mayExplain)
    case .try(let statement): statement.mayExplain
    case .ownDelegate(_, let callbacks):
      callbacks.contains { $0.body.contains(where: \.mayExplain) }
    default: false
    }
  }
}
