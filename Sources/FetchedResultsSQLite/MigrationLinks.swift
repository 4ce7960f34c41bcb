import FetchedResults
import GRDB

/// Which columns the relationships of a migrated file come from.
struct LinkSources {
  private let run: MigrationRun

  init(_ run: MigrationRun) { self.run = run }

  /// Whether every old entity has its own column for a to-one relationship of a new entity.
  func hasOwnColumn(_ ordinal: Int, of entity: EntityDescription) -> Bool {
    run.plan.mappings.allSatisfy { mapping in
      guard mapping.new.isKindOf(entity: entity) else { return true }
      guard case .same(let source)? = mapping.relationships[ordinal],
        case .toOne? = run.old.layout[mapping.old]?.relationships[source]
      else { return false }
      return true
    }
  }
}

/// Fills join tables, and reference columns whose values were in another place before.
struct MigrationLinks {
  let run: MigrationRun
  let allowsDataLoss: Bool

  /// - Returns: The references that were dropped because an object can refer to only one object.
  func fill() throws -> [MigrationLoss] {
    var losses: [MigrationLoss] = []
    for entity in run.layout.entities.values.sorted(by: { $0.name < $1.name }) {
      let inherited = entity.superentity?.relationships.count ?? 0
      for ordinal in entity.relationships.indices where ordinal >= inherited {
        guard let place = run.layout[entity]?.relationships[ordinal] else { continue }
        switch place {
        case .fromOther: break
        case .join(let table, let own, let other, let order):
          guard !run.kept.contains(table) else { continue }
          try fillJoin(table, own, other, order, entity, ordinal)
        case .toOne(let column, let entityColumn, let order):
          if let loss = try fillReference(column, entityColumn, order, entity, ordinal) {
            losses.append(loss)
          }
        }
      }
    }
    try orderReferences()
    return losses
  }

  /// Calls `body` for each old entity that has pairs of a new relationship, with a statement that
  /// selects their new numbers and order keys.
  private func forEachSelect(
    _ entity: EntityDescription, _ ordinal: Int, _ body: (_ select: String) throws -> Void
  ) throws {
    let target = try entity.link(at: ordinal).destination
    for mapping in run.plan.mappings where mapping.new.isKindOf(entity: entity) {
      guard let source = mapping.relationships[ordinal],
        let pairs = try MigrationPairs(source, of: mapping.old, run.old.layout),
        let here = run.tables.offset(from: mapping.old, to: mapping.new),
        let there = run.tables.offset(from: pairs.destination, to: target),
        let own = run.old.layout[mapping.old], let other = run.old.layout[pairs.destination]
      else { continue }
      let kinds = run.tables.numbers(of: pairs.destination, becoming: target).map(\.old)
      try body(
        "SELECT \("p.a".adding(here)) a, \("p.b".adding(there)) b, p.ka ka, p.kb kb "
          + "FROM (\(pairs.select)) p "
          + "JOIN \(own.table.quotedForSQL) o ON o.Z_PK = p.a AND o.Z_ENT = \(own.number) "
          + "JOIN \(other.table.quotedForSQL) d ON d.Z_PK = p.b "
          + "AND d.Z_ENT IN (\(kinds.listForSQL))")
    }
  }

  private func fillJoin(
    _ table: String, _ own: String, _ other: String, _ order: String?,
    _ entity: EntityDescription, _ ordinal: Int
  ) throws {
    guard let join = run.layout.joins.first(where: { $0.name == table }) else { return }
    let link = try entity.link(at: ordinal)
    // Both sides have the same pairs, so only the side of the first column fills the table.
    guard link.inverse == nil || join.columns.first == own else { return }
    var back: String?
    if let inverse = link.inverse,
      case .join(_, other, _, let key)? = run.layout[link.destination]?
        .relationships[inverse.ordinal]
    {
      back = key
    }
    let keys = [order.map { ($0, "ka") }, back.map { ($0, "kb") }].compactMap(\.self)
    let columns = ([own, other] + keys.map(\.0)).map(\.quotedForSQL)
    try forEachSelect(entity, ordinal) { select in
      try run.execute(
        "INSERT OR IGNORE INTO \(run.place(table)) (\(columns.joined(separator: ", "))) "
          + "SELECT \((["a", "b"] + keys.map(\.1)).joined(separator: ", ")) FROM (\(select))")
    }
    let hasKeys = try hasKeys(entity, ordinal)
    if let order, !hasKeys.own { try number(order, in: table, of: own, by: other) }
    if let back, !hasKeys.other { try number(back, in: table, of: other, by: own) }
  }

  /// Whether the old file has order keys for some pairs of a new relationship.
  private func hasKeys(
    _ entity: EntityDescription, _ ordinal: Int
  ) throws -> (own: Bool, other: Bool) {
    var found = (own: false, other: false)
    for mapping in run.plan.mappings where mapping.new.isKindOf(entity: entity) {
      guard let source = mapping.relationships[ordinal],
        let pairs = try MigrationPairs(source, of: mapping.old, run.old.layout)
      else { continue }
      found = (found.own || pairs.hasKeys.own, found.other || pairs.hasKeys.other)
    }
    return found
  }

