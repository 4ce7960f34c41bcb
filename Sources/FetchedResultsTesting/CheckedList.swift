public import FetchedResults
import TableViews

/// Sections and rows that can be changed by index without a trap.
///
/// Swift cannot catch a trap, so an index out of range would end the whole test process. This list
/// notes the first such fault instead, and ignores all later operations. It throws the fault when
/// ``sections`` is read. Each operation applies to the state at its call, as in an array.
public struct CheckedList: Sendable {
  private var shown: [ShownSection] = []
  private var fault: ListFault?

  /// Creates an empty list.
  public init() {}

  /// Creates a list of a controller's results.
  ///
  /// - Parameters:
  ///   - controller: A controller that has fetched. If it has not, the list is empty.
  ///   - text: Returns the text of an object's row; nil if texts are not compared.
  /// - Complexity: O(*n*) for *n* objects.
  public init(
    _ controller: FetchedResultsController, text: (ManagedObject) -> String? = { _ in nil }
  ) {
    shown = (controller.sections.map(Array.init) ?? []).map { section in
      ShownSection(
        name: section.name,
        rows: section.objects.map { ShownRow(objectID: $0.objectID, text: text($0)) })
    }
  }

  /// The sections and rows.
  ///
  /// - Throws: A fault for the first operation that did not fit.
  public var sections: [ShownSection] {
    get throws(ListFault) {
      if let fault { throw fault }
      return shown
    }
  }

  /// Inserts an empty section before the section at an index.
  public mutating func insertSection(named name: String, at index: Int) {
    guard
      isPossible(
        0...shown.count ~= index, "insert a section at \(index)", has: counted(shown.count))
    else { return }
    shown.insert(ShownSection(name: name, rows: []), at: index)
  }

  /// Removes a section and its rows.
  public mutating func removeSection(at index: Int) {
    guard
      isPossible(
        shown.indices ~= index, "remove the section at \(index)", has: counted(shown.count))
    else { return }
    shown.remove(at: index)
  }

  /// Inserts a row before the row at an index path.
  public mutating func insert(_ row: ShownRow, at path: ResultsIndexPath) {
    guard hasSection(path, "insert a row at \(path)"),
      isPossible(
        0...shown[path.section].rows.count ~= path.row, "insert a row at \(path)",
        has: counted(in: path.section))
    else { return }
    shown[path.section].rows.insert(row, at: path.row)
  }

  /// Removes a row.
  ///
  /// - Returns: The row; nil if there is none.
  @discardableResult
  public mutating func remove(at path: ResultsIndexPath) -> ShownRow? {
    guard hasRow(path, "remove the row at \(path)") else { return nil }
    return shown[path.section].rows.remove(at: path.row)
  }

  /// Replaces a row.
  public mutating func replace(at path: ResultsIndexPath, with row: ShownRow) {
    guard hasRow(path, "replace the row at \(path)") else { return }
    shown[path.section].rows[path.row] = row
  }

  /// Notes that the list could not follow its controller.
  ///
  /// Only the first fault is kept.
  public mutating func fail(_ words: String) {
    fault = fault ?? ListFault(description: words)
  }

  // MARK: Checks

  private mutating func hasSection(_ path: ResultsIndexPath, _ action: String) -> Bool {
    isPossible(shown.indices ~= path.section, action, has: counted(shown.count))
  }

  private mutating func hasRow(_ path: ResultsIndexPath, _ action: String) -> Bool {
    hasSection(path, action)
      && isPossible(
        shown[path.section].rows.indices ~= path.row, action, has: counted(in: path.section))
  }

  private mutating func isPossible(_ holds: Bool, _ action: String, has: String) -> Bool {
    if fault != nil { return false }
    if !holds { fail("cannot \(action): \(has)") }
    return holds
  }

  private func counted(_ sections: Int) -> String {
    "the list has \(sections) \(sections == 1 ? "section" : "sections") then"
  }

  private func counted(in section: Int) -> String {
    let rows = shown[section].rows.count
    return "section \(section) has \(rows) \(rows == 1 ? "row" : "rows") then"
  }
}

/// The reason why a list could not follow its controller.
public struct ListFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation, and the state of the list at that time.
  public let description: String

  /// Creates a fault.
  public init(description: String) { self.description = description }
}

/// A list of yours that shows a controller's results, so that `fuzz` can test it.
///
/// Adopt it by the class that is your controller's delegate. `fuzz` makes the list, sets it as the
/// delegate of a controller, fetches and calls ``reload(from:)``. After every random turn it
/// compares ``shownSections`` with the sections of the controller.
///
/// ```swift
/// final class BookList: FuzzedList {
///   let implementedMethods: FetchedResultsDelegateMethods = .changes
///   private var list = CheckedList()
///
///   func reload(from controller: FetchedResultsController) { list = CheckedList(controller) }
///
///   var shownSections: [ShownSection] {
///     get throws { try list.sections }
///   }
/// }
/// ```
public protocol FuzzedList: FetchedResultsControllerDelegate {
  /// Shows all results, like a list that appears on the screen or calls `reloadData()`.
  ///
  /// `fuzz` calls it after each fetch.
  func reload(from controller: FetchedResultsController)

  /// The sections and rows that the list shows now.
  ///
  /// `fuzz` reads it after each turn, never between two callbacks.
  ///
  /// - Throws: The reason why the list could not follow its controller, such as an index out of
  ///   range. ``CheckedList`` throws it for you.
  var shownSections: [ShownSection] { get throws }

  /// Returns the text that the row of an object should show now; nil if texts are not compared.
  ///
  /// It is compared with ``ShownRow/text``, so that a row without an update is found.
  func text(for object: ManagedObject) -> String?
}

extension FuzzedList {
  /// Returns nil, so texts are not compared.
  public func text(for object: ManagedObject) -> String? { nil }
}

/// A section that a list shows.
public struct ShownSection: Hashable, Sendable {
  /// The name of the section.
  ///
  /// Without a section key path it is not compared.
  public var name: String
  /// The rows, in order.
  public var rows: [ShownRow]

  /// Creates a section.
  public init(name: String, rows: [ShownRow]) {
    self.name = name
    self.rows = rows
  }

  /// Creates a section whose texts are not compared.
  public init(name: String, objectIDs: [ObjectID]) {
    self.init(name: name, rows: objectIDs.map { ShownRow(objectID: $0) })
  }
}

/// A row that a list shows.
public struct ShownRow: Hashable, Sendable {
  /// The object of the row.
  public var objectID: ObjectID
  /// The text of the row; nil if texts are not compared.
  public var text: String?

  /// Creates a row.
  public init(objectID: ObjectID, text: String? = nil) {
    self.objectID = objectID
    self.text = text
  }
}

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
