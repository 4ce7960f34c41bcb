import Basics
import Foundation

/// Performs batch requests, which change rows of the store past every context.
struct BatchOperation {
  private let context: ManagedObjectContext
  private let coordinator: PersistentStoreCoordinator
  /// Reads what the store has: what is unsaved in other contexts does not count.
  private let reader: ManagedObjectContext

  init(_ context: ManagedObjectContext) {
    self.context = context
    coordinator = context.persistentStoreCoordinator
    reader = ManagedObjectContext(coordinator: coordinator)
    reader.environment = context.environment
    coordinator.joinHistory()
    coordinator.history?.transactionAuthor = context.author(at: context.environment.now())
  }

  // MARK: Inserting

  /// The defaults of an entity with values.
  ///
  /// - Parameter places: The keys of the object before, with their places: most objects have the
  ///   same keys in the same order, which need not be looked up again.
  private func snapshot(
    of values: [String: PropertyValue], _ entity: EntityDescription,
    _ places: inout [(key: String, place: Int)]
  ) throws -> ObjectSnapshot {
    var snapshot = entity.defaults
    func set(_ key: String, to value: PropertyValue) throws {
      let place = try place(of: key, in: entity)
      snapshot[place] = try entity.attributes[place].fitting(value)
    }
    do {
      for (index, (key, value)) in values.enumerated() {
        if index == places.count {
          places.append((key, try place(of: key, in: entity)))
        } else if places[index].key != key {
          places[index] = (key, try place(of: key, in: entity))
        }
        let place = places[index].place
        snapshot[place] = try entity.attributes[place].fitting(value)
      }
    } catch {
      // If several do not fit, the error always names the first one by name.
      for (key, value) in values.ordered(by: { $0.key < $1.key }) { try set(key, to: value) }
      throw error
    }
    return snapshot
  }

  func insert(_ request: BatchInsertRequest) throws -> BatchResult {
    let entity = request.entity
    try check(entity)
    guard !entity.isAbstract else { throw BatchRequestError.abstractEntity(entity.name) }
    let derive = derivation(of: entity)
    var places: [(key: String, place: Int)] = []
    var stop = StopCheck.Loop()
    let snapshots = try request.objectsToInsert.map { values in
      if stop.isWanted(after: 8) { throw StoreError.cancelled }
      return try snapshot(of: values, entity, &places)
    }
    let result = try writeWithFreeNumbers(snapshots, request, derive)
    let count = snapshots.count
    releaseInBackground(consume snapshots, count: count)
    return result
  }

  /// Writes new rows, whose numbers another process may take first.
  private func writeWithFreeNumbers(
    _ snapshots: [ObjectSnapshot], _ request: BatchInsertRequest,
    _ derive: ((ObjectSnapshot, ObjectID) -> ObjectSnapshot)?
  ) throws -> BatchResult {
    for _ in 1...Self.patience {
      do {
        return try write(snapshots, request, derive)
      } catch StoreError.numberTaken {
        // The store gives the next numbers after those of the other process.
        continue
      }
    }
    return try coordinator.store.writingAlone {
      do {
        return try write(snapshots, request, derive)
      } catch StoreError.numberTaken {
        return try write(snapshots, request, derive)
      }
    }
  }

  /// How often other processes may be quicker before an insert keeps them out.
  private static var patience: Int { 4 }

