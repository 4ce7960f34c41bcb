import FetchedResults
package import TableViews

/// A table with its name in the session, and the controller that it shows.
package final class TableBinding {
  package let name: String
  package let controller: ControllerBinding
  package let table: FetchedResultsTable<CellContent>

  init(
    name: String, of controller: ControllerBinding,
    mode: FetchedResultsTable<CellContent>.Mode, emit: @escaping (Event) -> Void
  ) {
    self.name = name
    self.controller = controller
    // The closure does not capture the binding, which holds the table as its delegate.
    let shown = controller.shown
    table = FetchedResultsTable(
      of: controller.observer.map { .observer($0) } ?? .controller(controller.controller),
      mode: mode,
      content: { CellContent($0, shownAs: shown($0)) },
      onEvent: { TableBinding.tell($0, of: name, shown, emit) })
  }

  /// Whether the table receives its controller's changes.
  var isDelegate: Bool { (controller.recorder as? TableRecorder)?.table === table }

  /// Sets a function that returns the number of the current turn, so that marks are kept for one
  /// turn.
  func followTurns(_ turn: @escaping () -> Int) {
    var lastTurn: Int?
    table.beginsTurn = {
      let turn = turn()
      defer { lastTurn = turn }
      return lastTurn != turn
    }
  }

  private static func tell(
    _ event: FetchedResultsTable<CellContent>.Event, of name: String,
    _ shown: (ManagedObject) -> ShownObject, _ emit: (Event) -> Void
  ) {
    switch event {
    case .operation(let operation, let object):
      emit(.table(name, operation, object: object.map(shown)))
    case .asked(let call): emit(.dataSource(table: name, call))
    case .exception(let exception, during: let call):
      emit(.exception(table: name, exception))
      emit(.console(exception.consoleText(during: call)))
    }
  }
}

extension TableViewException {
  /// Returns what Core Data prints after it caught the exception.
  fileprivate func consoleText(during call: DelegateCall) -> String {
    "CoreData: error: Serious application error.  An exception was caught from the delegate of "
      + "NSFetchedResultsController during a call to -\(call.rawValue).  \(reason) with userInfo "
      + "(null)"
  }
}

/// A delegate that reports each callback and then lets its table react to it.
package final class TableRecorder: DelegateRecorder {
  let table: FetchedResultsTable<CellContent>
  let tableName: String

  init(
    _ table: FetchedResultsTable<CellContent>, named tableName: String,
    of binding: ControllerBinding, emit: @escaping (Event) -> Void
  ) {
    self.table = table
    self.tableName = tableName
    super.init(table.implementedMethods, binding, emit)
  }

  override func batchWillBegin() {
    super.batchWillBegin()
    table.batchWillBegin()
  }

  override func didChange(
    _ object: ManagedObject, _ type: FetchedResultsChangeType, from old: ResultsIndexPath?,
    to new: ResultsIndexPath?
  ) {
    super.didChange(object, type, from: old, to: new)
    table.didChange(object, type, from: old, to: new)
  }

  override func didChangeSection(_ type: FetchedResultsChangeType, index: Int, name: String) {
    super.didChangeSection(type, index: index, name: name)
    table.didChangeSection(type, index: index)
  }

  override func wereReplaced() {
    super.wereReplaced()
    table.reloadIfFollowing()
  }

  override func batchDidEnd() {
    super.batchDidEnd()
    table.batchDidEnd()
  }
}

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
    let sections = binding.controller.sections
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
