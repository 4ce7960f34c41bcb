import FetchedResults
import GRDB

/// Reads the rows of one root entity's table.
struct RowReader {
  private let layout: StoreLayout
  let table: EntityTable
  /// Where each column stands in a selected row.
  private let positions: [String: Int]
  /// `SELECT` with the columns and the table, and no condition yet.
  let select: String

  init(_ table: EntityTable, _ layout: StoreLayout) {
    self.layout = layout
    self.table = table
    var positions: [String: Int] = [:]
    for (index, column) in table.columns.enumerated() { positions[column.name] = index + 3 }
    self.positions = positions
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name.quotedForSQL)
    select =
      "SELECT \(columns.map { "t0.\($0)" }.joined(separator: ", ")) "
      + "FROM \(table.name.quotedForSQL) t0"
  }

  func number(of row: Row) -> Int64 { row[0] }

  /// Reads a row as an object.
  ///
  /// - Parameter members: What the to-many relationships of the row lead to.
  /// - Throws: `UnreadableRow` where a column holds something else than its
  ///   attribute's type, or the row is of an entity that is not in the model.
  func storeRow(
    _ row: Row, members: (EntityDescription, _ ordinal: Int) throws -> [ObjectID]
  ) throws -> StoreRow {
    let number = self.number(of: row)
    guard let entity = layout.entities[row[1]], entity.root === table.root,
      let placement = layout[entity]
    else { throw UnreadableRow(table: table.name, number: number, column: "Z_ENT") }
    var values = ContiguousArray<Value>()
    values.reserveCapacity(entity.attributes.count + entity.relationships.count)
    for (attribute, column) in zip(entity.attributes, placement.attributes) {
      guard let column, let position = positions[column] else {
        values.append(attribute.expression == nil ? attribute.defaultValue : .null)
        continue
      }
      guard let value = attribute.type.value(stored: row[position]) else {
        throw UnreadableRow(table: table.name, number: number, column: column)
      }
      values.append(value)
    }
    for (ordinal, relationship) in placement.relationships.enumerated() {
      if case .toOne(let column, let entityColumn, _)? = relationship {
        values.append(try reference(ordinal, of: entity, row, column, entityColumn))
      } else {
        values.append(.list(try members(entity, ordinal).map(Value.object)))
      }
    }
    return StoreRow(entity: entity, snapshot: Snapshot(values), version: row[2] ?? 1)
  }

  private func reference(
    _ ordinal: Int, of entity: EntityDescription, _ row: Row, _ column: String,
    _ entityColumn: String?
  ) throws -> Value {
    guard let position = positions[column], let number = row[position] as Int64? else {
      return .null
    }
    var destination = try entity.link(at: ordinal).destination
    if let entityColumn, let position = positions[entityColumn],
      let exact = (row[position] as Int64?).flatMap({ layout.entities[$0] })
    {
      destination = exact
    }
    return .object(ObjectID(entity: destination, number: number))
  }
}

/// A row that is no object of the model.
struct UnreadableRow: Error {
  let table: String
  let number: Int64
  let column: String
}

/// Reads what to-many relationships lead to.
struct MemberReader {
  let layout: StoreLayout
  let database: Database

  /// Returns the objects that a relationship of one object leads to.
  func members(
    of number: Int64, _ entity: EntityDescription, _ ordinal: Int
  ) throws -> [ObjectID] {
    guard let query = try query(entity, ordinal) else { return [] }
    let statement = try database.cachedStatement(
      sql: "\(query.select) WHERE \(query.owner) = ? ORDER BY \(query.order)")
    let rows = try Row.fetchCursor(statement, arguments: [number])
    var members: [ObjectID] = []
    while let row = try rows.next() { members.append(try id(row)) }
    return members
  }

  /// Returns what a relationship leads to for every object that has it.
  func allMembers(_ entity: EntityDescription, _ ordinal: Int) throws -> [Int64: [ObjectID]] {
    guard let query = try query(entity, ordinal) else { return [:] }
    let rows = try Row.fetchCursor(
      database,
      sql: "\(query.select) WHERE \(query.owner) IS NOT NULL ORDER BY \(query.order)")
    var members: [Int64: [ObjectID]] = [:]
    while let row = try rows.next() { members[row[2], default: []].append(try id(row)) }
    return members
  }

  private func id(_ row: Row) throws -> ObjectID {
    guard let entity = layout.entities[row[1]] else {
      throw UnreadableRow(table: "", number: row[0], column: "Z_ENT")
    }
    return ObjectID(entity: entity, number: row[0])
  }

  /// The parts of a statement that selects members as number, entity, owner.
  private struct Query {
    let select: String
    let owner: String
    let order: String
  }

  private func query(_ entity: EntityDescription, _ ordinal: Int) throws -> Query? {
    guard let placement = layout[entity]?.relationships[ordinal],
      let destination = layout[try entity.link(at: ordinal).destination]
    else { return nil }
    switch placement {
    case .toOne: return nil
    case .fromOther(let table, let column, let order):
      let owner = "t0.\(column.quotedForSQL)"
      return Query(
        select: "SELECT t0.Z_PK, t0.Z_ENT, \(owner) FROM \(table.quotedForSQL) t0",
        owner: owner, order: Self.order(by: order.map { "t0.\($0.quotedForSQL)" }))
    case .join(let table, let own, let other, let order):
      let owner = "t1.\(own.quotedForSQL)"
      return Query(
        select: "SELECT t0.Z_PK, t0.Z_ENT, \(owner) FROM \(table.quotedForSQL) t1 "
          + "JOIN \(destination.table.quotedForSQL) t0 ON t0.Z_PK = t1.\(other.quotedForSQL)",
        owner: owner, order: Self.order(by: order.map { "t1.\($0.quotedForSQL)" }))
    }
  }

  private static func order(by column: String?) -> String {
    column.map { "\($0), t0.Z_PK" } ?? "t0.Z_PK"
  }
}
