import FetchedResults
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Reads the objects that to-many relationships lead to.
struct MemberReader {
  let layout: StoreLayout
  let connection: StoreConnection

  /// Returns the objects that a relationship of some objects leads to, by the owner's number.
  ///
  /// - Returns: No entry for objects whose relationship is empty.
  func members(
    of numbers: [Int64], _ entity: EntityDescription, _ ordinal: Int
  ) throws -> [Int64: [ObjectID]] {
    guard let query = try query(entity, ordinal) else { return [:] }
    let condition =
      numbers.count == 1
      ? "= ?" : "IN (\(Array(repeating: "?", count: numbers.count).joined(separator: ", ")))"
    let statement = try connection.statement(
      "\(query.select) WHERE \(query.owner) \(condition) ORDER BY \(query.order)")
    statement.bind(numbers)
    return try read(statement, query)
  }

  /// Returns the members of an ordered relationship of some objects with their order keys; nil for
  /// a member without a key.
  func keyedMembers(
    of numbers: [Int64], _ entity: EntityDescription, _ ordinal: Int
  ) throws -> [Int64: [(member: ObjectID, key: Int64?)]] {
    guard let query = try query(entity, ordinal), let key = query.key else { return [:] }
    let marks = Array(repeating: "?", count: numbers.count).joined(separator: ", ")
    let statement = try connection.statement(
      "\(query.select(and: key)) WHERE \(query.owner) IN (\(marks)) ORDER BY \(query.order)")
    statement.bind(numbers)
    var members: [Int64: [(member: ObjectID, key: Int64?)]] = [:]
    try statement.forEachRow { row in
      let member = try self.member(row, query)
      let key = row.type(3) == SQLITE_INTEGER ? row.integer(3) : nil
      members[row.integer(2), default: []].append((member, key))
    }
    return members
  }

  /// Returns the objects that a relationship leads to, for every object that has it.
  func allMembers(_ entity: EntityDescription, _ ordinal: Int) throws -> [Int64: [ObjectID]] {
    guard let query = try query(entity, ordinal) else { return [:] }
    return try read(
      try connection.statement(
        "\(query.select) WHERE \(query.owner) IS NOT NULL ORDER BY \(query.order)"), query)
  }

  private func read(
    _ statement: PreparedStatement, _ query: Query
  ) throws -> [Int64: [ObjectID]] {
    var members: [Int64: [ObjectID]] = [:]
    try statement.forEachRow { row in
      members[row.integer(2), default: []].append(try member(row, query))
    }
    return members
  }

  private func member(_ row: SelectedRow, _ query: Query) throws -> ObjectID {
    let number = row.integer(0)
    guard let entity = layout.entities[row.integer(1)] else {
      throw UnreadableRow(table: query.table, number: number, entity: row, at: 1)
    }
    guard entity.isKindOf(entity: query.destination) else {
      throw UnreadableRow(table: query.table, number: number, column: "Z_ENT")
    }
    guard number > 0 else {
      throw UnreadableRow(table: query.table, number: number, column: "Z_PK", problem: .outOfRange)
    }
    return ObjectID(entity: entity, number: number)
  }

  /// The parts of a statement that selects the members' numbers, entities and owners.
  private struct Query {
    /// The table of the members.
    let table: String
    let owner: String
    /// The column of the order keys, if there is one.
    let key: String?
    let tables: String

    var select: String { "SELECT t0.Z_PK, t0.Z_ENT, \(owner) FROM \(tables)" }

    func select(and column: String) -> String {
      "SELECT t0.Z_PK, t0.Z_ENT, \(owner), \(column) FROM \(tables)"
    }

    var order: String { key.map { "\($0), t0.Z_PK" } ?? "t0.Z_PK" }
    /// The entity of the members.
    let destination: EntityDescription
  }

