/// What one performFetch left: the results, and the configuration that
/// tracking keeps until the next one.
final class FetchedState {
  let root: EntityDescription
  let entity: EntityDescription
  let predicate: CompiledPredicate?
  let order: RowOrder
  let sectionNames: SectionNames?
  let results: SectionedResults
  unowned let context: ManagedObjectContext

  /// Rows whose objects went on without the controller, while it did not
  /// track: the values by which they still stand where they do.
  var pinned: [Int64: PinnedRow] = [:]
  /// Whether tracking ended, since the sections fell out of order.
  var isStopped = false

  struct PinnedRow {
    let snapshot: Snapshot
    let object: ManagedObject
  }

  init(
    entity: EntityDescription, predicate: CompiledPredicate?, order: RowOrder,
    sectionNames: SectionNames?, results: SectionedResults, context: ManagedObjectContext
  ) {
    self.root = entity.root
    self.entity = entity
    self.predicate = predicate
    self.order = order
    self.sectionNames = sectionNames
    self.results = results
    self.context = context
  }

  /// Returns the object of a row.
  ///
  /// A row whose object is nowhere any more, which only a controller without
  /// tracking can have, gives a deleted object without values.
  func object(_ number: Int64) -> ManagedObject {
    if let object = pinned[number]?.object ?? context.object(number, in: root) { return object }
    let ghost = ManagedObject(
      objectID: ObjectID(entity: entity, number: number), snapshot: entity.defaults,
      context: context)
    ghost.isDeleted = true
    return ghost
  }

  /// Keeps the values of the rows that a batch changes, since the results do
  /// not follow it.
  func pin(_ batch: ContextChanges) {
    for change in batch.changes where change.object.entity.isKind(of: entity) {
      let number = change.object.objectID.number
      guard let before = change.before, pinned[number] == nil, results.contains(number) else {
        continue
      }
      pinned[number] = PinnedRow(snapshot: before, object: change.object)
    }
  }
}

/// Turns a section key's value into a section's name.
struct SectionNames {
  let keyPath: String
  let attribute: Int

  /// - Throws: ``FetchError/unknownKeyPath(_:entity:)``.
  init(keyPath: String, entity: EntityDescription) throws(FetchError) {
    guard let attribute = entity.attributeIndex(named: keyPath) else {
      throw FetchError.unknownKeyPath(keyPath, entity: entity.name)
    }
    self.keyPath = keyPath
    self.attribute = attribute
  }

  /// The name, and whether the value was nil, which Core Data complains of.
  func name(of snapshot: Snapshot) -> (name: String, isNil: Bool) {
    switch snapshot[attribute] {
    case .null: ("", true)
    case .bool(let value): (value ? "1" : "0", false)
    case let value: (value.description, false)
    }
  }

  /// What Core Data prints where a section value is nil.
  var nilValueMessage: String {
    "CoreData: error: (NSFetchedResultsController) A section returned nil value for section name "
      + "key path '\(keyPath)'. Objects will be placed in unnamed section"
  }
}
