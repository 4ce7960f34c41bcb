/// The words that begin statements.
enum StatementWord: String, CaseIterable {
  case abstract, automerge, caches, change, context, controller, count, delegate, delete, entity
  case evaluate, expect, explain, fetch, `for`, `if`, `import`, include, insert, `let`, merge, model
  case objects, perform, print, process, quirk, redo, refresh, reload, `repeat`, request, reset
  case resume, `return`, rollback, save, set, show, stats, store, suspend, swift, table, trace
  case `try`, undo, update

  /// Every word that begins a statement, in alphabetical order.
  static let all: [String] = allCases.map(\.rawValue).sorted()

  private static let allSet = Set(all)

  static func begins(_ word: String) -> Bool { allSet.contains(word) }

  /// Whether the word after this one is a name that the statement defines.
  var definesNextWord: Bool {
    switch self {
    case .context, .controller, .entity, .for, .let, .request, .table: true
    case .abstract, .automerge, .caches, .change, .count, .delegate, .delete, .evaluate, .expect,
      .explain, .fetch, .if, .import, .include, .insert, .merge, .model, .objects, .perform,
      .print, .process, .quirk, .redo, .refresh, .reload, .repeat, .reset, .resume, .return,
      .rollback, .save, .set, .show, .stats, .store, .suspend, .swift, .trace, .try, .undo,
      .update:
      false
    }
  }
}
