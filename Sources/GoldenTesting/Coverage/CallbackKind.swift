import FetchedResults
import ScriptRuntime

/// The kinds of callback that a controller's delegate receives.
enum CallbackKind: String, CaseIterable {
  case willChangeContent
  case insert = "didChangeObject insert"
  case delete = "didChangeObject delete"
  case move = "didChangeObject move"
  case update = "didChangeObject update"
  case insertSection = "didChangeSection insert"
  case deleteSection = "didChangeSection delete"
  case didChangeContent
  case snapshot
  case difference
  case counts

  /// The kind of an event; nil if it is not a callback.
  init?(_ event: Event) {
    switch event {
    case .willChangeContent: self = .willChangeContent
    case .didChangeObject(_, let type, _, _, _):
      self =
        switch type {
        case .insert: .insert
        case .delete: .delete
        case .move: .move
        case .update: .update
        }
    case .didChangeSection(_, let type, _, _):
      switch type {
      case .insert: self = .insertSection
      case .delete: self = .deleteSection
      case .move, .update: return nil
      }
    case .didChangeContent: self = .didChangeContent
    case .snapshot: self = .snapshot
    case .difference: self = .difference
    case .counts: self = .counts
    case .hook, .notification, .show, .table, .dataSource, .exception, .showTable, .request, .value,
      .rows,
      .objects, .objectIDs, .dictionaries, .batch,
      .evaluation, .explainedTurn, .explanation, .swift, .cache, .statistics, .history,
      .remoteChange,
      .statement, .model,
      .note, .console, .error:
      return nil
    }
  }
}
