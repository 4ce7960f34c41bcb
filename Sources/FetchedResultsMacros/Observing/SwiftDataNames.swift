public import FetchedResults
public import Foundation

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

/// A description of a fetch and of its order, like SwiftData's FetchDescriptor.
///
/// ```swift
/// var recent = FetchDescriptor<Trip>(
///   predicate: #Predicate { $0.isOpen }, sortBy: [SortDescriptor(\.start, order: .reverse)])
/// recent.fetchLimit = 10
/// ```
public struct FetchDescriptor<T: ManagedEntity> {
  /// The condition on the objects; nil for all.
  public var predicate: Predicate<T>?
  /// The sort order.
  ///
  /// A text without a comparator is sorted as a file browser sorts it: Apple's documentation gives
  /// `localizedStandard` as the default. `.lexical` compares by Unicode scalars.
  public var sortBy: [SortDescriptor<T>]
  /// The largest number of objects; nil for no limit.
  public var fetchLimit: Int?
  /// The number of objects to skip; nil for none.
  public var fetchOffset: Int?
  /// Whether unsaved changes count in a fetch; an observer always counts them.
  public var includePendingChanges = true
  /// The relationships whose objects are read together with the fetched ones.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Creates a descriptor.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// Returns the request that the descriptor describes.
  ///
  /// - Throws: ``PredicateTranslationError`` if the predicate cannot be written in the format
  ///   language, and `FetchError` if a key path is not a stored property.
  public func request() throws -> FetchRequest<T> {
    var request = FetchRequest<T>(sortBy: try sortBy.map(FetchSort.init))
    request.predicate = try predicate.map { try FetchPredicate($0) }
    request.fetchLimit = fetchLimit ?? 0
    request.fetchOffset = fetchOffset ?? 0
    request.includesPendingChanges = includePendingChanges
    request.relationshipKeyPathsForPrefetching =
      try relationshipKeyPathsForPrefetching.map { try T.storedName(of: $0) }
    return request
  }
}

extension FetchSort {
  /// Creates the sort that a descriptor of Foundation describes.
  ///
  /// - Throws: `FetchError` if its key path is not a stored property.
  init(_ descriptor: SortDescriptor<Result>) throws(FetchError) {
    guard let keyPath = descriptor.keyPath else {
      throw FetchError.unknownKeyPath("\(descriptor)", entity: Result.managedSchema.name)
    }
    let name = try Result.storedName(of: keyPath)
    let type = Result.managedSchema.attributes.first { $0.name == name }?.type
    self.init(
      key: name, order: descriptor.order, type == .string ? Self.selector(of: descriptor) : .compare
    )
  }

  private static func selector(
    of descriptor: SortDescriptor<Result>
  ) -> FetchSortDescriptor.Selector {
    guard let comparator = descriptor.stringComparator else { return .localizedStandardCompare }
    #if canImport(Darwin)
    if comparator == .localizedStandard { return .localizedStandardCompare }
    if comparator == .localized { return .localizedCompare }
    #endif
    return comparator == .lexical ? .compare : .localizedStandardCompare
  }
}

extension ManagedEntity {
  /// Returns the name of the stored property that a key path leads to.
  ///
  /// - Throws: `FetchError.unknownKeyPath`, for example for a computed property.
  static func storedName(of keyPath: AnyKeyPath) throws(FetchError) -> String {
    guard let name = managedSchema.name(of: keyPath) else {
      throw FetchError.unknownKeyPath("\(keyPath)", entity: managedSchema.name)
    }
    return name
  }
}

extension ManagedObjectContext {
  /// Returns the objects that match a descriptor.
  ///
  /// - Throws: `FetchError`, and ``PredicateTranslationError``.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func fetch<T: ManagedEntity>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try fetch(descriptor.request())
  }

  /// Returns how many objects match a descriptor, including its limit and offset.
  ///
  /// - Throws: `FetchError`, and ``PredicateTranslationError``.
  public func fetchCount<T: ManagedEntity>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try count(for: descriptor.request())
  }
}
