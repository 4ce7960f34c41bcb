import Basics
package import FetchedResults
import GRDB

extension SQLiteStore {
  package func objectIDs(matching request: StoreRequest) throws(FetchError) -> [ObjectID] {
    let numbers = try fetch(request).numbers
    let root = request.entity.root
    if source.layout.families[root]?.count == 1 {
      return numbers.map { ObjectID(entity: root, number: $0) }
    }
    do {
      return try entities(of: numbers, in: root)
    } catch {
      throw FetchError.store(StoreError(error, store: source.name))
    }
  }

  /// Returns the identities of rows, by their numbers.
  private func entities(of numbers: [Int64], in root: EntityDescription) throws -> [ObjectID] {
    guard let table = source.layout.table(of: root)?.name else { return [] }
    return try source.read { connection in
      var found: [Int64: EntityDescription] = Dictionary(minimumCapacity: numbers.count)
      var start = 0
      while start < numbers.count {
        let part = numbers[start..<min(numbers.count, start + Self.numbersInStatement)]
        start = part.endIndex
        let marks = Array(repeating: "?", count: part.count).joined(separator: ", ")
        let statement = try connection.statement(
          "SELECT t0.Z_PK, t0.Z_ENT FROM \(table.quotedForSQL) t0 WHERE t0.Z_PK IN (\(marks))")
        statement.bind(part)
        try statement.forEachRow { row in
          guard let entity = source.layout.entities[row.integer(1)] else {
            throw UnreadableRow(table: table, number: row.integer(0), entity: row, at: 1)
          }
          found[row.integer(0)] = entity
        }
      }
      return numbers.compactMap { number in
        found[number].map { ObjectID(entity: $0, number: number) }
      }
    }
  }

  package func groups(_ groups: StoreGroups) throws(FetchError) -> [FoundGroup]? {
    guard let fetch = GroupFetch(groups, layout: source.layout) else { return nil }
    do {
      return try source.read { connection in
        beginFunctions(locale: groups.request.locale)
        let found = try fetch.run(on: connection)
        return hasFailedFunction ? nil : found
      }
    } catch let error as FetchError {
      throw error
    } catch {
      throw FetchError.store(StoreError(error, store: source.name))
    }
  }

