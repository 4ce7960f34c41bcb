/// A message of UIKit, Core Data or Swift that is not about the numbers of a batch, and that frc can
/// explain.
package enum KnownMessage: Hashable, Sendable, CaseIterable {
  // Lists
  case sectionsAsked
  case globalIndex
  case layoutAttributes
  case layoutIgnored
  case noLayoutAttributes
  case noCell
  case noCellRegistered
  case cellNotDequeued
  case cellDequeuedTwice
  case sectionMap
  case updateInLayout
  case wrongIndexPath
  case layoutOutsideWindow
  // Snapshots
  case diffableView
  case itemsExist
  case itemNotInSnapshot
  case sectionNotInSnapshot
  // Threads and collections
  case backgroundThread
  case wrongQueue
  case changedInLoop
  // Core Data
  case temporaryID
  case noCoordinator
  case noEntityNamed
  case noDescription
  case noDesignatedInitializer
  case otherContext
  case deletedInOtherContext
  case wrongType
  case noSuchKey
  case noSQL
  case noStore
  case storeNotReachable
  case stillDirty
  case recursiveSave
  case invalidated
  case twoModels
  case otherModel
  case mergeConflict
  // Swift and Objective-C
  case unknownSelector
  case indexOutOfRange
  case foundNil
  case wrongCast
  case parameter

  /// Whether the app goes on after it.
  var isWarning: Bool {
    [.itemsExist, .layoutIgnored, .layoutOutsideWindow, .twoModels].contains(self)
  }

  /// Finds a message in a text, with the texts of its placeholders.
  ///
  /// - Parameter text: The text on one line, in the words of a table view.
  /// - Complexity: O(1): only the beginning of the text is read.
  static func find(in text: String) -> (message: KnownMessage, gaps: [String])? {
    let text = String(decoding: text.utf8.prefix(mostBytes), as: UTF8.self)
    for (template, message) in templates {
      guard let gaps = template.match(text) else { continue }
      let texts = gaps.filter { $0.name != "any" }.map { String($0.text.prefix(mostCharacters)) }
      return (message, texts)
    }
    return nil
  }

  /// The message comes first; what it lists may be long.
  private static let mostBytes = 2_000
  /// How much of a placeholder is shown.
  private static let mostCharacters = 100

  /// How the messages begin that may stand in a line alone.
  static let beginnings = [
    "request for number of ", "request for index path for ", "UICollectionView received layout",
    "UICollectionView recieved layout", "Layout attributes <", "no UICollectionViewLayout",
    "UITableView dataSource must", "UICollectionView dataSource must", "unable to dequeue a cell",
    "could not dequeue a view", "the cell returned from ", "Attempted to dequeue multiple",
    "UITableView internal ", "UITableView must be updated via",
    "UICollectionView must be updated via", "Diffable data source detected an attempt",
    "Attempted to reload item", "Invalid item identifier", "Invalid index path for use with",
    "UITableView was told to layout", "Warning once only: UITableView",
    "Modifications to the layout engine must", "Call must be made on main thread",
    "cannot find data for a temporary oid", "nil is not a legal ", "could not locate an entity",
    "Failed to call designated initializer", "Illegal attempt to establish a relationship",
    "An NSManagedObject of class", "An NSManagedObjectContext cannot delete",
    "Unacceptable type of value for", "unimplemented SQL generation", "Unable to generate SQL",
    "unsupported NSSortDescriptor", "This NSPersistentStoreCoordinator has no",
    "Object's persistent store is not", "Failed to process pending changes before save",
    "attempt to recursively call -save", "The NSManagedObject with ID", "The model used to open",
    "warning: Multiple NSEntityDescriptions", "Multiple NSEntityDescriptions claim",
  ]

  private static let templates: [(TextTemplate, KnownMessage)] =
    (lists + snapshots + data + language).map { (TextTemplate($0.0), $0.1) }

  private static let lists: [(String, KnownMessage)] = [
    (
      "request for number of rows {any} section {section} when there are only {count} sections",
      .sectionsAsked
    ),
    (
      "request for index path for global index {index} when there are only {count} rows",
      .globalIndex
    ),
    ("layout attributes for a cell with an index path that does not exist", .layoutAttributes),
    ("from the layout {any} but are not valid for the data source counts", .layoutIgnored),
    ("no UICollectionViewLayoutAttributes instance for", .noLayoutAttributes),
    ("failed to obtain a cell from its dataSource", .noCell),
    ("dataSource must return a cell from", .noCell),
    ("dataSource returned a nil cell", .noCell),
    ("unable to dequeue a cell with identifier {identifier} - must", .noCellRegistered),
    (
      "could not dequeue a view of kind: {any} with identifier {identifier} - must",
      .noCellRegistered
    ),
    ("does not have a reuseIdentifier", .cellNotDequeued),
    ("Attempted to dequeue multiple cells for the same index path", .cellDequeuedTwice),
    (
      "unable to generate a new section map with old section count: {before} and new section count: "
        + "{after} ",
      .sectionMap
    ),
    ("_visibleRows and _visibleCells must be of same length", .updateInLayout),
    ("while it was in the process of updating its visible cells", .updateInLayout),
    ("Invalid index path for use with", .wrongIndexPath),
    ("without being in the view hierarchy", .layoutOutsideWindow),
  ]

  private static let snapshots: [(String, KnownMessage)] = [
    ("must be updated via the {any}DiffableDataSource APIs", .diffableView),
    (
      "detected an attempt to insert or append {count} row identifiers that already exist",
      .itemsExist
    ),
    ("row identifier that does not exist in the snapshot", .itemNotInSnapshot),
    ("Invalid row identifier", .itemNotInSnapshot),
    ("Invalid parameter not satisfying: indexPath || ignoreInvalidItems", .itemNotInSnapshot),
    ("Invalid parameter not satisfying: section != NSNotFound", .sectionNotInSnapshot),
  ]

  private static let data: [(String, KnownMessage)] = [
    (
      "Modifications to the layout engine must not be performed from a background",
      .backgroundThread
    ),
    ("Call must be made on main thread", .backgroundThread),
    ("Multithreading_Violation_AllThatIsLeftToUsIsHonor", .wrongQueue),
    ("was mutated while being enumerated", .changedInLoop),
    ("cannot find data for a temporary oid", .temporaryID),
    ("nil is not a legal {any} for searching for entity name '{name}'", .noCoordinator),
    ("could not locate an entity named '{name}'", .noEntityNamed),
    ("could not locate an NSManagedObjectModel for entity name '{name}'", .noCoordinator),
    ("must have a valid NSEntityDescription", .noDescription),
    (
      "Failed to call designated initializer on NSManagedObject class '{class}'",
      .noDesignatedInitializer
    ),
    (
      "Illegal attempt to establish a relationship '{name}' between objects in different contexts",
      .otherContext
    ),
    ("cannot delete objects in other contexts", .deletedInOtherContext),
    (
      "property = \"{name}\"; desired type = {type}; given type = {given};",
      .wrongType
    ),
    ("key value coding-compliant for the key \"{key}\"", .noSuchKey),
    ("key value coding-compliant for the key {key}.", .noSuchKey),
    ("unimplemented SQL generation for predicate", .noSQL),
    ("Unable to generate SQL for predicate", .noSQL),
    ("unsupported NSSortDescriptor", .noSQL),
    ("has no persistent stores. It cannot perform", .noStore),
    ("persistent store is not reachable from this NSManagedObjectContext", .storeNotReachable),
    ("The context is still dirty after", .stillDirty),
    ("attempt to recursively call -save", .recursiveSave),
    ("The NSManagedObject with ID{any}has been invalidated", .invalidated),
    ("Multiple NSEntityDescriptions claim the NSManagedObject subclass '{class}'", .twoModels),
    ("The model used to open the store is incompatible", .otherModel),
    ("NSMergeConflict", .mergeConflict),
    ("optimistic locking failure", .mergeConflict),
  ]

  private static let language: [(String, KnownMessage)] = [
    ("[{method}]: unrecognized selector sent to", .unknownSelector),
    ("Index out of range", .indexOutOfRange),
    ("unexpectedly found nil while", .foundNil),
    ("Unexpectedly found nil while", .foundNil),
    ("Could not cast value of type '{class}' {any} to '{wanted}'", .wrongCast),
    ("Invalid parameter not satisfying: {condition}", .parameter),
  ]
}
