import FetchedResults
import GRDB

/// Whether a file has the tables of a model and nothing else.
///
/// A file that Core Data wrote does not say of which version of a model it is. Core Data compares
/// hashes, whose computation is not public. Tables with the same names, columns and types, and rows
/// with values only where the model has properties, are as good in practice.
struct ExactFit {
  private let layout: StoreLayout
  private let schema: StoreSchema

  init(_ layout: StoreLayout, _ schema: StoreSchema) {
    self.layout = layout
    self.schema = schema
  }

  /// - Complexity: O(*n*) in the rows of tables with sub-entities, if the tables fit.
  func holds(in database: Database) throws -> Bool {
    guard (try? schema.check(layout)) != nil, hasNothingElse, try hasSameEntities(database) else {
      return false
    }
    for table in layout.tables {
      if try hasForeignValues(table, database) { return false }
      if try !hasMarkers(table, ColumnEvidence(database: database)) { return false }
    }
    return true
  }

  /// Whether data has the marker of external data where the model says that it may be external, and
  /// only there.
  private func hasMarkers(_ table: EntityTable, _ evidence: ColumnEvidence) throws -> Bool {
    for entity in layout.families[table.root] ?? [] {
      let inherited = entity.superentity?.attributes.count ?? 0
      for (index, attribute) in entity.attributes.enumerated()
      where index >= inherited && attribute.type == .binaryData {
        guard let column = layout[entity]?.attributes[index] else { continue }
        let isExternal = attribute.allowsExternalBinaryDataStorage
        let values = try evidence.dataValues(of: column, table.name)
        if values.haveMarkers(isExpected: isExternal) != isExternal { return false }
      }
    }
    return true
  }

  /// Whether each column of the file's tables, and each join table, is the model's.
  private var hasNothingElse: Bool {
    let tables = layout.tables.allSatisfy { table in
      schema.columns[table.name]?.count == table.columns.count + 3
    }
    let joins = layout.joins.allSatisfy { join in
      schema.columns[join.name]?.count == join.columns.count + join.orders.count
    }
    let known = Set(layout.joins.map(\.name))
    return tables && joins
      && schema.joinColumns.values.joined().allSatisfy { known.contains($0.table) }
  }

  /// Whether the file has the model's entities, each below the same parent.
  private func hasSameEntities(_ database: Database) throws -> Bool {
    let records = try EntityRecord.all(in: database)
    guard records.count == layout.entities.count else { return false }
    return records.allSatisfy { record in
      guard let entity = layout.entities[record.number], entity.name == record.name else {
        return false
      }
      return entity.superentity.flatMap { layout[$0]?.number } == record.parent
    }
  }

  /// Whether a row has a value in the column of a property that its entity does not have.
  private func hasForeignValues(_ table: EntityTable, _ database: Database) throws -> Bool {
    var conditions: [String] = []
    for entity in layout.families[table.root] ?? [] where entity.superentity != nil {
      guard let place = layout[entity], let parent = entity.superentity.flatMap({ layout[$0] })
      else { continue }
      let attributes = place.attributes.dropFirst(parent.attributes.count).compactMap(\.self)
      let references = place.relationships.dropFirst(parent.relationships.count)
        .compactMap { relationship -> String? in
          guard case .toOne(let column, _, _)? = relationship else { return nil }
          return column
        }
      let columns = (attributes + references).map { "\($0.quotedForSQL) IS NOT NULL" }
      guard !columns.isEmpty else { continue }
      let kinds = layout.entities.filter { $0.value.isKindOf(entity: entity) }.keys.sorted()
      conditions.append(
        "Z_ENT NOT IN (\(kinds.listForSQL)) AND (\(columns.joined(separator: " OR ")))")
    }
    guard !conditions.isEmpty else { return false }
    return try Row.fetchOne(
      database,
      sql: "SELECT 1 FROM \(table.name.quotedForSQL) "
        + "WHERE \(conditions.joined(separator: " OR ")) LIMIT 1") != nil
  }
}
