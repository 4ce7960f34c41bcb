/// The text after `table view = books`.
package enum TableSyntax: Hashable, Sendable {
  /// Nothing follows: the template's reactions are used.
  case template
  case reload
  case reactions([TableReactionSyntax])

  /// The words that may follow.
  static let words = ["reload"]
}

/// One line of a table's block: `move deleteRows insertRows`.
package struct TableReactionSyntax: Hashable, Sendable {
  package var change: Change
  package var reactions: [Reaction]
  package var range: Range<Int>

  package init(change: Change, reactions: [Reaction], range: Range<Int>) {
    self.change = change
    self.reactions = reactions
    self.range = range
  }

  /// A change that a controller reports; the raw value is the word in a script.
  package enum Change: String, Hashable, Sendable, CaseIterable {
    case insert
    case delete
    case update
    case move
    case sectionInsert
    case sectionDelete

    /// The possible reactions to the change.
    package var reactions: [Reaction] {
      switch self {
      case .insert, .delete: Reaction.allCases.filter { !$0.isOfSection && $0 != .moveRow }
      case .update, .move: Reaction.allCases.filter { !$0.isOfSection }
      case .sectionInsert, .sectionDelete:
        [.insertSections, .deleteSections, .reloadData, .nothing]
      }
    }
  }

  /// A reaction of a table's controller; the raw value is the word in a script.
  package enum Reaction: String, Hashable, Sendable, CaseIterable {
    case insertRows
    case deleteRows
    case reloadRows
    case moveRow
    case configureCell
    case configureCellWithObject
    case insertSections
    case deleteSections
    case reloadData
    case nothing

    fileprivate var isOfSection: Bool { self == .insertSections || self == .deleteSections }
  }
}
