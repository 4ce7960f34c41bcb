import Basics
import FetchedResults
import Foundation
import GRDB
import PredicateSyntax

/// What an index compares, in order.
struct IndexKey: Hashable {
  let column: String
  let isDescending: Bool

  /// The term of a statement that creates the index, as Core Data writes it.
  var sql: String { "\(column.quotedForSQL) COLLATE BINARY \(isDescending ? "DESC" : "ASC")" }
}

/// An index on columns that a file has.
///
/// Partial indexes and those of expressions are not listed.
struct FoundIndex {
  let name: String
  let table: String
  let isUnique: Bool
  private(set) var keys: [IndexKey]

  /// Reads the indexes of a file.
  ///
  /// - Complexity: O(*n*) in the indexes.
  static func all(in database: Database) throws -> [FoundIndex] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT m.name, m.tbl_name, l."unique", x.name, x."desc", x.coll = 'BINARY'
        FROM sqlite_master m JOIN pragma_index_list(m.tbl_name) l ON l.name = m.name
        JOIN pragma_index_xinfo(m.name) x
        WHERE m.type = 'index' AND NOT l.partial AND x.key ORDER BY m.name, x.seqno
        """)
    var found: [FoundIndex] = []
    var others: Set<String> = []
    for row in rows {
      guard let name = row.text(0), let table = row.text(1) else { continue }
      guard let column = row.text(3), row.integer(5) == 1 else {
        others.insert(name)
        continue
      }
      let key = IndexKey(column: column, isDescending: row.integer(4) == 1)
      if found.last?.name == name {
        found[found.count - 1].keys.append(key)
      } else {
        found.append(
          FoundIndex(name: name, table: table, isUnique: row.integer(2) == 1, keys: [key]))
      }
    }
    return found.filter { !others.contains($0.name) }
  }
}

// MARK: - The indexes of a model

extension StoreCreation {
  /// Returns the indexes that the model describes.
  ///
  /// - Parameter taken: The names of other indexes.
  func fetchIndexes(besides taken: [String]) -> [Index] {
    var names = IndexNames(layout, besides: taken)
    var indexes: [Index] = []
    for (_, entity) in layout.entities.ordered(by: { $0.key < $1.key }) {
      guard let placement = layout[entity] else { continue }
      for index in entity.ownIndexes {
        let keys = index.elements.compactMap { element in
          placement.column(of: element.propertyName, entity).map {
            IndexKey(column: $0, isDescending: !element.isAscending)
          }
        }
        guard keys.count == index.elements.count else { continue }
        indexes.append(
          Index(names.add("Z_\(entity.name)_\(index.name)"), of: placement.table, keys))
      }
    }
    return indexes
  }
}

/// The names of a store's tables and indexes.
///
/// They are all different, and SQLite ignores the case of ASCII letters in them.
struct IndexNames {
  private var taken: Set<String>

  init(_ layout: StoreLayout, besides others: [String] = []) {
    taken = Set(
      (layout.tables.map(\.name) + layout.joins.map(\.name) + HistoryTables.IndexName.all + others)
        .map(\.folded))
  }

  /// Returns the name of a new index: the given one, with digits if it is taken.
  mutating func add(_ plain: String) -> String {
    var name = plain
    var digits = 0
    while !taken.insert(name.folded).inserted {
      digits += 1
      name = "\(plain)\(digits)"
    }
    return name
  }
}

extension EntityPlacement {
  /// Returns the column of an attribute or a to-one relationship; nil if it has none.
  func column(of property: String, _ entity: EntityDescription) -> String? {
    if let place = entity.attributeIndex(named: property) {
      return attributes.indices.contains(place) ? attributes[place] : nil
    }
    guard let ordinal = entity.relationshipOrdinal(named: property),
      relationships.indices.contains(ordinal),
      case .toOne(let column, _, _)? = relationships[ordinal]
    else { return nil }
    return column
  }
}

extension String {
  /// The name with small letters where SQLite ignores case.
  fileprivate var folded: String {
    String(decoding: utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
  }
}

extension StoreCreation.Index {
  /// Creates the index.
  ///
  /// - Throws: `MigrationError.notUnique` if rows share values that must be unique, or
  ///   `DatabaseError`.
  func create(in database: Database) throws {
    do {
      try database.execute(sql: sql)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      guard let unique else { throw error }
      throw MigrationError.notUnique(entity: unique.entity, attributes: unique.attributes)
    }
  }
}

// MARK: - The indexes of a file

/// Changes the indexes of a file that fits its model to those of the model.
struct IndexUpdate {
  private var missing: [StoreCreation.Index] = []
  /// The names of indexes to drop.
  private var dropped: [String] = []
  /// Whether another set of attributes becomes unique, or one no longer is.
  let changesConstraints: Bool

  /// - Parameter dropsOthers: Whether indexes go that the model of the entities does not have.
  init(
    _ database: Database, _ layout: StoreLayout, _ model: ManagedObjectModel, dropsOthers: Bool
  ) throws {
    let creation = StoreCreation(layout: layout, model: model, identifier: UUID())
    let own = creation.ownIndexes
    let constraints = own.filter { $0.unique != nil }
    let present = try Self.constraints(in: database, layout)
    // An index that stays would refuse what the model allows, so it goes in any case.
    dropped = present.filter { name, columns in
      !constraints.contains { $0.name == name && $0.keys.map(\.column) == columns }
    }.map(\.key).sorted()
    missing = constraints.filter { present[$0.name] != $0.keys.map(\.column) }
    changesConstraints = !missing.isEmpty || !dropped.isEmpty
    guard dropsOthers || model.entities.contains(where: { !$0.indexes.isEmpty }) else { return }
    let found = try FoundIndex.all(in: database)
    let wanted = creation.fetchIndexes(besides: own.map(\.name))
    func isSame(_ found: FoundIndex, _ index: StoreCreation.Index) -> Bool {
      found.table == index.table && found.keys == index.keys
    }
    // An index of the same columns serves as well, unless the model has its name for others.
    let kept = found.filter { found in
      wanted.allSatisfy { $0.name.folded != found.name.folded || isSame(found, $0) }
    }
    missing += wanted.filter { index in !kept.contains { isSame($0, index) } }
    let prefixes = layout.placements.map { (table: $1.table, name: "Z_\($0.name)_") }
    dropped += found.filter { index in
      dropsOthers && !index.isUnique
        && prefixes.contains { $0.table == index.table && index.name.hasPrefix($0.name) }
        && !wanted.contains { isSame(index, $0) }
    }.map(\.name)
  }

  /// Returns the names of the indexes that make attributes of entities unique, with the columns.
  private static func constraints(
    in database: Database, _ layout: StoreLayout
  ) throws -> [String: [String]] {
    let prefixes = layout.placements.map { (table: $1.table, name: "Z_\($0.name)_UNIQUE_") }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT m.name, m.tbl_name, x.name FROM sqlite_master m
        JOIN pragma_index_list(m.tbl_name) l ON l.name = m.name
        JOIN pragma_index_info(m.name) x
        WHERE m.type = 'index' AND l."unique" ORDER BY m.name, x.seqno
        """)
    var columns: [String: [String]] = [:]
    for row in rows {
      guard let name = row.text(0), let table = row.text(1),
        prefixes.contains(where: { $0.table == table && name.hasPrefix($0.name) })
      else { continue }
      columns[name, default: []].append(row.text(2) ?? "")
    }
    return columns
  }

  var isEmpty: Bool { missing.isEmpty && dropped.isEmpty }

  /// - Throws: As ``StoreCreation/Index/create(in:)``.
  func perform(in database: Database) throws {
    for name in dropped { try database.execute(sql: "DROP INDEX \(name.quotedForSQL)") }
    for index in missing {
      // The name may be that of an index of other columns.
      try database.execute(sql: "DROP INDEX IF EXISTS \(index.name.quotedForSQL)")
      try index.create(in: database)
    }
  }
}

