import FetchedResults
package import TableViews

/// Reactions to callbacks for which a table would raise the logged exception.
package struct SuspectedReactions: Hashable, Sendable {
  /// The changes that are handled differently than in Xcode's template.
  package let chosen: [TableReactions.Change: [TableReactions.Reaction]]
}

/// Finds an app's reactions that raise exactly the logged exception.
enum ReactionSearch {
  /// Returns the reactions, starting with those most similar to the template; empty if none raise
  /// the exception.
  ///
  /// - Complexity: O(*s* + *k* log *k*) for *s* sections and *k* callbacks, some dozens of times.
  static func reactions(
    to callbacks: [LogBatch.Callback], _ counts: CountedSections, raising error: TableUpdateError
  ) -> [SuspectedReactions] {
    if let known = reloadBesideMove(callbacks, error) { return [known] }
    let present = Set(callbacks.map(change))
    var found: [SuspectedReactions] = []
    for candidates in [Self.single(present), Self.pairs(present)] {
      for chosen in candidates
      where raised(by: callbacks, counts, TableReactions(chosen)) == error {
        found.append(SuspectedReactions(chosen: chosen))
      }
      if !found.isEmpty { return found }
    }
    return found
  }

  /// Returns a reload and a move as the suspects.
  ///
  /// UIKit treats a reload as a delete and an insert at the same index path, and another row may
  /// move to that place.
  private static func reloadBesideMove(
    _ callbacks: [LogBatch.Callback], _ error: TableUpdateError
  ) -> SuspectedReactions? {
    guard case .insertedAndMoved(let path) = error else { return nil }
    let objects = callbacks.compactMap { callback in
      if case .object(let change) = callback.change { change } else { nil }
    }
    guard objects.contains(where: { $0.type == .update && $0.old == path }),
      objects.contains(where: { $0.type == .move && $0.new == path })
    else { return nil }
    return SuspectedReactions(chosen: [.update: [.reloadRows], .move: [.moveRow]])
  }

  private typealias Chosen = [TableReactions.Change: [TableReactions.Reaction]]

  private static func single(_ present: Set<TableReactions.Change>) -> [Chosen] {
    var candidates: [Chosen] = [[:]]
    for change in TableReactions.Change.allCases where present.contains(change) {
      for reactions in choices(change) { candidates.append([change: reactions]) }
    }
    return candidates
  }

  private static func pairs(_ present: Set<TableReactions.Change>) -> [Chosen] {
    let changes = TableReactions.Change.allCases.filter(present.contains)
    var candidates: [Chosen] = []
    for (index, first) in changes.enumerated() {
      for second in changes[(index + 1)...] {
        for one in choices(first) {
          for two in choices(second) { candidates.append([first: one, second: two]) }
        }
      }
    }
    // All changes without a reaction: an empty delegate.
    candidates.append(Dictionary(uniqueKeysWithValues: changes.map { ($0, [.nothing]) }))
    return candidates
  }

  /// Returns what apps do instead of the template's reaction.
  static func choices(_ change: TableReactions.Change) -> [[TableReactions.Reaction]] {
    switch change {
    case .insert, .delete, .sectionInsert, .sectionDelete: [[.nothing]]
    case .update: [[.configureCell], [.deleteRows, .insertRows]]
    case .move:
      [
        [.moveRow], [.nothing], [.reloadRows], [.moveRow, .reloadRows], [.insertRows],
        [.deleteRows],
      ]
    }
  }

  static func change(_ callback: LogBatch.Callback) -> TableReactions.Change {
    switch callback.change {
    case .object(let change): TableReactions.Change(change.type)
    case .section(let change): change.type == .insert ? .sectionInsert : .sectionDelete
    }
  }

  /// Returns the exception that a table raises with these reactions; nil if it performs the batch.
  static func raised(
    by callbacks: [LogBatch.Callback], _ counts: CountedSections, _ reactions: TableReactions
  ) -> TableUpdateError? {
    let operations = callbacks.flatMap { Self.operations(for: $0, reactions) }
    return TableOutcome.error(of: operations, before: counts.before, after: counts.after)
  }

  static func operations(
    for callback: LogBatch.Callback, _ reactions: TableReactions
  ) -> [TableOperation] {
    reactions[change(callback)].compactMap { reaction in
      switch callback.change {
      case .section(let change):
        switch reaction {
        case .insertSections: .insertSections(change.index)
        case .deleteSections: .deleteSections(change.index)
        case .reloadData: .reloadData
        case .insertRows, .deleteRows, .reloadRows, .moveRow, .configureCell,
          .configureCellWithObject, .nothing:
          nil
        }
      case .object(let change):
        operation(reaction, change)
      }
    }
  }

  private static func operation(
    _ reaction: TableReactions.Reaction, _ change: ObjectChange
  ) -> TableOperation? {
    guard let old = change.old ?? change.new, let new = change.new ?? change.old else { return nil }
    return switch reaction {
    case .insertRows: .insertRows(new)
    case .deleteRows: .deleteRows(old)
    case .reloadRows: .reloadRows(old)
    case .moveRow: .moveRow(old, to: new)
    case .reloadData: .reloadData
    case .configureCell, .configureCellWithObject, .insertSections, .deleteSections, .nothing: nil
    }
  }
}
