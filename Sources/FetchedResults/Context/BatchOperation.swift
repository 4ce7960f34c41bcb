/// Performs batch requests, which change rows of the store past every context.
struct BatchOperation {
  private let coordinator: PersistentStoreCoordinator
  /// Reads what the store has: what is unsaved in other contexts does not count.
  private let reader: ManagedObjectContext

  init(_ context: ManagedObjectContext) {
    coordinator = context.persistentStoreCoordinator
    reader = ManagedObjectContext(coordinator: coordinator)
    reader.environment = context.environment
    coordinator.history?.transactionAuthor = context.author(at: context.environment.now())
  }

  // MARK: Inserting

  /// The defaults of an entity with values.
  private func snapshot(of values: [String: PropertyValue], _ entity: EntityDescription) throws
    -> ObjectSnapshot
  {
    var snapshot = entity.defaults
    func set(_ key: String, to value: PropertyValue) throws {
      let place = try place(of: key, in: entity)
      snapshot[place] = try entity.attributes[place].fitting(value)
    }
    do {
      for (key, value) in values { try set(key, to: value) }
    } catch {
      // Of several that do not fit, it is always the first by name that is told.
      for (key, value) in values.sorted(by: { $0.key < $1.key }) { try set(key, to: value) }
      throw error
    }
    return snapshot
  }

  func insert(_ request: BatchInsertRequest) throws -> BatchResult {
    let entity = request.entity
    try check(entity)
    guard !entity.isAbstract else { throw BatchRequestError.abstractEntity(entity.name) }
    let derive = derivation(of: entity)
    var snapshots: [ObjectSnapshot] = []
    for values in request.objectsToInsert {
      snapshots.append(try snapshot(of: values, entity))
    }
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
    let changes = snapshots.map { snapshot in
      let id = ObjectID(
        entity: request.entity, number: coordinator.store.reserveNumber(in: request.entity.root))
      return StoreChange(
        objectID: id, snapshot: derive?(snapshot, id) ?? snapshot, isInsertion: true, version: 1)
    }
    do {
      try (coordinator.store as? InMemoryStore)?.checkUniqueValues(of: changes)
      if !changes.isEmpty { try coordinator.store.save(changes) }
    } catch {
      guard case .notUnique(let id) = error else { throw error }
      throw coordinator.store.sharedUniqueValues(of: changes, else: id.entity)
    }
    return BatchResult(.insert, of: request.entity, request.resultType, changes.map(\.objectID))
  }

  // MARK: Updating and deleting

  func update(_ request: BatchUpdateRequest) throws -> BatchResult {
    try check(request.entity)
    var settings: [StoreBatch.Setting] = []
    for (key, value) in request.propertiesToUpdate.sorted(by: { $0.key < $1.key }) {
      settings.append(try setting(key, value, in: request.entity))
    }
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
    let derive = derivation(of: request.entity)
    return try ContextFetch(reader).withBatchRequest(request) {
      asked, isByPredicate throws(FetchError) in
      try coordinator.store.execute(
        StoreBatch(
          request: asked, isByPredicate: isByPredicate, action: action, derive: derive,
          unpairedLists: unpairedLists(to: request.entity.root), willWrite: tellContexts))
    }
  }

  /// Lets contexts that hold rows read them while they are as they were: a context keeps what
  /// it has until the change is merged.
  private func tellContexts(_ ids: [ObjectID]) throws(StoreError) {
    for context in coordinator.contexts.contexts where context !== reader {
      StaleObjects(context).willChange(ids)
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
