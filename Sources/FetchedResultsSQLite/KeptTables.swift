import FetchedResults

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
          areSame(mapping.old, mapping.new)
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
