package import FetchedResults

/// A UITableView without a screen: the sections and cells that it would show,
/// and its rules for batch updates.
///
/// Every row is taken to be on the screen, so each has a cell, and a cell shows what it was
/// configured with until it is configured again. Operations between ``beginUpdates()`` and the
/// ``endUpdates()`` that belongs to it are recorded and then performed together, against the
/// numbers that the data source gives at that time. Where they do not fit, the table stays as it
/// was.
///
/// Not `Sendable`, as the controller behind its data source is not.
package final class TableView<Content: Equatable> {
  package weak var dataSource: (any TableViewDataSource<Content>)?
  package private(set) var sections: [TableSection<Content>] = []
  /// The sections that the last turn took away, in order.
  package private(set) var deletedSections: [DeletedSection<Content>] = []
  /// The section index as it was when the table was last loaded; UIKit asks for
  /// it at no other time.
  package private(set) var indexTitles: [String]?
  /// Whether the data source was ever asked.
  package private(set) var isLoaded = false
  /// Whether an exception has kept the table from following, since it was last
  /// loaded.
  package private(set) var isBroken = false

  private var update = TableUpdate()
  private var updateDepth = 0

  package init() {}

  /// How many operations wait for the end of the batch; nil outside of one.
  package var recordedCount: Int? { updateDepth > 0 ? update.count : nil }

  /// What the batch that is open will do to a row that is shown.
  package func recordedMark(ofRowAt indexPath: ResultsIndexPath) -> TableRowMark? {
    if update.deletedRows.contains(indexPath)
      || update.deletedSections.contains(indexPath.section)
    {
      return .deleted
    }
    if update.reloadedRows.contains(indexPath) { return .updated }
    return update.moves.contains { $0.from == indexPath } ? .moved : nil
  }

  /// Whether the batch that is open will delete a section that is shown.
  package func willDelete(section: Int) -> Bool { update.deletedSections.contains(section) }

  package var numberOfRows: Int { sections.reduce(0) { $0 + $1.cells.count } }

  /// Forgets what was inserted, deleted, moved and updated so far.
  package func forgetMarks() {
    deletedSections = []
    for index in sections.indices { sections[index].forgetMarks() }
  }
}

// MARK: - Loading

extension TableView {
  /// Asks the data source for everything.
  ///
  /// Within a batch, what was recorded before is forgotten: it is part of what
  /// the data source shows.
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

  /// Asks for everything if nothing was ever asked for, as a table does that comes to the screen.
  package func loadIfNeeded() {
    if !isLoaded { reloadData() }
  }

  /// The numbers of rows that the data source gives now.
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
  /// Begins a batch of updates, or joins the one that is open.
  package func beginUpdates() {
    loadIfNeeded()
    updateDepth += 1
  }

  /// Records an operation of the batch that is open.
  package func record(_ operation: TableOperation) {
    precondition(updateDepth > 0, "an operation outside of a batch of updates")
    update.record(operation)
  }

  /// Ends a batch of updates; the outermost is performed.
  ///
  /// - Throws: ``TableViewException`` if the batch breaks a rule; nothing of it is performed then.
  package func endUpdates() throws(TableViewException) {
    precondition(updateDepth > 0, "no batch of updates is open")
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

  /// Drops the batch that is open, since an exception keeps it from its end.
  package func abandonUpdates() {
    update = TableUpdate()
    updateDepth = 0
    isBroken = true
  }

  /// Gives the cell at an index path of before the batch another content, past the table; nothing
  /// happens if there is none.
  package func configureCell(at indexPath: ResultsIndexPath, with content: Content) {
    guard sections.indices.contains(indexPath.section),
      sections[indexPath.section].cells.indices.contains(indexPath.row)
    else { return }
    sections[indexPath.section].cells[indexPath.row].content = content
    sections[indexPath.section].cells[indexPath.row].mark = .updated
  }

  private func carryOut(
    _ plan: TableUpdatePlan, of update: TableUpdate, numbers: [Int],
    asking dataSource: any TableViewDataSource<Content>
  ) {
    let old = sections
    var leaving: [Int: Set<Int>] = [:]
    for path in update.deletedRows { leaving[path.section, default: []].insert(path.row) }
    sections = plan.sections.enumerated().map { index, section in
      switch section {
      case .kept(let source, nil): return old[source]
      case .kept(let source, let rows?):
        return self.section(
          old[source], at: index, rows: rows, from: old,
          deleted: old[source].rowsAndDeleted(in: source, deleting: leaving[source] ?? []),
          asking: dataSource)
      case .inserted:
        var section = self.section(at: index, rows: numbers[index], of: dataSource)
        for row in section.cells.indices { section.cells[row].mark = .inserted }
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
    var result = TableSection<Content>(title: section.title, cells: [])
    result.cells.reserveCapacity(rows.count)
    result.isInserted = section.isInserted
    var waiting = deleted[...]
    for (row, source) in rows.enumerated() {
      let path = ResultsIndexPath(section: index, row: row)
      switch source {
      case .inserted:
        result.cells.append(TableCell(content: dataSource.cellForRow(at: path), mark: .inserted))
      case .moved(let from):
        let cell = old[from.section].cells[from.row]
        result.cells.append(TableCell(content: cell.content, mark: .moved))
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
        result.cells.append(cell)
      }
    }
    for var gone in waiting {
      gone.nextRow = rows.count
      result.deleted.append(gone)
    }
    return result
  }

  /// Keeps where deleted sections were, those of earlier batches of the turn
  /// included.
  private func noteDeletedSections(
    _ deleted: Set<Int>, _ old: [TableSection<Content>], _ plan: TableUpdatePlan
  ) {
    guard !deleted.isEmpty || !deletedSections.isEmpty else { return }
    // By what index the sections that stay go now.
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
