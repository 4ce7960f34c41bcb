import FetchedResults

/// Manages the sorted results of a request in sections, and keeps them up to date.
///
/// A delegate gets a controller of `any NSFetchRequestResult`. It is the same object if the app's
/// own controller has that type. Otherwise it is another object with the same results, because
/// Swift's generics differ from those of Objective-C. The two are equal, but not identical.
open class NSFetchedResultsController<ResultType>: NSObject {
  /// The request of the controller.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// The context of the objects.
  public let managedObjectContext: NSManagedObjectContext
  let core: ControllerCore

  /// The key path of the section names.
  open var sectionNameKeyPath: String? { core.engine.sectionNameKeyPath }
  /// The name of the section cache.
  open var cacheName: String? { core.engine.cacheName }
  /// The delegate that receives the changes.
  open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { core.delegate }
    set {
      core.delegate = newValue
      core.engine.delegate = newValue == nil ? nil : core
      core.shown = core.shown ?? self as? NSFetchedResultsController<any NSFetchRequestResult>
      if core.shown == nil, newValue != nil {
        core.facade = NSFetchedResultsController<any NSFetchRequestResult>(
          fetchRequest.erased, managedObjectContext, core)
      }
    }
  }

  /// Creates a controller.
  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName: String?
  ) {
    self.fetchRequest = fetchRequest
    self.managedObjectContext = managedObjectContext
    do {
      core = ControllerCore(
        try FetchedResultsController(
          fetchRequest: fetchRequest.engine(in: managedObjectContext),
          managedObjectContext: managedObjectContext.engine,
          sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName),
        in: managedObjectContext)
    } catch {
      preconditionFailure("\(error)")
    }
    super.init()
  }

  private init(
    _ fetchRequest: NSFetchRequest<ResultType>, _ context: NSManagedObjectContext,
    _ core: ControllerCore
  ) {
    self.fetchRequest = fetchRequest
    managedObjectContext = context
    self.core = core
    super.init()
  }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? any ControllerOfCore)?.core === core
  }

  open override var hash: Int { ObjectIdentifier(core).hashValue }

  // MARK: Results

  /// Fetches.
  open func performFetch() throws {
    core.engine.fetchRequest = fetchRequest.engine(in: managedObjectContext)
    try core.engine.performFetch()
  }

  /// The objects in the order of the results; nil before the first fetch.
  open var fetchedObjects: [ResultType]? {
    core.engine.fetchedObjects?.compactMap { managedObjectContext.object(for: $0) as? ResultType }
  }

  /// The sections; nil before the first fetch.
  open var sections: [any NSFetchedResultsSectionInfo]? {
    core.engine.sections?.map { SectionInfo($0, in: managedObjectContext) }
  }

  /// Returns the object at an index path.
  open func object(at indexPath: IndexPath) -> ResultType {
    do {
      let path = ResultsIndexPath(section: indexPath.section, row: indexPath.row)
      let object = managedObjectContext.object(for: try core.engine.object(at: path))
      guard let object = object as? ResultType else {
        preconditionFailure("\(object) is no \(ResultType.self)")
      }
      return object
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the index path of an object; nil if it is not in the results.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    guard let object = object as? NSManagedObject else { return nil }
    return core.engine.indexPath(forObject: object.engine).map(IndexPath.init)
  }

  /// The titles of the section index.
  open var sectionIndexTitles: [String] { core.engine.sectionIndexTitles }

  /// Returns the index title for a section name.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    core.engine.sectionIndexTitle(forSectionName: sectionName)
  }

  /// Returns the section for a title in the index.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    do {
      return try core.engine.section(forSectionIndexTitle: title, at: sectionIndex)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Does nothing, because the section caches of the stand-in belong to a coordinator.
  public static func deleteCache(withName name: String?) {}
}

/// A controller with any type of result.
private protocol ControllerOfCore {
  var core: ControllerCore { get }
}

extension NSFetchedResultsController: ControllerOfCore {}

extension NSFetchRequest {
  /// The request, as one with any type of result.
  fileprivate var erased: NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entityName ?? "")
    request.entity = entity
    request.predicate = predicate
    request.sortDescriptors = sortDescriptors
    request.fetchLimit = fetchLimit
    request.fetchOffset = fetchOffset
    request.fetchBatchSize = fetchBatchSize
    request.includesSubentities = includesSubentities
    request.includesPendingChanges = includesPendingChanges
    request.returnsObjectsAsFaults = returnsObjectsAsFaults
    request.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
    request.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
    request.resultType = resultType
    return request
  }
}

extension IndexPath {
  init(_ path: ResultsIndexPath) { self.init(row: path.row, section: path.section) }
}

/// A section in the state at the time of the request.
final class SectionInfo: NSFetchedResultsSectionInfo {
  let name: String
  let indexTitle: String?
  let numberOfObjects: Int
  private let info: FetchedResultsSectionInfo
  private let context: NSManagedObjectContext

  init(_ info: FetchedResultsSectionInfo, in context: NSManagedObjectContext) {
    name = info.name
    indexTitle = info.indexTitle
    numberOfObjects = info.numberOfObjects
    self.info = info
    self.context = context
  }

  var objects: [Any]? { info.objects.map { context.object(for: $0) } }
}
