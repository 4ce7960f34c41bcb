import FetchedResults
import NaiveModel

/// A delegate that records the whole history of what it hears.
final class RecordingDelegate: FetchedResultsControllerDelegate {
  let implementedMethods: FetchedResultsDelegateMethods
  /// Whether the history is kept in words too.
  private let keepsWords: Bool
  /// Keeps a controller alive that a test has no other use for.
  var controller: FetchedResultsController?
  /// Everything heard so far.
  private(set) var callbacks: [Callback] = []
  /// Everything heard so far, in words, objects by their label.
  private(set) var history: [String] = []
  /// Runs inside every callback, after it was recorded.
  var reaction: ((Callback, FetchedResultsController) -> Void)?
  /// Runs inside every section callback.
  var sectionReaction: ((FetchedResultsSectionInfo) -> Void)?
  /// What the delegate answers when asked for a section index title.
  var indexTitle: (String) -> String? = { _ in nil }

  init(_ implementedMethods: FetchedResultsDelegateMethods = .changes, keepsWords: Bool = true) {
    self.implementedMethods = implementedMethods
    self.keepsWords = keepsWords
  }

  /// Returns what was heard, in words, and forgets it.
  func takeHistory() -> [String] {
    defer { forget() }
    return history
  }

  /// Forgets what was heard.
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
  /// What a test calls the object: its display attribute, else its identity.
  var label: String {
    guard let name = entity.displayAttribute else { return objectID.description }
    return self[name].description
  }
}
