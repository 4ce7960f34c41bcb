package import FetchedResults

/// The data source and delegate that an app puts between a fetched results controller and its
/// table.
///
/// It answers each callback with the chosen reactions. An exception of the table is caught, as in
/// Core Data, and only reported.
package final class FetchedResultsTable<Content: Equatable> {
  /// How callbacks are answered.
  package enum Mode: Hashable, Sendable {
    /// Calls `reloadData` in controllerDidChangeContent, the only method that it implements.
    case reload
    case reactions(TableReactions)
  }

  /// An event between table, data source and delegate.
  package enum Event {
    case operation(TableOperation, object: ManagedObject?)
    case asked(DataSourceCall<Content>)
    case exception(TableViewException, during: DelegateCall)
  }

  /// What the table shows.
  package enum Source {
    case controller(FetchedResultsController)
    /// An observer, whose changes its caller passes on.
    case observer(ObservedResults)
  }

  package let table = TableView<Content>()
  private let source: Source
  package let mode: Mode
  /// Returns the content of an object's cell.
  private let content: (ManagedObject) -> Content
  private let onEvent: (Event) -> Void
  /// Whether each call of the data source is reported.
  package var isTraced = false
  /// Whether changes of the objects are ignored, because the user makes them in the table itself.
  package private(set) var isSuspended = false
  private var isResuming = false
  /// Whether this delegate has begun a batch of updates.
  private var isUpdating = false
  /// Called at the beginning of a batch; returns whether it is the first of its turn.
  package var beginsTurn: () -> Bool = { true }

  /// Creates a table for a controller or an observer.
  ///
  /// The controller's delegate is not set.
  ///
  /// - Parameters:
  ///   - content: Returns the content of an object's cell.
  ///   - onEvent: Receives all events, in order.
  package init(
    of source: Source, mode: Mode,
    content: @escaping (ManagedObject) -> Content, onEvent: @escaping (Event) -> Void
  ) {
    self.source = source
    self.mode = mode
    self.content = content
    self.onEvent = onEvent
    table.dataSource = self
  }

  /// Reloads everything, also after an exception.
  package func reload() {
    perform(.reloadData)
  }

  /// Shows the controller's results for the first time, if it has some.
  package func loadIfFetched() {
    if source.sectionCount != nil { table.loadIfNeeded() }
  }

  /// Reloads everything, unless changes are ignored at present.
  package func reloadIfFollowing() {
    if beginsTurn() { table.forgetMarks() }
    if !isSuspended { perform(.reloadData) }
  }
}

// MARK: - Suspending

extension FetchedResultsTable {
  /// Ignores changes from now on.
  package func suspend() {
    isSuspended = true
    isResuming = false
  }

  /// Follows changes again after the end of the turn, because those of the turn itself still come
  /// from the user.
  package func resume() { isResuming = isSuspended }

  package func turnDidEnd() {
    guard isResuming else { return }
    isSuspended = false
    isResuming = false
  }
}

// MARK: - The data source

/// A call of a data source, with its result.
package enum DataSourceCall<Content> {
  case numberOfSections(Int)
  case numberOfRows(section: Int, Int)
  case titleForHeader(section: Int, String?)
  case cellForRow(ResultsIndexPath, Content)
  case sectionIndexTitles([String]?)
}

extension FetchedResultsTable: TableViewDataSource {
  package func numberOfSections() -> Int {
    let count = source.sectionCount ?? 0
    trace(.numberOfSections(count))
    return count
  }

  package func numberOfRows(inSection section: Int) -> Int {
    let count = source.rowCount(ofSection: section)
    trace(.numberOfRows(section: section, count))
    return count
  }

  package func titleForHeader(inSection section: Int) -> String? {
    let title = currentTitle(ofSection: section)
    trace(.titleForHeader(section: section, title))
    return title
  }

  package func cellForRow(at indexPath: ResultsIndexPath) -> Content {
    guard let content = currentContent(at: indexPath) else {
      programmingError("no row at \(indexPath), which the numbers promised")
    }
    trace(.cellForRow(indexPath, content))
    return content
  }

  package func sectionIndexTitles() -> [String]? {
    let titles = currentIndexTitles
    trace(.sectionIndexTitles(titles))
    return titles
  }

  private func trace(_ call: DataSourceCall<Content>) {
    if isTraced { onEvent(.asked(call)) }
  }
}

