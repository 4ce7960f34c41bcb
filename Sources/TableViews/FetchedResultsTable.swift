package import FetchedResults

/// The data source and delegate that an app puts between a fetched results
/// controller and its table.
///
/// It answers each callback with the reactions chosen for it, and what the
/// table then raises is caught, as Core Data does, told, and left at that.
package final class FetchedResultsTable<Content: Equatable> {
  /// How callbacks are answered.
  package enum Mode: Hashable, Sendable {
    /// `reloadData` in controllerDidChangeContent, the only method implemented.
    case reload
    case reactions(TableReactions)
  }

  /// What happens between table, data source and delegate.
  package enum Event {
    case operation(TableOperation, object: ManagedObject?)
    case asked(DataSourceCall<Content>)
    case exception(TableViewException, during: DelegateCall)
  }

  package let table = TableView<Content>()
  package let controller: FetchedResultsController
  package let mode: Mode
  /// Makes of an object what its cell is configured with.
  private let content: (ManagedObject) -> Content
  private let hear: (Event) -> Void
  /// Whether each call of the data source is told.
  package var isTraced = false
  /// Whether changes of the objects are not followed, since the user makes them
  /// in the table itself.
  package private(set) var isSuspended = false
  private var isResuming = false
  /// Whether a batch of updates is open that this delegate began.
  private var isUpdating = false
  /// Called where a batch begins; says whether it is the first of its turn.
  package var beginsTurn: () -> Bool = { true }

  /// Creates a table of a controller; the controller's delegate is not set.
  ///
  /// - Parameters:
  ///   - content: Makes of an object what its cell is configured with.
  ///   - hear: Called with all that happens, in order.
  package init(
    of controller: FetchedResultsController, mode: Mode,
    content: @escaping (ManagedObject) -> Content, hear: @escaping (Event) -> Void
  ) {
    self.controller = controller
    self.mode = mode
    self.content = content
    self.hear = hear
    table.dataSource = self
  }

  /// Asks for everything, and begins again after an exception.
  package func reload() {
    perform(.reloadData)
  }

  /// Shows the controller's results for the first time, once it has some.
  package func loadIfFetched() {
    if controller.sections != nil { table.loadIfNeeded() }
  }
}

// MARK: - Suspending

extension FetchedResultsTable {
  /// Follows no more changes.
  package func suspend() {
    isSuspended = true
    isResuming = false
  }

  /// Follows changes again once the turn has ended, so that those of the turn
  /// itself are still the user's.
  package func resume() { isResuming = isSuspended }

  package func turnDidEnd() {
    guard isResuming else { return }
    isSuspended = false
    isResuming = false
  }
}

// MARK: - The data source

/// A question to a data source, and the answer.
package enum DataSourceCall<Content> {
  case numberOfSections(Int)
  case numberOfRows(section: Int, Int)
  case titleForHeader(section: Int, String?)
  case cellForRow(ResultsIndexPath, Content)
  case sectionIndexTitles([String]?)
}

extension FetchedResultsTable: TableViewDataSource {
  package func numberOfSections() -> Int {
    let count = controller.sections?.count ?? 0
    trace(.numberOfSections(count))
    return count
  }

  package func numberOfRows(inSection section: Int) -> Int {
    let count = controller.sections?[section].numberOfObjects ?? 0
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
      preconditionFailure("no row at \(indexPath), which the numbers promised")
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
    if isTraced { hear(.asked(call)) }
  }
}

// MARK: - What the data source would say

extension FetchedResultsTable {
  /// What a cell at an index path would be configured with now; nil if the controller has no such
  /// row.
  package func currentContent(at indexPath: ResultsIndexPath) -> Content? {
    (try? controller.object(at: indexPath)).map(content)
  }

  /// The header that a section would have now; nil without a section key path.
  package func currentTitle(ofSection section: Int) -> String? {
    guard controller.sectionNameKeyPath != nil, let sections = controller.sections,
      sections.indices.contains(section)
    else { return nil }
    return sections[section].name
  }

  /// The section index as it would be now; nil without a section key path.
  package var currentIndexTitles: [String]? {
    controller.sectionNameKeyPath == nil ? nil : controller.sectionIndexTitles
  }

  /// Whether a cell shows something else than its row's object, as it is.
  package func isStale(_ indexPath: ResultsIndexPath) -> Bool {
    table.sections[indexPath.section].cells[indexPath.row].content
      != currentContent(at: indexPath)
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
    if beginsTurn() { table.forgetMarks() }
    guard !isSuspended else { return }
    isUpdating = true
    perform(.beginUpdates)
  }

  package func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    guard case .reactions(let reactions) = mode else { return }
    for reaction in reactions[TableReactions.Change(type)] where isUpdating && !isSuspended {
      // A callback that lacks the path which an operation is about has only the
      // other to offer, as code that mixes the two up has.
      guard let old = indexPath ?? newIndexPath, let new = newIndexPath ?? indexPath else { return }
      perform(reaction, from: old, to: new, object)
    }
  }

  package func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
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

  package func controllerDidChangeContent(_ controller: FetchedResultsController) {
    if mode == .reload {
      if beginsTurn() { table.forgetMarks() }
      if !isSuspended { perform(.reloadData) }
      return
    }
    guard isUpdating else { return }
    isUpdating = false
    hear(.operation(.endUpdates, object: nil))
    do throws(TableViewException) {
      try table.endUpdates()
    } catch {
      hear(.exception(error, during: .didChangeContent))
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
        configure(old, with: try controller.object(at: old))
      } catch {
        table.abandonUpdates()
        isUpdating = false
        let exception = TableViewException(name: error.name ?? "NSException", reason: error.reason)
        hear(.exception(exception, during: .didChangeObject))
      }
    case .configureCellWithObject: configure(old, with: object)
    case .reloadData: perform(.reloadData)
    case .insertSections, .deleteSections, .nothing: break
    }
  }

  private func configure(_ indexPath: ResultsIndexPath, with object: ManagedObject) {
    hear(.operation(.configureCell(indexPath), object: object))
    table.configureCell(at: indexPath, with: content(object))
  }

  private func perform(_ operation: TableOperation) {
    hear(.operation(operation, object: nil))
    switch operation {
    case .beginUpdates: table.beginUpdates()
    case .reloadData: table.reloadData()
    case .insertRows, .deleteRows, .reloadRows, .moveRow, .insertSections, .deleteSections:
      table.record(operation)
    case .endUpdates, .configureCell: break
    }
  }
}
