/// The place where saved objects are kept.
///
/// A store has, for each root entity, one row for each number. It does not know contexts: a context
/// adds its own unsaved changes to the store's answer.
package protocol PersistentStore: AnyObject {
  /// The store's UUID, part of each object's URI.
  var identifier: String { get }

  /// A number that changes with every save, and only then.
  var generation: Int { get }

  /// How many times the store noticed that another coordinator or process had saved into the same
  /// file.
  ///
  /// Several saves may be noticed as one. Each call of ``rows(_:in:)`` and of
  /// ``readingOneState(_:)`` notices earlier saves.
  var foreignSaves: Int { get }

  /// This store, if it can keep a history of saves.
  ///
  /// A cast would search all conformances of the program, which makes frc start later.
  var historyStore: (any HistoryStore)? { get }

  /// Calls `body`, whose reads all see one state of the store, even if others save in the meantime.
  ///
  /// - Precondition: `body` saves nothing.
  func readingOneState<Result>(_ body: () throws -> Result) throws -> Result

  /// Calls `body` while no one else can save.
  ///
  /// - Throws: What `body` throws, or ``StoreError`` if another process keeps the file locked.
  func writingAlone<Result>(_ body: () throws -> Result) throws -> Result

  /// Whether a save must lock out others from its first read, because the store does not notice
  /// saves in between.
  var savesAlone: Bool { get }

  /// Whether a statement waits while another process has locked the file. Otherwise it fails at
  /// once with ``StoreError/busy(store:)``.
  var waitsForOthers: Bool { get set }

  /// A value that identifies the saved state, also in later processes; nil if it is unknown at the
  /// moment.
  var stamp: StoreStamp? { get }

  /// Writes what is still in the log, so that the state has a stamp.
  func checkpoint() -> StoreStamp?

  /// Returns a number of a root entity that was never returned before.
  func reserveNumber(in root: EntityDescription) -> Int64

  /// Lets numbers be reserved again, because the objects that had them never became known.
  ///
  /// Does nothing if a higher number was reserved since, or if others may know the numbers.
  func giveBack(_ numbers: ClosedRange<Int64>, in root: EntityDescription)

  /// Records, for every process, that the numbers of new objects are taken.
  ///
  /// - Throws: ``StoreError/numberTaken(_:)`` if another process has given one of them.
  func obtainNumbers(of ids: [ObjectID]) throws(StoreError)

  /// Returns the last number that was reserved, 0 before the first.
  func lastNumber(in root: EntityDescription) -> Int64

  /// Whether an object with a number is known to have existed since the store was opened. Objects
  /// deleted before that are unknown.
  func hasHadObject(_ number: Int64, in root: EntityDescription) -> Bool

  /// Returns a saved row, or nil if the store has none of that number.
  func row(_ number: Int64, in root: EntityDescription) throws(StoreError) -> StoreRow?

  /// Returns saved rows in the order of the given numbers, nil for each that the store does not
  /// have.
  func rows(_ numbers: [Int64], in root: EntityDescription) throws(StoreError) -> [StoreRow?]

  /// Whether reading a row is expensive, so that it is read when its object is accessed, together
  /// with its neighbours.
  var readsInBatches: Bool { get }

  /// Returns the matching rows in the request's order.
  ///
  /// - Complexity: O(*n* log *n*) in the rows of the entity.
  func fetch(_ request: StoreRequest) throws(FetchError) -> FoundRows

  /// Returns how many rows match. No row is excluded.
  func count(_ request: StoreRequest) throws(FetchError) -> Int

  /// Returns groups of rows in order of their first rows.
  ///
  /// - Returns: Nil if the store cannot form the same groups as memory.
  func groups(_ groups: StoreGroups) throws(FetchError) -> [FoundGroup]?

  /// Changes or deletes all rows of a batch, or none.
  ///
  /// An update raises the version of each row that it changes.
  ///
  /// - Returns: The identities of the rows.
  func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID]

  /// Returns the identity of every object of an entity, or of one that inherits
  /// from it, by number.
  func objectIDs(of entity: EntityDescription) throws(StoreError) -> [ObjectID]

  /// Returns the identity of every object, of an entity or one that inherits from it, whose
  /// relationship without an inverse leads to one of some objects. Each is returned once, by
  /// number.
  ///
  /// - Complexity: O(*k* log *n*) in the objects found and the rows.
  func objectIDs(
    of entity: EntityDescription, leadingTo ids: [ObjectID], at ordinal: Int
  ) throws(StoreError) -> [ObjectID]

  /// Returns the rows of an entity, or of one that inherits from it, with these values at these
  /// places of an ``ObjectSnapshot``.
  ///
  /// - Complexity: O(1) in the rows, if the same entity and places were asked for before.
  ///   places before.
  func rows(
    of entity: EntityDescription, having values: [PropertyValue], at places: [Int]
  ) throws(StoreError) -> [Int64]

  /// Writes all of the changes or none.
  func save(_ changes: [StoreChange]) throws(StoreError)

  /// Returns why a relationship could not be read when it was accessed, and forgets the error.
  func takeReadFailure() -> StoreError?
}