// MARK: - Current answers of the data source

extension FetchedResultsTable {
  /// Returns the content that a cell at an index path would have now; nil if the controller has no
  /// such row.
  package func currentContent(at indexPath: ResultsIndexPath) -> Content? {
    (try? source.object(at: indexPath)).map(content)
  }

  /// Returns the current header of a section; nil without a section key path.
  package func currentTitle(ofSection section: Int) -> String? {
    source.isSectioned ? source.name(ofSection: section) : nil
  }

  /// The current section index; nil without a section key path.
  package var currentIndexTitles: [String]? {
    source.indexTitles
  }
}

// MARK: - The delegate

/// A delegate method, by its selector.
package enum DelegateCall: String, Hashable, Sendable {
  case willChangeContent = "controllerWillChangeContent:"
  case didChangeObject =
    "controller:didChangeObject:atIndexPath:forChangeType:newIndexPath:"
  case didChangeSection = "controller:didChangeSection:atIndex:forChangeType:"
  case didChangeContent = "controllerDidChangeContent:"
}

extension FetchedResultsTable: FetchedResultsControllerDelegate {
  package var implementedMethods: FetchedResultsDelegateMethods {
    mode == .reload ? .didChangeContent : .changes
  }

  package func controllerWillChangeContent(_ controller: FetchedResultsController) {
    batchWillBegin()
  }

  package func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    didChange(object, type, from: indexPath, to: newIndexPath)
  }

  package func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    didChangeSection(type, index: sectionIndex)
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController) {
    batchDidEnd()
  }
}

// MARK: - Batches of changes

extension FetchedResultsTable {
  package func batchWillBegin() {
    if beginsTurn() { table.forgetMarks() }
    guard !isSuspended else { return }
    isUpdating = true
    perform(.beginUpdates)
  }

  package func didChange(
    _ object: ManagedObject, _ type: FetchedResultsChangeType, from indexPath: ResultsIndexPath?,
    to newIndexPath: ResultsIndexPath?
  ) {
    guard case .reactions(let reactions) = mode else { return }
    for reaction in reactions[TableReactions.Change(type)] where isUpdating && !isSuspended {
      // If the callback lacks the index path that an operation needs, the other one is used, like
      // in code that confuses the two.
      guard let old = indexPath ?? newIndexPath, let new = newIndexPath ?? indexPath else { return }
      perform(reaction, from: old, to: new, object)
    }
  }

  package func didChangeSection(_ type: FetchedResultsChangeType, index sectionIndex: Int) {
    guard case .reactions(let reactions) = mode else { return }
    let change: TableReactions.Change = type == .insert ? .sectionInsert : .sectionDelete
    for reaction in reactions[change] where isUpdating && !isSuspended {
      switch reaction {
      case .insertSections: perform(.insertSections(sectionIndex))
      case .deleteSections: perform(.deleteSections(sectionIndex))
      case .reloadData: perform(.reloadData)
      case .insertRows, .deleteRows, .reloadRows, .moveRow, .configureCell,
        .configureCellWithObject, .nothing:
        break
      }
    }
  }

  package func batchDidEnd() {
    if mode == .reload { return reloadIfFollowing() }
    guard isUpdating else { return }
    isUpdating = false
    onEvent(.operation(.endUpdates, object: nil))
    do throws(TableViewException) {
      try table.endUpdates()
    } catch {
      onEvent(.exception(error, during: .didChangeContent))
    }
  }

  private func perform(
    _ reaction: TableReactions.Reaction, from old: ResultsIndexPath, to new: ResultsIndexPath,
    _ object: ManagedObject
  ) {
    switch reaction {
    case .insertRows: perform(.insertRows(new))
    case .deleteRows: perform(.deleteRows(old))
    case .reloadRows: perform(.reloadRows(old))
    case .moveRow: perform(.moveRow(old, to: new))
    case .configureCell:
      do throws(FetchedResultsError) {
        configure(old, with: try source.object(at: old))
      } catch {
        table.abandonUpdates()
        isUpdating = false
        let exception = TableViewException(name: error.name ?? "NSException", reason: error.reason)
        onEvent(.exception(exception, during: .didChangeObject))
      }
    case .configureCellWithObject: configure(old, with: object)
    case .reloadData: perform(.reloadData)
    case .insertSections, .deleteSections, .nothing: break
    }
  }

