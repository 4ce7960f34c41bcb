public import FetchedResults

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