  private func write(
    _ snapshots: [ObjectSnapshot], _ request: BatchInsertRequest,
    _ derive: ((ObjectSnapshot, ObjectID) -> ObjectSnapshot)?
  ) throws -> BatchResult {
    let root = request.entity.root
    var changes: [StoreChange] = []
    changes.reserveCapacity(snapshots.count)
    do throws(StoreError) {
      var stop = StopCheck.Loop()
      for snapshot in snapshots {
        if stop.isWanted(after: 4) { throw .cancelled }
        let id = ObjectID(entity: request.entity, number: coordinator.store.reserveNumber(in: root))
        changes.append(
          StoreChange(
            objectID: id, snapshot: derive?(snapshot, id) ?? snapshot, isInsertion: true,
            version: 1))
      }
      try (coordinator.store as? InMemoryStore)?.checkUniqueValues(of: changes)
      if !changes.isEmpty { try coordinator.store.save(changes) }
    } catch {
      // SQLite reports a stop in the middle of a statement by an error of its own.
      if StopCheck.isStopped, let first = changes.first?.objectID.number,
        let end = changes.last?.objectID.number, end - first + 1 == changes.count
      {
        coordinator.store.giveBack(first...end, in: root)
      }
      guard case .notUnique(let id) = error else { throw error }
      throw coordinator.store.sharedUniqueValues(of: changes, else: id.entity)
    }
    let ids = changes.map(\.objectID)
    releaseInBackground(consume changes, count: ids.count)
    return BatchResult(.insert, of: request.entity, request.resultType, ids)
  }

  // MARK: Updating and deleting

  func update(_ request: BatchUpdateRequest) throws -> BatchResult {
    try check(request.entity)
    let settings = try request.propertiesToUpdate.ordered { $0.key < $1.key }
      .map { try setting($0.key, $0.value, in: request.entity) }
    var rows = FetchRequest(entity: request.entity, predicate: request.predicate)
    rows.includesSubentities = request.includesSubentities
    let ids = settings.isEmpty ? [] : try execute(.update(settings), on: rows)
    return BatchResult(.update, of: request.entity, request.resultType, ids)
  }

  func delete(_ request: BatchDeleteRequest) throws -> BatchResult {
    try check(request.fetchRequest.entity)
    let ids = try execute(.delete, on: request.fetchRequest)
    return BatchResult(.delete, of: request.fetchRequest.entity, request.resultType, ids)
  }

  private func execute(_ action: StoreBatch.Action, on request: FetchRequest) throws -> [ObjectID] {
    let request = Renumbering(context).renumberBeforeReading(request)
    let derive = derivation(of: request.entity)
    return try ContextFetch(reader).withBatchRequest(request) {
      asked, isByPredicate throws(FetchError) in
      try coordinator.store.execute(
        StoreBatch(
          request: asked, isByPredicate: isByPredicate, action: action, derive: derive,
          unpairedLists: unpairedLists(to: request.entity.root),
          willWrite: othersHoldObjects ? tellContexts : nil))
    }
  }

  /// Whether another context may hold rows.
  private var othersHoldObjects: Bool {
    coordinator.contexts.contexts.contains { context in
      context !== reader
        && (context.registry.capacity > 0 || !context.listeners.isEmpty
          || !context.children.isEmpty)
    }
  }

  /// Lets contexts that hold rows read them while they are as they were: a context keeps what
  /// it has until the change is merged.
  private func tellContexts(_ ids: [ObjectID]) throws(StoreError) {
    for context in coordinator.contexts.contexts where context !== reader {
      try StaleObjects(context).willChange(ids)
    }
    try coordinator.checkReads()
  }

  private func check(_ entity: EntityDescription) throws(BatchRequestError) {
    guard coordinator.managedObjectModel.entitiesByName[entity.name] === entity else {
      throw .foreignEntity(entity.name)
    }
  }

  // MARK: Properties

  private func setting(
    _ key: String, _ value: BatchUpdateRequest.NewValue, in entity: EntityDescription
  ) throws -> StoreBatch.Setting {
    let place = try place(of: key, in: entity)
    let attribute = entity.attributes[place]
    switch value {
    case .value(let value):
      return StoreBatch.Setting(place: place, value: .value(try attribute.fitting(value)))
    case .sum(let value):
      guard attribute.type.isNumeric else { throw BatchRequestError.notNumeric(key) }
      return StoreBatch.Setting(place: place, value: .sum(try attribute.fitting(value)))
    }
  }

