public import FetchedResults

// SwiftData's names for the types that its observers take. So a file that uses observers can be
// compiled with `import SwiftData` in the place of `import FetchedResultsMacros`.

/// SwiftData's name for a context.
public typealias ModelContext = ManagedObjectContext

/// SwiftData's name for a container.
public typealias ModelContainer = PersistentContainer

/// SwiftData's name for what a class of an entity conforms to.
public typealias PersistentModel = ManagedEntity

/// SwiftData's name for the identity of an object.
public typealias PersistentIdentifier = ObjectID

extension ManagedEntity {
  /// The object's identity.
  public var persistentModelID: PersistentIdentifier { objectID }
}

/// A place in the history of a store.
public protocol HistoryToken: Hashable, Codable, Sendable {}

extension PersistentHistoryToken: HistoryToken {}

/// SwiftData's name for a place in the history of a store.
public typealias DefaultHistoryToken = PersistentHistoryToken
