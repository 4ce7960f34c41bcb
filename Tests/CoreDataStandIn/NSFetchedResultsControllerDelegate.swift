import FetchedResults

/// The kind of change of an object or a section.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  case insert = 1
  case delete = 2
  case move = 3
  case update = 4

  init(_ engine: FetchedResultsChangeType) {
    switch engine {
    case .insert: self = .insert
    case .delete: self = .delete
    case .move: self = .move
    case .update: self = .update
    }
  }
}

/// A section of a controller's results.
public protocol NSFetchedResultsSectionInfo {
  /// The section's name.
  var name: String { get }
  /// The title in the index.
  var indexTitle: String? { get }
  /// The number of objects.
  var numberOfObjects: Int { get }
  /// The objects.
  var objects: [Any]? { get }
}

/// The methods of a delegate, which are optional on Apple systems.
public struct NSFetchedResultsControllerDelegateMethods: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let willChangeContent = Self(rawValue: 1)
  public static let didChangeObject = Self(rawValue: 2)
  public static let didChangeSection = Self(rawValue: 4)
  public static let didChangeContent = Self(rawValue: 8)
  public static let sectionIndexTitle = Self(rawValue: 16)
  public static let snapshot = Self(rawValue: 32)
  public static let difference = Self(rawValue: 64)
}

/// Receives the changes of a controller's results.
///
/// On Apple systems the runtime knows which methods a class implements. Swift on Linux does not, so
/// a delegate lists them in `implementedMethods`. By default these are the four methods for changes
/// and the one for index titles. A delegate with the method for snapshots or differences must list
/// it, and one without methods returns `[]`.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
  /// The methods that the delegate implements. Only the stand-in uses this.
  var implementedMethods: NSFetchedResultsControllerDelegateMethods { get }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
}

extension NSFetchedResultsControllerDelegate {
  public var implementedMethods: NSFetchedResultsControllerDelegateMethods {
    [
      .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent,
      .sectionIndexTitle,
    ]
  }

  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {}

  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {}

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {}
}

/// The sections and rows of a data source, by identities.
open class NSDiffableDataSourceSnapshotReference: NSObject {
  /// The names of the sections.
  public let sectionIdentifiers: [Any]
  /// The identities of all objects.
  public let itemIdentifiers: [Any]
  /// The identities of objects whose cells are reloaded.
  public let reloadedItemIdentifiers: [Any]
  private let items: [[Any]]

  init(_ snapshot: FetchedResultsSnapshot, in context: NSManagedObjectContext) {
    sectionIdentifiers = snapshot.sectionIdentifiers
    items = snapshot.sections.map { $0.itemIdentifiers.map(context.objectID(of:)) }
    itemIdentifiers = items.flatMap { $0 }
    reloadedItemIdentifiers = snapshot.reloadedItemIdentifiers.map(context.objectID(of:))
    super.init()
  }

  /// The number of objects.
  open var numberOfItems: Int { itemIdentifiers.count }
  /// The number of sections.
  open var numberOfSections: Int { sectionIdentifiers.count }

  /// Returns the identities of the objects in a section.
  open func itemIdentifiersInSection(withIdentifier identifier: Any) -> [Any] {
    let names = sectionIdentifiers.map { $0 as? String }
    return names.firstIndex(of: identifier as? String).map { items[$0] } ?? []
  }
}