  private func query(_ entity: EntityDescription, _ ordinal: Int) throws -> Query? {
    let member = try entity.link(at: ordinal).destination
    guard let placement = layout[entity]?.relationships[ordinal],
      let destination = layout[member]
    else { return nil }
    switch placement {
    case .toOne: return nil
    case .fromOther(let table, let column, let order):
      return Query(
        table: table, owner: "t0.\(column.quotedForSQL)",
        key: order.map { "t0.\($0.quotedForSQL)" }, tables: "\(table.quotedForSQL) t0",
        destination: member)
    case .join(let table, let own, let other, let order):
      return Query(
        table: destination.table, owner: "t1.\(own.quotedForSQL)",
        key: order.map { "t1.\($0.quotedForSQL)" },
        tables: "\(table.quotedForSQL) t1 "
          + "JOIN \(destination.table.quotedForSQL) t0 ON t0.Z_PK = t1.\(other.quotedForSQL)",
        destination: member)
    }
  }
}

/// The to-many relationships of rows that were read together.
///
/// The first access to a relationship reads it for all of these rows.
final class MemberBatch: Sendable {
  private struct Key: Hashable {
    let entity: EntityDescription
    let ordinal: Int
  }

  private struct State {
    var numbers: [Int64] = []
    var known: [Key: [Int64: [ObjectID]]] = [:]
  }

  private let source: StoreSource
  /// Whether a relationship is read for every row of its entity.
  private let isOfAll: Bool
  private let state = Mutex(State())

  /// - Parameter isOfAll: Whether most rows of the table will be read, so that it is best to read a
  ///   relationship for the whole table.
  init(_ source: StoreSource, isOfAll: Bool = false) {
    self.source = source
    self.isOfAll = isOfAll
  }

  /// Returns a fault for a relationship of a row, and adds the row to the batch.
  func fault(of number: Int64, _ entity: EntityDescription, _ ordinal: Int) -> StoredValue {
    if !isOfAll {
      state.withLock { state in
        if state.numbers.last != number { state.numbers.append(number) }
      }
    }
    return .unread(
      ValueFault(members: {
        do {
          return try self.members(of: number, Key(entity: entity, ordinal: ordinal))
            .map(PropertyValue.object)
        } catch {
          self.source.log.keep(StoreError(error, store: self.source.name))
          return nil
        }
      }))
  }

  /// Returns a fault for data that is in a file of its own.
  ///
  /// - Parameters:
  ///   - reference: What the row has in place of the data.
  ///   - external: Reads the file.
  ///   - unreadable: The error for a file that cannot be read.
  func fault(
    _ reference: Data, _ external: ExternalData,
    _ unreadable: @escaping @Sendable (ExternalDataError) -> UnreadableRow
  ) -> StoredValue {
    let (log, name) = (source.log, source.name)
    return .unread(
      ValueFault(reference: reference) { keepsError in
        do throws(ExternalDataError) {
          return try external.data(reference)
        } catch {
          if keepsError { log.keep(StoreError(unreadable(error), store: name)) }
          return nil
        }
      })
  }

  private func members(of number: Int64, _ key: Key) throws -> [ObjectID] {
    let (known, numbers) = state.withLock { ($0.known[key], $0.numbers) }
    if let known { return known[number] ?? [] }
    source.log.countFault()
    let read = try source.read { connection in
      let reader = MemberReader(layout: source.layout, connection: connection)
      return isOfAll
        ? try reader.allMembers(key.entity, key.ordinal)
        : try reader.members(of: numbers, key.entity, key.ordinal)
    }
    state.withLock { $0.known[key] = read }
    return read[number] ?? []
  }
}

/// What is needed to read from a store's file, on any thread.
struct StoreSource: Sendable {
  private let connection: CurrentConnection
  let layout: StoreLayout
  let log: StatementLog
  /// The file's name for messages.
  let name: String

  init(queue: DatabaseQueue, layout: StoreLayout, log: StatementLog, name: String) {
    connection = CurrentConnection(queue)
    self.layout = layout
    self.log = log
    self.name = name
  }

  var queue: DatabaseQueue { connection.queue.withLock(\.self) }

