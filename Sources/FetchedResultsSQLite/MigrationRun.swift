import Basics
import FetchedResults
import Foundation
import GRDB

/// Migrates a file, inside a transaction that the caller begins and ends.
///
/// New tables are created beside the old ones and SQLite fills them, so no table is loaded into
/// memory. A table that only gets new columns is kept.
struct MigrationRun {
  let database: Database
  let old: OldModel
  let model: ManagedObjectModel
  let layout: StoreLayout
  let plan: MigrationPlan
  let tables: MigrationTables
  let external: ExternalData
  /// The tables that are kept, with columns added.
  let kept: Set<String>

  init(
    _ database: Database, _ old: OldModel, _ model: ManagedObjectModel, _ external: ExternalData
  ) throws {
    self.database = database
    self.old = old
    self.model = model
    self.external = external
    layout = try StoreLayout(model)
    plan = try MigrationPlanner.plan(from: old.model, to: model, isExact: old.isExact)
    tables = try MigrationTables(old.layout, layout, plan, database)
    kept = try KeptTables(old, layout, plan, tables).names
  }

  /// Migrates the file.
  ///
  /// - Parameters:
  ///   - allowsDataLoss: Whether data may be dropped that has no place in the new model.
  ///   - steps: The app's steps for the objects of an entity, by the entity's new name.
  ///   - queue: The connection that steps read from.
  /// - Throws: `MigrationError`, `DatabaseError` or `UnreadableRow`; the caller rolls back.
  func perform(
    allowsDataLoss: Bool, steps: [String: MigrationStep], on queue: DatabaseQueue
  ) throws -> MigrationReport {
    try old.checkRows(database)
    try checkConversions(steps)
    let dangling = try removeDanglingReferences()
    let losses = try MigrationLosses(self, steps: Set(steps.keys))
    var links = MigrationLinks(run: self)
    let lost = losses.found + (try links.collect())
    if !allowsDataLoss, !lost.isEmpty { throw MigrationError.dataLoss(lost) }
    try losses.noteFiles()
    for trigger in try names(ofType: "trigger") {
      try execute("DROP TRIGGER \(trigger.quotedForSQL)")
    }
    let creation = StoreCreation(layout: layout, model: model, identifier: UUID())
    let wanted = Set(layout.tables.map(\.name) + layout.joins.map(\.name)).subtracting(kept)
    for statement in creation.tables(wanted, name: MigrationTables.temporaryName) {
      try execute(statement)
    }
    try MigrationRows(run: self).copy()
    try links.fill()
    try MigratedHistory(run: self).rewrite()
    if !steps.isEmpty { try MigrationSteps(run: self, steps: steps).perform(on: queue) }
    try checkValues()
    try replaceTables(wanted)
    try makeIndexes(creation)
    try writeEntities()
    try writeMetadata()
    return MigrationReport(changes: plan.changes, dropped: lost, dangling: dangling)
  }

  func execute(_ sql: String, _ values: [DatabaseValue] = []) throws {
    try database.execute(sql: sql, arguments: StatementArguments(values))
  }

  func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }

  /// Returns the temporary name of a new table, used until the old tables are dropped.
  func place(_ table: String) -> String {
    (kept.contains(table) ? table : MigrationTables.temporaryName(table)).quotedForSQL
  }

  private func names(ofType type: String) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_master WHERE type = ? AND sql IS NOT NULL",
      arguments: [type])
  }
}

// MARK: - Checks

extension MigrationRun {
  /// Looks for values that do not fit their new type.
  private func checkConversions(_ steps: [String: MigrationStep]) throws {
    for problem in plan.unconvertible {
      let mapping = plan.mappings[problem.mapping]
      if steps[mapping.new.name] == nil, try rows(of: mapping.old) > 0 { throw problem.error }
    }
    for mapping in plan.mappings {
      guard let place = old.layout[mapping.old] else { continue }
      for (attribute, source) in zip(mapping.new.attributes, mapping.attributes) {
        guard case .column(let index, let conversion)? = source,
          let column = place.attributes[index]?.quotedForSQL,
          let misfit = conversion.misfit(column), steps[mapping.new.name] == nil
        else { continue }
        let objects = try count(
          "SELECT count(*) FROM \(place.table.quotedForSQL) "
            + "WHERE Z_ENT = \(place.number) AND \(column) IS NOT NULL AND \(misfit)")
        guard objects == 0 else {
          throw MigrationError.unfitValues(
            entity: mapping.new.name, attribute: attribute.name, type: attribute.type,
            objects: objects)
        }
      }
    }
  }

  /// Returns how many objects belong to exactly this old entity.
  func rows(of entity: EntityDescription) throws -> Int {
    guard let place = old.layout[entity] else { return 0 }
    return try count(
      "SELECT count(*) FROM \(place.table.quotedForSQL) WHERE Z_ENT = \(place.number)")
  }

