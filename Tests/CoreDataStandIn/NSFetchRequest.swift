import FetchedResults

/// What a fetch gives.
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

/// What to fetch, and in which order.
///
/// `ResultType` has no constraint, other than on Apple systems: a protocol of Swift does not
/// conform to itself, and delegates get a controller of `any NSFetchRequestResult`.
open class NSFetchRequest<ResultType>: NSObject {
  /// The entity's name; nil where the entity was given.
  open private(set) var entityName: String?
  /// The entity.
  open var entity: NSEntityDescription?
  /// Which objects match.
  open var predicate: NSPredicate?
  /// By what the objects are sorted.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The most objects; 0 for no limit.
  open var fetchLimit = 0
  /// How many objects are left out at the beginning.
  open var fetchOffset = 0
  /// How many objects are read at once; 0 for all.
  open var fetchBatchSize = 0
  /// Whether entities that inherit count.
  open var includesSubentities = true
  /// Whether unsaved changes count.
  open var includesPendingChanges = true
  /// Whether objects are faults.
  open var returnsObjectsAsFaults = true
  /// Whether objects that the context has get newer values.
  open var shouldRefreshRefetchedObjects = false
  /// Relationships whose objects are read, too.
  open var relationshipKeyPathsForPrefetching: [String]?
  /// What the fetch gives.
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