extension PersistentStore {
  package func giveBack(_ numbers: ClosedRange<Int64>, in root: EntityDescription) {}

  /// A store that ends with its process has no stamp for later ones.
  package var stamp: StoreStamp? { nil }

  package func checkpoint() -> StoreStamp? { stamp }

  package var savesAlone: Bool { false }

  /// A store that is not a file is never locked.
  package var waitsForOthers: Bool {
    get { true }
    set {}
  }

  /// A store that ends with its process returns each number once.
  package func obtainNumbers(of ids: [ObjectID]) throws(StoreError) {}

  /// Rows in memory need no grouping by the store.
  package func groups(_ groups: StoreGroups) throws(FetchError) -> [FoundGroup]? { nil }

  /// A store that is not a file has one coordinator.
  package var foreignSaves: Int { 0 }

  package func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
    try body()
  }

  package func writingAlone<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  /// Calls `body`, whose reads all see one state of the store.
  ///
  /// If the store cannot begin to read a state, each of the reads reports why.
  package func readingOneStateIfPossible(_ body: () -> Void) {
    var hasBegun = false
    try? readingOneState {
      hasBegun = true
      body()
    }
    if !hasBegun { body() }
  }

  /// Reads several things in one state, as ``readingOneState(_:)`` does.
  package func readingOneStoreState<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    do {
      return try readingOneState(body)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .unusable(store: identifier, reason: "\(error)")
    }
  }
}

/// A value that tells one state of a store from all others.
package struct StoreStamp: Hashable, Sendable {
  package let text: String

  package init(text: String) { self.text = text }
}

/// A saved object.
package struct StoreRow: Sendable {
  package let entity: EntityDescription
  package let snapshot: ObjectSnapshot
  /// Counts the saves of the row from 1; 0 or less for an object that a parent context has not
  /// saved.
  package let version: Int32

  @inlinable package init(entity: EntityDescription, snapshot: ObjectSnapshot, version: Int32) {
    self.entity = entity
    self.snapshot = snapshot
    self.version = version
  }
}

