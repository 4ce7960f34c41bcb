import FetchedResults
import GRDB

/// Writes the changes of a batch request with few statements, each for many rows, in a transaction.
struct BatchWriter {
  let layout: StoreLayout
  let connection: StoreConnection
  /// The rows' condition in SQL; nil if SQL cannot select the same rows as memory.
  let condition: SQLCondition?

  /// How many rows one statement names.
  private static var numbersInStatement: Int { 1000 }

  // MARK: Deleting

  func delete(_ ids: [ObjectID]) throws {
    guard let table = ids.first.flatMap({ layout[$0.entity]?.table }) else { return }
    try forEachPart(of: ids) { condition in
      try execute("DELETE FROM \(table.quotedForSQL) AS t0", [], where: condition)
    }
    // The rows of a join table belong to the objects on both sides.
    for (entity, ids) in Dictionary(grouping: ids, by: \.entity).sorted(by: {
      $0.key.name < $1.key.name
    }) {
      for join in layout.joinColumns(of: entity) {
        try forEachPart(of: ids, column: join.name) { condition in
          try execute("DELETE FROM \(join.table.quotedForSQL) AS t0", [], where: condition)
        }
      }
    }
  }

  // MARK: Updating

  /// Changes rows in place and increases their versions.
  ///
  /// - Returns: False if SQL would not write the same values as memory. Nothing is written then.
  /// - Throws: `StoreError.overflow(entity:attribute:)` if a sum does not fit.
  func update(
    _ ids: [ObjectID], of entity: EntityDescription, _ settings: [StoreBatch.Setting]
  ) throws -> Bool {
    guard let placement = layout[entity] else { return false }
    var assignments: [String] = []
    var arguments: [DatabaseValue] = []
    for setting in settings {
      let attribute = entity.attributes[setting.place]
      guard let column = placement.attributes[setting.place]?.quotedForSQL,
        !attribute.allowsExternalBinaryDataStorage
      else { return false }
      switch setting.value {
      case .value(let value):
        guard let stored = attribute.type.stored(value) else { return false }
        assignments.append("\(column) = ?")
        arguments.append(stored)
      case .sum(let value):
        guard attribute.type.addsInSQL, let stored = attribute.type.stored(value) else {
          return false
        }
        try checkOverflow(of: column, attribute, of: entity, adding: stored, ids)
        assignments.append("\(column) = \(column) + ?")
        arguments.append(stored)
      }
    }
    assignments.append("Z_OPT = IFNULL(Z_OPT, 1) + 1")
    do {
      try forEachPart(of: ids) { condition in
        try execute(
          "UPDATE \(placement.table.quotedForSQL) AS t0 SET \(assignments.joined(separator: ", "))",
          arguments, where: condition)
      }
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
      throw StoreError.sharedUniqueValues(entity: entity.name)
    }
    return true
  }

  /// Throws if a sum overflows, where SQLite would continue with a floating-point number.
  private func checkOverflow(
    of column: String, _ attribute: AttributeDescription, of entity: EntityDescription,
    adding sum: DatabaseValue, _ ids: [ObjectID]
  ) throws {
    guard attribute.type != .double, let table = layout[entity]?.table.quotedForSQL else { return }
    try forEachPart(of: ids) { condition in
      let statement = try connection.statement(
        "SELECT 1 FROM \(table) AS t0 WHERE (\(condition.sql)) "
          + "AND typeof(t0.\(column) + ?) = 'real' LIMIT 1", isKept: false)
      statement.bind(condition.arguments + [sum])
      if try statement.firstInteger() != nil {
        throw StoreError.overflow(entity: entity.name, attribute: attribute.name)
      }
    }
  }

  // MARK: Rows

  /// Calls `body` with conditions that together select all rows: the request's condition, or else
  /// conditions that list many row numbers each.
  private func forEachPart(
    of ids: [ObjectID], _ body: (SQLCondition) throws -> Void
  ) throws {
    if let condition, condition.joins.isEmpty {
      return try body(condition.sql.isEmpty ? SQLCondition("1") : condition)
    }
    try forEachPart(of: ids, column: "Z_PK", body)
  }

  private func forEachPart(
    of ids: [ObjectID], column: String, _ body: (SQLCondition) throws -> Void
  ) throws {
    var start = 0
    while start < ids.count {
      let part = ids[start..<min(ids.count, start + Self.numbersInStatement)]
      start = part.endIndex
      let marks = Array(repeating: "?", count: part.count).joined(separator: ", ")
      try body(
        SQLCondition(
          "t0.\(column.quotedForSQL) IN (\(marks))", part.map { $0.number.databaseValue }))
    }
  }

  private func execute(
    _ sql: String, _ arguments: [DatabaseValue], where condition: SQLCondition
  ) throws {
    let statement = try connection.statement("\(sql) WHERE \(condition.sql)", isKept: false)
    statement.bind(arguments + condition.arguments)
    try statement.execute()
  }
}

extension AttributeType {
  /// Whether SQL and memory compute the same sum.
  ///
  /// They do not for decimals, which a file holds as floating-point numbers, and for floats, to
  /// which SQL gives more digits.
  fileprivate var addsInSQL: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .double: true
    case .float, .decimal, .string, .boolean, .date, .uuid, .uri, .binaryData: false
    }
  }
}
