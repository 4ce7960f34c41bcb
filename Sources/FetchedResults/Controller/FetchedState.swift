import Foundation

/// The state that a `performFetch` creates: the results, and the configuration that tracking uses
/// until the next fetch.
final class FetchedState {
  let root: EntityDescription
  /// The request of the last performFetch.
  private(set) var request: FetchRequest
  private(set) var predicate: CompiledPredicate?
  let order: RowOrder
  let sectionNames: SectionNames?
  let results: ResultRows
  let context: ManagedObjectContext

  let collationKeys = CollationKeys()

  /// The keys that decided the places of rows, if these are not the objects' own values.
  ///
  /// A change of a related object does not move a row, so kept keys are used until the row itself
  /// changes.
  private var keptKeys: [Int64: ObjectSnapshot] = [:]
  /// Rows whose objects changed while the controller did not track, or because others saved: the
  /// values that decided their places, as far as they are known.
  var pinned: [Int64: PinnedRow] = [:]
  /// Rows that were read together with others, and that were not accessed yet.
  private var batches = RowBatches()
  /// The keys of rows that were compared, and whose objects were not accessed.
  private var comparedRows = RowCache(capacity: comparedCapacity)
  private static var comparedCapacity: Int { 8192 }
  /// Why tracking ended or pauses; nil while it continues.
  var trackingError: FetchedResultsError?
  /// The changes since tracking paused.
  var undecided: ContextChanges?
  /// How many saves of others the store had noticed when the rows were fetched.
  ///
  /// While the count is the same, a row that is read now has the values that decide its place.
  private var foreignSaves: Int
  /// How many times objects got other numbers.
  private(set) var renumberings = 0
  /// The objects whose temporary identities were in the last snapshot.
  var toldTemporary: Set<Int64> = []
  /// Whether a batch came while there was no follower, so that the results may be outdated.
  var hasMissedBatch = false
  /// Whether the next batch must be decided by a fetch.
  var mustFetch = false
  /// Whether rows are in sections that are not their own, because the fetch counted sections.
  var hasForeignRows = false
  /// What the request reads from related objects, if these are tracked; otherwise empty.
  var crossed: [CrossedObjects] = []
  /// All matching rows, if the limit of the request is kept; otherwise nil.
  var keptLimit: KeptLimit?

  struct PinnedRow {
    /// Nil if others saved before these values were read.
    let snapshot: ObjectSnapshot?
    let object: ManagedObject
  }

