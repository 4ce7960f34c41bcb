package import LineEditor

/// The styles of the panes' texts.
package struct PaneStyles: Hashable, Sendable {
  package var inserted = TextStyle.plain
  package var deleted = TextStyle.plain
  package var moved = TextStyle.plain
  package var updated = TextStyle.plain
  package var inconsistent = TextStyle.plain
  /// The first row of a pane.
  package var title = TextStyle.plain
  /// The style of less important text.
  package var dim = TextStyle.plain

  /// Creates styles without colours, for terminals where only the signs show what changed.
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
