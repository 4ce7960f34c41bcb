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
