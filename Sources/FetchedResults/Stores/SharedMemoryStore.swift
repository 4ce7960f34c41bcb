import Foundation

/// Rows in memory that several coordinators share, on any number of threads.
package final class SharedMemory: @unchecked Sendable {
  // The lock protects everything below. It is recursive, because a predicate may read rows of
  // related objects during a fetch.
  private let lock = NSRecursiveLock()
  private let rows: InMemoryStore

  package init() { rows = InMemoryStore(identifier: UUID().uuidString) }

  fileprivate func read<Result, Failure>(
    _ body: (InMemoryStore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(rows)
  }
}

/// One coordinator's view of shared rows in memory.
///
/// Each access to rows notices saves of others, as in a file.
package final class SharedMemoryStore: PersistentStore {
  private let memory: SharedMemory
  package let identifier: String
  /// How many of the generation's steps are saves by this store.
  private var ownSaves: Int
  package private(set) var foreignSaves = 0
  package var transactionAuthor = TransactionAuthor()
  package private(set) var ownTransactions = TransactionNumbers()

  package init(_ memory: SharedMemory) {
    self.memory = memory
    (identifier, ownSaves) = memory.read { ($0.identifier, $0.generation) }
  }

  package var generation: Int { memory.read { $0.generation } }

  /// A save reads rows and then writes, so no other save may come in between.
  package var savesAlone: Bool { true }

  /// False: reading a row costs no more than accessing an object.
  package var readsInBatches: Bool { false }

  /// Reads rows, and notices what others have saved.
  private func look<Result, Failure>(
    _ body: (InMemoryStore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.read { rows throws(Failure) in
      foreignSaves = rows.generation - ownSaves
      return try body(rows)
    }
  }

  /// Writes, and counts that as a save of its own.
  private func write<Result, Failure>(
    _ body: (InMemoryStore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.read { rows throws(Failure) in
      let before = (generation: rows.generation, transaction: rows.lastTransactionNumber())
      rows.transactionAuthor = transactionAuthor
      defer {
        ownSaves += rows.generation - before.generation
        let last = rows.lastTransactionNumber()
        if last > before.transaction { ownTransactions.append(last) }
      }
      return try body(rows)
    }
  }

  package func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
    try look { _ throws(any Error) in try body() }
  }

  package func writingAlone<Result>(_ body: () throws -> Result) throws -> Result {
    try look { _ throws(any Error) in try body() }
  }

  package func reserveNumber(in root: EntityDescription) -> Int64 {
    memory.read { $0.reserveNumber(in: root) }
  }

  package func lastNumber(in root: EntityDescription) -> Int64 {
    memory.read { $0.lastNumber(in: root) }
  }

  package func hasHadObject(_ number: Int64, in root: EntityDescription) -> Bool {
    memory.read { $0.hasHadObject(number, in: root) }
  }

  package func row(_ number: Int64, in root: EntityDescription) -> StoreRow? {
    look { $0.row(number, in: root) }
  }

  package func rows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?] {
    look { $0.rows(numbers, in: root) }
  }

  package func fetch(_ request: StoreRequest) throws(FetchError) -> FoundRows {
    try look { rows throws(FetchError) in try rows.fetch(request) }
  }

  package func count(_ request: StoreRequest) throws(FetchError) -> Int {
    try look { rows throws(FetchError) in try rows.count(request) }
  }

  package func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID] {
    try write { rows throws(FetchError) in try rows.execute(batch) }
  }

  package func objectIDs(of entity: EntityDescription) -> [ObjectID] {
    look { $0.objectIDs(of: entity) }
  }

  package func objectIDs(
    of entity: EntityDescription, leadingTo ids: [ObjectID], at ordinal: Int
  ) -> [ObjectID] {
    look { $0.objectIDs(of: entity, leadingTo: ids, at: ordinal) }
  }

  package func rows(
    of entity: EntityDescription, having values: [PropertyValue], at places: [Int]
  ) -> [Int64] {
    look { $0.rows(of: entity, having: values, at: places) }
  }

  package func save(_ changes: [StoreChange]) throws(StoreError) {
    try write { rows throws(StoreError) in try rows.save(changes) }
  }

  package func takeReadFailure() -> StoreError? { nil }
}

/// All coordinators share one history.
extension SharedMemoryStore: HistoryStore {
  package var tracksHistory: Bool { memory.read { $0.tracksHistory } }

  package func trackHistory() { memory.read { $0.trackHistory() } }

  package func lastTransactionNumber() -> Int64 { memory.read { $0.lastTransactionNumber() } }

  package func transactions(
    after number: Int64?, author: String?
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    try memory.read { rows throws(StoreError) in
      try rows.transactions(after: number, author: author)
    }
  }

  package func deleteTransactions(before number: Int64) throws(StoreError) -> Int {
    try memory.read { rows throws(StoreError) in try rows.deleteTransactions(before: number) }
  }

  package func noticeForeignSaves() -> Int {
    look { _ in }
    return foreignSaves
  }
}
