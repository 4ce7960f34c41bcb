import Basics
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
  private var collected: [CollectedPairs] = []

  init(run: MigrationRun) { self.run = run }

  /// The pairs of a new reference column, in a temporary table.
  private struct CollectedPairs {
    let entity: EntityDescription
    let ordinal: Int
    let table: String
  }

  /// Collects the pairs of reference columns whose values were in another place before.
  ///
  /// This only reads the old tables.
  ///
  /// - Returns: The references that will be dropped, because an object can refer to only one object.
  mutating func collect() throws -> [MigrationLoss] {
    var losses: [MigrationLoss] = []
    for (entity, ordinal, place) in places {
      guard case .toOne = place, try isCollected(entity, ordinal) else { continue }
      let table = "temp.frc_pairs_\(collected.count)"
      collected.append(CollectedPairs(entity: entity, ordinal: ordinal, table: table))
      let lost = try collect(entity, ordinal, into: table)
      guard lost > 0 else { continue }
      losses.append(
        MigrationLoss(
          entity: entity.name, property: entity.relationships[ordinal].name, objects: lost))
    }
    return losses
  }

  /// Fills the new tables.
  func fill() throws {
    for (entity, ordinal, place) in places {
      switch place {
      case .fromOther: break
      case .join(let table, let own, let other, let order):
        guard !run.kept.contains(table) else { continue }
        try fillJoin(table, own, other, order, entity, ordinal)
      case .toOne(let column, let entityColumn, let order):
        let pairs = collected.first { $0.entity === entity && $0.ordinal == ordinal }
        guard let pairs else { continue }
        try fillReference(column, entityColumn, order, pairs)
      }
    }
    try orderReferences()
  }

  /// The places of the relationships that each new entity declares.
  private var places: [(entity: EntityDescription, ordinal: Int, place: RelationshipPlacement)] {
    run.layout.entities.values.ordered { $0.name < $1.name }.flatMap { entity in
      let inherited = entity.superentity?.relationships.count ?? 0
      return (run.layout[entity]?.relationships ?? []).enumerated().compactMap { ordinal, place in
        ordinal < inherited ? nil : place.map { (entity, ordinal, $0) }
      }
    }
  }

  /// Calls `body` for each old entity that has pairs of a new relationship, with a statement that
  /// selects their new numbers and order keys.
  private func forEachSelect(
    _ entity: EntityDescription, _ ordinal: Int, _ body: (_ select: String) throws -> Void
  ) throws {
    try forEachOwnSelect(entity, ordinal, body)
    let link = try entity.link(at: ordinal)
    guard let inverse = link.inverse, try run.plan.isSeparate(ordinal, of: entity) else {
      return
    }
    try forEachOwnSelect(link.destination, inverse.ordinal) { select in
      try body("SELECT b a, a b, kb ka, ka kb FROM (\(select))")
    }
  }

  private func forEachOwnSelect(
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
    // Both sides may have the same pair, each with its own key.
    let updates = keys.map(\.0.quotedForSQL).map { "\($0) = ifnull(\($0), excluded.\($0))" }
    let onConflict =
      updates.isEmpty ? "DO NOTHING" : "DO UPDATE SET \(updates.joined(separator: ", "))"
    try forEachSelect(entity, ordinal) { select in
      try run.execute(
        "INSERT INTO \(run.place(table)) (\(columns.joined(separator: ", "))) "
          + "SELECT \((["a", "b"] + keys.map(\.1)).joined(separator: ", ")) FROM (\(select)) "
          + "WHERE true ON CONFLICT (\(columns[0]), \(columns[1])) \(onConflict)")
    }
    if link.isOwnInverse(ordinal, of: entity) {
      try run.execute(
        "INSERT OR IGNORE INTO \(run.place(table)) (\(columns[0]), \(columns[1])) "
          + "SELECT \(columns[1]), \(columns[0]) FROM \(run.place(table))")
    }
    let hasKeys = try hasKeys(entity, ordinal)
    if let order, !hasKeys.own { try number(order, in: table, of: own, by: other) }
    if let back, !hasKeys.other { try number(back, in: table, of: other, by: own) }
  }

  /// Whether the old file has order keys for the pairs of a new relationship.
  private func hasKeys(
    _ entity: EntityDescription, _ ordinal: Int
  ) throws -> (own: Bool, other: Bool) {
    var found = (own: false, other: false)
    // The pairs of the other side have none.
    if try run.plan.isSeparate(ordinal, of: entity) { return found }
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
  /// Whether a reference column must be filled from pairs that were stored in another place.
  private func isCollected(_ entity: EntityDescription, _ ordinal: Int) throws -> Bool {
    let link = try entity.link(at: ordinal)
    let sources = LinkSources(run)
    let isOneToOne = link.inverse.map { !$0.isToMany } ?? false
    let hasColumns =
      try !run.plan.isSeparate(ordinal, of: entity) && sources.hasOwnColumn(ordinal, of: entity)
      && (!isOneToOne
        || sources.hasOwnColumn(link.inverse?.ordinal ?? 0, of: link.destination))
    let isNew = run.plan.mappings.allSatisfy {
      !$0.new.isKindOf(entity: entity) || $0.relationships[ordinal] == nil
    }
    guard !hasColumns, !isNew else { return false }
    // Both columns of a one-to-one relationship are filled from the same pairs, so one pass is
    // enough.
    guard isOneToOne, let inverse = link.inverse else { return true }
    let name = link.destination.relationships[inverse.ordinal].name
    return (link.destination.name, name) >= (entity.name, entity.relationships[ordinal].name)
  }

  /// - Returns: How many pairs do not fit, because an object can refer to only one object.
  private func collect(
    _ entity: EntityDescription, _ ordinal: Int, into table: String
  ) throws -> Int {
    let link = try entity.link(at: ordinal)
    let isOneToOne = link.inverse.map { !$0.isToMany } ?? false
    let isOwnInverse = link.isOwnInverse(ordinal, of: entity)
    let (found, trigger) = ("temp.frc_found", "temp.frc_one_pair")
    try run.execute("DROP TABLE IF EXISTS \(found)")
    try run.execute("CREATE TABLE \(found) (a INTEGER, b INTEGER, ka INTEGER, kb INTEGER)")
    try forEachSelect(entity, ordinal) { select in
      try run.execute("INSERT INTO \(found) SELECT a, b, ka, kb FROM (\(select))")
    }
    try run.execute("DROP TABLE IF EXISTS \(table)")
    try run.execute(
      "CREATE TABLE \(table) (a INTEGER PRIMARY KEY, b INTEGER\(isOneToOne ? " UNIQUE" : ""),"
        + " k INTEGER)")
    if isOwnInverse {
      // Both objects of a pair are in the same column, so none may be in two pairs on either side.
      try run.execute(
        "CREATE TRIGGER \(trigger) BEFORE INSERT ON \(table) "
          + "WHEN EXISTS (SELECT 1 FROM \(table) WHERE a = NEW.b OR b = NEW.a) "
          + "BEGIN SELECT RAISE(IGNORE); END")
    }
    try run.execute(
      "INSERT OR IGNORE INTO \(table) "
        + "SELECT a, b, max(kb) FROM \(found) GROUP BY a, b ORDER BY a, max(ka), b")
    let pair = isOwnInverse ? "min(a, b), max(a, b)" : "a, b"
    let lost =
      try run.count("SELECT count(*) FROM (SELECT DISTINCT \(pair) FROM \(found))")
      - run.count("SELECT count(*) FROM \(table)")
    if isOwnInverse {
      try run.execute("DROP TRIGGER \(trigger)")
      try run.execute("INSERT OR IGNORE INTO \(table) SELECT b, a, k FROM \(table)")
    }
    try run.execute("DROP TABLE \(found)")
    return lost
  }

  private func fillReference(
    _ column: String, _ entityColumn: String?, _ order: String?, _ pairs: CollectedPairs
  ) throws {
    let link = try pairs.entity.link(at: pairs.ordinal)
    try write(
      column, entityColumn, order, pairs.entity, link.destination, from: pairs.table, ("a", "b"))
    if let inverse = link.inverse, !inverse.isToMany,
      !link.isOwnInverse(pairs.ordinal, of: pairs.entity),
      case .toOne(let column, let entityColumn, _)? = run.layout[link.destination]?
        .relationships[inverse.ordinal]
    {
      try write(
        column, entityColumn, nil, link.destination, pairs.entity, from: pairs.table, ("b", "a"))
    }
    try run.execute("DROP TABLE \(pairs.table)")
  }

  private func write(
    _ column: String, _ entityColumn: String?, _ order: String?, _ entity: EntityDescription,
    _ destination: EntityDescription, from pairs: String, _ names: (own: String, other: String)
  ) throws {
    guard let table = run.layout[entity]?.table, let other = run.layout[destination]?.table else {
      return
    }
    // A kept table still has the references that are dropped.
    let columns = [column, entityColumn, order].compactMap { $0?.quotedForSQL }
    try run.execute(
      "UPDATE \(run.place(table)) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")) "
        + "WHERE \(column.quotedForSQL) IS NOT NULL "
        + "AND Z_PK NOT IN (SELECT \(names.own) FROM \(pairs) WHERE \(names.own) IS NOT NULL)")
    var assignments = ["\(column.quotedForSQL) = p.\(names.other)"]
    if let entityColumn {
      assignments.append(
        "\(entityColumn.quotedForSQL) = "
          + "(SELECT d.Z_ENT FROM \(run.place(other)) d WHERE d.Z_PK = p.\(names.other))")
    }
    if let order { assignments.append("\(order.quotedForSQL) = p.k") }
    try run.execute(
      "UPDATE \(run.place(table)) SET \(assignments.joined(separator: ", ")) "
        + "FROM \(pairs) p WHERE p.\(names.own) = \(run.place(table)).Z_PK")
  }
}