  package func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID] {
    var ids: [ObjectID] = []
    var transaction: Int64?
    do {
      try write { connection in
        let writer = BatchWriter(
          layout: source.layout, connection: connection, condition: condition(of: batch))
        if let deleted = try deleteAtOnce(batch, writer) {
          ids = deleted
          guard !ids.isEmpty else { return }
        } else {
          ids = try objectIDs(matching: batch.request)
          guard !ids.isEmpty else { return }
          try batch.willWrite?(ids)
          switch batch.action {
          case .delete: try writer.delete(ids)
          case .update(let settings): try update(ids, by: settings, batch, writer, connection)
          }
        }
        if history != nil {
          transaction = try noteHistory(of: batch.historyChanges(of: ids), in: connection)
        }
      }
    } catch let error as FetchError {
      throw error
    } catch StoreError.sharedUniqueValues {
      throw FetchError.store(sharedUniqueValues(of: ids, batch))
    } catch {
      throw FetchError.store(StoreError(error, store: source.name))
    }
    if !ids.isEmpty { didWrite(asTransaction: transaction) }
    if case .delete = batch.action { noteDeletions(ids) }
    return ids
  }

  /// Deletes rows with one walk through the table, if no context has to read them before.
  ///
  /// - Returns: The deleted objects, in order; nil if their numbers have to be found first.
  private func deleteAtOnce(_ batch: StoreBatch, _ writer: BatchWriter) throws -> [ObjectID]? {
    let root = batch.request.entity.root
    guard case .delete = batch.action, batch.willWrite == nil,
      source.layout.families[root]?.count == 1
    else { return nil }
    return try writer.deleteMatching(root)
  }

  /// Returns the SQL condition of a batch; nil if SQL cannot check the whole predicate.
  private func condition(of batch: StoreBatch) -> SQLCondition? {
    let entities = SQLCondition(entitiesOf: batch.request, source.layout)
    guard batch.isByPredicate else { return nil }
    guard let predicate = batch.request.predicate else { return entities }
    guard let filter = predicate.filter, filter.isWhole, !hasFailedFunction else { return nil }
    return SQLCondition(filter, of: batch.request.entity, source.layout).map { entities.and($0) }
  }

  private func update(
    _ ids: [ObjectID], by settings: [StoreBatch.Setting], _ batch: StoreBatch,
    _ writer: BatchWriter, _ connection: StoreConnection
  ) throws {
    let entity = batch.request.entity
    let hasSum = settings.contains { if case .sum = $0.value { true } else { false } }
    do {
      if batch.derive == nil, try writer.update(ids, of: entity, settings) { return }
    } catch StoreError.sharedUniqueValues where hasSum {
      // Values that objects exchange are unique again at the end.
    }
    do {
      try RowWriter(layout: source.layout, connection: connection, external: external)
        .write(changes(of: ids, by: settings, batch))
    } catch StoreError.notUnique {
      throw StoreError.sharedUniqueValues(entity: entity.name)
    }
  }

  /// Returns the changes that an update makes to rows.
  private func changes(
    of ids: [ObjectID], by settings: [StoreBatch.Setting], _ batch: StoreBatch
  ) throws -> [StoreChange] {
    var changes: [StoreChange] = []
    for (id, row) in try zip(ids, rows(ids, in: batch.request.entity.root)) {
      guard let row else { continue }
      changes.append(
        StoreChange(
          objectID: id, snapshot: try batch.updated(row.snapshot, of: id, by: settings),
          isInsertion: false, version: row.version + 1))
    }
    return changes
  }

  /// Finds the constraint that an update would break.
  ///
  /// SQLite names the first one that it checks, in an order of its own.
  private func sharedUniqueValues(of ids: [ObjectID], _ batch: StoreBatch) -> StoreError {
    var changes: [StoreChange] = []
    if case .update(let settings) = batch.action {
      changes = (try? self.changes(of: ids, by: settings, batch)) ?? []
    }
    return sharedUniqueValues(of: changes, else: batch.request.entity)
  }

  private func rows(_ ids: [ObjectID], in root: EntityDescription) throws -> [StoreRow?] {
    try rows(ids.map(\.number), in: root)
  }
}

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
    try deleteJoins(of: ids)
  }

  /// Deletes the rows that match the condition, and returns their objects in order; nil if SQL
  /// cannot select the rows.
  ///
  /// - Parameter entity: The only entity of its table.
  func deleteMatching(_ entity: EntityDescription) throws -> [ObjectID]? {
    guard let condition, condition.joins.isEmpty, let table = layout[entity]?.table,
      try hasNumbersAsRows(table)
    else { return nil }
    // A statement without a condition would not report its rows.
    let statement = try connection.statement(
      "DELETE FROM \(table.quotedForSQL) AS t0 WHERE "
        + (condition.sql.isEmpty ? "1" : condition.sql), isKept: false)
    statement.bind(condition.arguments)
    let numbers = try statement.executeDeletion(from: table).sorted()
    let ids = numbers.map { ObjectID(entity: entity, number: $0) }
    try deleteJoins(of: ids)
    return ids
  }

  /// Whether SQLite's number of a row is its object's number, as in every file of Core Data.
  private func hasNumbersAsRows(_ table: String) throws -> Bool {
    let statement = try connection.statement(
      "SELECT 1 FROM pragma_table_info(?) WHERE name = 'Z_PK' AND pk = 1 "
        + "AND upper(type) = 'INTEGER'", isCounted: false)
    statement.bind([table.databaseValue])
    return try statement.firstInteger() != nil
  }

  private func deleteJoins(of ids: [ObjectID]) throws {
    // The rows of a join table belong to the objects on both sides. Few entities have such a table,
    // and most objects have the entity of the object before.
    var last: (entity: EntityDescription, isJoined: Bool)?
    let joined = ids.filter { id in
      if last?.entity !== id.entity {
        last = (id.entity, !layout.joinColumns(of: id.entity).isEmpty)
      }
      return last?.isJoined == true
    }
    for (entity, ids) in Dictionary(grouping: joined, by: \.entity).ordered(by: {
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
  /// - Throws: `StoreError.overflow(entity:attribute:type:)` if a sum does not fit.
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

  /// Throws if a sum overflows: SQLite would write a larger integer, or a floating-point number.
  private func checkOverflow(
    of column: String, _ attribute: AttributeDescription, of entity: EntityDescription,
    adding sum: DatabaseValue, _ ids: [ObjectID]
  ) throws {
    guard let misfit = attribute.type.misfitOfSum, let table = layout[entity]?.table.quotedForSQL
    else { return }
    try forEachPart(of: ids) { condition in
      let statement = try connection.statement(
        "SELECT 1 FROM \(table) AS t0 WHERE (\(condition.sql)) "
          + "AND \(misfit.replacing("$", with: "t0.\(column) + ?")) LIMIT 1", isKept: false)
      statement.bind(condition.arguments + [sum])
      if try statement.firstInteger() != nil {
        throw StoreError.overflow(
          entity: entity.name, attribute: attribute.name, type: attribute.type)
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

  /// The condition under which the type cannot hold the sum `$`; nil if it holds any.
  fileprivate var misfitOfSum: String? {
    switch self {
    case .integer16: "($) NOT BETWEEN -32768 AND 32767"
    case .integer32: "($) NOT BETWEEN -2147483648 AND 2147483647"
    case .integer64: "typeof($) = 'real'"
    case .float, .double, .decimal, .string, .boolean, .date, .uuid, .uri, .binaryData: nil
    }
  }
}
