import FetchedResults
import Foundation
import GRDB

/// The model of an existing file, as far as it is known.
struct OldModel {
  let model: ManagedObjectModel
  /// Whether names, types and inverses come from a model.
  ///
  /// If not, they are guessed from tables.
  let isExact: Bool
  let layout: StoreLayout
  let schema: StoreSchema
  /// The columns of the entities' tables that belong to no property.
  var omittedColumns: [(table: EntityTable, column: String)] {
    layout.tables.flatMap { table in
      let known = Set(table.columns.map(\.name) + ["Z_PK", "Z_ENT", "Z_OPT"])
      return (schema.columns[table.name] ?? [:]).keys.filter { !known.contains($0) }.sorted()
        .map { (table, $0) }
    }
  }

  /// The first entity number that Core Data uses for its own tables, such as those of a history.
  static let firstForeignNumber: Int64 = 16000

  /// Finds the model of a file.
  ///
  /// It takes the model that the caller gives, or else the one in the metadata, or else the one
  /// that the tables imply.
  ///
  /// - Parameter new: The newer model, which supplies what tables do not show.
  /// - Throws: `MigrationError` if the model cannot be found.
  init(
    of database: Database, _ schema: StoreSchema, given: ManagedObjectModel?,
    new: ManagedObjectModel
  ) throws {
    self.schema = schema
    let names = Set(
      try String.fetchAll(
        database, sql: "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < ?",
        arguments: [Self.firstForeignNumber]))
    if let given {
      layout = try Self.layout(of: given, names, schema)
      (model, isExact) = (given, true)
      return
    }
    let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA")
    if let stored = data.flatMap(StoreMetadata.init)?.model, stored.names == names,
      let model = stored.model, let layout = try? Self.layout(of: model, names, schema)
    {
      (self.model, self.layout, isExact) = (model, layout, true)
      return
    }
    let implied = try ImpliedModelReader.model(of: database, schema, newer: new)
    for omission in implied.omissions {
      switch omission {
      case .entity(let name) where names.contains(name):
        throw MigrationError.unknownSource(reason: "the entity '\(name)' has no table of its own")
      case .joinTable(let table) where !schema.joinColumns.isEmpty:
        throw MigrationError.unknownSource(reason: "the table \(table) joins unknown entities")
      case .property(let property, let entity):
        throw MigrationError.unknownSource(
          reason: "two properties are called \(entity).\(property)")
      case .column, .entity, .joinTable: break
      }
    }
    isExact = false
    model = try ManagedObjectModel(entities: implied.entities)
    layout = try StoreLayout(model, file: schema, columns: implied.columns)
  }

  private static func layout(
    of model: ManagedObjectModel, _ names: Set<String>, _ schema: StoreSchema
  ) throws -> StoreLayout {
    do {
      let layout = try StoreLayout(model, file: schema)
      try schema.check(layout)
      let unknown = names.subtracting(model.entities.map(\.name))
      if let name = unknown.min() {
        throw MigrationError.otherSource(reason: "it has no entity '\(name)'")
      }
      return layout
    } catch let misfit as LayoutMisfit {
      throw MigrationError.otherSource(reason: misfit.words)
    }
  }

  /// Throws if the file has rows of entities that are not in the model.
  func checkRows(_ database: Database) throws {
    for table in layout.tables {
      let known = (layout.families[table.root] ?? []).compactMap { layout[$0]?.number }
      let marks = known.map(String.init).joined(separator: ", ")
      let unknown = try Int64.fetchOne(
        database,
        sql: "SELECT Z_PK FROM \(table.name.quotedForSQL) "
          + "WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(marks)) LIMIT 1")
      if let unknown {
        throw UnreadableRow(table: table.name, number: unknown, column: "Z_ENT")
      }
    }
  }
}
