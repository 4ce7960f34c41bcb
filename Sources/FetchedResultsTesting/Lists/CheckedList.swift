public import FetchedResults

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
