import FetchedResults

/// What a table's controller does where its fetched results controller tells about a change.
package struct TableReactions: Hashable, Sendable {
  /// The changes there are; the raw value is the word in a script.
  package enum Change: String, Hashable, Sendable, CaseIterable {
    case insert
    case delete
    case update
    case move
    case sectionInsert
    case sectionDelete
  }

  /// What can be done; the raw value is the word in a script.
  package enum Reaction: String, Hashable, Sendable, CaseIterable {
    case insertRows
    case deleteRows
    case reloadRows
    case moveRow
    /// Looks the object up at the cell's old index path, as the classic template
    /// did.
    case configureCell
    /// Uses the object that the callback brought.
    case configureCellWithObject
    case insertSections
    case deleteSections
    case reloadData
    case nothing
  }

  private var chosen: [Change: [Reaction]]

  /// Creates reactions, those of the template if none is chosen.
  package init(_ chosen: [Change: [Reaction]] = [:]) { self.chosen = chosen }

  /// The reactions to a change, in order.
  package subscript(change: Change) -> [Reaction] {
    get { chosen[change] ?? Self.template(for: change) }
    set { chosen[change] = newValue }
  }

  private static func template(for change: Change) -> [Reaction] {
    switch change {
    case .insert: [.insertRows]
    case .delete: [.deleteRows]
    case .update: [.reloadRows]
    case .move: [.deleteRows, .insertRows]
    case .sectionInsert: [.insertSections]
    case .sectionDelete: [.deleteSections]
    }
  }
}

extension TableReactions.Change {
  init(_ type: FetchedResultsChangeType) {
    self =
      switch type {
      case .insert: .insert
      case .delete: .delete
      case .move: .move
      case .update: .update
      }
  }
}