/// What a context asks its store for.
package struct StoreRequest {
  package let entity: EntityDescription
  package let includesSubentities: Bool
  package let predicate: CompiledPredicate?
  package let order: RowOrder
  /// The place in an ``ObjectSnapshot`` of the value that divides rows into sections; nil if the
  /// fetch has no sections.
  package let sectionIndex: Int?
  /// The locale of localized comparisons.
  package let locale: String
  /// Rows to leave out, because the context knows newer values of them.
  package let isExcluded: (Int64) -> Bool
  /// Whether the fetch should stop.
  var isCancelled: (@Sendable () -> Bool)?
  /// How many of the matching rows to skip.
  package var offset = 0
  /// The most rows to return; 0 for no limit.
  package var limit = 0
  /// Whether to return the rows with their values, if reading them together is cheaper than one by
  /// one; see ``FoundRows/rows``.
  package var readsRows = false
  /// Takes the rows that are read whole, in place of ``FoundRows/rows``; nil if nothing does.
  package var receiver: (any RowReceiver)?
  /// Whether ``FoundRows/numbers`` are wanted of rows that the receiver takes.
  package var numbersReceived = true

  /// Returns the request with more rows left out.
  func excluding(_ isExcludedToo: @escaping (Int64) -> Bool) -> StoreRequest {
    StoreRequest(
      entity: entity, includesSubentities: includesSubentities, predicate: predicate, order: order,
      sectionIndex: sectionIndex, locale: locale,
      isExcluded: { isExcludedToo($0) || isExcluded($0) }, isCancelled: isCancelled)
  }

  /// Throws if the fetch should stop; a store calls it before each row.
  package func checkCancelled() throws(FetchError) {
    if let isCancelled, isCancelled() { throw FetchError.cancelled }
  }

  /// Returns whether the request includes rows of an entity.
  package func includes(_ entity: EntityDescription) -> Bool {
    includesSubentities ? entity.isKindOf(entity: self.entity) : entity === self.entity
  }
}

/// Takes the rows of a fetch one by one, while the store reads them.
///
/// So a row is used while the processor still has it in its cache, and no list of rows is made.
package protocol RowReceiver: AnyObject {
  /// Prepares for the rows of a fetch.
  ///
  /// A store may begin again. Rows that it passed before are not part of the result then.
  func begin()

  /// Takes the next row of the result.
  ///
  /// It must read nothing from the store, which is in the middle of a statement.
  func receive(_ row: consuming StoreRow, number: Int64)
}

/// One object's part of a save.
package struct StoreChange {
  package let objectID: ObjectID
  /// The new values; nil for a deletion.
  package let snapshot: ObjectSnapshot?
  /// Whether the store has no row of it yet.
  package let isInsertion: Bool
  /// The version of the row after the save.
  package let version: Int32
  /// The places in the snapshot that an update changes; nil if they are not needed.
  package var updatedPlaces: [Int]?

  package init(objectID: ObjectID, snapshot: ObjectSnapshot?, isInsertion: Bool, version: Int32) {
    self.objectID = objectID
    self.snapshot = snapshot
    self.isInsertion = isInsertion
    self.version = version
  }
}

/// What a batch request does to the rows of a store, without changing any context.
package struct StoreBatch {
  /// The request that selects the rows.
  package let request: StoreRequest
  /// Whether the request's predicate alone selects the rows.
  ///
  /// Otherwise some rows are excluded.
  package let isByPredicate: Bool
  package let action: Action
  /// Computes what is derived from a row's values; nil if there is nothing to derive.
  package let derive: ((ObjectSnapshot, ObjectID) -> ObjectSnapshot)?
  /// The to-many relationships without an inverse that may lead to the rows.
  let unpairedLists: [(entity: EntityDescription, ordinal: Int)]
  /// Called with the rows before they are written; nil if no context has to know them then.
  package let willWrite: (([ObjectID]) throws(StoreError) -> Void)?

  package enum Action {
    case delete
    case update([Setting])
  }

  /// The new value of an attribute of each row.
  package struct Setting: Sendable {
    /// The attribute's place in an ``ObjectSnapshot``.
    package let place: Int
    package let value: BatchUpdateRequest.NewValue
  }
}

extension StoreBatch {
  /// Returns the history entries of the rows that the request wrote.
  package func historyChanges(of ids: [ObjectID]) -> [StoreChange] {
    ids.map { id in
      switch action {
      case .delete:
        return StoreChange(objectID: id, snapshot: nil, isInsertion: false, version: 0)
      case .update(let settings):
        var change = StoreChange(
          objectID: id, snapshot: ObjectSnapshot([]), isInsertion: false, version: 0)
        change.updatedPlaces = settings.map(\.place).sorted()
        return change
      }
    }
  }