  /// Looks for objects that lack a required value.
  private func checkValues() throws {
    for mapping in plan.mappings {
      guard let place = layout[mapping.new] else { continue }
      var columns: [(name: String, column: String)] = []
      for (index, attribute) in mapping.new.attributes.enumerated() {
        guard !attribute.isOptional, attribute.expression == nil,
          let column = place.attributes[index]
        else { continue }
        if case .column(let before, _)? = mapping.attributes[index],
          old.isAlwaysSet(isOptional: mapping.old.attributes[before].isOptional)
        {
          continue
        }
        columns.append((attribute.name, column))
      }
      for (ordinal, relationship) in mapping.new.relationships.enumerated() {
        guard !relationship.isOptional,
          case .toOne(let column, _, _)? = place.relationships[ordinal]
        else { continue }
        if case .same(let before)? = mapping.relationships[ordinal],
          old.isAlwaysSet(isOptional: mapping.old.relationships[before].isOptional)
        {
          continue
        }
        columns.append((relationship.name, column))
      }
      for (name, column) in columns {
        let objects = try count(
          "SELECT count(*) FROM \(self.place(place.table)) "
            + "WHERE Z_ENT = \(place.number) AND \(column.quotedForSQL) IS NULL")
        guard objects == 0 else {
          throw MigrationError.missingValue(
            entity: mapping.new.name, property: name, objects: objects)
        }
      }
    }
  }
}

// MARK: - Dangling references

extension MigrationRun {
  /// Removes references to objects that do not exist from the old tables, so that every step after
  /// it finds whole pairs.
  ///
  /// - Complexity: O(*r* log *n*) in the references and the objects.
  private func removeDanglingReferences() throws -> [DanglingReferences] {
    var found: [DanglingReferences] = []
    for entity in old.layout.entities.ordered(by: { $0.key < $1.key }).map(\.value) {
      let inherited = entity.superentity?.relationships.count ?? 0
      for (ordinal, place) in (old.layout[entity]?.relationships ?? []).enumerated()
      where ordinal >= inherited {
        let count = try removeDanglingReferences(place, ordinal, of: entity)
        guard count > 0 else { continue }
        found.append(
          DanglingReferences(
            entity: entity.name, property: entity.relationships[ordinal].name, count: count))
      }
    }
    return found
  }

  private func removeDanglingReferences(
    _ place: RelationshipPlacement?, _ ordinal: Int, of entity: EntityDescription
  ) throws -> Int {
    let link = try entity.link(at: ordinal)
    guard let own = old.layout[entity]?.table, let other = old.layout[link.destination]?.table
    else { return 0 }
    func isMissing(
      _ column: String, of table: String, in objects: String, _ kind: EntityDescription
    ) -> String {
      // An object of another entity counts as missing, if it is certain which one is meant.
      let kinds = tables.kinds(of: kind)
      let isAny = !old.isExact || kinds.count == old.layout.families[kind.root]?.count
      // The column's table is named, because the objects' table may be the same.
      return "NOT EXISTS (SELECT 1 FROM \(objects.quotedForSQL) d "
        + "WHERE d.Z_PK = \(table.quotedForSQL).\(column.quotedForSQL)"
        + (isAny ? ")" : " AND d.Z_ENT IN (\(kinds.listForSQL)))")
    }
    switch place {
    case .toOne(let column, let entityColumn, let order)?:
      let columns = [column, entityColumn, order].compactMap(\.self)
      try execute(
        "UPDATE \(own.quotedForSQL) SET "
          + columns.map { "\($0.quotedForSQL) = NULL" }.joined(separator: ", ")
          + " WHERE \(column.quotedForSQL) IS NOT NULL AND "
          + isMissing(column, of: own, in: other, link.destination))
    case .join(let table, let ownColumn, let otherColumn, _)?:
      // The side of the first column removes what either side misses.
      let isFirst = old.layout.joins.first { $0.name == table }?.columns.first == ownColumn
      guard isFirst || link.inverse == nil else { return 0 }
      try execute(
        "DELETE FROM \(table.quotedForSQL) "
          + "WHERE \(isMissing(ownColumn, of: table, in: own, entity)) "
          + "OR \(isMissing(otherColumn, of: table, in: other, link.destination))")
    case .fromOther?, nil: return 0
    }
    return database.changesCount
  }
}

// MARK: - The end

extension MigrationRun {
  private func replaceTables(_ made: Set<String>) throws {
    for table in old.layout.tables.map(\.name) + old.layout.joins.map(\.name)
    where !kept.contains(table) {
      try execute("DROP TABLE \(table.quotedForSQL)")
    }
    for table in made.sorted() {
      try execute(
        "ALTER TABLE \(MigrationTables.temporaryName(table).quotedForSQL) "
          + "RENAME TO \(table.quotedForSQL)")
    }
  }

