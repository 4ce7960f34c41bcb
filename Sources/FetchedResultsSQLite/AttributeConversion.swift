import FetchedResults
import Foundation
import GRDB

/// How the values of an old attribute's column are converted for the new attribute.
struct AttributeConversion: Sendable {
  private enum Form {
    case copy
    case real
    case wrapped
    case unwrapped
  }

  private let form: Form
  /// A condition on values that do not fit, with `$` for the column; nil if all values fit.
  private let misfit: String?

  private init(_ form: Form, misfit: String? = nil) {
    self.form = form
    self.misfit = misfit
  }

  /// - Parameter isExact: Whether the old type is known. If not, it was guessed from a column.
  /// - Returns: Nil if no conversion is known.
  init?(_ old: AttributeDescription, _ new: AttributeDescription, isExact: Bool) {
    guard isExact || ColumnType(old.type) != ColumnType(new.type) else {
      // A guessed type says only what the column holds, and the new attribute has such a column
      // too. Only the marker of external data is certain.
      switch (old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage) {
      case (true, true), (false, false): self.init(.copy)
      case (false, true): self.init(.wrapped)
      case (true, false): self.init(.unwrapped)
      }
      return
    }
    switch (old.type, new.type) {
    case (.binaryData, .binaryData):
      switch (old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage) {
      case (true, true), (false, false): self.init(.copy)
      case (false, true): self.init(.wrapped)
      case (true, false): self.init(.unwrapped)
      }
    case (let old, let new) where old == new: self.init(.copy)
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64),
      (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
      (.float, .double), (.float, .decimal), (.string, .uri), (.uri, .string):
      self.init(.copy)
    // A decimal has exponents from -128 to 127.
    case (.double, .decimal): self.init(.copy, misfit: "NOT \(MigrationFunctions.isDecimal)($)")
    case (.integer32, .integer16), (.integer64, .integer16):
      self.init(.copy, misfit: "$ NOT BETWEEN -32768 AND 32767")
    case (.integer64, .integer32):
      self.init(.copy, misfit: "$ NOT BETWEEN -2147483648 AND 2147483647")
    case (.integer16, .boolean), (.integer32, .boolean), (.integer64, .boolean):
      self.init(.copy, misfit: "$ NOT IN (0, 1)")
    case (.integer16, .float), (.integer16, .double), (.integer16, .decimal),
      (.integer32, .double), (.integer32, .decimal):
      self.init(.real)
    case (.integer32, .float), (.integer64, .float):
      self.init(.real, misfit: "$ NOT BETWEEN -16777216 AND 16777216")
    case (.integer64, .double), (.integer64, .decimal):
      self.init(.real, misfit: "$ NOT BETWEEN -9007199254740992 AND 9007199254740992")
    // SQLite stores a decimal that is not a number as text.
    case (.decimal, .double): self.init(.real, misfit: "typeof($) = 'text'")
    case (.uuid, .binaryData):
      self.init(new.allowsExternalBinaryDataStorage ? .wrapped : .copy)
    case (.binaryData, .uuid) where !old.allowsExternalBinaryDataStorage:
      self.init(.copy, misfit: "length($) != 16")
    default: return nil
    }
  }

  /// Whether the column can stay as it is if its name and type do not change.
  var isCopy: Bool {
    switch form {
    case .copy: misfit == nil
    case .real, .wrapped, .unwrapped: false
    }
  }

  /// Whether data gets the marker of external data, or loses it.
  var movesData: Bool {
    switch form {
    case .wrapped, .unwrapped: true
    case .copy, .real: false
    }
  }

  /// Returns an SQL expression for the new value.
  func expression(_ column: String) -> String {
    switch form {
    case .copy: column
    case .real: "CAST(\(column) AS REAL)"
    case .wrapped: "\(MigrationFunctions.wrap)(\(column))"
    case .unwrapped: "\(MigrationFunctions.unwrap)(\(column))"
    }
  }

  /// Returns an SQL condition on values that do not fit; nil if all values fit.
  func misfit(_ column: String) -> String? { misfit?.replacing("$", with: column) }
}

/// The SQL functions that conversions call.
enum MigrationFunctions {
  static let wrap = "frc_wrap"
  static let unwrap = "frc_unwrap"
  static let isDecimal = "frc_is_decimal"

  static func add(to database: Database, _ external: ExternalData) {
    let wrapping = DatabaseFunction(wrap, argumentCount: 1) { values in
      guard case .blob(let data) = values[0].storage else { return values[0] }
      return ExternalData.stored(data)
    }
    let unwrapping = DatabaseFunction(unwrap, argumentCount: 1) { values in
      guard case .blob(let data) = values[0].storage else { return values[0] }
      return try data.withUnsafeBytes { try external.data($0) }
    }
    let isDecimal = DatabaseFunction(isDecimal, argumentCount: 1, pure: true) { values in
      guard case .double(let number) = values[0].storage else { return true }
      return Decimal(shortest: number) != nil
    }
    database.add(function: wrapping)
    database.add(function: unwrapping)
    database.add(function: isDecimal)
  }
}

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
