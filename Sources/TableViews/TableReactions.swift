import FetchedResults

/// The table operations that an app performs for each kind of callback.
package struct TableReactions: Hashable, Sendable {
  /// The kinds of changes.
  ///
  /// The raw value is the word in a script.
  package enum Change: String, Hashable, Sendable, CaseIterable {
    case insert
    case delete
    case update
    case move
    case sectionInsert
    case sectionDelete
  }

  /// The possible reactions.
  ///
  /// The raw value is the word in a script.
  package enum Reaction: String, Hashable, Sendable, CaseIterable {
    case insertRows
    case deleteRows
    case reloadRows
    case moveRow
    /// Looks up the object at the cell's old index path, like Xcode's old template.
    case configureCell
    /// Uses the object from the callback.
    case configureCellWithObject
    case insertSections
    case deleteSections
    case reloadData
    case nothing
  }

  private var chosen: [Change: [Reaction]]

  /// Creates reactions.
  ///
  /// Changes without a choice have the reactions of the template.
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
