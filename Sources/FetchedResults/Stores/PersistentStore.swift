/// Where saved objects live.
///
/// A store holds, for each root entity, one row a number. It knows nothing of
/// contexts: what a context changed and did not save is laid over the store's
/// answer by the context.
package protocol PersistentStore: AnyObject {
  /// The store's UUID, part of each object's URI.
  var identifier: String { get }

  /// A number that changes with every save, and only then.
  var generation: Int { get }

  /// How often it was noticed that another coordinator, or another process, had
  /// saved into the same file.
  ///
  /// Several saves may be noticed as one. Each call of ``rows(_:in:)`` and of
  /// ``readingOneState(_:)`` notices what was saved before it.
  var foreignSaves: Int { get }

  /// Calls `body`, all of whose reading is of one state of the store, whoever saves in the
  /// meantime.
  ///
  /// - Precondition: `body` saves nothing.
  func readingOneState<Result>(_ body: () throws -> Result) throws -> Result

  /// Calls `body` while no one else can save.
  ///
  /// - Throws: What `body` throws, or ``StoreError`` if another process does not let go of the
  ///   file.
  func writingAlone<Result>(_ body: () throws -> Result) throws -> Result

  /// Whether a save has to keep others out from its first look at rows, since the store
  /// does not notice who came in between.
  var savesAlone: Bool { get }

  /// Whether a statement waits where another process has locked the file; otherwise it fails at
  /// once with ``StoreError/busy(store:)``.
  var waitsForOthers: Bool { get set }

  /// What tells the saved state from every other, in later processes too; nil if that cannot be
  /// told at the moment.
  var stamp: StoreStamp? { get }

  /// Writes what waits to be written, so that the state can be told.
  func checkpoint() -> StoreStamp?

  /// Returns a number of a root entity that was never returned before.
  func reserveNumber(in root: EntityDescription) -> Int64

  /// Notes, for every process, that the numbers of new objects are given.
  ///
  /// - Throws: ``StoreError/numberTaken(_:)`` if another process has given one of them.
  func obtainNumbers(of ids: [ObjectID]) throws(StoreError)

  /// Returns the last number that was reserved, 0 before the first.
  func lastNumber(in root: EntityDescription) -> Int64

  /// Whether a number is known to have been an object's since the store was
  /// opened; nobody knows it of those that were deleted before.
  func hasHadObject(_ number: Int64, in root: EntityDescription) -> Bool

  /// Returns a saved row, or nil if the store has none of that number.
  func row(_ number: Int64, in root: EntityDescription) throws(StoreError) -> StoreRow?

  /// Returns saved rows in the order of their numbers here, nil for each that
  /// the store has not.
  func rows(_ numbers: [Int64], in root: EntityDescription) throws(StoreError) -> [StoreRow?]

  /// Whether a row is dear enough to be read together with those beside it, and only once someone
  /// looks at its object.
  var readsInBatches: Bool { get }

  /// Returns the matching rows in the request's order.
  ///
  /// - Complexity: O(*n* log *n*) in the rows of the entity.
  func fetch(_ request: StoreRequest) throws(FetchError) -> FoundRows

  /// Returns how many rows match; nothing is excluded.
  func count(_ request: StoreRequest) throws(FetchError) -> Int

  /// Returns the identities of the matching objects in the request's order.
  func objectIDs(matching request: StoreRequest) throws(FetchError) -> [ObjectID]

  /// Returns groups of rows in order of their first rows.
  ///
  /// - Returns: Nil if the store forms no groups as memory does.
  func groups(_ groups: StoreGroups) throws(FetchError) -> [FoundGroup]?

  /// Changes or deletes all the rows of a batch, or none.
  ///
  /// Each row that an update changes has the next version then.
  ///
  /// - Returns: The identities of the rows.
  func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID]

  /// Returns the identity of every object of an entity, or of one that inherits
  /// from it, by number.
  func objectIDs(of entity: EntityDescription) throws(StoreError) -> [ObjectID]

  /// Returns the identity of every object of an entity, or of one that inherits
  /// from it, of which a relationship without an inverse leads to one of some
  /// objects; each once, by number.
  ///
  /// - Complexity: O(*k* log *n*) in the objects found and the rows.
  func objectIDs(
    of entity: EntityDescription, leadingTo ids: [ObjectID], at ordinal: Int
  ) throws(StoreError) -> [ObjectID]

  /// Returns the rows of an entity, or of one that inherits from it, that have
  /// these values at these places of a ``ObjectSnapshot``.
  ///
  /// - Complexity: O(1) in the rows, where it was asked of the same entity and
  ///   places before.
  func rows(
    of entity: EntityDescription, having values: [PropertyValue], at places: [Int]
  ) throws(StoreError) -> [Int64]

  /// Writes all of the changes or none.
  func save(_ changes: [StoreChange]) throws(StoreError)

  /// Returns why a relationship could not be read when it was looked at, once.
  func takeReadFailure() -> StoreError?
}

