package import FetchedResults

/// What became of a row in the last turn that changed a table.
package enum TableRowMark: String, Hashable, Sendable, CaseIterable {
  case inserted
  case deleted
  case moved
  case updated
}

/// A row that a table shows.
package struct TableCell<Content> {
  /// What the cell was configured with.
  package internal(set) var content: Content
  /// How it came to what it is, since marks were last forgotten.
  package internal(set) var mark: TableRowMark?
}

/// A row that the last turn took away, and where it was.
package struct DeletedCell<Content> {
  package let content: Content
  /// Its index path before the batch that deleted it.
  package let indexPath: ResultsIndexPath
  /// The row of its section before which it would be now.
  package internal(set) var nextRow: Int
}

/// A section that a table shows.
package struct TableSection<Content> {
  /// The header; nil for none.
  package internal(set) var title: String?
  package internal(set) var cells: [TableCell<Content>]
  /// The rows that the last turn took away, in order.
  package internal(set) var deleted: [DeletedCell<Content>] = []
  package internal(set) var isInserted = false
}

/// A section that the last turn took away, and where it was.
package struct DeletedSection<Content> {
  package let section: TableSection<Content>
  /// The section before which it would be now.
  package internal(set) var nextSection: Int
}

extension TableSection {
  /// Forgets what the last turn did.
  mutating func forgetMarks() {
    deleted = []
    isInserted = false
    for row in cells.indices where cells[row].mark != nil { cells[row].mark = nil }
  }

  /// The section as one that is gone: every row that it had is deleted.
  func taken(from index: Int) -> TableSection {
    var gone = self
    gone.cells = []
    gone.deleted = rowsAndDeleted(in: index, deleting: Set(cells.indices))
    for place in gone.deleted.indices { gone.deleted[place].nextRow = 0 }
    return gone
  }

  /// The rows deleted before and some that are deleted now, in order; their
  /// `nextRow` is still that among the rows there were.
  func rowsAndDeleted(in index: Int, deleting rows: Set<Int>) -> [DeletedCell<Content>] {
    guard !rows.isEmpty else { return deleted }
    let now = rows.sorted().map { row in
      DeletedCell(
        content: cells[row].content, indexPath: ResultsIndexPath(section: index, row: row),
        nextRow: row)
    }
    // Of two at one place the one deleted before came before the row itself.
    var merged: [DeletedCell<Content>] = []
    var earlier = deleted[...]
    for cell in now {
      let before = earlier.prefix { $0.nextRow <= cell.nextRow }
      merged += before
      earlier = earlier.dropFirst(before.count)
      merged.append(cell)
    }
    return merged + earlier
  }
}
