import FetchedResults
import NaiveModel

/// A delegate that records all callbacks.
final class RecordingDelegate: FetchedResultsControllerDelegate {
  let implementedMethods: FetchedResultsDelegateMethods
  /// Whether the history is also recorded as text.
  private let keepsWords: Bool
  /// Retains a controller that a test does not use otherwise.
  var controller: FetchedResultsController?
  /// All callbacks so far.
  private(set) var callbacks: [Callback] = []
  /// All callbacks so far as text, with the objects' labels.
  private(set) var history: [String] = []
  /// Runs inside every callback, after it was recorded.
  var reaction: ((Callback, FetchedResultsController) -> Void)?
  /// Runs inside every section callback.
  var sectionReaction: ((FetchedResultsSectionInfo) -> Void)?
  /// Returns the section index title, when the delegate is asked for one.
  var indexTitle: (String) -> String? = { _ in nil }

  init(_ implementedMethods: FetchedResultsDelegateMethods = .changes, keepsWords: Bool = true) {
    self.implementedMethods = implementedMethods
    self.keepsWords = keepsWords
  }

  /// Creates the delegate of a controller, which it retains, and fetches.
  convenience init(fetching controller: FetchedResultsController) throws {
    self.init()
    self.controller = controller
    controller.delegate = self
    try controller.performFetch()
  }

  /// Ends the turn of the retained controller's context, and takes what was recorded.
  func received() -> [String] {
    controller?.managedObjectContext.processPendingChanges()
    return takeHistory()
  }

  /// Returns the recorded text, and clears it.
  func takeHistory() -> [String] {
    defer { forget() }
    return history
  }

  /// Clears the record.
  func forget() {
    callbacks = []
    history = []
  }

  private func record(
    _ callback: Callback, _ controller: FetchedResultsController, _ object: ManagedObject? = nil
  ) {
    callbacks.append(callback)
    if keepsWords { history.append(callback.words(object?.label ?? "")) }
    reaction?(callback, controller)
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    record(.willChange, controller)
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    record(
      .object(type, object.objectID.number, indexPath, newIndexPath), controller, object)
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    sectionReaction?(sectionInfo)
    record(.section(type, sectionIndex, sectionInfo.name), controller)
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    record(.didChange, controller)
  }

  func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? { indexTitle(sectionName) }
}

extension ManagedObject {
  /// The object's name in tests: its display attribute, or else its identity.
  var label: String {
    guard let name = entity.displayAttribute else { return objectID.description }
    return self[name].description
  }
}
