import FetchedResults
import GRDB

/// Finds the tables that only get new columns, and so need not be copied.
struct KeptTables {
  private(set) var names: Set<String> = []
  private let old: OldModel
  private let layout: StoreLayout
  private let plan: MigrationPlan
  private let tables: MigrationTables

  init(
    _ old: OldModel, _ layout: StoreLayout, _ plan: MigrationPlan, _ tables: MigrationTables
  ) throws {
    self.old = old
    self.layout = layout
    self.plan = plan
    self.tables = tables
    for table in layout.tables {
      if try isKept(table) { names.insert(table.name) }
    }
    var joins: Set<String> = []
    for join in layout.joins {
      if try isKept(join) { joins.insert(join.name) }
    }
    names.formUnion(joins)
  }

  private func isKept(_ table: EntityTable) throws -> Bool {
    guard let found = old.schema.columns[table.name],
      let source = old.layout.tables.first(where: { $0.name == table.name }),
      source.root.hasSubentities == table.root.hasSubentities
    else { return false }
    let wanted = Set(table.columns.map(\.name) + ["Z_PK", "Z_ENT", "Z_OPT"])
    guard Set(found.keys).isSubset(of: wanted) else { return false }
    let mappings = plan.mappings.filter { $0.new.root === table.root }
    guard mappings.allSatisfy({ $0.old.root === source.root }),
      mappings.count == old.layout.families[source.root]?.count,
      mappings.allSatisfy({ old.layout[$0.old]?.number == layout[$0.new]?.number })
    else { return false }
    return try mappings.allSatisfy { try isKept($0, found) }
  }

  private func isKept(_ mapping: EntityMapping, _ found: [String: String]) throws -> Bool {
    guard let before = old.layout[mapping.old], let after = layout[mapping.new] else {
      return false
    }
    for (index, column) in after.attributes.enumerated() {
      guard let column else { continue }
      switch mapping.attributes[index] {
      case .column(let place, let conversion)?:
        let type = ColumnType(mapping.new.attributes[index].type).rawValue
        guard before.attributes[place] == column, conversion.isCopy, found[column] == type else {
          return false
        }
      case .initial?, nil: if found[column] != nil { return false }
      }
    }
    for (ordinal, place) in after.relationships.enumerated() {
      guard case .toOne(let column, let entityColumn, let order)? = place else { continue }
      guard case .same(let source)? = mapping.relationships[ordinal],
        case .toOne(column, entityColumn, let oldOrder)? = before.relationships[source]
      else {
        if [column, entityColumn, order].contains(where: { $0.map { found[$0] != nil } ?? false }) {
          return false
        }
        continue
      }
      guard oldOrder == order || oldOrder == nil else { return false }
      let isSame = try areSame(
        mapping.old.link(at: source).destination, mapping.new.link(at: ordinal).destination)
      guard isSame else { return false }
    }
    return true
  }

  /// Whether all objects of an old entity are in the new entity, with the same entity numbers.
  private func areSame(_ before: EntityDescription, _ after: EntityDescription) -> Bool {
    let numbers = tables.numbers(of: before, becoming: after)
    return tables.offset(from: before, to: after) == 0
      && numbers.count == tables.kinds(of: before).count && numbers.allSatisfy { $0.old == $0.new }
  }

  private func isKept(_ join: JoinTable) throws -> Bool {
    guard old.layout.joins.contains(join), let found = old.schema.columns[join.name],
      Set(found.keys) == Set(join.columns + join.orders)
    else { return false }
    for mapping in plan.mappings {
      guard let place = layout[mapping.new] else { return false }
      for (ordinal, relationship) in place.relationships.enumerated() {
        guard case .join(join.name, let own, let other, let order)? = relationship else { continue }
        guard case .same(let source)? = mapping.relationships[ordinal],
          case .join(join.name, own, other, order)? = old.layout[mapping.old]?
            .relationships[source],
          areSame(mapping.old, mapping.new),
          // A relationship that is its own inverse may have the columns of one without an inverse.
          try (mapping.old.link(at: source).inverse == nil)
            == (mapping.new.link(at: ordinal).inverse == nil)
        else { return false }
        let isSame = try areSame(
          mapping.old.link(at: source).destination, mapping.new.link(at: ordinal).destination)
        guard isSame else { return false }
      }
    }
    return !plan.removed.contains { entity in
      old.layout[entity]?.relationships.contains {
        if case .join(join.name, _, _, _)? = $0 { true } else { false }
      } ?? false
    }
  }
}

/// What the tables of a followed file hold, to tell which objects their rows are of.
struct FollowedTables {
  /// What the rows of a tree say.
  private enum Role {
    /// Each row is an object; a column has the number of its entity.
    case objects(root: EntityDescription, entityColumn: Int)
    /// Each row joins two objects: the column that names an object, and its root entity.
    case members([(root: EntityDescription, column: Int)])
    /// The store's identity, or the numbers of entities.
    case description
    case other
  }

