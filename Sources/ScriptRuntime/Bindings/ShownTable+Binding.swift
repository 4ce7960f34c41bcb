import FetchedResults
import TableViews

extension ShownTable {
  package init(_ binding: TableBinding) {
    let table = binding.table.table
    name = binding.name
    controller = binding.controller.name
    lines = Self.lines(of: binding.table)
    sectionCount = table.sections.count
    rowCount = table.numberOfRows
    indexTitles = table.indexTitles
    let titles = binding.table.currentIndexTitles
    currentIndexTitles =
      titles == table.indexTitles || table.recordedCount != nil ? nil : titles
    let sections = binding.controller.controller.sections
    let counts = sections?.map(\.numberOfObjects) ?? []
    dataSource =
      counts == table.sections.map(\.cells.count) ? nil : (counts.count, counts.reduce(0, +))
    recorded = table.recordedCount
    isBroken = table.isBroken
    isSuspended = binding.table.isSuspended
    isDetached = !binding.isDelegate
  }

  private static func lines(of source: FetchedResultsTable<CellContent>) -> [Line] {
    let table = source.table
    var lines: [Line] = []
    var gone = table.deletedSections[...]
    for (index, section) in table.sections.enumerated() {
      while let first = gone.first, first.nextSection <= index {
        lines += Self.lines(ofDeleted: first.section)
        gone.removeFirst()
      }
      lines += Self.lines(of: section, at: index, source)
    }
    return lines + gone.flatMap { Self.lines(ofDeleted: $0.section) }
  }

  private static func lines(
    of section: TableSection<CellContent>, at index: Int,
    _ source: FetchedResultsTable<CellContent>
  ) -> [Line] {
    var lines: [Line] = []
    if let title = section.title {
      lines.append(Self.header(title, of: section, at: index, source))
    }
    var gone = section.deleted[...]
    for (row, cell) in section.cells.enumerated() {
      while let first = gone.first, first.nextRow <= row {
        lines.append(Self.line(for: first))
        gone.removeFirst()
      }
      lines.append(Self.line(for: cell, at: ResultsIndexPath(section: index, row: row), source))
    }
    return lines + gone.map(Self.line)
  }

  private static func header(
    _ title: String, of section: TableSection<CellContent>, at index: Int,
    _ source: FetchedResultsTable<CellContent>
  ) -> Line {
    let mark: TableRowMark? =
      source.table.willDelete(section: index) ? .deleted : section.isInserted ? .inserted : nil
    var line = Line(kind: .header(title), mark: mark)
    let current = source.currentTitle(ofSection: index)
    if current != title, source.table.recordedCount == nil {
      line.staleness =
        current.map { "the section is \($0.quoted)" } ?? "there is no such section"
    }
    return line
  }

  /// Returns a row as it is shown.
  ///
  /// While a batch is open, it shows what the batch will do to the row, and does not read the data
  /// source, which is already ahead.
  private static func line(
    for cell: TableCell<CellContent>, at path: ResultsIndexPath,
    _ source: FetchedResultsTable<CellContent>
  ) -> Line {
    var line = Line(
      kind: .row(path, cell.content.object),
      mark: source.table.recordedMark(ofRowAt: path) ?? cell.mark)
    if source.table.recordedCount == nil {
      line.staleness = cell.content.staleness(against: source.currentContent(at: path))
    }
    return line
  }

  private static func lines(ofDeleted section: TableSection<CellContent>) -> [Line] {
    let header = section.title.map { [Line(kind: .header($0), mark: .deleted)] } ?? []
    return header + section.deleted.map(Self.line)
  }

  private static func line(for cell: DeletedCell<CellContent>) -> Line {
    Line(kind: .row(cell.indexPath, cell.content.object), mark: .deleted)
  }
}
