public import FetchedResults
import TableViews

/// A table view without a screen, with the rules of UITableView for batch updates.
///
/// A delegate that talks to a table can be tested with it. Operations between ``beginUpdates()``
/// and ``endUpdates()`` are performed together. Where the numbers of rows and sections do not add
/// up, UIKit raises an exception; this table notes it, and throws it when ``sections`` is read.
///
/// The data source of the table is the controller.
public final class CheckedTable {
  private let table = TableView<ShownRow>()
  private let source: Source
  private var fault: ListFault?

  /// Creates a table that shows nothing yet.
  ///
  /// - Parameter text: What the cell of an object says; nil if texts are not compared.
  public init(text: @escaping (ManagedObject) -> String? = { _ in nil }) {
    source = Source(text)
    table.dataSource = source
  }

  /// What the table shows.
  ///
  /// - Throws: The exception that UIKit would have raised, in its words.
  public var sections: [ShownSection] {
    get throws(ListFault) {
      if let fault { throw fault }
      return table.sections.map { section in
        ShownSection(name: section.title ?? "", rows: section.cells.map(\.content))
      }
    }
  }

  /// Asks a controller for everything.
  public func reloadData(from controller: FetchedResultsController) {
    source.controller = controller
    fault = nil
    table.reloadData()
  }

  /// Begins a batch of updates, or joins the one that is open.
  public func beginUpdates() { table.beginUpdates() }

  /// Ends a batch of updates.
  public func endUpdates() {
    guard table.recordedCount != nil else { return note("endUpdates() without beginUpdates()") }
    do {
      try table.endUpdates()
    } catch {
      note("\(error.name): \(error.reason)")
    }
  }

  /// Inserts rows at index paths of after the batch.
  public func insertRows(at paths: [ResultsIndexPath]) { record(paths.map { .insertRows($0) }) }

  /// Deletes rows at index paths of before the batch.
  public func deleteRows(at paths: [ResultsIndexPath]) { record(paths.map { .deleteRows($0) }) }

  /// Loads rows again, at index paths of before the batch.
  public func reloadRows(at paths: [ResultsIndexPath]) { record(paths.map { .reloadRows($0) }) }

  /// Moves a row from an index path of before the batch to one of after it.
  ///
  /// Its cell stays as it is.
  public func moveRow(at old: ResultsIndexPath, to new: ResultsIndexPath) {
    record([.moveRow(old, to: new)])
  }

  /// Inserts a section at an index of after the batch.
  public func insertSection(at index: Int) { record([.insertSections(index)]) }

  /// Deletes a section at an index of before the batch.
  public func deleteSection(at index: Int) { record([.deleteSections(index)]) }

  /// Gives the cell at an index path of before the batch another text at once.
  public func configureCell(at path: ResultsIndexPath, with object: ManagedObject) {
    table.configureCell(at: path, with: source.row(object))
  }

  /// Records operations; outside of a batch they are a batch of their own, as in UIKit.
  private func record(_ operations: [TableOperation]) {
    let isOpen = table.recordedCount != nil
    if !isOpen { beginUpdates() }
    for operation in operations { table.record(operation) }
    if !isOpen { endUpdates() }
  }

  private func note(_ words: String) { fault = fault ?? ListFault(description: words) }
}

/// A controller as the data source of a table.
private final class Source: TableViewDataSource {
  // The controller holds its delegate weakly, which may hold the table.
  weak var controller: FetchedResultsController?
  private let text: (ManagedObject) -> String?

  init(_ text: @escaping (ManagedObject) -> String?) { self.text = text }

  func row(_ object: ManagedObject) -> ShownRow {
    ShownRow(objectID: object.objectID, text: text(object))
  }

  func numberOfSections() -> Int { controller?.sections?.count ?? 0 }

  func numberOfRows(inSection section: Int) -> Int {
    controller?.sections?[section].numberOfObjects ?? 0
  }

  func titleForHeader(inSection section: Int) -> String? { controller?.sections?[section].name }

  func cellForRow(at indexPath: ResultsIndexPath) -> ShownRow {
    guard let object = try? controller?.object(at: indexPath) else {
      preconditionFailure("no row at \(indexPath), which the numbers promised")
    }
    return row(object)
  }

  func sectionIndexTitles() -> [String]? { nil }
}