  /// Returns the place of an attribute that a store has.
  private func place(of key: String, in entity: EntityDescription) throws -> Int {
    guard let place = entity.propertyIndex(named: key) else {
      throw ObjectError.unknownKey(key, entity: entity.name)
    }
    guard place < entity.attributes.count else { throw BatchRequestError.relationship(key) }
    guard !entity.attributes[place].isTransient else { throw BatchRequestError.transient(key) }
    return place
  }

  /// Returns what computes the derived attributes of an entity's rows, of their new values and of
  /// what other rows have; nil if there are none.
  private func derivation(of entity: EntityDescription) -> (
    (ObjectSnapshot, ObjectID) -> ObjectSnapshot
  )? {
    let isDerived = coordinator.managedObjectModel.entities.contains { other in
      other.isKindOf(entity: entity) && other.attributes.contains { $0.derivation != nil }
    }
    guard isDerived else { return nil }
    return { [reader] snapshot, id in
      var snapshot = snapshot
      for _ in id.entity.attributes {
        let before = snapshot
        for index in id.entity.attributes.indices {
          let values = ObjectValues(objectID: id, snapshot: snapshot, graph: reader)
          if let value = values.derivedValue(at: index) { snapshot[index] = value }
        }
        if snapshot == before { break }
      }
      return snapshot
    }
  }

  /// Returns the to-many relationships without an inverse that may lead to objects of a root
  /// entity, each by the entity that declares it.
  private func unpairedLists(
    to root: EntityDescription
  ) -> [(entity: EntityDescription, ordinal: Int)] {
    coordinator.managedObjectModel.entities.flatMap { entity in
      entity.relationships.indices.dropFirst(entity.superentity?.relationships.count ?? 0)
        .filter { ordinal in
          guard entity.relationships[ordinal].isToMany, let link = try? entity.link(at: ordinal)
          else { return false }
          return link.inverse == nil && link.destination.root === root
        }
        .map { (entity, $0) }
    }
  }
}

/// Batch requests, which go directly to the store, and how contexts learn about them.
extension ManagedObjectContext {
  /// Inserts rows into the store, without changing any context.
  ///
  /// - Throws: ``BatchRequestError``; then nothing is written.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.insert(request) }
  }

  /// Changes rows of the store, without changing any context.
  ///
  /// - Throws: ``BatchRequestError``; then nothing is written.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.update(request) }
  }

  /// Deletes rows of the store, without changing any context or applying any delete rule.
  ///
  /// - Throws: ``BatchRequestError``; then nothing is written.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.delete(request) }
  }

  private func batch(
    _ body: (BatchOperation) throws -> BatchResult
  ) throws(BatchRequestError) -> BatchResult {
    do {
      return try body(BatchOperation(self))
    } catch {
      throw BatchRequestError(error, store: persistentStoreCoordinator.store.identifier)
    }
  }

  /// The kind of a change that a merge receives.
  public enum ChangeKey: String, Hashable, Sendable, CaseIterable {
    /// Objects that were inserted.
    case insertedObjects
    /// Objects that were updated.
    case updatedObjects
    /// Objects that were deleted.
    case deletedObjects
  }

  /// Merges changes that were written directly into the store, for example by a batch request.
  ///
  /// Controllers report them with the next processing, as after
  /// ``mergeChanges(fromContextDidSave:)``. A parent context merges before its children.
  ///
  /// - Parameters:
  ///   - changes: The identities of the objects.
  ///   - contexts: Contexts of one coordinator.
  /// - Complexity: O(*k* log *n*) for *k* objects, in each context.
  public static func mergeChanges(
    fromRemoteContextSave changes: [ChangeKey: [ObjectID]], into contexts: [ManagedObjectContext]
  ) {
    let depths = contexts.map { context in
      Swift.sequence(first: context, next: \.parent).count { _ in true }
    }
    // What a context changed because of the merge, for example references to a deleted object, is
    // part of what its children merge.
    var consequences: [ObjectIdentifier: [ObjectID]] = [:]
    for (context, _) in zip(contexts, depths).ordered(by: { $0.1 < $1.1 }) {
      let ofParent = context.parent.flatMap { consequences[ObjectIdentifier($0)] } ?? []
      let own = ChangeMerger(context).merge(
        inserted: changes[.insertedObjects] ?? [],
        changed: (changes[.updatedObjects] ?? []) + (changes[.deletedObjects] ?? []) + ofParent)
      consequences[ObjectIdentifier(context)] = ofParent + own
    }
  }
}

