package import FetchedResults

/// A UITableView without a screen: the sections and cells that it would show, and its rules for
/// batch updates.
///
/// All rows count as visible, so each has a cell. A cell shows its content until it is configured
/// again. Operations between ``beginUpdates()`` and the matching ``endUpdates()`` are recorded and
/// then performed together. They are checked against the numbers that the data source returns at
/// that time. If they do not fit, the table does not change.
///
/// The class is not `Sendable`, because the controller of its data source is not.
package final class TableView<Content: Equatable> {
  package weak var dataSource: (any TableViewDataSource<Content>)?
  package internal(set) var sections: [TableSection<Content>] = []
  /// The sections that the last turn deleted, in order.
  package private(set) var deletedSections: [DeletedSection<Content>] = []
  /// The section index at the last load of the table.
  ///
  /// UIKit requests it at no other time.
  package private(set) var indexTitles: [String]?
  /// Whether the data source was ever called.
  package private(set) var isLoaded = false
  /// Whether an exception has stopped the table's updates since it was last loaded.
  package private(set) var isBroken = false

  private var update = TableUpdate()
  private var updateDepth = 0

  package init() {}

  /// How many operations wait for the end of the batch; nil if there is no batch.
  package var recordedCount: Int? { updateDepth > 0 ? update.count : nil }

  /// Returns what the open batch will do to a visible row.
  package func recordedMark(ofRowAt indexPath: ResultsIndexPath) -> TableRowMark? {
    if update.deletedRows.contains(indexPath)
      || update.deletedSections.contains(indexPath.section)
    {
      return .deleted
    }
    if update.reloadedRows.contains(indexPath) { return .updated }
    return update.moves.contains { $0.from == indexPath } ? .moved : nil
  }

  /// Returns whether the open batch will delete a visible section.
  package func willDelete(section: Int) -> Bool { update.deletedSections.contains(section) }

  package var numberOfRows: Int { sections.reduce(0) { $0 + $1.cells.count } }

  /// Clears the marks for inserts, deletes, moves and updates.
  package func forgetMarks() {
    deletedSections = []
    for index in sections.indices { sections[index].forgetMarks() }
  }
}

// MARK: - Loading

extension TableView {
  /// Loads everything from the data source.
  ///
  /// In a batch, operations that were recorded before are dropped, because the data source already
  /// includes them.
  package func reloadData() {
    guard let dataSource else { return }
    update = TableUpdate()
    deletedSections = []
    let counts = numbers(of: dataSource)
    indexTitles = dataSource.sectionIndexTitles()
    sections = counts.enumerated().map { section(at: $0, rows: $1, of: dataSource) }
    isLoaded = true
    isBroken = false
  }

  /// Loads everything if the table was never loaded, like a table that appears on the screen.
  package func loadIfNeeded() {
    if !isLoaded { reloadData() }
  }

  /// Returns the current numbers of rows in the data source.
  private func numbers(of dataSource: any TableViewDataSource<Content>) -> [Int] {
    (0..<dataSource.numberOfSections()).map { dataSource.numberOfRows(inSection: $0) }
  }

  private func section(
    at index: Int, rows: Int, of dataSource: any TableViewDataSource<Content>
  ) -> TableSection<Content> {
    let title = dataSource.titleForHeader(inSection: index)
    let cells = (0..<rows).map { row in
      TableCell(
        content: dataSource.cellForRow(at: ResultsIndexPath(section: index, row: row)), mark: nil)
    }
    return TableSection(title: title, cells: cells)
  }
}

// MARK: - Updates

extension TableView {
  /// Begins a batch of updates, or joins the open one.
  package func beginUpdates() {
    loadIfNeeded()
    updateDepth += 1
  }

  /// Records an operation of the open batch.
  package func record(_ operation: TableOperation) {
    require(
      updateDepth > 0, "rows and sections change in a batch of updates; call beginUpdates() first")
    update.record(operation)
  }

  /// Ends a batch of updates.
  ///
  /// Only the outermost end performs it.
  ///
  /// - Throws: ``TableViewException`` if the batch breaks a rule. Nothing of it is performed then.
  package func endUpdates() throws(TableViewException) {
    require(
      updateDepth > 0, "no batch of updates is open; call beginUpdates() before each endUpdates()")
    updateDepth -= 1
    guard updateDepth == 0, let dataSource else { return }
    let update = update
    self.update = TableUpdate()
    let before = sections.map(\.cells.count)
    do throws(TableUpdateError) {
      let after = numbers(of: dataSource)
      let plan = try update.plan(before: before, after: after)
      carryOut(plan, of: update, numbers: after, asking: dataSource)
    } catch {
      isBroken = true
      throw TableViewException(error)
    }
  }

  /// Drops the open batch, because an exception prevents its end.
  package func abandonUpdates() {
    update = TableUpdate()
    updateDepth = 0
    isBroken = true
  }