extension RelationshipLink {
  /// Whether this is the link of a relationship that is its own inverse.
  fileprivate func isOwnInverse(_ ordinal: Int, of entity: EntityDescription) -> Bool {
    inverse?.ordinal == ordinal && destination === entity
  }
}

/// Copies rows from old tables to new ones, one statement for each entity.
struct MigrationRows {
  let run: MigrationRun

  func copy() throws {
    for table in run.layout.tables where run.kept.contains(table.name) {
      let found = run.old.schema.columns[table.name] ?? [:]
      for column in table.columns where found[column.name] == nil {
        try run.execute(
          "ALTER TABLE \(table.name.quotedForSQL) "
            + "ADD COLUMN \(column.name.quotedForSQL) \(column.type.rawValue)")
      }
    }
    for mapping in run.plan.mappings {
      guard let place = run.layout[mapping.new], let source = run.old.layout[mapping.old] else {
        continue
      }
      if run.kept.contains(place.table) {
        try fill(mapping, place)
      } else {
        try copy(mapping, source, place)
      }
    }
  }

  /// Sets defaults in columns that were added to a kept table, and in columns that now require a
  /// value.
  private func fill(_ mapping: EntityMapping, _ place: EntityPlacement) throws {
    var assignments: [String] = []
    var conditions: [String] = []
    var values: [DatabaseValue] = []
    for (index, attribute) in mapping.new.attributes.enumerated() {
      guard let column = place.attributes[index]?.quotedForSQL,
        let value = initialValue(of: attribute, mapping.attributes[index], mapping)
      else { continue }
      assignments.append("\(column) = ifnull(\(column), ?)")
      conditions.append("\(column) IS NULL")
      values.append(value)
    }
    guard !assignments.isEmpty else { return }
    try run.execute(
      "UPDATE \(place.table.quotedForSQL) SET \(assignments.joined(separator: ", ")) "
        + "WHERE Z_ENT = \(place.number) AND (\(conditions.joined(separator: " OR ")))", values)
  }

