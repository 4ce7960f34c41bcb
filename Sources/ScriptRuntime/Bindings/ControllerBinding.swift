package import FetchedResults
package import ScriptSyntax
package import TableViews

/// A controller or an observer with its name in the session, and who receives its changes.
package final class ControllerBinding {
  package let name: String
  /// The controller; for an observer, the one that decides its changes.
  package let controller: FetchedResultsController
  /// The observer; nil for a controller.
  package let observer: ObservedResults?
  /// The rows that the observer published last.
  private var published: PublishedRows?
  /// Whether `show` has printed which sort keys the observer adds.
  var hasShownOrder = false
  /// Whether a statement is changing the observer's request.
  var isBeingChanged = false
  /// The kind of delegate that the script asks for.
  package private(set) var delegate = Delegate.mode(.changes)
  /// A strong reference, because a controller holds its delegate weakly.
  package private(set) var recorder: DelegateRecorder?
  /// Receives the callbacks before the recorder, and reports when each is over.
  private var steps: StepDelegate?
  /// Receives the controller's callbacks first, and checks the replay law.
  private var checker: CheckingDelegate?

  /// The kinds of delegate in a script.
  package enum Delegate {
    case mode(Statement.DelegateMode)
    /// Callbacks with statements of the script, and the source that contains them.
    case own([CallbackSyntax], SourceText)
    /// The delegate of a table.
    case table(FetchedResultsTable<CellContent>.Mode)
  }

  init(name: String, controller: FetchedResultsController) {
    self.name = name
    self.controller = controller
    observer = nil
  }

  init(name: String, observer: ObservedResults) {
    self.name = name
    self.observer = observer
    controller = observer.controller
    published = observer.rows
  }

  /// Calls a closure with what the observer publishes, and the rows before and after.
  ///
  /// - Parameter onBreach: Called if a difference, applied to the rows before, does not give those
  ///   after; nil if that is not checked.
  func listen(
    onBreach: ((CheckingDelegate.Breach) -> Void)?,
    _ onPublication:
      @escaping (
        ControllerBinding, ObservedResults.Publication, _ old: PublishedRows, _ new: PublishedRows
      ) -> Void
  ) {
    observer?.observe { [weak self] publication in
      guard let self, let rows = self.observer?.rows else { return }
      let old = self.published ?? rows
      self.published = rows
      if let onBreach, let breach = publication.breach(old, rows) { onBreach(breach) }
      onPublication(self, publication, old, rows)
    }
  }

  /// Sets the controller's delegate.
  ///
  /// - Parameters:
  ///   - recorder: Reports the callbacks; nil for no delegate.
  ///   - stepper: Returns who shows each callback; nil if they are not shown one by one.
  ///   - onBreach: Called when callbacks break the replay law; nil if that is not checked.
  func attach(
    _ delegate: Delegate, _ recorder: DelegateRecorder?,
    stepper: @escaping () -> Stepper?,
    onBreach: ((CheckingDelegate.Breach) -> Void)?
  ) {
    self.delegate = delegate
    self.recorder = recorder
    // An observer has no delegate; its publications go to the recorder.
    guard observer == nil else { return }
    steps = recorder.map { recorder in
      // A callback may define its controller again, which removes the binding.
      StepDelegate(of: recorder) { [weak self] in
        guard let stepper = stepper(), let self else { return }
        stepper.callbackDidEnd(of: self)
      }
    }
    checker = steps.flatMap { steps in
      onBreach.map { onBreach in CheckingDelegate(of: steps) { onBreach($0) } }
    }
    controller.delegate = checker ?? steps
  }

  /// Checks that the controller shows what its delegate was told.
  func checkReplay() { checker?.checkSections(of: controller) }

  /// Converts an object to the form in which the controller's events show it.
  var shown: (ManagedObject) -> ShownObject {
    { [sectionKey = controller.sectionNameKeyPath] object in
      ShownObject(object, attribute: object.entity.shownAttribute(besides: sectionKey))
    }
  }

  /// Shows an object as it is now in the controller's context, without reading it into that.
  func shownNow(_ id: ObjectID) -> ShownObject {
    ShownObject(
      id: id, in: controller.managedObjectContext, besides: controller.sectionNameKeyPath)
  }
}

extension ObservedResults.Publication {
  /// How the difference breaks the replay law; nil if it does not, or if there is none.
  ///
  /// - Complexity: O(*n*) in the rows.
  fileprivate func breach(
    _ old: PublishedRows, _ new: PublishedRows
  ) -> CheckingDelegate.Breach? {
    guard let difference else { return nil }
    var sections = old.sectionIdentifiers
    do {
      try difference.apply(to: &sections)
    } catch {
      return .unfitDifference
    }
    return ReplayBreach(told: sections.map(\.law), shown: new.sectionIdentifiers.map(\.law))
  }
}

extension FetchedResultsSnapshot.Section {
  fileprivate var law: ReplayLaw<ObjectID>.Section {
    ReplayLaw.Section(name: identifier, rows: itemIdentifiers)
  }
}

/// An observer of the store's history, with its name in the session.
package final class HistoryBinding {
  package let name: String
  /// The observer; nil where only names are checked.
  let history: ObservedHistory?

  init(name: String, history: ObservedHistory?) {
    self.name = name
    self.history = history
  }

  /// The observer as a script writes it.
  var scriptText: String {
    let entities = (history?.entities ?? []).map(\.name).joined(separator: ", ")
    let authors = (history?.authors ?? []).sorted().map(\.quoted).joined(separator: ", ")
    return "history" + (entities.isEmpty ? "" : " of \(entities)")
      + (authors.isEmpty ? "" : " by \(authors)")
  }
}

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
