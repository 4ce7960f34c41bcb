public import FetchedResults
import TableViews

/// A table view without a screen, with UITableView's rules for batch updates.
///
/// Use it to test a delegate that calls a table. Operations between ``beginUpdates()`` and
/// ``endUpdates()`` are performed together. UIKit raises an exception if the numbers of rows and
/// sections do not add up. This table notes it, and throws it when ``sections`` is read.
///
/// The controller is the table's data source.
public final class CheckedTable {
  private let table = TableView<ShownRow>()
  private let source: Source
  private var fault: ListFault?

  /// Creates an empty table.
  ///
  /// - Parameter text: Returns the text of an object's cell; nil if texts are not compared.
  public init(text: @escaping (ManagedObject) -> String? = { _ in nil }) {
    source = Source(text)
    table.dataSource = source
  }

  /// The sections that the table shows.
  ///
  /// - Throws: The exception that UIKit would have raised, in UIKit's words.
  public var sections: [ShownSection] {
    get throws(ListFault) {
      if let fault { throw fault }
      return table.sections.map { section in
        ShownSection(name: section.title ?? "", rows: section.cells.map(\.content))
      }
    }
  }

  /// Reloads all sections and rows from a controller.
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

  /// Inserts rows at index paths after the batch.
  public func insertRows(at paths: [ResultsIndexPath]) { record(paths.map { .insertRows($0) }) }

  /// Deletes rows at index paths before the batch.
  public func deleteRows(at paths: [ResultsIndexPath]) { record(paths.map { .deleteRows($0) }) }

  /// Reloads rows at index paths before the batch.
  public func reloadRows(at paths: [ResultsIndexPath]) { record(paths.map { .reloadRows($0) }) }

  /// Moves a row from an index path before the batch to one after it.
  ///
  /// Its cell is not reloaded.
  public func moveRow(at old: ResultsIndexPath, to new: ResultsIndexPath) {
    record([.moveRow(old, to: new)])
  }

  /// Inserts a section at an index after the batch.
  public func insertSection(at index: Int) { record([.insertSections(index)]) }

  /// Deletes a section at an index before the batch.
  public func deleteSection(at index: Int) { record([.deleteSections(index)]) }

  /// Immediately changes the text of the cell at an index path before the batch.
  public func configureCell(at path: ResultsIndexPath, with object: ManagedObject) {
    table.configureCell(at: path, with: source.row(object))
  }

  /// Records operations.
  ///
  /// Outside of a batch, they form their own batch, as in UIKit.
  private func record(_ operations: [TableOperation]) {
    let isOpen = table.recordedCount != nil
    if !isOpen { beginUpdates() }
    for operation in operations { table.record(operation) }
    if !isOpen { endUpdates() }
  }

  private func note(_ words: String) { fault = fault ?? ListFault(description: words) }
}

/// The data source of a table, which reads from a controller.
private final class Source: TableViewDataSource {
  // The controller's weak delegate may own the table, so a strong reference here would be a cycle.
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
      programmingError("no row at \(indexPath), which the numbers promised")
    }
    return row(object)
  }

  func sectionIndexTitles() -> [String]? { nil }
}
