import FetchedResults
import Foundation
import GRDB
import GRDBSQLite

/// Reads the rows of one root entity's table.
///
/// The objects of to-many relationships are read later, at the first access.
struct RowReader: Sendable {
  let table: EntityTable
  /// The start of a `SELECT`: the columns and the table, without a condition.
  let select: String
  /// How the rows of each entity are read, by the entity's number.
  private let plans: [Int64: Plan]
  /// The plan of a table that has one entity, without counting a reference for each row.
  private let onlyPlan: (number: Int64, plan: Unmanaged<Plan>)?
  private let entities: [Int64: EntityDescription]
  private let external: ExternalData
  /// Whether a value of some row is read when it is accessed.
  let readsLater: Bool

  /// How to read a row as an object of one entity.
  ///
  /// It is a class, so that only one reference is counted for each row.
  private final class Plan: Sendable {
    let entity: EntityDescription
    let attributes: [Attribute]
    /// The column of each attribute; empty if it has none.
    let columns: [String]
    /// The value of each attribute that has no column.
    let values: [PropertyValue]
    let relationships: [Relationship]

    init(
      _ entity: EntityDescription, columns: [String?] = [], positions: [String: Int32] = [:],
      relationships: [Relationship] = []
    ) {
      self.entity = entity
      attributes = zip(entity.attributes, columns).map { attribute, column in
        Attribute(
          type: attribute.type, isExternal: attribute.allowsExternalBinaryDataStorage,
          position: column.flatMap { positions[$0] })
      }
      self.columns = columns.map { $0 ?? "" }
      values = entity.attributes.map { $0.expression == nil ? $0.defaultValue : .null }
      self.relationships = relationships
    }

    /// What is needed for each row.
    ///
    /// It has no references, which would be counted for each row.
    struct Attribute {
      let type: AttributeType
      /// Whether the data may be in a file beside the store.
      let isExternal: Bool
      /// The column's position in a selected row; nil if the attribute has no column.
      let position: Int32?
    }

    enum Relationship {
      case toOne(Int32, entity: Int32?, destination: EntityDescription)
      case toMany
      /// An attribute that is kept in memory only.
      case transient(PropertyValue)
    }
  }

