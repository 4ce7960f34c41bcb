/// A store that uses SQL, for code that shows or counts its statements.
///
/// The engine itself treats every store the same; see ``PersistentStore``.
package protocol SQLStore: PersistentStore {
  /// Returns the SQL of a fetch; nil if the store has no rows of the entity.
  func query(for request: StoreRequest) -> StoreQuery?

  /// How much work the store has done so far.
  var activity: StoreActivity { get }

  /// Whether the text of statements is kept until ``takeStatements()``.
  var keepsStatements: Bool { get set }

  /// Returns the statements since the last call, in order, and forgets them.
  func takeStatements() -> [StoreStatement]
}

/// The SQL of a fetch.
package struct StoreQuery: Hashable, Sendable {
  package let sql: String
  /// The values of the marks.
  package let binds: [PropertyValue]
  /// Whether a part of the predicate, or the sort, is evaluated in memory.
  package let leavesRest: Bool

  package init(sql: String, binds: [PropertyValue], leavesRest: Bool) {
    self.sql = sql
    self.binds = binds
    self.leavesRest = leavesRest
  }
}

extension PersistentStoreCoordinator {
  /// The store, if it uses SQL; nil for one in memory.
  package var sqlStore: (any SQLStore)? { store as? any SQLStore }
}

extension ManagedObjectContext {
  /// Returns the SQL of a controller's fetch; nil if it uses none.
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

/// How much work a store did.
package struct StoreActivity: Hashable, Sendable {
  /// How many statements were run.
  package var statements = 0
  /// How many rows the statements returned.
  package var rows = 0
  /// How many relationships were read when they were accessed.
  package var faults = 0

  package init() {}
}

/// A statement that a store ran.
package struct StoreStatement: Sendable {
  package let sql: String
  /// The values of the statement's marks.
  package let binds: [PropertyValue]
  /// How many rows it returned or changed.
  package let rows: Int
  package let kind: Kind
  /// How long it took, in seconds.
  package let seconds: Double

  package enum Kind: Hashable, Sendable {
    case fetch
    case change
    /// The beginning or the end of a transaction.
    case transaction
  }

  package init(sql: String, binds: [PropertyValue], rows: Int, kind: Kind, seconds: Double) {
    self.sql = sql
    self.binds = binds
    self.rows = rows
    self.kind = kind
    self.seconds = seconds
  }
}
