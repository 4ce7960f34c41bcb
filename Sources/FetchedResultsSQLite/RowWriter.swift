import FetchedResults
import GRDB

/// Writes the changes of one save, inside its transaction.
///
/// Deletions come first and unique values are put aside before any is written,
/// so that a save may pass a unique value from one object to another.
struct RowWriter {
  let layout: StoreLayout
  let database: Database

  func write(_ changes: [StoreChange]) throws {
    for change in changes where change.snapshot == nil { try delete(change) }
    for change in changes where change.snapshot != nil && !change.isInsertion {
      try claim(change)
    }
    for change in changes {
      guard let snapshot = change.snapshot else { continue }
      try writeRow(change, snapshot)
    }
    for change in changes {
      guard let snapshot = change.snapshot else { continue }
      try writeMembers(of: change.objectID, snapshot)
    }
  }

  // MARK: Rows

  private func delete(_ change: StoreChange) throws {
    let id = change.objectID
    guard let placement = layout[id.entity] else { return }
    try execute(
      "DELETE FROM \(placement.table.quotedForSQL) WHERE Z_PK = ? AND Z_OPT = ?",
      [id.number.databaseValue, Int64(change.version - 1).databaseValue])
    try checkThatRowWasThere(id)
    for case .join(let table, let own, _, _)? in placement.relationships {
      try execute(
        "DELETE FROM \(table.quotedForSQL) WHERE \(own.quotedForSQL) = ?",
        [id.number.databaseValue])
    }
  }

  /// Counts a row's version up, if it is still the one that was read.
  private func claim(_ change: StoreChange) throws {
    let id = change.objectID
    guard let placement = layout[id.entity] else { return }
    let unique = Set(id.entity.uniquenessConstraints.joined())
      .compactMap { id.entity.attributeIndex(named: $0) }
      .compactMap { placement.attributes[$0] }.sorted()
    let aside = unique.map { ", \($0.quotedForSQL) = NULL" }.joined()
    try execute(
      "UPDATE \(placement.table.quotedForSQL) SET Z_OPT = ?\(aside) WHERE Z_PK = ? AND Z_OPT = ?",
      [
        Int64(change.version).databaseValue, id.number.databaseValue,
        Int64(change.version - 1).databaseValue,
      ])
    try checkThatRowWasThere(id)
  }

  private func checkThatRowWasThere(_ id: ObjectID) throws {
    if database.changesCount == 0 { throw StoreError.changedMeanwhile(id) }
  }

  private func writeRow(_ change: StoreChange, _ snapshot: Snapshot) throws {
    let id = change.objectID
    guard let placement = layout[id.entity] else { return }
    var columns: [String] = []
    var values: [DatabaseValue] = []
    for (index, column) in placement.attributes.enumerated() {
      guard let column else { continue }
      let attribute = id.entity.attributes[index]
      guard let value = attribute.type.stored(snapshot[index]) else {
        throw StoreError.unstorable(id, attribute: attribute.name)
      }
      columns.append(column)
      values.append(value)
    }
    for (ordinal, relationship) in placement.relationships.enumerated() {
      guard case .toOne(let column, let entityColumn, _)? = relationship else { continue }
      let other = snapshot[id.entity.attributes.count + ordinal].objectID
      columns.append(column)
      values.append(other?.number.databaseValue ?? .null)
      if let entityColumn {
        columns.append(entityColumn)
        values.append(other.flatMap { layout[$0.entity]?.number.databaseValue } ?? .null)
      }
    }
    let names = columns.map(\.quotedForSQL)
    let table = placement.table.quotedForSQL
    if change.isInsertion {
      let marks = Array(repeating: "?", count: columns.count + 3).joined(separator: ", ")
      try execute(
        "INSERT INTO \(table) (\((["Z_PK", "Z_ENT", "Z_OPT"] + names).joined(separator: ", "))) "
          + "VALUES (\(marks))",
        [
          id.number.databaseValue, placement.number.databaseValue,
          Int64(change.version).databaseValue,
        ] + values)
    } else if !columns.isEmpty {
      try execute(
        "UPDATE \(table) SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE Z_PK = ?",
        values + [id.number.databaseValue])
    }
  }

  // MARK: To-many relationships

  private func writeMembers(of id: ObjectID, _ snapshot: Snapshot) throws {
    guard let placement = layout[id.entity] else { return }
    let reader = MemberReader(layout: layout, database: database)
    for (ordinal, relationship) in placement.relationships.enumerated() {
      let wanted = snapshot[id.entity.attributes.count + ordinal].objectIDs
      switch relationship {
      case .toOne?, nil: continue
      case .fromOther(let table, _, let order)?:
        guard let order, wanted != (try reader.members(of: id.number, id.entity, ordinal)) else {
          continue
        }
        for (place, member) in wanted.enumerated() {
          try execute(
            "UPDATE \(table.quotedForSQL) SET \(order.quotedForSQL) = ? WHERE Z_PK = ?",
            [Self.orderKey(place), member.number.databaseValue])
        }
      case .join(let table, let own, let other, let order)?:
        let found = try reader.members(of: id.number, id.entity, ordinal)
        guard wanted != found else { continue }
        let key = "\(own.quotedForSQL) = ? AND \(other.quotedForSQL) = ?"
        for member in Set(found).subtracting(wanted) {
          try execute(
            "DELETE FROM \(table.quotedForSQL) WHERE \(key)",
            [id.number.databaseValue, member.number.databaseValue])
        }
        let known = Set(found)
        for (place, member) in wanted.enumerated() {
          let numbers = [id.number.databaseValue, member.number.databaseValue]
          if !known.contains(member) {
            try execute(
              "INSERT OR IGNORE INTO \(table.quotedForSQL) "
                + "(\(own.quotedForSQL), \(other.quotedForSQL)) VALUES (?, ?)", numbers)
          }
          guard let order else { continue }
          try execute(
            "UPDATE \(table.quotedForSQL) SET \(order.quotedForSQL) = ? WHERE \(key)",
            [Self.orderKey(place)] + numbers)
        }
      }
    }
  }

  /// The key of a place in an ordered relationship, with room between two as
  /// Core Data leaves it.
  private static func orderKey(_ place: Int) -> DatabaseValue {
    (Int64(place) * 1024 + 2048).databaseValue
  }

  private func execute(_ sql: String, _ values: [DatabaseValue]) throws {
    try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
  }
}

extension Value {
  fileprivate var objectID: ObjectID? {
    if case .object(let id) = self { id } else { nil }
  }

  fileprivate var objectIDs: [ObjectID] {
    if case .list(let values) = self { values.compactMap(\.objectID) } else { [] }
  }
}
