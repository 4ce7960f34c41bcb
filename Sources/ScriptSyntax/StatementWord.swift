/// The words that begin the statements of this version.
enum StatementWord: String, CaseIterable {
  case abstract, automerge, caches, change, context, controller, count, delegate, delete, entity
  case evaluate, expect, explain, fetch, `for`, `if`, `import`, include, insert, `let`, merge, model
  case objects, perform, print, process, quirk, redo, refresh, reload, `repeat`, request, reset
  case resume, `return`, rollback, save, set, show, store, suspend, swift, table, trace, `try`
  case undo, update

  /// Every word that begins a statement, also of those to come.
  static let all: [String] =
    (Set(allCases.map(\.rawValue)).union(UnavailableForm.all.map(\.word))).sorted()

  /// The words with which a statement of this version begins.
  static let offered: [String] =
    allCases.map(\.rawValue).sorted()

  private static let allSet = Set(all)

  static func begins(_ word: String) -> Bool { allSet.contains(word) }
}