  /// Returns the values that a row has after an update.
  ///
  /// - Throws: ``StoreError/overflow(entity:attribute:type:)``.
  package func updated(
    _ snapshot: ObjectSnapshot, of id: ObjectID, by settings: [Setting]
  ) throws(StoreError) -> ObjectSnapshot {
    var updated = snapshot
    for setting in settings {
      switch setting.value {
      case .value(let value): updated[setting.place] = value
      case .sum(let value):
        let attribute = id.entity.attributes[setting.place]
        guard let sum = snapshot[setting.place].adding(value, for: attribute.type) else {
          throw StoreError.overflow(
            entity: id.entity.name, attribute: attribute.name, type: attribute.type)
        }
        updated[setting.place] = sum
      }
    }
    return derive?(updated, id) ?? updated
  }
}

extension PropertyValue {
  /// Returns the sum of two numbers of an attribute's type; nil if the type cannot hold it.
  fileprivate func adding(_ other: PropertyValue, for type: AttributeType) -> PropertyValue? {
    switch (self, other) {
    case (.int(let left), .int(let right)):
      let (sum, overflows) = left.addingReportingOverflow(right)
      return overflows ? nil : type.value(from: .int(sum))
    case (.double(let left), .double(let right)):
      return .double(type == .float ? Double(Float(left + right)) : left + right)
    case (.decimal(let left), .decimal(let right)): return .decimal(left + right)
    default: return .null
    }
  }
}

/// A store that can keep a history of saves.
package protocol HistoryStore: PersistentStore {
  /// Whether each save is noted as a transaction.
  var tracksHistory: Bool { get }

  /// Begins to keep a history, if the store has none.
  ///
  /// - Throws: ``StoreError`` if the store is read only, or has tables of a history that cannot be
  ///   used.
  func trackHistory() throws(StoreError)

  /// Keeps a history from now on if another connection has begun one since the store was opened.
  ///
  /// - Returns: Whether there is one.
  func joinHistory() throws(StoreError) -> Bool

  /// The author of the next save.
  var transactionAuthor: TransactionAuthor { get set }

  /// The transactions that were saved by this object.
  var ownTransactions: TransactionNumbers { get }

  /// Returns the number of the last transaction; 0 before the first.
  func lastTransactionNumber() throws(StoreError) -> Int64

  /// Returns the transactions after a number, oldest first.
  ///
  /// - Parameters:
  ///   - number: Nil for all transactions.
  ///   - author: Return only transactions of this author; nil for all.
  func transactions(
    after number: Int64?, author: String?
  ) throws(StoreError) -> [PersistentHistoryTransaction]

  /// Deletes the transactions before a number.
  ///
  /// - Returns: How many were deleted.
  func deleteTransactions(before number: Int64) throws(StoreError) -> Int

  /// Checks whether others have saved, and returns how many times that was noticed.
  func noticeForeignSaves() throws(StoreError) -> Int
}

extension HistoryStore {
  package var historyStore: (any HistoryStore)? { self }

  /// A store that is not a file shares its history.
  package func joinHistory() -> Bool { tracksHistory }

  /// A store that is not a file has one coordinator.
  package func noticeForeignSaves() -> Int { 0 }

  /// Throws if transactions after a number no longer exist.
  ///
  /// - Parameters:
  ///   - first: The oldest that exists; nil if there is none.
  ///   - last: The last that ever existed.
  package func checkHistory(
    after number: Int64?, first: Int64?, last: Int64, store: String
  ) throws(StoreError) {
    guard let number else { return }
    // Scripts and files may contain the highest possible number, which nothing follows.
    let isExpired = first.map { number < $0 && number + 1 < $0 } ?? (number < last)
    if isExpired { throw StoreError.historyTokenExpired(store: store) }
  }
}