  /// Returns the default of an attribute if objects without a value receive it; otherwise nil.
  private func initialValue(
    of attribute: AttributeDescription, _ source: AttributeSource?, _ mapping: EntityMapping
  ) -> DatabaseValue? {
    guard attribute.expression == nil, !attribute.defaultValue.isNull else { return nil }
    switch source {
    case .initial?: break
    case .column(let index, _)?:
      let isSet = run.old.isAlwaysSet(isOptional: mapping.old.attributes[index].isOptional)
      if attribute.isOptional || isSet { return nil }
    case nil: return nil
    }
    if attribute.allowsExternalBinaryDataStorage, case .data(let data) = attribute.defaultValue {
      return ExternalData.stored(data).databaseValue
    }
    return attribute.type.stored(attribute.defaultValue)
  }

  private func copy(
    _ mapping: EntityMapping, _ source: EntityPlacement, _ place: EntityPlacement
  ) throws {
    let offset = run.tables.offset(from: mapping.old, to: mapping.new) ?? 0
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    var expressions = ["t0.Z_PK".adding(offset), String(place.number), "t0.Z_OPT"]
    var values: [DatabaseValue] = []
    for (index, attribute) in mapping.new.attributes.enumerated() {
      guard let column = place.attributes[index] else { continue }
      var expression: String?
      if case .column(let before, let conversion)? = mapping.attributes[index],
        let name = source.attributes[before]
      {
        expression = conversion.expression("t0.\(name.quotedForSQL)")
      }
      if let value = initialValue(of: attribute, mapping.attributes[index], mapping) {
        expression = expression.map { "ifnull(\($0), ?)" } ?? "?"
        values.append(value)
      }
      guard let expression else { continue }
      columns.append(column.quotedForSQL)
      expressions.append(expression)
    }
    for (ordinal, relationship) in place.relationships.enumerated() {
      guard case .toOne(let column, let entityColumn, let order)? = relationship,
        let reference = try ReferenceCopy(mapping, ordinal, run)
      else { continue }
      columns.append(column.quotedForSQL)
      expressions.append(reference.number)
      if let entityColumn {
        columns.append(entityColumn.quotedForSQL)
        expressions.append(reference.entity)
      }
      if let order, let key = reference.order {
        columns.append(order.quotedForSQL)
        expressions.append(key)
      }
    }
    try run.execute(
      "INSERT INTO \(run.place(place.table)) (\(columns.joined(separator: ", "))) "
        + "SELECT \(expressions.joined(separator: ", ")) FROM \(source.table.quotedForSQL) t0 "
        + "WHERE t0.Z_ENT = \(source.number)", values)
  }
}