/// The result of a batch request.
public struct BatchResult: Hashable, Sendable {
  /// The kind of a batch request.
  public enum Action: String, Hashable, Sendable {
    /// New rows were written.
    case insert
    /// Rows were changed.
    case update
    /// Rows were deleted.
    case delete
  }

  /// The kind of the request.
  public let action: Action
  /// The entity that the request named.
  public let entity: EntityDescription
  /// The kind of result that the request asked for.
  public let resultType: BatchResultType
  /// The objects; nil unless the request asked for them.
  public let objectIDs: [ObjectID]?
  /// The number of objects; nil if the request asked only for its success.
  public let count: Int?

  init(
    _ action: Action, of entity: EntityDescription, _ resultType: BatchResultType,
    _ ids: [ObjectID]
  ) {
    self.action = action
    self.entity = entity
    self.resultType = resultType
    objectIDs = resultType == .objectIDs ? ids : nil
    count = resultType == .statusOnly ? nil : ids.count
  }

  /// The result as contexts merge it; empty unless the request asked for the objects.
  public var changes: [ManagedObjectContext.ChangeKey: [ObjectID]] {
    guard let objectIDs else { return [:] }
    let key: ManagedObjectContext.ChangeKey =
      switch action {
      case .insert: .insertedObjects
      case .update: .updatedObjects
      case .delete: .deletedObjects
      }
    return [key: objectIDs]
  }
}

/// The reason why a batch request failed.
///
/// Nothing was written then.
public enum BatchRequestError: Error, Hashable, Sendable {
  /// A relationship is not a column that a batch request writes.
  case relationship(String)
  /// A transient attribute is in no store.
  case transient(String)
  /// A sum of an attribute that holds no numbers.
  case notNumeric(String)
  /// An abstract entity has no objects of its own.
  case abstractEntity(String)
  /// The entity belongs to another model than the store's.
  case foreignEntity(String)
  /// A value that does not fit its attribute, or no attribute of a name.
  case object(ObjectError)
  /// A predicate or a sort of the request that cannot be performed.
  case fetch(FetchError)
  /// The store cannot be read or written.
  case store(StoreError)

  /// Creates the error of a request from what one of its parts threw.
  init(_ error: any Error, store: String) {
    switch error {
    case let error as BatchRequestError: self = error
    case let error as ObjectError: self = .object(error)
    case FetchError.store(let error): self = .store(error)
    case let error as FetchError: self = .fetch(error)
    case let error as StoreError: self = .store(error)
    default: self = .store(.unusable(store: store, reason: "\(error)"))
    }
  }
}

extension BatchRequestError: _DescribedError {
  /// A description of the error.
  public var description: String {
    switch self {
    case .relationship(let name):
      "'\(name)' is a relationship; a batch request sets attributes only, without objects"
    case .transient(let name): "'\(name)' is transient; a batch request sets what the store has"
    case .notNumeric(let name): "'\(name)' holds no numbers to add to"
    case .abstractEntity(let name):
      "\(name) is abstract; insert objects of an entity that inherits from it"
    case .foreignEntity(let name): FetchError.foreignEntity(name).description
    case .object(let error): error.description
    case .fetch(let error): error.description
    case .store(let error): error.description
    }
  }
}
