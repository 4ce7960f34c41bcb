import FetchedResults
import GRDB

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
          try writeJoins(
            JoinStatements(table, own, other, order, connection), of: group, ordinal)
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
  /// Takes the numbers of both objects.
  let insertion: PreparedStatement
  /// Takes the numbers of both objects.
  let deletion: PreparedStatement
  /// Takes the order key and the numbers of both objects; nil if the relationship is not ordered.
  let ordering: PreparedStatement?

  init(
    _ table: String, _ own: String, _ other: String, _ order: String?,
    _ connection: StoreConnection
  ) throws {
    let (table, own, other) = (table.quotedForSQL, own.quotedForSQL, other.quotedForSQL)
    let key = "\(own) = ? AND \(other) = ?"
    insertion = try connection.statement(
      "INSERT OR IGNORE INTO \(table) (\(own), \(other)) VALUES (?, ?)")
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