  init(
    request: FetchRequest, predicate: CompiledPredicate?, order: RowOrder,
    sectionNames: SectionNames?, results: ResultRows, keys: [Int64: ObjectSnapshot],
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

  /// The rows whose order the controller knows: the results, or all matching rows if a limit is
  /// kept.
  var knownRows: ResultRows { keptLimit?.rows ?? results }

  /// The keys kept of a row; nil if rows are by their own values.
  func keptKeys(of number: Int64) -> ObjectSnapshot? { keptKeys[number] }

  /// Whether the store has noticed saves of others since the rows were fetched.
  var isOlderThanStore: Bool {
    foreignSaves != context.persistentStoreCoordinator.store.foreignSaves
  }

  /// Takes over the result of a fetch that decided a batch.
  ///
  /// The decision's edits then update the rows.
  func renew(_ fetched: RefetchedRows) {
    keptKeys = fetched.keys
    keptLimit = keptLimit.map { KeptLimit($0.window, fetched.matching ?? []) }
    pinned = fetched.pinned
    foreignSaves = fetched.foreignSaves
    mustFetch = false
    hasForeignRows = false
    batches = RowBatches()
    comparedRows = RowCache(capacity: Self.comparedCapacity)
  }

  /// Keeps rows that the fetch read whole, until their objects are accessed.
  ///
  /// - Returns: How many rows are not kept, because the context has their objects.
  func keep(_ rows: [Int64: StoreRow]) -> Int {
    guard !rows.isEmpty else { return 0 }
    let table = context.table(of: root)
    var kept = rows
    // A first fetch finds no objects, and a filter would copy all rows.
    if rows.keys.contains(where: { table[$0] != nil }) {
      var stop = StopCheck.Loop(over: rows.count)
      kept = rows.filter { !stop.isWanted() && table[$0.key] == nil }
    }
    batches.keep(kept, at: context.persistentStoreCoordinator.store.foreignSaves)
    return rows.count - kept.count
  }

  /// Makes objects from rows that the fetch read whole.
  func adoptKeptRows(_ numbers: some Sequence<Int64>) {
    batches.dropOutdated(at: context.persistentStoreCoordinator.store.foreignSaves)
    for number in numbers where context.registered(number, in: root) == nil {
      if let row = batches.take(number) { _ = context.adopt(row, number: number) }
    }
  }

  /// Keeps the keys of rows that a batch placed.
  func keepKeys(after decision: ResultsDecision) {
    for (number, keys) in decision.keys { keptKeys[number] = keys }
  }

  /// Replaces numbers in the request's predicate.
  func renumberRequest(_ new: (ObjectID) -> ObjectID?) {
    guard request.predicate?.objectIDs.contains(where: { new($0) != nil }) == true else { return }
    request.renumber(new)
    // It was compiled before, and only numbers differ.
    predicate =
      (try? ContextFetch(context).compile(request.predicate, for: request.entity)) ?? predicate
  }

  /// Replaces numbers; rows keep their places.
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
  /// If the row's object no longer exists, which can only happen without tracking, the result is a
  /// deleted object without values.
  ///
  /// The rows of its batch are read with it.
  ///
  /// - Parameter rank: The row's rank, if it is known.
  func object(_ number: Int64, atRank rank: Int? = nil) -> ManagedObject {
    if let object = pinned[number]?.object ?? context.registered(number, in: root) {
      return object
    }
    if context.persistentStoreCoordinator.store.readsInBatches {
      if let row = row(number, atRank: rank) {
        // The rows that were read with it may already have made it an object.
        return context.registered(number, in: root) ?? context.adopt(row, number: number)
      }
    } else if let object = context.object(number, in: root) {
      return object
    }
    return context.missingObject(number, of: entity)
  }

  /// Returns a row whose object is not in the context yet, from a batch that was read earlier or is
  /// read now.
  func row(_ number: Int64, atRank rank: Int? = nil) -> StoreRow? {
    let store = context.persistentStoreCoordinator.store
    batches.dropOutdated(at: store.foreignSaves)
    if let row = batches.take(number) { return row }
    context.persistentStoreCoordinator.firedFaults += 1
    guard let rank = rank ?? results.rank(of: number) else {
      return context.source.row(number, in: root)
    }
    // A child context ignores a batch size.
    let isInBatches = request.fetchBatchSize > 0 && context.parent == nil
    let size = isInBatches ? request.fetchBatchSize : ContextSource.rowsAtATime
    let first = rank / size * size
    var numbers: [Int64] = []
    while numbers.count < size, first + numbers.count < results.rowCount {
      numbers += results.run(from: first + numbers.count).prefix(size - numbers.count)
    }
    numbers.removeAll { context.registered($0, in: root) != nil }
    let paths = request.relationshipKeyPathsForPrefetching
    var isRead = false
    if paths.isEmpty {
      isRead = readBatch(numbers) != nil
    } else {
      // Others may save between the statements for the rows and for what they lead to.
      store.readingOneStateIfPossible {
        guard let rows = readBatch(numbers) else { return }
        isRead = true
        FetchOptions(context).prefetch(paths, of: rows.compactMap(\.self))
      }
    }
    // If this row cannot be read, its neighbours can still be shown.
    return isRead ? batches.take(number) : context.source.row(number, in: root)
  }

  /// Reads rows together, and keeps them until their objects are accessed.
  ///
  /// - Returns: The rows, nil for each that does not exist; nil if one of them cannot be read.
  private func readBatch(_ numbers: [Int64]) -> [StoreRow?]? {
    guard let rows = context.source.readableRows(numbers, in: root) else { return nil }
    // The read itself may have noticed a save.
    batches.dropOutdated(at: context.persistentStoreCoordinator.store.foreignSaves)
    batches.add(zip(numbers, rows))
    return rows
  }

  /// Returns the values by which to compare a row whose object is not in the context yet.
  ///
  /// A search over many rows reads a few of them, and mostly the same ones. So only these are kept,
  /// and only the values that are compared.
  ///
  /// Nil if others saved before the row was read: the values that decided its place are then
  /// unknown.
  func comparedValues(of number: Int64) -> ObjectSnapshot? {
    guard context.persistentStoreCoordinator.store.readsInBatches else {
      return context.source.processedSnapshot(of: number, in: root)
    }
    let id = ObjectID(entity: entity, number: number)
    if let snapshot = comparedRows[id] { return snapshot }
    guard let row = batches.peek(number) ?? context.source.row(number, in: root), !isOlderThanStore
    else { return nil }
    let snapshot = order.compared(row.snapshot)
    comparedRows[id] = snapshot
    return snapshot
  }

  /// Returns the values to keep for rows that a fetch placed by values that later batches do not
  /// know.
  ///
  /// These are the source's values of objects that are older here. They also are the values of
  /// objects that changed in callbacks of the fetch itself.
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

  /// The numbers, ascending, of objects that have newer values in the context's source or further
  /// up.
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

  /// Keeps the old values of rows that a batch changes, because the results do not follow the
  /// batch.
  func pin(_ batch: ContextChanges) {
    for (change, object) in zip(batch.changes, batch.objects)
    where request.includes(change.objectID.entity) {
      let number = change.objectID.number
      guard let before = change.known, pinned[number] == nil, knownRows.contains(number) else {
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
  /// The type of the attribute at the end of the key path; nil if it is a relationship.
  let type: AttributeType?
  /// Whether the console gets a line about values that are nil.
  let reportsNil: Bool

  /// The name, and whether the value was nil, which Core Data reports on the console.
  func name(of keys: ObjectSnapshot) -> (name: String, isNil: Bool) { name(of: keys[index]) }

  /// The name for a section key's value, and whether the value is nil.
  func name(of value: PropertyValue) -> (name: String, isNil: Bool) {
    (value.sectionName(ofType: type), value == .null)
  }

  /// The line that Core Data prints if a section value is nil; nil for an observer, which puts such
  /// rows into the section "" by its own rule.
  var nilValueMessage: String? {
    guard reportsNil else { return nil }
    return
      "CoreData: error: (NSFetchedResultsController) A section returned nil value for section name "
      + "key path '\(keyPath)'. Objects will be placed in unnamed section"
  }
}

extension PropertyValue {
  /// Returns the name of the section of the objects with this value.
  ///
  /// - Parameter type: The type of the attribute that has it.
  package func sectionName(ofType type: AttributeType?) -> String {
    switch self {
    case .null: ""
    // Equal values are in one section, and so is every NaN.
    case .double(let number) where number == 0: "0"
    case .double(let number) where number.isNaN: "nan"
    // 0.1, and not the digits that the same number has as a Double.
    case .double(let number) where type == .float:
      PredicateCast.withoutZero(Float(number).description)
    case .bool, .double: PredicateCast.string(of: self)
    case .date(let date): date.sectionName
    case .int, .string, .decimal, .uuid, .uri, .data, .object, .list: description
    }
  }

  /// Returns the value that a section's name is made of; null if the name is empty and no text.
  ///
  /// A date is given in seconds, as in the name.
  package init(sectionName name: String, of type: AttributeType) {
    let value: PropertyValue? =
      switch type {
      case .string: .string(name)
      case .integer16, .integer32, .integer64: Int64(name).map(PropertyValue.int)
      case .double: Double(name).map(PropertyValue.double)
      case .float: Float(name).map { .double(Double($0)) }
      case .decimal:
        name == Decimal.nan.description
          ? .decimal(.nan) : Decimal(string: name, locale: nil).map(PropertyValue.decimal)
      case .boolean: name.isEmpty ? nil : .bool(name == "1")
      case .date: Self.date(ofSectionName: name).map(PropertyValue.date)
      case .uuid: UUID(uuidString: name).map(PropertyValue.uuid)
      case .uri: URL(string: name).map(PropertyValue.uri)
      case .binaryData: name.isEmpty ? nil : Data(base64Encoded: name).map(PropertyValue.data)
      }
    self = value ?? .null
  }

  /// Reads a date in the format of a section's name.
  private static func date(ofSectionName name: String) -> Date? {
    let parts = name.split(separator: " ")
    guard parts.count == 3 else { return nil }
    return try? Date("\(parts[0])T\(parts[1])Z", strategy: .iso8601)
  }
}

extension Date {
  /// The date in the format of NSDate's description, in whole seconds: `2013-10-09 22:00:00 +0000`.
  fileprivate var sectionName: String {
    // Foundation's description is faster. But it rounds seconds before 1970 up, counts the days
    // before 1582 by another calendar than all other texts, and has no later years.
    let years = 0...Date.distantFuture.timeIntervalSince1970
    if years.contains(timeIntervalSince1970) { return description }
    let seconds = timeIntervalSinceReferenceDate.rounded(.down)
    let text = Date(timeIntervalSinceReferenceDate: seconds).utcDescription
    return text.dropLast().replacing("T", with: " ") + " +0000"
  }
}
