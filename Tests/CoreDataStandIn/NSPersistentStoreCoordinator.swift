import FetchedResults

public let NSInMemoryStoreType = "InMemory"
public let NSSQLiteStoreType = "SQLite"

/// A store.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  /// The kind of the store.
  public let type: String
  /// The location of the store.
  public let url: URL?

  init(type: String, url: URL?) {
    self.type = type
    self.url = url
    super.init()
  }
}

/// Connects contexts to a store.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  /// The entities of the app.
  public let managedObjectModel: NSManagedObjectModel
  /// The stores.
  open private(set) var persistentStores: [NSPersistentStore] = []
  private(set) lazy var engine = PersistentStoreCoordinator(
    managedObjectModel: managedObjectModel.engine())

  /// Creates a coordinator without a store.
  public init(managedObjectModel: NSManagedObjectModel) {
    self.managedObjectModel = managedObjectModel
    super.init()
  }

  /// Adds a store. The stand-in keeps every store in memory.
  @discardableResult
  open func addPersistentStore(
    ofType type: String, configurationName: String?, at url: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    let store = NSPersistentStore(type: type, url: url)
    persistentStores.append(store)
    return store
  }
}

/// The location of a container's store, and the options for opening it.
open class NSPersistentStoreDescription: NSObject, @unchecked Sendable {
  /// The kind of the store.
  open var type = NSSQLiteStoreType
  /// The location of the store.
  open var url: URL?

  /// Creates a description.
  public override init() { super.init() }

  /// Creates a description of a store in a file.
  public init(url: URL) {
    super.init()
    self.url = url
  }
}

/// A model, a coordinator and a context for the user interface.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  /// The name of the container.
  public let name: String
  /// The entities of the app.
  public let managedObjectModel: NSManagedObjectModel
  /// The coordinator of the store.
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The stores that `loadPersistentStores` opens.
  open var persistentStoreDescriptions = [NSPersistentStoreDescription()]
  /// The context for the user interface.
  open private(set) lazy var viewContext: NSManagedObjectContext = {
    let context = NSManagedObjectContext(concurrencyType: .mainQueue)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }()

  /// Creates a container.
  public init(name: String, managedObjectModel: NSManagedObjectModel) {
    self.name = name
    self.managedObjectModel = managedObjectModel
    persistentStoreCoordinator = NSPersistentStoreCoordinator(
      managedObjectModel: managedObjectModel)
    super.init()
  }

  /// Opens the stores.
  open func loadPersistentStores(
    completionHandler: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      do {
        try persistentStoreCoordinator.addPersistentStore(
          ofType: description.type, configurationName: nil, at: description.url)
        completionHandler(description, nil)
      } catch {
        completionHandler(description, error)
      }
    }
  }

  /// Creates a context for the store.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueue)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }
}