  /// - Throws: `ModelError` of a relationship that leads nowhere.
  init(_ table: EntityTable, _ layout: StoreLayout, _ external: ExternalData) throws {
    self.table = table
    self.external = external
    var positions: [String: Int32] = [:]
    for (index, column) in table.columns.enumerated() { positions[column.name] = Int32(index + 3) }
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name.quotedForSQL)
    select =
      "SELECT \(columns.map { "t0.\($0)" }.joined(separator: ", ")) "
      + "FROM \(table.name.quotedForSQL) t0"
    var plans: [Int64: Plan] = [:]
    for entity in layout.families[table.root] ?? [] {
      guard let number = layout[entity]?.number else { continue }
      plans[number] = try Self.plan(entity, layout, positions)
    }
    self.plans = plans
    onlyPlan = plans.count == 1 ? plans.first.map { ($0.key, .passUnretained($0.value)) } : nil
    entities = layout.entities
    readsLater = plans.values.contains { plan in
      plan.attributes.contains(where: \.isExternal)
        || plan.relationships.contains { if case .toMany = $0 { true } else { false } }
    }
  }

  private static func plan(
    _ entity: EntityDescription, _ layout: StoreLayout, _ positions: [String: Int32]
  ) throws -> Plan {
    guard let placement = layout[entity] else { return Plan(entity) }
    var relationships: [Plan.Relationship] = []
    for (ordinal, relationship) in placement.relationships.enumerated() {
      if entity.relationships[ordinal].isTransient {
        relationships.append(
          .transient(entity.relationships[ordinal].isToMany ? .list([]) : .null))
      } else if case .toOne(let column, let entityColumn, _)? = relationship,
        let position = positions[column]
      {
        relationships.append(
          .toOne(
            position, entity: entityColumn.flatMap { positions[$0] },
            destination: try entity.link(at: ordinal).destination))
      } else {
        relationships.append(.toMany)
      }
    }
    return Plan(
      entity, columns: placement.attributes, positions: positions, relationships: relationships)
  }

  func number(of row: SelectedRow) -> Int64 { row.integer(0) }

  /// Reads a row as an object.
  ///
  /// - Parameters:
  ///   - number: The row's number, which was checked.
  ///   - members: Reads the objects of to-many relationships for this row and others.
  /// - Throws: `UnreadableRow` if a column holds a value of another type than its attribute's, or
  ///   if the row's entity is not in the model.
  func storeRow(
    _ row: SelectedRow, number: Int64, members: MemberBatch
  ) throws -> StoreRow {
    if let onlyPlan, onlyPlan.number == row.integer(1) {
      return try onlyPlan.plan._withUnsafeGuaranteedRef {
        try storeRow(row, number, $0, members)
      }
    }
    guard let plan = plans[row.integer(1)] else {
      throw UnreadableRow(table: table.name, number: number, entity: row, at: 1)
    }
    return try storeRow(row, number, plan, members)
  }

  private func storeRow(
    _ row: SelectedRow, _ number: Int64, _ plan: Plan, _ members: MemberBatch
  ) throws -> StoreRow {
    let count = plan.attributes.count
    let snapshot = try ObjectSnapshot(count: count + plan.relationships.count) { place in
      try place < count
        ? value(ofAttribute: place, plan, row, number, members)
        : value(ofRelationship: place - count, plan, row, number, members)
    }
    return StoreRow(
      entity: plan.entity, snapshot: snapshot, version: try version(of: row, number))
  }

  @inline(__always)
  private func value(
    ofAttribute index: Int, _ plan: Plan, _ row: SelectedRow, _ number: Int64,
    _ members: MemberBatch
  ) throws -> StoredValue {
    let attribute = plan.attributes[index]
    guard let position = attribute.position else { return .known(plan.values[index]) }
    if attribute.isExternal {
      return try externalValue(of: plan.columns[index], position, row, members)
    }
    guard let value = attribute.type.value(of: row.value(position)) else {
      throw unreadable(row, number, column: plan.columns[index], at: position)
    }
    return .known(value)
  }

  // What few rows have is not inlined, so that the processor's registers suffice for the others.

  @inline(never)
  private func unreadable(
    _ row: SelectedRow, _ number: Int64, column: String, at position: Int32
  ) -> UnreadableRow {
    UnreadableRow(
      table: table.name, number: number, column: column,
      problem: row.isBrokenText(position) ? .brokenText : .otherType)
  }

  @inline(never)
  private func value(
    ofRelationship ordinal: Int, _ plan: Plan, _ row: SelectedRow, _ number: Int64,
    _ members: MemberBatch
  ) throws -> StoredValue {
    switch plan.relationships[ordinal] {
    case .transient(let value): return .known(value)
    case .toMany: return members.fault(of: number, plan.entity, ordinal)
    case .toOne(let position, let entityPosition, let destination):
      guard !row.isNull(position) else { return .known(.null) }
      guard let other = row.exactInteger(position), other > 0 else {
        throw unreadable(number, column: position)
      }
      var exact = destination
      if let entityPosition, let entity = entities[row.integer(entityPosition)] {
        guard entity.isKindOf(entity: destination) else {
          throw unreadable(number, column: entityPosition)
        }
        exact = entity
      }
      return .known(.object(ObjectID(entity: exact, number: other)))
    }
  }

  /// Returns a row's number.
  ///
  /// - Throws: `UnreadableRow` if no object can have that number.
  func checkedNumber(of row: SelectedRow) throws(UnreadableRow) -> Int64 {
    let number = number(of: row)
    guard number > 0 else {
      throw UnreadableRow(
        table: table.name, number: number, column: "Z_PK", problem: .outOfRange)
    }
    return number
  }

  /// Returns a row's version.
  ///
  /// A row without one was written by hand, and has the first version.
  @inline(__always)
  private func version(of row: SelectedRow, _ number: Int64) throws(UnreadableRow) -> Int32 {
    let value = row.value(2)
    let type = value.type
    if type == SQLITE_NULL { return 1 }
    guard type == SQLITE_INTEGER, let exact = Int32(exactly: value.integer),
      0...Self.lastVersion ~= exact
    else {
      throw UnreadableRow(
        table: table.name, number: number, column: "Z_OPT",
        problem: type == SQLITE_INTEGER ? .outOfRange : .otherType)
    }
    return exact
  }

  /// The highest version that is accepted.
  ///
  /// No row is saved this often, so a higher version means damage, and increasing an accepted one
  /// still fits into 32 bits.
  private static let lastVersion: Int32 = 1 << 30

  private func unreadable(_ number: Int64, column position: Int32) -> UnreadableRow {
    UnreadableRow(
      table: table.name, number: number, column: table.columns[Int(position) - 3].name)
  }
}

extension RowReader {
  /// Returns data that is in the row, or a fault for data in a file of its own.
  @inline(never)
  private func externalValue(
    of column: String, _ position: Int32, _ row: SelectedRow, _ members: MemberBatch
  ) throws(UnreadableRow) -> StoredValue {
    let (table, number) = (table.name, number(of: row))
    switch row.type(position) {
    case SQLITE_NULL: return .known(.null)
    case SQLITE_BLOB:
      let bytes = row.bytes(position)
      guard ExternalData.isOutside(bytes) else {
        do throws(ExternalDataError) {
          return .known(.data(try external.data(bytes)))
        } catch {
          throw UnreadableRow(
            table: table, number: number, column: column, problem: .external(error))
        }
      }
      return members.fault(Data(bytes), external) { error in
        UnreadableRow(table: table, number: number, column: column, problem: .external(error))
      }
    default: throw UnreadableRow(table: table, number: number, column: column)
    }
  }
}

/// A row that is not an object of the model.
struct UnreadableRow: Error {
  let table: String
  let number: Int64
  let column: String
  var problem = Problem.otherType

  /// What is wrong with what the column holds.
  enum Problem {
    /// The column holds a value of another type.
    case otherType
    /// The column holds a number that no program writes there.
    case outOfRange
    /// The column holds text that is not valid UTF-8.
    case brokenText
    /// The column holds the number of an entity that the model does not have.
    case foreignEntity(Int64)
    /// The column's data is not where Core Data keeps it.
    case external(ExternalDataError)
  }
}

extension UnreadableRow {
  /// Reports that a row's entity is unknown.
  ///
  /// - Parameters:
  ///   - row: The row, as a statement selected it.
  ///   - position: The index of `Z_ENT` in it.
  init(table: String, number: Int64, entity row: SelectedRow, at position: Int32) {
    self.init(table: table, number: number, column: "Z_ENT")
    if row.type(position) == SQLITE_INTEGER { problem = .foreignEntity(row.integer(position)) }
  }
}
