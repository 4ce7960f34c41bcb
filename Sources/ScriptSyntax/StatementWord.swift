/// The words that begin the statements of this version.
enum StatementWord: String, CaseIterable {
  case abstract, caches, change, controller, count, delegate, delete, entity, evaluate, expect
  case fetch
  case `for`, `if`, include, insert, `let`, model, objects, perform, print, process
  case `repeat`, request, reset, `return`, rollback, save, set, show, store, `try`, update

  /// Every word that begins a statement, also of those to come.
  static let all: [String] =
    (Set(allCases.map(\.rawValue)).union(UnavailableForm.all.map(\.word))).sorted()

  /// The words with which a statement of this version begins.
  static let offered: [String] =
    allCases.map(\.rawValue).filter { !UnavailableForm.words.contains($0) }.sorted()

  private static let allSet = Set(all)

  static func begins(_ word: String) -> Bool { allSet.contains(word) }
}