extension OpenedFile {
  /// Creates the indexes of the model that the file lacks, and drops those of unique attributes that
  /// the model does not have.
  ///
  /// Other indexes change no result. So a file that another process locks, or that has no room for
  /// them, is used without them until it is opened again.
  ///
  /// - Parameter dropsOthers: Whether the other indexes go as well that the model does not have.
  /// - Throws: `MigrationError` if rows share values that must be unique, or if another process
  ///   has locked a file whose constraints change; `DatabaseError`.
  func updateIndexes(_ model: ManagedObjectModel, dropsOthers: Bool) throws {
    func update(_ database: Database) throws -> IndexUpdate {
      try IndexUpdate(database, layout, model, dropsOthers: dropsOthers)
    }
    var changesConstraints = false
    do {
      try queue.writeWithoutTransaction { database in
        let first = try update(database)
        if first.isEmpty { return }
        changesConstraints = first.changesConstraints
        try database.inTransaction(.immediate) {
          // Another process may have made them in the meantime.
          try update(database).perform(in: database)
          return .commit
        }
      }
    } catch let error as DatabaseError
      where [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL].contains(error.resultCode)
    {
      guard changesConstraints else { return }
      throw error.resultCode == .SQLITE_FULL ? error : MigrationError.inUse
    }
  }
}

