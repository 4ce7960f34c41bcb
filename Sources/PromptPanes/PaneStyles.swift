package import LineEditor

/// How the panes look.
package struct PaneStyles: Hashable, Sendable {
  package var inserted = TextStyle.plain
  package var deleted = TextStyle.plain
  package var moved = TextStyle.plain
  package var updated = TextStyle.plain
  package var inconsistent = TextStyle.plain
  /// The first row of a pane.
  package var title = TextStyle.plain
  /// What matters less.
  package var dim = TextStyle.plain

  /// Creates styles without any colour: the signs alone tell.
  package init() {}

  func style(of mark: PaneLine.Mark) -> TextStyle {
    switch mark {
    case .none: .plain
    case .inserted: inserted
    case .deleted: deleted
    case .moved: moved
    case .updated: updated
    case .inconsistent: inconsistent
    }
  }
}
