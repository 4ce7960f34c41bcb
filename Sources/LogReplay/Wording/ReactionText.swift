import FetchedResults
import ScriptRuntime
import TableViews

/// Describes which reactions of an app raise an exception.
struct ReactionText {
  private(set) var facts: [String] = []
  private(set) var change: [String] = []
  private(set) var unknown: [String] = []

  init(_ exception: LoggedException, _ suspects: [SuspectedReactions], in batch: LogBatch?) {
    facts = [exception.words]
    guard let first = suspects.first else { return }
    if first.chosen.isEmpty {
      facts.append("The reactions of Xcode's template raise exactly this for these callbacks.")
    } else {
      facts.append("The callbacks are right. The app's reaction to them is wrong.")
      facts.append("This exact exception is raised if \(Self.words(first)).")
    }
    if first.chosen[.update] == [.reloadRows], let error = exception.error {
      addCallbacks(first, batch)
      change = ExceptionText.changes(for: error)
      return
    }
    addCallbacks(first, batch)
    for change in TableReactions.Change.allCases where first.chosen[change] != nil {
      self.change += Self.advice(change, first.chosen[change] ?? [])
    }
    if first.chosen.isEmpty, let error = exception.error {
      change = ExceptionText.changes(for: error)
    }
    let others = suspects.dropFirst().prefix(3)
    if !others.isEmpty {
      unknown.append("The log does not show the reactions. These raise the same:")
      unknown += others.map { "- if \(Self.words($0))" }
    }
  }

  private mutating func addCallbacks(_ first: SuspectedReactions, _ batch: LogBatch?) {
    for change in TableReactions.Change.allCases where first.chosen[change] != nil {
      if let callback = batch?.callbacks.first(where: { ReactionSearch.change($0) == change }) {
        facts.append("line \(callback.line): \(callback.words)")
        if let words = batch?.rules(of: callback.change).words { facts.append(words) }
      }
    }
  }

  private static func words(_ suspect: SuspectedReactions) -> String {
    let changes = TableReactions.Change.allCases.filter { suspect.chosen[$0] != nil }
    let ignored = changes.filter { suspect.chosen[$0] == [.nothing] }.map(words)
    let handled = changes.filter { suspect.chosen[$0] != [.nothing] }.map { change in
      words(change) + " with "
        + (suspect.chosen[change] ?? []).map(\.rawValue).joined(separator: " and ")
    }
    let parts = [("ignores", ignored), ("handles", handled)].compactMap { verb, objects in
      objects.isEmpty ? nil : "\(verb) \(objects.joined(separator: ", and "))"
    }
    return "the delegate " + parts.joined(separator: ", and ")
  }

  private static func words(_ change: TableReactions.Change) -> String {
    switch change {
    case .insert: "an insert"
    case .delete: "a delete"
    case .update: "an update"
    case .move: "a move"
    case .sectionInsert: "the insert of a section"
    case .sectionDelete: "the delete of a section"
    }
  }

  private static func advice(
    _ change: TableReactions.Change, _ reactions: [TableReactions.Reaction]
  ) -> [String] {
    switch change {
    case .insert: ["For an insert, call insertRows(at: [newIndexPath])."]
    case .delete: ["For a delete, call deleteRows(at: [indexPath])."]
    case .update:
      [
        "For an update, call reloadRows(at: [indexPath]), or configure the visible cell. Do not "
          + "delete, insert or move a row."
      ]
    case .move:
      [
        "For a move, call deleteRows(at: [indexPath]) and insertRows(at: [newIndexPath]). Do not "
          + "reload the row as well."
      ]
    case .sectionInsert:
      ["Implement controller(_:didChange:atSectionIndex:for:): call insertSections for an insert."]
    case .sectionDelete:
      ["Implement controller(_:didChange:atSectionIndex:for:): call deleteSections for a delete."]
    }
  }
}