// MARK: - Fetches

/// What a fetch says to SQLite, so that it uses the indexes of the model.
///
/// SQLite does not know how many rows have which values. It would take the order of the numbers and
/// the index of entities for better than an index in which it looks for a range.
struct IndexChoice {
  private let use: StoreFilter.Test.IndexUse
  /// Whether the index of entities must not be used.
  ///
  /// This is so only if the fetched entity itself has a better index. An inherited index is about
  /// the rows of other entities as well, which may be many more.
  let avoidsEntities: Bool

  /// - Parameter filter: The condition that SQL checks.
  init(_ request: StoreRequest, _ filter: StoreFilter?) {
    let entity = request.entity
    guard !entity.indexedAttributes.isEmpty else {
      (use, avoidsEntities) = (.none, false)
      return
    }
    use = filter?.test.use(ofIndexesOn: entity.indexedAttributes) ?? .none
    let own = Set(
      entity.ownIndexes.compactMap { index in
        index.elements.first.flatMap { entity.attributeIndex(named: $0.propertyName) }
      })
    let finds = filter.map { $0.test.use(ofIndexesOn: own) != .none } ?? false
    avoidsEntities = finds || request.order.sorts(byIndexOn: own, of: entity)
  }

  /// The number of a row, as the only key of an order.
  var number: String { use == .range ? "+t0.Z_PK" : "t0.Z_PK" }
}

extension RowOrder {
  /// Whether SQL sorts by a column that an index begins with.
  fileprivate func sorts(byIndexOn attributes: Set<Int>, of entity: EntityDescription) -> Bool {
    guard !needsKeys, let key = keys.first, attributes.contains(key.attribute) else { return false }
    return switch entity.attributes[key.attribute].type {
    case .string: key.strings.isPlain
    case .integer16, .integer32, .integer64, .double, .float, .boolean, .date, .uuid, .binaryData:
      true
    case .decimal, .uri: false
    }
  }
}

extension StoreFilter.Test {
  /// How an index can find the rows for which a condition holds.
  enum IndexUse: Int, Comparable {
    case none
    /// By a range of values.
    case range
    /// By single values.
    case values

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// Returns how indexes that begin with one of the given attributes can find the rows.
  ///
  /// Nil does not count, because it may be the value of most rows, such as those of other entities.
  func use(ofIndexesOn attributes: Set<Int>) -> IndexUse {
    switch self {
    case .all(let parts): return parts.map { $0.use(ofIndexesOn: attributes) }.max() ?? .none
    case .any(let parts): return parts.map { $0.use(ofIndexesOn: attributes) }.min() ?? .none
    case .integer(let attribute, let range):
      guard attributes.contains(attribute), !range.isInverted else { return .none }
      return range.lower == range.upper ? .values : .range
    case .real(let attribute, let comparison, _), .text(let attribute, let comparison, _),
      .bytes(let attribute, let comparison, _):
      return attributes.contains(attribute) ? comparison.indexUse : .none
    case .integers(let attribute, _, let hasNull), .strings(let attribute, _, let hasNull):
      return attributes.contains(attribute) && !hasNull ? .values : .none
    case .search(let attribute, let search):
      return attributes.contains(attribute) && search.prefixBounds != nil ? .range : .none
    case .constant, .not, .isNull, .attributes, .reference, .identity, .related, .member,
      .memberCount:
      return .none
    }
  }
}

extension TextSearch {
  /// The bounds of the texts that begin with the pattern, if they are compared as they are; the
  /// upper one does not count.
  ///
  /// No upper bound means that there is no greater text.
  var prefixBounds: (lower: String, upper: String?)? {
    guard operation == .beginsWith, options.isEmpty, !pattern.isEmpty else { return nil }
    var scalars = Array(pattern.unicodeScalars)
    while let last = scalars.popLast() {
      // There are no scalars between these two.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var upper = String.UnicodeScalarView()
      upper.append(contentsOf: scalars + [scalar])
      return (pattern, String(upper))
    }
    return (pattern, nil)
  }
}

extension StoreFilter.Comparison {
  fileprivate var indexUse: StoreFilter.Test.IndexUse {
    switch self {
    case .equal: .values
    case .notEqual: .none
    case .less, .lessOrEqual, .greater, .greaterOrEqual: .range
    }
  }
}
