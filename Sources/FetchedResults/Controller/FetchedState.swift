import Foundation

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
  let context: ManagedObjectContext

  let collationKeys = CollationKeys()

  /// The keys by which rows are where they do, where those are not their own values: a related
  /// object's change does not move a row, so that they go stale until the row itself changes.
  private var keptKeys: [Int64: ObjectSnapshot] = [:]
  /// Rows whose objects went on without the controller, while it did not track, or without the
  /// context, as others saved: the values by which they still are where they do, as far as they are
  /// known.
  var pinned: [Int64: PinnedRow] = [:]
  /// Rows that were read with others and that were not looked at yet.
  private var batches = RowBatches()
  /// The keys of rows that were compared and that were not looked at.
  private var comparedRows = BoundedRows(capacity: comparedCapacity)
  private static var comparedCapacity: Int { 8192 }
  /// Why tracking ended; nil while it continues.
  var trackingError: FetchedResultsError?
  /// How many saves of others the store had noticed when the rows were fetched.
  ///
  /// While it has noticed no other one, a row that is read now has the values that decide its
  /// place.
  private var foreignSaves: Int
  /// How often objects got other numbers.
  private(set) var renumberings = 0
  /// The objects that the last snapshot had temporary identities of.
  var toldTemporary: Set<Int64> = []
  /// Whether the next batch must be decided by a fetch.
  var mustFetch = false
  /// What the request reads of related objects, where these are tracked; empty elsewhere.
  var crossed: [CrossedObjects] = []
  /// All rows that match, where the limit of the request is kept; nil elsewhere.
  var keptLimit: KeptLimit?

  struct PinnedRow {
    /// Nil if someone else saved others before these were read.
    let snapshot: ObjectSnapshot?
    let object: ManagedObject
  }

  init(
    request: FetchRequest, predicate: CompiledPredicate?, order: RowOrder,
    sectionNames: SectionNames?, results: SectionedResults, keys: [Int64: ObjectSnapshot],
    context: ManagedObjectContext
  ) {
    self.root = request.entity.root
    self.request = request
    self.predicate = predicate
    self.order = order
    self.sectionNames = sectionNames
    self.results = results
    self.context = context
    keptKeys = keys
    foreignSaves = context.persistentStoreCoordinator.store.foreignSaves
  }

  var entity: EntityDescription { request.entity }

  /// The rows whose order the controller knows: those of the results, or where a limit is kept,
  /// all that match.
  var knownRows: SectionedResults { keptLimit?.rows ?? results }

  /// The keys kept of a row; nil if rows are by their own values.
  func keptKeys(of number: Int64) -> ObjectSnapshot? { keptKeys[number] }

  /// Whether others have saved since the rows were fetched, as far as that was
  /// noticed.
  var isBehindStore: Bool { foreignSaves != context.persistentStoreCoordinator.store.foreignSaves }

  /// Takes over what a fetch found that decided a batch; the rows themselves
  /// follow by the decision's edits.
  func renew(_ fetched: RefetchedRows) {
    keptKeys = fetched.keys
    keptLimit = keptLimit.map { KeptLimit($0.window, fetched.matching ?? []) }
    pinned = fetched.pinned
    foreignSaves = fetched.foreignSaves
    mustFetch = false
    batches = RowBatches()
    comparedRows = BoundedRows(capacity: Self.comparedCapacity)
  }

  /// Keeps rows that the fetch read whole, until someone looks at them.
  func keep(_ rows: [Int64: StoreRow]) {
    guard !rows.isEmpty else { return }
    let table = context.table(of: root)
    batches.keep(
      rows.filter { table[$0.key] == nil },
      at: context.persistentStoreCoordinator.store.foreignSaves)
  }

  /// Makes objects of those rows that the fetch read whole.
  func adoptKeptRows(_ numbers: some Sequence<Int64>) {
    batches.dropOutdated(at: context.persistentStoreCoordinator.store.foreignSaves)
    for number in numbers where context.registered(number, in: root) == nil {
      if let row = batches.take(number) { _ = context.adopt(row, number: number) }
    }
  }

  /// Keeps the keys of the rows that a batch put where they are now.
  func keepKeys(after decision: ResultsDecision) {
    for (number, keys) in decision.keys { keptKeys[number] = keys }
  }

  /// Puts new numbers in place of old ones; rows stay where they are.
  func renumber(_ numbers: [Int64: Int64]) {
    renumberings += 1
    for (old, new) in numbers {
      results.renumber(old, as: new)
      keptLimit?.rows.renumber(old, as: new)
      keptKeys[new] = keptKeys.removeValue(forKey: old)
      pinned[new] = pinned.removeValue(forKey: old)
      if toldTemporary.remove(old) != nil { toldTemporary.insert(new) }
    }
  }

  /// Returns the object of a row.
  ///
  /// A row whose object is nowhere any more, which only a controller without
  /// tracking can have, gives a deleted object without values.
  ///
  /// The rows of its batch are read with it.
  ///
  /// - Parameter rank: The row's, where it is known.
  func object(_ number: Int64, atRank rank: Int? = nil) -> ManagedObject {
    if let object = pinned[number]?.object ?? context.registered(number, in: root) {
      return object
    }
    if context.persistentStoreCoordinator.store.readsInBatches {
      if let row = row(number, atRank: rank) {
        // What was read with it may have led to it.
        return context.registered(number, in: root) ?? context.adopt(row, number: number)
      }
    } else if let object = context.object(number, in: root) {
      return object
    }
    return context.missingObject(number, of: entity)
  }

  /// Returns a row that is no object of the context yet, from a batch that was
  /// read or is read now.
  func row(_ number: Int64, atRank rank: Int? = nil) -> StoreRow? {
    let store = context.persistentStoreCoordinator.store
    batches.dropOutdated(at: store.foreignSaves)
    if let row = batches.take(number) { return row }
    context.persistentStoreCoordinator.firedFaults += 1
    guard let rank = rank ?? results.rank(of: number) else {
      return context.source.row(number, in: root)
    }
    let size =
      request.fetchBatchSize > 0 ? request.fetchBatchSize : ContextSource.rowsAtATime
    let first = rank / size * size
    var numbers: [Int64] = []
    while numbers.count < size, first + numbers.count < results.rowCount {
      numbers += results.run(from: first + numbers.count).prefix(size - numbers.count)
    }
    numbers.removeAll { context.registered($0, in: root) != nil }
    // A row that cannot be read is no reason not to show those beside it.
    guard let rows = context.source.readableRows(numbers, in: root) else {
      return context.source.row(number, in: root)
    }
    // The read itself may have noticed a save.
    batches.dropOutdated(at: store.foreignSaves)
    batches.add(zip(numbers, rows))
    let paths = request.relationshipKeyPathsForPrefetching
    if !paths.isEmpty { FetchOptions(context).prefetch(paths, of: rows.compactMap(\.self)) }
    return batches.take(number)
  }

  /// Returns the values by which a row that is no object of the context is
  /// compared.
  ///
  /// A search over many rows looks at a few of them, and mostly at the same, so
  /// that no more than those are kept: of each only what is compared.
  ///
  /// Nil if others saved before the row was read: by what it is where it does can no longer be
  /// told.
  func comparedValues(of number: Int64) -> ObjectSnapshot? {
    guard context.persistentStoreCoordinator.store.readsInBatches else {
      return context.source.processedSnapshot(of: number, in: root)
    }
    let id = ObjectID(entity: entity, number: number)
    if let snapshot = comparedRows[id] { return snapshot }
    guard let row = batches.peek(number) ?? context.source.row(number, in: root), !isBehindStore
    else { return nil }
    let snapshot = order.compared(row.snapshot)
    comparedRows[id] = snapshot
    return snapshot
  }

  /// Returns what must be kept of rows that a fetch has placed by other values
  /// than a batch to come knows: the source's of objects that are older here, and
  /// those of objects that changed since changes were last processed, in callbacks
  /// that the fetch itself brought about.
  func rowsToPin(among numbers: [Int64]) -> [Int64: PinnedRow] {
    let unprocessed = context.unprocessed.filter { $0.entity.root === root }
    let found = numbersOfStaleObjects(among: numbers)
    guard !found.isEmpty || !unprocessed.isEmpty else { return [:] }
    var pinned: [Int64: PinnedRow] = [:]
    let rows = Set(numbers)
    for number in found where rows.contains(number) {
      guard let object = context.object(number, in: root),
        let row = context.source.foundRow(number, in: root), row.snapshot != object.snapshot
      else { continue }
      pinned[number] = PinnedRow(snapshot: row.snapshot, object: object)
    }
    for object in unprocessed where rows.contains(object.objectID.number) {
      pinned[object.objectID.number] = PinnedRow(snapshot: object.snapshot, object: object)
    }
    return pinned
  }

  /// The numbers of objects of which the context's source, or its source's, has
  /// newer values, ascending.
  private func numbersOfStaleObjects(among numbers: [Int64]) -> [Int64] {
    var found: Set<Int64> = []
    var below: ManagedObjectContext? = context
    while let current = below {
      if context.persistentStoreCoordinator.store.foreignSaves > 0 {
        StaleObjects(current).find(numbers, in: root)
      }
      for id in current.stale where id.entity.root === root { found.insert(id.number) }
      below = current.parent
    }
    return found.sorted()
  }

  /// Keeps the values of the rows that a batch changes, since the results do
  /// not follow it.
  func pin(_ batch: ContextChanges) {
    for (change, object) in zip(batch.changes, batch.objects)
    where request.includes(change.objectID.entity) {
      let number = change.objectID.number
      guard let before = change.before, pinned[number] == nil, knownRows.contains(number) else {
        continue
      }
      pinned[number] = PinnedRow(snapshot: before, object: object)
    }
  }
}

/// Turns a section key's value into a section's name.
struct SectionNames {
  let keyPath: String
  /// The place of the value in a row's keys.
  let index: Int

  /// The name, and whether the value was nil, which Core Data complains of.
  func name(of keys: ObjectSnapshot) -> (name: String, isNil: Bool) { name(of: keys[index]) }

  /// The name for a section key's value, and whether that is nil.
  func name(of value: PropertyValue) -> (name: String, isNil: Bool) {
    switch value {
    case .null: ("", true)
    case .bool, .double: (PredicateCast.string(of: value), false)
    // As NSDate describes itself, to the second: 2013-10-09 22:00:00 +0000.
    case .date(let date): (date.description, false)
    case let value: (value.description, false)
    }
  }

  /// What Core Data prints where a section value is nil.
  var nilValueMessage: String {
    "CoreData: error: (NSFetchedResultsController) A section returned nil value for section name "
      + "key path '\(keyPath)'. Objects will be placed in unnamed section"
  }
}