  /// All trees of the file.
  let trees: [RowDifference.Tree]
  private let roles: [Role]
  private let entities: [Int64: EntityDescription]

  init(_ database: Database, _ layout: StoreLayout) throws {
    var joined: [String: Set<JoinedEntity>] = [:]
    for (entity, placement) in layout.placements {
      for case .join(let table, let own, _, _)? in placement.relationships {
        joined[table, default: []].insert(JoinedEntity(root: entity.root, column: own))
      }
    }
    let roots = Dictionary(
      layout.tables.map { ($0.name, $0.root) }, uniquingKeysWith: { first, _ in first })
    // The table of tables is not among them.
    var trees = [RowDifference.Tree(name: "sqlite_master", root: 1, isCompared: false)]
    var roles = [Role.other]
    for row in try Row.fetchAll(
      database, sql: "SELECT type, name, rootpage FROM sqlite_master WHERE rootpage > 0")
    {
      guard let name = String.fromDatabaseValue(row[1]), let root = UInt32.fromDatabaseValue(row[2])
      else { throw Unfollowable.otherLayout }
      var role = Role.other
      if String.fromDatabaseValue(row[0]) == "table" {
        if let entity = roots[name] {
          let columns = try Self.columns(of: name, database)
          guard let column = columns["Z_ENT"] else { throw Unfollowable.otherLayout }
          role = .objects(root: entity, entityColumn: column)
        } else if let members = joined[name] {
          let columns = try Self.columns(of: name, database)
          role = .members(
            try members.map { member in
              guard let column = columns[member.column] else { throw Unfollowable.otherLayout }
              return (member.root, column)
            })
        } else if ["Z_METADATA", "Z_PRIMARYKEY"].contains(name) {
          role = .description
        }
      }
      var isCompared = true
      if case .other = role { isCompared = false }
      trees.append(RowDifference.Tree(name: name, root: root, isCompared: isCompared))
      roles.append(role)
    }
    self.trees = trees
    self.roles = roles
    entities = layout.entities
  }

  private struct JoinedEntity: Hashable {
    let root: EntityDescription
    let column: String
  }

  /// The place of each column in a table's rows.
  private static func columns(of table: String, _ database: Database) throws -> [String: Int] {
    var columns: [String: Int] = [:]
    for row in try Row.fetchAll(database, sql: "PRAGMA table_info(\(table.quotedForSQL))") {
      guard let name = String.fromDatabaseValue(row["name"]),
        let place = Int.fromDatabaseValue(row["cid"])
      else { continue }
      columns[name] = place
    }
    return columns
  }

  /// Which objects came, changed and went.
  struct ChangedObjects {
    var inserted: [ObjectID] = []
    var updated: [ObjectID] = []
    var deleted: [ObjectID] = []
    /// The numbers of objects that came into a many-to-many relationship, or left one.
    var joined: [EntityDescription: Set<Int64>] = [:]
    /// Whether the store's identity, or an entity's number, may be another one.
    var mayBeReplaced = false
  }

  /// Says which objects changed rows are of.
  ///
  /// - Parameter rows: The changed rows of each tree.
  /// - Throws: ``Unfollowable`` if a row became one of another entity, or of an unknown one.
  func objects(of rows: [[RowDifference.ChangedRow]]) throws(Unfollowable) -> ChangedObjects {
    var changed = ChangedObjects()
    for (role, rows) in zip(roles, rows) where !rows.isEmpty {
      switch role {
      case .other: break
      case .description: changed.mayBeReplaced = true
      case .objects(let root, let column):
        for row in rows { try add(row, of: root, column, to: &changed) }
      case .members(let members):
        for record in rows.flatMap({ [$0.before, $0.after] }).compactMap(\.self) {
          for member in members {
            guard let number = record.integer(at: member.column) else { continue }
            changed.joined[member.root, default: []].insert(number)
          }
        }
      }
    }
    return changed
  }

  private func add(
    _ row: RowDifference.ChangedRow, of root: EntityDescription, _ column: Int,
    to changed: inout ChangedObjects
  ) throws(Unfollowable) {
    let before = try row.before.map { record throws(Unfollowable) in
      try entity(of: record, root, column)
    }
    let after = try row.after.map { record throws(Unfollowable) in
      try entity(of: record, root, column)
    }
    switch (before, after) {
    case (let before?, let after?):
      guard before === after else { throw .otherLayout }
      changed.updated.append(ObjectID(entity: after, number: row.rowID))
    case (nil, let after?): changed.inserted.append(ObjectID(entity: after, number: row.rowID))
    case (let before?, nil): changed.deleted.append(ObjectID(entity: before, number: row.rowID))
    case (nil, nil): break
    }
  }

  private func entity(
    of record: TreeRecord, _ root: EntityDescription, _ column: Int
  ) throws(Unfollowable) -> EntityDescription {
    guard let number = record.integer(at: column), let entity = entities[number],
      entity.root === root
    else { throw .otherLayout }
    return entity
  }
}