  /// Reads from another file from now on.
  ///
  /// This includes relationships of rows that were read before.
  func use(_ queue: DatabaseQueue) { connection.queue.withLock { $0 = queue } }

  func read<Result>(_ body: (StoreConnection) throws -> Result) throws -> Result {
    try queue.unsafeReentrantRead { try body(StoreConnection(database: $0, log: log)) }
  }
}

/// The current connection to a file, which another one may replace.
private final class CurrentConnection: Sendable {
  let queue: Mutex<DatabaseQueue>

  init(_ queue: DatabaseQueue) { self.queue = Mutex(queue) }
}

/// Writes the changes of to-many relationships, after the rows of a save.
///
/// Relationships that were never read have not changed and are skipped. What the file has for the
/// others is read for many objects at once.
struct MemberWriter {
  let layout: StoreLayout
  let connection: StoreConnection

  func write(_ changes: [StoreChange]) throws {
    var entities: [EntityDescription] = []
    var groups: [EntityDescription: [StoreChange]] = [:]
    var last: (entity: EntityDescription, hasMembers: Bool)?
    for change in changes where change.snapshot != nil {
      let entity = change.objectID.entity
      let hasMembers =
        if let last, last.entity === entity {
          last.hasMembers
        } else {
          entity.relationships.contains { $0.isToMany }
        }
      last = (entity, hasMembers)
      guard hasMembers else { continue }
      if groups[entity] == nil { entities.append(entity) }
      groups[entity, default: []].append(change)
    }
    for entity in entities {
      guard let placement = layout[entity], let group = groups[entity] else { continue }
      for (ordinal, relationship) in placement.relationships.enumerated() {
        switch relationship {
        case .toOne?, nil, .fromOther(_, _, order: nil)?: continue
        case .fromOther(let table, _, let order?)?:
          try writeOrder(in: table, order, of: group, ordinal)
        case .join(let table, let own, let other, let order)?:
          let link = try entity.link(at: ordinal)
          guard let destination = layout[link.destination] else { continue }
          try writeJoins(
            JoinStatements(table, own, other, order, to: destination, connection), of: group,
            ordinal)
          if own == JoinTable.reflexive, link.inverse?.ordinal == ordinal {
            try writeBackJoins(table, own, other, of: group, ordinal, savedWith: changes)
          }
        }
      }
    }
  }

  /// Calls `body` for each object whose relationship was read, with the objects it leads to now,
  /// and those in the file with their order keys.
  private func forEachOwner(
    _ group: [StoreChange], _ ordinal: Int, isOrdered: Bool,
    _ body: (ObjectID, _ wanted: [ObjectID], _ found: [(member: ObjectID, key: Int64?)]) throws
      -> Void
  ) throws {
    let reader = MemberReader(layout: layout, connection: connection)
    var start = 0
    while start < group.count {
      let part = group[start..<min(group.count, start + 500)]
      start = part.endIndex
      let place = part[part.startIndex].objectID.entity.attributes.count + ordinal
      let asked = part.filter { $0.snapshot?.isUnread(place) == false }
      let saved = asked.filter { !$0.isInsertion }.map(\.objectID)
      var found: [Int64: [(member: ObjectID, key: Int64?)]] = [:]
      if let entity = saved.first?.entity {
        let numbers = saved.map(\.number)
        found =
          isOrdered
          ? try reader.keyedMembers(of: numbers, entity, ordinal)
          : try reader.members(of: numbers, entity, ordinal).mapValues { $0.map { ($0, nil) } }
      }
      for change in asked {
        guard let wanted = change.snapshot?[place].objectIDs else { continue }
        try body(change.objectID, wanted, found[change.objectID.number] ?? [])
      }
    }
  }

  private func writeOrder(
    in table: String, _ order: String, of group: [StoreChange], _ ordinal: Int
  ) throws {
    let statement = try connection.statement(
      "UPDATE \(table.quotedForSQL) SET \(order.quotedForSQL) = ? WHERE Z_PK = ?")
    try forEachOwner(group, ordinal, isOrdered: true) { _, wanted, found in
      for (member, key) in OrderKeys.changes(wanted, found: Self.keys(found)) {
        statement.bind([key, member.number])
        try statement.execute()
      }
    }
  }