  private func configure(_ indexPath: ResultsIndexPath, with object: ManagedObject) {
    onEvent(.operation(.configureCell(indexPath), object: object))
    table.configureCell(at: indexPath, with: content(object))
  }

  private func perform(_ operation: TableOperation) {
    onEvent(.operation(operation, object: nil))
    switch operation {
    case .beginUpdates: table.beginUpdates()
    case .reloadData: table.reloadData()
    case .insertRows, .deleteRows, .reloadRows, .moveRow, .insertSections, .deleteSections:
      table.record(operation)
    case .endUpdates, .configureCell: break
    }
  }
}

extension FetchedResultsTable.Source {
  /// How many sections there are; nil before a controller has fetched.
  fileprivate var sectionCount: Int? {
    switch self {
    case .controller(let controller): controller.sections?.count
    case .observer(let observer): observer.rows.sections.count
    }
  }

  fileprivate func rowCount(ofSection section: Int) -> Int {
    switch self {
    case .controller(let controller): controller.sections?[section].numberOfObjects ?? 0
    case .observer(let observer): observer.rows.sections[section].count
    }
  }

  fileprivate func object(at path: ResultsIndexPath) throws(FetchedResultsError) -> ManagedObject {
    switch self {
    case .controller(let controller): return try controller.object(at: path)
    case .observer(let observer):
      if let object = observer.rows.object(at: path) { return object }
      throw observer.rows.sections.indices.contains(path.section)
        ? .noObject(index: path.row, section: path.section) : .noSection(index: path.section)
    }
  }

  /// Whether there is a section key path.
  fileprivate var isSectioned: Bool {
    switch self {
    case .controller(let controller): controller.sectionNameKeyPath != nil
    case .observer(let observer): observer.sectionNameKeyPath != nil
    }
  }

  /// Returns the name of a section; nil if there is no such section.
  fileprivate func name(ofSection section: Int) -> String? {
    switch self {
    case .controller(let controller):
      guard let sections = controller.sections, sections.indices.contains(section) else {
        return nil
      }
      return sections[section].name
    case .observer(let observer):
      let sections = observer.rows.sections
      return sections.indices.contains(section) ? sections[section].name : nil
    }
  }

  /// The titles of the section index; nil without one, as for every observer.
  fileprivate var indexTitles: [String]? {
    switch self {
    case .controller(let controller):
      controller.sectionNameKeyPath == nil ? nil : controller.sectionIndexTitles
    case .observer: nil
    }
  }
}

/// The table operations that an app performs for each kind of callback.
package struct TableReactions: Hashable, Sendable {
  /// The kinds of changes.
  ///
  /// The raw value is the word in a script.
  package enum Change: String, Hashable, Sendable, CaseIterable {
    case insert
    case delete
    case update
    case move
    case sectionInsert
    case sectionDelete
  }

  /// The possible reactions.
  ///
  /// The raw value is the word in a script.
  package enum Reaction: String, Hashable, Sendable, CaseIterable {
    case insertRows
    case deleteRows
    case reloadRows
    case moveRow
    /// Looks up the object at the cell's old index path, like Xcode's old template.
    case configureCell
    /// Uses the object from the callback.
    case configureCellWithObject
    case insertSections
    case deleteSections
    case reloadData
    case nothing
  }

  private var chosen: [Change: [Reaction]]

  /// Creates reactions.
  ///
  /// Changes without a choice have the reactions of the template.
  package init(_ chosen: [Change: [Reaction]] = [:]) { self.chosen = chosen }

  /// The reactions to a change, in order.
  package subscript(change: Change) -> [Reaction] {
    get { chosen[change] ?? Self.template(for: change) }
    set { chosen[change] = newValue }
  }

  private static func template(for change: Change) -> [Reaction] {
    switch change {
    case .insert: [.insertRows]
    case .delete: [.deleteRows]
    case .update: [.reloadRows]
    case .move: [.deleteRows, .insertRows]
    case .sectionInsert: [.insertSections]
    case .sectionDelete: [.deleteSections]
    }
  }
}

extension TableReactions.Change {
  package init(_ type: FetchedResultsChangeType) {
    self =
      switch type {
      case .insert: .insert
      case .delete: .delete
      case .move: .move
      case .update: .update
      }
  }
}
