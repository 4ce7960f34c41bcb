import FetchedResults

extension TableUpdate {
  /// Whether all sections stay, and so few rows change that the others need not be looked at.
  var touchesFewRows: Bool { deletedSections.isEmpty && insertedSections.isEmpty && count <= 32 }
}

extension TableView {
  /// Carries out a batch that changes few rows, without a look at the others.
  ///
  /// - Complexity: O(*s* + *k*²) for *s* sections and *k* operations, besides the lists of blocks.
  func applyInPlace(
    _ plan: TableUpdatePlan, of update: TableUpdate,
    asking dataSource: any TableViewDataSource<Content>
  ) {
    // The numbers of sections add up, so each has the index that it had.
    var moved: [ResultsIndexPath: Content] = [:]
    for move in update.moves {
      moved[move.from] = sections[move.from.section].cells[move.from.row].content
    }
    for (index, section) in plan.sections.enumerated() {
      guard case .kept(_, let edits?) = section else { continue }
      apply(edits, toSection: index, moved, update, asking: dataSource)
    }
  }

  private func apply(
    _ edits: SectionEdits, toSection index: Int, _ moved: [ResultsIndexPath: Content],
    _ update: TableUpdate, asking dataSource: any TableViewDataSource<Content>
  ) {
    let deletedRows = Set(update.deletedRows.lazy.filter { $0.section == index }.map(\.row))
    let deleted = sections[index].rowsAndDeleted(in: index, deleting: deletedRows)
    // Marks of an earlier batch of the same turn have moved with their rows.
    let hadMarks = sections[index].markedRows?.isEmpty != true
    for row in edits.leaving.sorted(by: >) { sections[index].cells.remove(at: row) }
    let reloaded = Set(edits.reloaded.map(edits.newRow(ofOldRow:)))
    // Rows that come have their places in between, so each goes in before those after it.
    let rows = reloaded.union(edits.entering.keys).sorted()
    for row in rows {
      let path = ResultsIndexPath(section: index, row: row)
      switch edits.entering[row] {
      case .inserted:
        let cell = TableCell(content: dataSource.cellForRow(at: path), mark: .inserted)
        sections[index].cells.insert(cell, at: row)
      case .moved(let from):
        guard let content = moved[from] else { continue }
        sections[index].cells.insert(TableCell(content: content, mark: .moved), at: row)
      case .reloaded, .kept, nil:
        sections[index].cells[row].content = dataSource.cellForRow(at: path)
        if sections[index].cells[row].mark == nil { sections[index].cells[row].mark = .updated }
      }
    }
    sections[index].markedRows = hadMarks ? nil : rows
    sections[index].deleted = deleted.map { cell in
      var cell = cell
      cell.nextRow = edits.newRow(ofOldRow: cell.nextRow)
      return cell
    }
  }
}