  /// Gives order keys to the members of a relationship that is newly ordered.
  private func number(
    _ order: String, in table: String, of owner: String, by member: String, key: String = "rowid"
  ) throws {
    let place = run.place(table)
    let (order, owner) = (order.quotedForSQL, owner.quotedForSQL)
    // Objects that have a key keep it. The others follow after them.
    try run.execute(
      "UPDATE \(place) SET \(order) = s.k FROM (SELECT \(key) r, "
        + "ifnull(max(\(order)) OVER (PARTITION BY \(owner)), 1024) + 1024 * "
        + "row_number() OVER (PARTITION BY \(owner), \(order) IS NULL ORDER BY \(member.quotedForSQL)) k "
        + "FROM \(place) WHERE \(owner) IS NOT NULL) s "
        + "WHERE s.r = \(place).\(key) AND \(place).\(order) IS NULL")
  }

  private func orderReferences() throws {
    for table in run.layout.tables {
      for entity in run.layout.families[table.root] ?? [] {
        let inherited = entity.superentity?.relationships.count ?? 0
        for (ordinal, place) in (run.layout[entity]?.relationships ?? []).enumerated()
        where ordinal >= inherited {
          guard case .toOne(let column, _, let order?)? = place,
            try !hasKeys(entity, ordinal).other
          else { continue }
          try number(order, in: table.name, of: column, by: "Z_PK", key: "Z_PK")
        }
      }
    }
  }
}

// MARK: - Columns of references

extension MigrationLinks {
  /// Fills a reference column from pairs that were stored in another place.
  private func fillReference(
    _ column: String, _ entityColumn: String?, _ order: String?,
    _ entity: EntityDescription, _ ordinal: Int
  ) throws -> MigrationLoss? {
    let link = try entity.link(at: ordinal)
    let sources = LinkSources(run)
    let isOneToOne = link.inverse.map { !$0.isToMany } ?? false
    let hasColumns =
      sources.hasOwnColumn(ordinal, of: entity)
      && (!isOneToOne
        || sources.hasOwnColumn(link.inverse?.ordinal ?? 0, of: link.destination))
    let isNew = run.plan.mappings.allSatisfy {
      !$0.new.isKindOf(entity: entity) || $0.relationships[ordinal] == nil
    }
    guard !hasColumns, !isNew else { return nil }
    let name = link.inverse.map { link.destination.relationships[$0.ordinal].name }
    // Both columns are filled from the same pairs, so one pass is enough.
    if isOneToOne, let name,
      (link.destination.name, name) < (entity.name, entity.relationships[ordinal].name)
    {
      return nil
    }
    try run.execute("DROP TABLE IF EXISTS temp.frc_pairs")
    try run.execute(
      "CREATE TEMP TABLE frc_pairs (a INTEGER PRIMARY KEY, b INTEGER\(isOneToOne ? " UNIQUE" : ""),"
        + " k INTEGER)")
    var pairs = 0
    try forEachSelect(entity, ordinal) { select in
      pairs += try run.count("SELECT count(*) FROM (SELECT DISTINCT a, b FROM (\(select)))")
      try run.execute(
        "INSERT OR IGNORE INTO temp.frc_pairs SELECT a, b, kb FROM (\(select)) ORDER BY a, ka, b")
    }
    let lost = pairs - (try run.count("SELECT count(*) FROM temp.frc_pairs"))
    let loss = MigrationLoss(
      entity: entity.name, property: entity.relationships[ordinal].name, objects: lost)
    if lost > 0, !allowsDataLoss { throw MigrationError.dataLoss([loss]) }
    try write(column, entityColumn, order, entity, link.destination, from: ("a", "b"))
    if isOneToOne, let inverse = link.inverse,
      case .toOne(let column, let entityColumn, _)? = run.layout[link.destination]?
        .relationships[inverse.ordinal]
    {
      try write(column, entityColumn, nil, link.destination, entity, from: ("b", "a"))
    }
    try run.execute("DROP TABLE temp.frc_pairs")
    return lost > 0 ? loss : nil
  }

  private func write(
    _ column: String, _ entityColumn: String?, _ order: String?, _ entity: EntityDescription,
    _ destination: EntityDescription, from names: (own: String, other: String)
  ) throws {
    guard let table = run.layout[entity]?.table, let other = run.layout[destination]?.table else {
      return
    }
    var assignments = ["\(column.quotedForSQL) = p.\(names.other)"]
    if let entityColumn {
      assignments.append(
        "\(entityColumn.quotedForSQL) = "
          + "(SELECT d.Z_ENT FROM \(run.place(other)) d WHERE d.Z_PK = p.\(names.other))")
    }
    if let order { assignments.append("\(order.quotedForSQL) = p.k") }
    try run.execute(
      "UPDATE \(run.place(table)) SET \(assignments.joined(separator: ", ")) "
        + "FROM temp.frc_pairs p WHERE p.\(names.own) = \(run.place(table)).Z_PK")
  }
}
