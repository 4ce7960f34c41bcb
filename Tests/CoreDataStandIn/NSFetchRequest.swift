import FetchedResults

/// The kind of result of a fetch.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Objects.
  public static let managedObjectResultType: Self = []
  /// Identities of objects.
  public static let managedObjectIDResultType = Self(rawValue: 1)
  /// Dictionaries of saved values.
  public static let dictionaryResultType = Self(rawValue: 2)
  /// The number of objects.
  public static let countResultType = Self(rawValue: 4)
}

/// The objects to fetch, and their order.
///
/// `ResultType` has no constraint here, unlike on Apple systems. In Swift a protocol does not
/// conform to itself, and delegates get a controller of `any NSFetchRequestResult`.
open class NSFetchRequest<ResultType>: NSObject {
  /// The entity's name; nil if the entity itself was given.
  open private(set) var entityName: String?
  /// The entity.
  open var entity: NSEntityDescription?
  /// The condition on the objects.
  open var predicate: NSPredicate?
  /// The sort order of the objects.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The largest number of objects; 0 for no limit.
  open var fetchLimit = 0
  /// How many objects to skip at the beginning.
  open var fetchOffset = 0
  /// How many objects to read at once; 0 for all.
  open var fetchBatchSize = 0
  /// Whether objects of sub-entities are fetched as well.
  open var includesSubentities = true
  /// Whether unsaved changes count.
  open var includesPendingChanges = true
  /// Whether the objects are returned as faults.
  open var returnsObjectsAsFaults = true
  /// Whether objects that are already in the context get newer values.
  open var shouldRefreshRefetchedObjects = false
  /// Relationships whose objects are read as well.
  open var relationshipKeyPathsForPrefetching: [String]?
  /// The kind of result.
  open var resultType: NSFetchRequestResultType = .managedObjectResultType

  /// Creates a request without an entity.
  public override init() { super.init() }

  /// Creates a request for the objects of an entity.
  public convenience init(entityName: String) {
    self.init()
    self.entityName = entityName
  }

  func engine(in context: NSManagedObjectContext) -> FetchRequest {
    let name = entity?.name ?? entityName ?? ""
    guard
      let kind = context.engine.persistentStoreCoordinator.managedObjectModel.entitiesByName[name]
    else {
      preconditionFailure("a fetch request must have an entity, and the model has no '\(name)'")
    }
    var request = FetchRequest(entity: kind)
    request.predicate = predicate?.engine
    request.sortDescriptors = (sortDescriptors ?? []).map(\.engine)
    request.fetchLimit = fetchLimit
    request.fetchOffset = fetchOffset
    request.fetchBatchSize = fetchBatchSize
    request.includesSubentities = includesSubentities
    request.includesPendingChanges = includesPendingChanges
    request.returnsObjectsAsFaults = returnsObjectsAsFaults
    request.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
    request.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching ?? []
    if resultType == .dictionaryResultType { request.resultType = .dictionaries }
    return request
  }
}