  private func writeJoins(
    _ statements: JoinStatements, of group: [StoreChange], _ ordinal: Int
  ) throws {
    let ordering = statements.ordering
    try forEachOwner(group, ordinal, isOrdered: ordering != nil) { id, wanted, found in
      let known = Set(found.map(\.member))
      let kept = Set(wanted)
      for (member, _) in found where !kept.contains(member) {
        statements.deletion.bind([id.number, member.number])
        try statements.deletion.execute()
      }
      for member in wanted where !known.contains(member) {
        statements.insertion.bind([id.number, member.number])
        try statements.insertion.execute()
      }
      guard let ordering else { return }
      for (member, key) in OrderKeys.changes(wanted, found: Self.keys(found)) {
        ordering.bind([key, id.number, member.number])
        try ordering.execute()
      }
    }
  }

  /// Completes the pairs of inserted objects, where a relationship is its own inverse: each pair of
  /// objects has a row for either direction.
  ///
  /// An object that an undo restores is inserted, and those that it leads to may not have changed.
  private func writeBackJoins(
    _ table: String, _ own: String, _ other: String, of group: [StoreChange], _ ordinal: Int,
    savedWith changes: [StoreChange]
  ) throws {
    let inserted = group.filter(\.isInsertion)
    guard let entity = inserted.first?.objectID.entity else { return }
    let saved = Set(changes.map(\.objectID))
    let (table, own, other) = (table.quotedForSQL, own.quotedForSQL, other.quotedForSQL)
    let statement = try connection.statement(
      "INSERT OR IGNORE INTO \(table) (\(own), \(other)) "
        + "SELECT \(other), \(own) FROM \(table) WHERE \(own) = ?")
    for change in inserted {
      let members = change.snapshot?[entity.attributes.count + ordinal].objectIDs ?? []
      if members.allSatisfy(saved.contains) { continue }
      statement.bind([change.objectID.number])
      try statement.execute()
    }
  }

  private static func keys(
    _ members: [(member: ObjectID, key: Int64?)]
  ) -> [ObjectID: Int64] {
    var keys: [ObjectID: Int64] = [:]
    for case (let member, let key?) in members { keys[member] = key }
    return keys
  }
}

/// The statements that change a join table from one side.
private struct JoinStatements {
  /// Takes the numbers of both objects, and ignores an object that does not exist.
  ///
  /// A context that did not learn about a deletion may still save a list with the object. A pair
  /// that is left would come back with the object.
  let insertion: PreparedStatement
  /// Takes the numbers of both objects.
  let deletion: PreparedStatement
  /// Takes the order key and the numbers of both objects; nil if the relationship is not ordered.
  let ordering: PreparedStatement?

  init(
    _ table: String, _ own: String, _ other: String, _ order: String?,
    to destination: EntityPlacement, _ connection: StoreConnection
  ) throws {
    let (table, own, other) = (table.quotedForSQL, own.quotedForSQL, other.quotedForSQL)
    let key = "\(own) = ? AND \(other) = ?"
    insertion = try connection.statement(
      "INSERT OR IGNORE INTO \(table) (\(own), \(other)) "
        + "SELECT ?, Z_PK FROM \(destination.table.quotedForSQL) WHERE Z_PK = ?")
    deletion = try connection.statement("DELETE FROM \(table) WHERE \(key)")
    ordering = try order.map { order in
      try connection.statement("UPDATE \(table) SET \(order.quotedForSQL) = ? WHERE \(key)")
    }
  }
}

extension PropertyValue {
  /// The identity of the object that the value refers to; nil for other values.
  var objectID: ObjectID? {
    if case .object(let id) = self { id } else { nil }
  }

  fileprivate var objectIDs: [ObjectID] {
    if case .list(let values) = self { values.compactMap(\.objectID) } else { [] }
  }
}
