/// What one performFetch left: the results, and the configuration that
/// tracking keeps until the next one.
final class FetchedState {
  let root: EntityDescription
  /// The request of the last performFetch.
  let request: FetchRequest
  let predicate: CompiledPredicate?
  let order: RowOrder
  let sectionNames: SectionNames?
  let results: SectionedResults
  unowned let context: ManagedObjectContext

  let collationKeys = CollationKeys()

  /// The keys by which rows stand where they do, where those are not their own
  /// values: a related object's change does not move a row, so that they go
  /// stale until the row itself changes.
  private var keptKeys: [Int64: Snapshot] = [:]
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
    request: FetchRequest, predicate: CompiledPredicate?, order: RowOrder,
    sectionNames: SectionNames?, results: SectionedResults, context: ManagedObjectContext
  ) {
    self.root = request.entity.root
    self.request = request
    self.predicate = predicate
    self.order = order
    self.sectionNames = sectionNames
    self.results = results
    self.context = context
    guard order.needsKeys else { return }
    for number in FetchedObjects(state: self, section: nil).numbers {
      keptKeys[number] = context.values(of: number, in: entity).map(order.keys)
    }
  }

  var entity: EntityDescription { request.entity }

  /// The keys kept of a row; nil where rows stand by their own values.
  func keptKeys(of number: Int64) -> Snapshot? { keptKeys[number] }

  /// Keeps the keys of the rows that a batch put where they are now.
  func keepKeys(after decision: ResultsDecision) {
    for (number, keys) in decision.keys { keptKeys[number] = keys }
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

  /// Keeps the source's values of rows whose objects in the context are older:
  /// the fetch has placed them by those.
  func pinStaleRows() {
    var below: ManagedObjectContext? = context
    while let current = below {
      for id in current.stale where id.entity.root === root && results.contains(id.number) {
        guard let object = context.object(id.number, in: root),
          let row = context.foundRow(id.number, in: root), row.snapshot != object.snapshot
        else { continue }
        pinned[id.number] = PinnedRow(snapshot: row.snapshot, object: object)
      }
      below = current.parent
    }
  }

  /// Keeps the values of rows that changed since changes were last processed,
  /// in callbacks that the fetch itself brought about: the fetch has placed them
  /// by their new values, and the batch to come knows the old ones.
  func pinUnprocessedRows() {
    for object in context.unprocessed
    where object.entity.root === root && results.contains(object.objectID.number) {
      pinned[object.objectID.number] = PinnedRow(snapshot: object.snapshot, object: object)
    }
  }

  /// Keeps the values of the rows that a batch changes, since the results do
  /// not follow it.
  func pin(_ batch: ContextChanges) {
    for change in batch.changes where request.includes(change.object.entity) {
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
  /// The place of the value in a row's keys.
  let index: Int

  /// The name, and whether the value was nil, which Core Data complains of.
  func name(of keys: Snapshot) -> (name: String, isNil: Bool) {
    switch keys[index] {
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