  private func makeIndexes(_ creation: StoreCreation) throws {
    let wanted = Dictionary(
      creation.indexes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let keys = Dictionary(
      try FoundIndex.all(in: database).filter { !$0.isUnique }.map { ($0.name, $0.keys) },
      uniquingKeysWith: { first, _ in first })
    var found = Set(try names(ofType: "index"))
    let rows = try Row.fetchAll(
      database, sql: "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index'")
    for row in rows {
      guard let name = row.text(0), let table = row.text(1), kept.contains(table),
        found.contains(name)
      else { continue }
      if let index = wanted[name], index.unique == nil,
        index.keys.isEmpty || index.keys == keys[name]
      {
        continue
      }
      try execute("DROP INDEX \(name.quotedForSQL)")
      found.remove(name)
    }
    for index in creation.indexes where !found.contains(index.name) {
      try index.create(in: database)
    }
  }

  private func writeEntities() throws {
    try execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(OldModel.firstForeignNumber)")
    for (number, entity) in layout.entities.ordered(by: { $0.key < $1.key }) {
      let parent = entity.superentity.flatMap { layout[$0]?.number } ?? 0
      // The numbers of a table are counted at its root entity.
      let last = entity.superentity == nil ? tables.lastNumbers[entity] ?? 0 : 0
      try execute(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
        [
          number.databaseValue, entity.name.databaseValue, parent.databaseValue,
          last.databaseValue,
        ])
    }
  }

  private func writeMetadata() throws {
    let found = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA")
    var metadata = try found.flatMap(StoreMetadata.init) ?? StoreMetadata(for: model)
    try metadata.setModel(model)
    try execute("UPDATE Z_METADATA SET Z_PLIST = ?", [try metadata.data.databaseValue])
    if old.schema.columns["Z_MODELCACHE"] != nil { try execute("DELETE FROM Z_MODELCACHE") }
  }
}

/// Assigns rows of old tables to new tables.
///
/// Several old tables may become one, for example if entities get a common parent. The rows of the
/// first keep their numbers. The numbers of the others are moved past them.
struct MigrationTables {
  let old: StoreLayout
  let new: StoreLayout
  let plan: MigrationPlan
  /// What is added to the numbers of an old root's rows, by old and new root.
  private var offsets: [Route: Int64] = [:]
  /// The last number used in each new root's table.
  private(set) var lastNumbers: [EntityDescription: Int64] = [:]

  private struct Route: Hashable {
    let old: EntityDescription
    let new: EntityDescription
  }

  /// The name of a new table until the old tables are dropped.
  static func temporaryName(_ table: String) -> String { "frc_new_\(table)" }

  init(_ old: StoreLayout, _ new: StoreLayout, _ plan: MigrationPlan, _ database: Database) throws {
    self.old = old
    self.new = new
    self.plan = plan
    for table in new.tables {
      var sources: [EntityDescription] = []
      for mapping in plan.mappings where mapping.new.root === table.root {
        if !sources.contains(mapping.old.root) { sources.append(mapping.old.root) }
      }
      // The old table with the same name keeps its numbers.
      sources = sources.ordered { left, right in
        func rank(_ root: EntityDescription) -> (Int, Int64) {
          (old[root]?.table == table.name ? 0 : 1, old[root]?.number ?? 0)
        }
        return rank(left) < rank(right)
      }
      var last: Int64 = 0
      for source in sources {
        offsets[Route(old: source, new: table.root)] = last
        last += try Self.lastNumber(of: source, old, database)
      }
      lastNumbers[table.root] = last
    }
  }

  private static func lastNumber(
    of root: EntityDescription, _ layout: StoreLayout, _ database: Database
  ) throws -> Int64 {
    guard let placement = layout[root] else { return 0 }
    let last =
      try Int64.fetchOne(
        database,
        sql: "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
          + "ifnull((SELECT max(Z_PK) FROM \(placement.table.quotedForSQL)), 0))",
        arguments: [placement.number]) ?? 0
    guard 0...SQLiteStore.lastNumber / 16 ~= last else {
      throw UnreadableRow(
        table: "Z_PRIMARYKEY", number: placement.number, column: "Z_MAX", problem: .outOfRange)
    }
    return last
  }

  /// Returns what is added to the numbers of an old root's rows in a new root's table; nil if none
  /// of them go there.
  func offset(from old: EntityDescription, to new: EntityDescription) -> Int64? {
    offsets[Route(old: old.root, new: new.root)]
  }

  /// Returns the numbers of the old entities whose objects become objects of a new entity or its
  /// sub-entities, each with the new entity's number.
  func numbers(
    of old: EntityDescription, becoming new: EntityDescription
  ) -> [(old: Int64, new: Int64)] {
    plan.mappings.compactMap { mapping in
      guard mapping.old.isKindOf(entity: old), mapping.new.isKindOf(entity: new),
        let before = self.old[mapping.old]?.number, let after = self.new[mapping.new]?.number
      else { return nil }
      return (before, after)
    }
  }

  /// Returns the numbers of an old entity and its sub-entities.
  func kinds(of entity: EntityDescription) -> [Int64] {
    old.entities.filter { $0.value.isKindOf(entity: entity) }.keys.sorted()
  }
}

extension Sequence<Int64> {
  /// The numbers as an SQL list.
  var listForSQL: String { map(String.init).joined(separator: ", ") }
}

extension String {
  /// Returns an SQL expression that adds an offset to this one.
  func adding(_ offset: Int64) -> String { offset == 0 ? self : "\(self) + \(offset)" }
}
