import ScriptSyntax

/// The kinds of statement, by the words that people know them by.
enum StatementKind: String, CaseIterable {
  case entity
  case model
  case storeMemory = "store memory"
  case storeSQLite = "store sqlite"
  case save
  case rollback
  case reset
  case process
  case context
  case merge
  case automerge
  case refresh
  case refreshAll = "refresh all"
  case undo
  case redo
  case insert
  case `let`
  case assign = "assignment"
  case update
  case importRows = "import"
  case delete
  case deleteMatching = "delete where"
  case perform
  case `for`
  case `if`
  case `repeat`
  case include
  case set
  case expect
  case `try`
  case request
  case storedRequest = "request stored"
  case controller
  case fetch
  case count
  case change
  case delegate
  case ownDelegate = "delegate with callbacks"
  case `return`
  case deleteCache = "delete cache"
  case deleteCaches = "delete caches"
  case table
  case suspend
  case resume
  case reload
  case trace
  case show
  case showRequest = "show request"
  case showModel = "show model"
  case objects
  case print
  case caches
  case stats
  case evaluate
  case explain
  case swift
  case quirk

  init(_ kind: Statement.Kind) {
    self =
      switch kind {
      case .entity: .entity
      case .model: .model
      case .storeMemory: .storeMemory
      case .storeSQLite: .storeSQLite
      case .save: .save
      case .rollback: .rollback
      case .reset: .reset
      case .process: .process
      case .context: .context
      case .merge: .merge
      case .automerge: .automerge
      case .refresh: .refresh
      case .refreshAll: .refreshAll
      case .undo: .undo
      case .redo: .redo
      case .insert: .insert
      case .let: .let
      case .assign: .assign
      case .update: .update
      case .importRows: .importRows
      case .delete: .delete
      case .deleteMatching: .deleteMatching
      case .perform: .perform
      case .for: .for
      case .if: .if
      case .repeat: .repeat
      case .include: .include
      case .set: .set
      case .expect: .expect
      case .try: .try
      case .request: .request
      case .storedRequest: .storedRequest
      case .controller: .controller
      case .fetch: .fetch
      case .count: .count
      case .change: .change
      case .delegate: .delegate
      case .ownDelegate: .ownDelegate
      case .return: .return
      case .deleteCache: .deleteCache
      case .deleteCaches: .deleteCaches
      case .table: .table
      case .suspend: .suspend
      case .resume: .resume
      case .reload: .reload
      case .trace: .trace
      case .show: .show
      case .showRequest: .showRequest
      case .showModel: .showModel
      case .objects: .objects
      case .print: .print
      case .caches: .caches
      case .stats: .stats
      case .evaluate: .evaluate
      case .explain: .explain
      case .swift: .swift
      case .quirk: .quirk
      }
  }
}
