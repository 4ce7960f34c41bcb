/// A store that is asked in SQL, for those who show its statements or count them.
///
/// The engine itself asks every store alike; see ``PersistentStore``.
package protocol SQLStore: PersistentStore {
  /// Returns what the store would be asked by a fetch; nil if it has no rows of the entity.
  func query(for request: StoreRequest) -> StoreQuery?

  /// What the store was asked so far.
  var activity: StoreActivity { get }

  /// Whether statements are kept, word for word, until someone takes them.
  var keepsStatements: Bool { get set }

  /// Returns the statements that were kept since the last call, in order.
  func takeStatements() -> [StoreStatement]
}

/// What a store is asked in SQL.
package struct StoreQuery: Hashable, Sendable {
  package let sql: String
  /// What the marks represent.
  package let binds: [PropertyValue]
  /// Whether a part of the predicate, or the sort, is left to memory.
  package let leavesRest: Bool

  package init(sql: String, binds: [PropertyValue], leavesRest: Bool) {
    self.sql = sql
    self.binds = binds
    self.leavesRest = leavesRest
  }
}

extension PersistentStoreCoordinator {
  /// The store, where it is asked in SQL; nil for one in memory.
  package var sqlStore: (any SQLStore)? { store as? any SQLStore }
}

extension ManagedObjectContext {
  /// Returns what the store would be asked in SQL by a controller's fetch; nil if it is asked in
  /// none.
  package func query(
    for request: FetchRequest, sectionNameKeyPath: String?, keepsLimit: Bool
  ) throws(FetchError) -> StoreQuery? {
    try ContextFetch(self).withStoreRequest(
      for: request, sectionNameKeyPath: sectionNameKeyPath, keepsLimit: keepsLimit
    ) { asked, isSorted in
      persistentStoreCoordinator.sqlStore?.query(for: asked).map { query in
        StoreQuery(
          sql: query.sql, binds: query.binds, leavesRest: query.leavesRest || !isSorted)
      }
    }
  }
}