extension PersistentStore {
  /// A store that ends with its process has no later one to tell anything.
  package var stamp: StoreStamp? { nil }

  package func checkpoint() -> StoreStamp? { stamp }

  package var savesAlone: Bool { false }

  /// A store that is no file is never locked.
  package var waitsForOthers: Bool {
    get { true }
    set {}
  }

  /// A store that ends with its process gives each number once.
  package func obtainNumbers(of ids: [ObjectID]) throws(StoreError) {}

  /// A store in memory has its rows at hand.
  package func groups(_ groups: StoreGroups) throws(FetchError) -> [FoundGroup]? { nil }

  /// A store that is no file has one coordinator.
  package var foreignSaves: Int { 0 }

  package func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
    try body()
  }

  package func writingAlone<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  /// Reads several things of one state, as ``readingOneState(_:)`` does.
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

/// What tells one state of a store from all others.
package struct StoreStamp: Hashable, Sendable {
  package let text: String

  package init(text: String) { self.text = text }
}

/// A saved object.
package struct StoreRow: Sendable {
  package let entity: EntityDescription
  package let snapshot: ObjectSnapshot
  /// Counts the saves of the row from 1; not above 0 where the row is an object
  /// that a parent context has not saved.
  package let version: Int32

  package init(entity: EntityDescription, snapshot: ObjectSnapshot, version: Int32) {
    self.entity = entity
    self.snapshot = snapshot
    self.version = version
  }
}

/// What a context asks of its store.
package struct StoreRequest {
  package let entity: EntityDescription
  package let includesSubentities: Bool
  package let predicate: CompiledPredicate?
  package let order: RowOrder
  /// The place in a ``ObjectSnapshot`` of the value that rows are put in sections by;
  /// nil if the fetch has no sections.
  package let sectionIndex: Int?
  /// Of localized comparisons.
  package let locale: String
  /// Rows to leave out, since the context knows newer values of them.
  package let isExcluded: (Int64) -> Bool
  /// Whether someone wants the fetch to stop.
  var isCancelled: (@Sendable () -> Bool)?
  /// How many of the matching rows to skip.
  package var offset = 0
  /// The most rows to return; 0 for no limit.
  package var limit = 0
  /// Whether the rows are wanted with their values, where reading them together is
  /// cheaper than reading them one by one; see ``FoundRows/rows``.
  package var readsRows = false

  /// Returns the request with more rows left out.
  func excluding(_ isExcludedToo: @escaping (Int64) -> Bool) -> StoreRequest {
    StoreRequest(
      entity: entity, includesSubentities: includesSubentities, predicate: predicate, order: order,
      sectionIndex: sectionIndex, locale: locale,
      isExcluded: { isExcludedToo($0) || isExcluded($0) }, isCancelled: isCancelled)
  }

  /// Throws where the fetch is to stop; a store asks before each row.
  package func checkCancelled() throws(FetchError) {
    if let isCancelled, isCancelled() { throw FetchError.cancelled }
  }

  /// Returns whether rows of an entity are wanted.
  package func includes(_ entity: EntityDescription) -> Bool {
    includesSubentities ? entity.isKindOf(entity: self.entity) : entity === self.entity
  }
}

/// One object's part of a save.
package struct StoreChange {
  package let objectID: ObjectID
  /// The new values; nil for a deletion.
  package let snapshot: ObjectSnapshot?
  /// Whether the store has no row of it yet.
  package let isInsertion: Bool
  /// The version that the row has then.
  package let version: Int32
  /// The places in the snapshot of what an update changes; nil if nobody needs to know.
  package var updatedPlaces: [Int]?

  package init(objectID: ObjectID, snapshot: ObjectSnapshot?, isInsertion: Bool, version: Int32) {
    self.objectID = objectID
    self.snapshot = snapshot
    self.isInsertion = isInsertion
    self.version = version
  }
}
