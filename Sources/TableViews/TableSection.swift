package import FetchedResults

/// What the last turn that changed a table did to a row.
package enum TableRowMark: String, Hashable, Sendable, CaseIterable {
  case inserted
  case deleted
  case moved
  case updated
}

/// A row that a table shows.
package struct TableCell<Content> {
  /// The content that the cell was configured with.
  package internal(set) var content: Content
  /// What happened to it since marks were last cleared.
  package internal(set) var mark: TableRowMark?
}

/// A row that the last turn deleted, with its place.
package struct DeletedCell<Content> {
  package let content: Content
  /// Its index path before the batch that deleted it.
  package let indexPath: ResultsIndexPath
  /// The row in its section before which it would be now.
  package internal(set) var nextRow: Int
}

/// A section that a table shows.
package struct TableSection<Content> {
  /// The header; nil for none.
  package internal(set) var title: String?
  package internal(set) var cells: CellBlocks<Content>
  /// The rows that the last turn deleted, in order.
  package internal(set) var deleted: [DeletedCell<Content>] = []
  package internal(set) var isInserted = false
  /// The rows whose cells have a mark; nil if any may have one.
  var markedRows: [Int]? = []

  init(title: String?, cells: some Sequence<TableCell<Content>>) {
    self.title = title
    self.cells = CellBlocks(cells)
  }
}

/// A section that the last turn deleted, with its place.
package struct DeletedSection<Content> {
  package let section: TableSection<Content>
  /// The section before which it would be now.
  package internal(set) var nextSection: Int
}

extension TableSection {
  /// Clears the marks of the last turn.
  mutating func forgetMarks() {
    deleted = []
    isInserted = false
    if let markedRows {
      for row in markedRows { cells[row].mark = nil }
    } else {
      for row in cells.indices where cells[row].mark != nil { cells[row].mark = nil }
    }
    markedRows = []
  }

  /// Returns the section as a deleted one, with all its rows deleted.
  func taken(from index: Int) -> TableSection {
    var gone = self
    gone.cells = CellBlocks([])
    gone.deleted = rowsAndDeleted(in: index, deleting: Set(cells.indices))
    for place in gone.deleted.indices { gone.deleted[place].nextRow = 0 }
    return gone
  }

  /// Returns the earlier deleted rows together with newly deleted ones, in order.
  ///
  /// Their `nextRow` still counts the rows before the batch.
  func rowsAndDeleted(in index: Int, deleting rows: Set<Int>) -> [DeletedCell<Content>] {
    guard !rows.isEmpty else { return deleted }
    let now = rows.sorted().map { row in
      DeletedCell(
        content: cells[row].content, indexPath: ResultsIndexPath(section: index, row: row),
        nextRow: row)
    }
    // Of two deleted rows at one place, the one that was deleted earlier comes first.
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