/// The SQL expressions that convert an old reference column to a new one.
struct ReferenceCopy {
  let number: String
  let entity: String
  let order: String?

  /// - Returns: Nil if the old relationship is not in such a column. Also nil if both sides of the
  ///   new relationship have a column, and only one of the old did.
  init?(_ mapping: EntityMapping, _ ordinal: Int, _ run: MigrationRun) throws {
    guard case .same(let source)? = mapping.relationships[ordinal],
      case .toOne(let column, _, let order)? = run.old.layout[mapping.old]?.relationships[source]
    else { return nil }
    let link = try mapping.new.link(at: ordinal)
    if let inverse = link.inverse, !inverse.isToMany,
      !LinkSources(run).hasOwnColumn(inverse.ordinal, of: link.destination)
    {
      return nil
    }
    let before = try mapping.old.link(at: source).destination
    let name = "t0.\(column.quotedForSQL)"
    self.order = order.map { "t0.\($0.quotedForSQL)" }
    let numbers = run.tables.numbers(of: before, becoming: link.destination)
    guard let offset = run.tables.offset(from: before, to: link.destination), !numbers.isEmpty,
      let table = run.old.layout[before]?.table.quotedForSQL
    else {
      number = "NULL"
      entity = "NULL"
      return
    }
    let kind = "(SELECT d.Z_ENT FROM \(table) d WHERE d.Z_PK = \(name))"
    let known = numbers.map(\.old).listForSQL
    if numbers.count == run.tables.kinds(of: before).count {
      number = name.adding(offset)
    } else {
      number = "CASE WHEN \(kind) IN (\(known)) THEN \(name.adding(offset)) END"
    }
    let cases = numbers.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
    entity = "CASE \(kind) \(cases) END"
  }
}