  /// Gives the cell at an index path before the batch another content, without telling the table.
  ///
  /// If there is no such cell, nothing happens.
  package func configureCell(at indexPath: ResultsIndexPath, with content: Content) {
    guard sections.indices.contains(indexPath.section),
      sections[indexPath.section].cells.indices.contains(indexPath.row)
    else { return }
    sections[indexPath.section].cells[indexPath.row].content = content
    sections[indexPath.section].cells[indexPath.row].mark = .updated
    sections[indexPath.section].markedRows?.append(indexPath.row)
  }

  private func carryOut(
    _ plan: TableUpdatePlan, of update: TableUpdate, numbers: [Int],
    asking dataSource: any TableViewDataSource<Content>
  ) {
    if update.touchesFewRows {
      applyInPlace(plan, of: update, asking: dataSource)
      return noteDeletedSections([], sections, plan)
    }
    let old = sections
    var leaving: [Int: Set<Int>] = [:]
    for path in update.deletedRows { leaving[path.section, default: []].insert(path.row) }
    sections = plan.sections.enumerated().map { index, section in
      switch section {
      case .kept(let source, nil): return old[source]
      case .kept(let source, let edits?):
        return self.section(
          old[source], at: index, rows: edits.rows, from: old,
          deleted: old[source].rowsAndDeleted(in: source, deleting: leaving[source] ?? []),
          asking: dataSource)
      case .inserted:
        var section = self.section(at: index, rows: numbers[index], of: dataSource)
        for row in section.cells.indices { section.cells[row].mark = .inserted }
        section.markedRows = nil
        section.isInserted = true
        return section
      }
    }
    noteDeletedSections(update.deletedSections, old, plan)
  }

  private func section(
    _ section: TableSection<Content>, at index: Int, rows: [TableUpdatePlan.Row],
    from old: [TableSection<Content>], deleted: [DeletedCell<Content>],
    asking dataSource: any TableViewDataSource<Content>
  ) -> TableSection<Content> {
    var cells: [TableCell<Content>] = []
    cells.reserveCapacity(rows.count)
    var result = TableSection<Content>(title: section.title, cells: [])
    result.isInserted = section.isInserted
    result.markedRows = nil
    var waiting = deleted[...]
    for (row, source) in rows.enumerated() {
      let path = ResultsIndexPath(section: index, row: row)
      switch source {
      case .inserted:
        cells.append(TableCell(content: dataSource.cellForRow(at: path), mark: .inserted))
      case .moved(let from):
        let cell = old[from.section].cells[from.row]
        cells.append(TableCell(content: cell.content, mark: .moved))
      case .reloaded(let from), .kept(let from):
        while var gone = waiting.first, gone.nextRow <= from.row {
          gone.nextRow = row
          result.deleted.append(gone)
          waiting.removeFirst()
        }
        var cell = old[from.section].cells[from.row]
        if case .reloaded = source {
          cell.content = dataSource.cellForRow(at: path)
          if cell.mark == nil { cell.mark = .updated }
        }
        cells.append(cell)
      }
    }
    for var gone in waiting {
      gone.nextRow = rows.count
      result.deleted.append(gone)
    }
    result.cells = CellBlocks(cells)
    return result
  }

  /// Records the places of deleted sections, together with those of earlier batches in the turn.
  func noteDeletedSections(
    _ deleted: Set<Int>, _ old: [TableSection<Content>], _ plan: TableUpdatePlan
  ) {
    guard !deleted.isEmpty || !deletedSections.isEmpty else { return }
    // The new index of each remaining section.
    var newIndex: [Int: Int] = [:]
    for (index, section) in plan.sections.enumerated() {
      if case .kept(let source, _) = section { newIndex[source] = index }
    }
    var places = Array(repeating: plan.sections.count, count: old.count + 1)
    for index in old.indices.reversed() { places[index] = newIndex[index] ?? places[index + 1] }
    var gone: [DeletedSection<Content>] = []
    var earlier = deletedSections[...]
    for index in deleted.sorted() {
      gone += earlier.prefix { $0.nextSection <= index }
      earlier = earlier.dropFirst(earlier.prefix { $0.nextSection <= index }.count)
      gone.append(DeletedSection(section: old[index].taken(from: index), nextSection: index))
    }
    gone += earlier
    deletedSections = gone.map { section in
      var section = section
      section.nextSection = places[min(section.nextSection, old.count)]
      return section
    }
  }
}

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

/// The source of everything that a table shows.
///
/// The methods are those of UITableViewDataSource. But instead of a cell, a data source returns the
/// cell's content.
package protocol TableViewDataSource<Content>: AnyObject {
  /// The content that a cell was configured with.
  associatedtype Content: Equatable

  func numberOfSections() -> Int
  func numberOfRows(inSection section: Int) -> Int
  /// Returns the header of a section; nil for none.
  func titleForHeader(inSection section: Int) -> String?
  /// Returns the content of the cell at an index path.
  ///
  /// The table calls it only for existing rows.
  func cellForRow(at indexPath: ResultsIndexPath) -> Content
  /// Returns the titles of the section index; nil for none.
  func sectionIndexTitles() -> [String]?
}
