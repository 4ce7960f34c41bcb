package import FetchedResults
import Foundation

/// A store on another one, which fails when a test asks it to.
package final class FailingStore: PersistentStore {
  private let store: any PersistentStore
  /// How many calls succeed before the next failure; nil if none fails.
  private var successes: Int?
  /// How many calls fail in a row then.
  private var failures = 0
  /// Called before each call; nil if nothing is.
  package var willCall: (() -> Void)?
  /// Called after a single row was read; nil if nothing is.
  package var didReadRow: (() -> Void)?
  /// Whether a call has failed since the store was told to.
  package private(set) var hasFailed = false

  package init(_ store: any PersistentStore) { self.store = store }

  /// Calls `body`, in which some calls of the store fail.
  ///
  /// - Parameters:
  ///   - successes: How many calls succeed before.
  ///   - failures: How many fail then, one after the other.
  package func failing<Result, Failure: Error>(
    after successes: Int, times failures: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    (self.successes, self.failures, hasFailed) = (successes, failures, false)
    defer { self.successes = nil }
    return try body()
  }

  /// Calls `body`, in which no call fails.
  package func succeeding<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let left = successes
    successes = nil
    defer { successes = left }
    return try body()
  }

  private func step() throws(StoreError) {
    willCall?()
    guard let left = successes else { return }
    successes = left - 1
    guard left <= 0 else { return }
    if left <= 1 - failures { successes = nil }
    hasFailed = true
    throw .unusable(store: identifier, reason: "the test asked it to fail")
  }

  private func fetchStep() throws(FetchError) {
    do { try step() } catch { throw .store(error) }
  }

  package var historyStore: (any HistoryStore)? { nil }

  package var identifier: String { store.identifier }
  package var generation: Int { store.generation }
  package var foreignSaves: Int { store.foreignSaves }
  package var savesAlone: Bool { store.savesAlone }
  package var readsInBatches: Bool { store.readsInBatches }
  package func takeReadFailure() -> StoreError? { store.takeReadFailure() }
  package func reserveNumber(in root: EntityDescription) -> Int64 { store.reserveNumber(in: root) }
  package func lastNumber(in root: EntityDescription) -> Int64 { store.lastNumber(in: root) }

  package func hasHadObject(_ number: Int64, in root: EntityDescription) -> Bool {
    store.hasHadObject(number, in: root)
  }

  package func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
    try step()
    return try store.readingOneState(body)
  }

  package func writingAlone<Result>(_ body: () throws -> Result) throws -> Result {
    try step()
    return try store.writingAlone(body)
  }

  package func obtainNumbers(of ids: [ObjectID]) throws(StoreError) {
    try step()
    try store.obtainNumbers(of: ids)
  }

  package func row(_ number: Int64, in root: EntityDescription) throws(StoreError) -> StoreRow? {
    try step()
    defer { didReadRow?() }
    return try store.row(number, in: root)
  }

  package func rows(
    _ numbers: [Int64], in root: EntityDescription
  ) throws(StoreError) -> [StoreRow?] {
    try step()
    return try store.rows(numbers, in: root)
  }

  package func fetch(_ request: StoreRequest) throws(FetchError) -> FoundRows {
    try fetchStep()
    return try store.fetch(request)
  }

  package func count(_ request: StoreRequest) throws(FetchError) -> Int {
    try fetchStep()
    return try store.count(request)
  }

  package func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID] {
    try fetchStep()
    return try store.execute(batch)
  }

  package func objectIDs(of entity: EntityDescription) throws(StoreError) -> [ObjectID] {
    try step()
    return try store.objectIDs(of: entity)
  }

  package func objectIDs(
    of entity: EntityDescription, leadingTo ids: [ObjectID], at ordinal: Int
  ) throws(StoreError) -> [ObjectID] {
    try step()
    return try store.objectIDs(of: entity, leadingTo: ids, at: ordinal)
  }

  package func rows(
    of entity: EntityDescription, having values: [PropertyValue], at places: [Int]
  ) throws(StoreError) -> [Int64] {
    try step()
    return try store.rows(of: entity, having: values, at: places)
  }

  package func save(_ changes: [StoreChange]) throws(StoreError) {
    try step()
    try store.save(changes)
  }
}
