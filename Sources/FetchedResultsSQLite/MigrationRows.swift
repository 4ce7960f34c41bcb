import FetchedResults
import GRDB

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
