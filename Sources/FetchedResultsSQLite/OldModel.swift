import FetchedResults
import Foundation
import GRDB

/// The model of an existing file, as far as it is known.
struct OldModel {
  let model: ManagedObjectModel
  let source: Source
  let layout: StoreLayout
  let schema: StoreSchema

  /// Where the model comes from.
  enum Source {
    /// From the caller, or from the metadata of the file.
    case known
    /// From the app's models: the only thing known is that the tables are those of this model.
    case sameTables
    /// From the tables alone.
    case guessed
  }

  /// Whether names, types and inverses come from a model.
  ///
  /// If not, they are guessed from tables.
  var isExact: Bool { source != .guessed }

  /// Whether every object of the file has a value of a property.
  ///
  /// Tables do not show which values are required, so two versions of a model may differ in that
  /// alone.
  ///
  /// - Parameter isOptional: Whether the property is optional in the old model.
  func isAlwaysSet(isOptional: Bool) -> Bool { source == .known && !isOptional }

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
  /// It takes the model that the caller gives, or else the one in the metadata. If there is none,
  /// it takes the first of the newer model and its versions that has exactly the file's tables, or
  /// else the one that the tables imply.
  ///
  /// - Parameters:
  ///   - new: The newer model, which supplies what tables do not show.
  ///   - versions: Other versions of it, which are only read if they are needed.
  /// - Throws: `MigrationError` if the model cannot be found.
  init(
    of database: Database, _ schema: StoreSchema, given: ManagedObjectModel?,
    new: ManagedObjectModel, versions: () -> [ManagedObjectModel]
  ) throws {
    self.schema = schema
    let names = Set(
      try String.fetchAll(
        database, sql: "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < ?",
        arguments: [Self.firstForeignNumber]))
    if let given {
      layout = try Self.layout(of: given, names, schema)
      (model, source) = (given, .known)
      return
    }
    let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA")
    if let stored = data.flatMap(StoreMetadata.init)?.model, stored.names == names,
      let model = stored.model, let layout = try? Self.layout(of: model, names, schema)
    {
      (self.model, self.layout, source) = (model, layout, .known)
      return
    }
    let same =
      try Self.exactFit(among: [new], database, schema)
      ?? Self.exactFit(among: versions(), database, schema)
    if let same {
      (model, layout, source) = (same.model, same.layout, .sameTables)
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
    source = .guessed
    model = try ManagedObjectModel(entities: implied.entities)
    layout = try StoreLayout(model, file: schema, columns: implied.columns)
  }

  /// Returns the first model that has exactly the tables of a file; nil if none has.
  private static func exactFit(
    among models: [ManagedObjectModel], _ database: Database, _ schema: StoreSchema
  ) throws -> (model: ManagedObjectModel, layout: StoreLayout)? {
    for model in models {
      guard let layout = try? StoreLayout(model, file: schema),
        try ExactFit(layout, schema).holds(in: database)
      else { continue }
      return (model, layout)
    }
    return nil
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
