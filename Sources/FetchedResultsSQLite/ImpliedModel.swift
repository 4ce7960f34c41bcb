import Basics
package import FetchedResults
import Foundation
import GRDB

/// The entities of a store's file, for when its model is not available.
///
/// A file that this library made has a description of its model. Any other file shows tables and
/// the numbers of entities. It does not show what only the model knows: upper and lower case,
/// inverses of to-one relationships, and what is optional. frc guesses these, and records each guess
/// as a ``Doubt``.
package struct ImpliedModel {
  /// Whether the file describes the model, so that nothing is a guess.
  package let isStored: Bool
  /// The entities, each after its parent.
  package let entities: [EntityDescription]
  /// Where the file holds each attribute and to-one relationship, by the entity's name and then the
  /// property's.
  let columns: [String: [String: PropertyColumns]]
  /// The guesses, by the entity's name and then the property's.
  package let doubts: [String: [String: [Doubt]]]
  /// The parts of the file that could not be assigned to an entity.
  package let omissions: [Omission]

  /// A guess about a property.
  package enum Doubt: Hashable, Sendable {
    /// No row has a value, so nothing is known but the column.
    case noValue
    /// Every row has a value: it may not be optional.
    case alwaysSet(rows: Int)
    /// The values fit these other types as well.
    case perhaps([AttributeType])
    /// Only objects of a sub-entity have values, so the property was given to that sub-entity.
    case ownerByRows
    /// The values are numbers of objects of several entities, which are listed.
    case destinations([String])
    /// No entity has objects with these numbers, so the property became an integer attribute.
    case noDestination
    /// The file does not contain the name, so frc made one up.
    case madeUpName
    /// It may be the inverse of this property.
    case perhapsInverse(of: String)
    /// The column looks like a relationship's, and has no index.
    case withoutIndex
    /// The column's digits were taken for a sibling's property of the same name. If they are part
    /// of the name, the property is called this.
    case perhapsNamed(String)
  }

  /// A part of the file that was not assigned to any entity.
  package enum Omission: Hashable, Sendable {
    /// An entity has no table, or its table is not one of Core Data's.
    case entity(String)
    case column(String, table: String)
    case joinTable(String)
    /// Two properties of an entity would have the same name.
    case property(String, entity: String)
  }

  /// Reads the model of a store's file, or guesses it.
  ///
  /// It reads a copy, so neither the file nor the files that SQLite keeps beside it change. In a
  /// table with many rows, it looks at some of them.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - name: What to call it in errors.
  /// - Throws: ``StoreError`` if it cannot be read, or is not a store.
  /// - Complexity: O(*n*) in the rows, for each column.
  package init(ofStoreAt path: String, named name: String) throws(StoreError) {
    do {
      let copy = try PrivateCopy(of: path)
      let queue = try DatabaseQueue(path: copy.path)
      self = try queue.read { database in
        let schema = try StoreSchema(database)
        copy.removeName()
        guard schema.isStore else { throw UnusableFile.noStore }
        if let known = try OldModel(storedIn: database, schema, addsIndexes: true),
          let model = ImpliedModel(known)
        {
          return model
        }
        return try ImpliedModelReader.model(of: database, schema)
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  init(
    entities: [EntityDescription], columns: [String: [String: PropertyColumns]],
    doubts: [String: [String: [Doubt]]], omissions: [Omission]
  ) {
    isStored = false
    self.entities = entities
    self.columns = columns
    self.doubts = doubts
    self.omissions = omissions
  }

  /// Takes the model of a file as it is; nil if it has names that a script cannot write.
  private init?(_ known: OldModel) {
    isStored = true
    entities = StoreLayout.inOrderOfNumber(known.model)
    guard entities.allSatisfy({ ([$0.name] + $0.propertyNames).allSatisfy(\.isPlainName) }) else {
      return nil
    }
    (columns, doubts) = ([:], [:])
    omissions = known.omittedColumns.map { .column($0.column, table: $0.table.name) }
  }
}

/// An entity as `Z_PRIMARYKEY` has it.
struct EntityRecord {
  let number: Int64
  let name: String
  /// The number of the entity that it inherits from.
  var parent: Int64?
  /// The number of the entity's root.
  var root: Int64

  /// The table of a root entity.
  var table: String { "Z" + name.uppercased() }

  /// Returns the table of the entity's objects, which is the table of its root.
  func table(_ records: [EntityRecord]) -> String {
    records.first { $0.number == root }?.table ?? table
  }

  /// A limit that no real model reaches.
  private static let most = 5_000

  /// Reads the entities in order of their numbers.
  ///
  /// Leaves out an entity that repeats a name or a number. An entity becomes a root if its chain of
  /// parents is broken, because a parent is unknown or the chain is a cycle.
  static func all(in database: Database) throws -> [EntityRecord] {
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT LIMIT \(most)")
    var parents: [Int64: Int64] = [:]
    var records: [EntityRecord] = []
    var names: Set<String> = []
    for row in rows {
      guard let number = row.integer(0), let name = row.text(1), parents[number] == nil,
        !HistoryTables.Number.all.contains(number), names.insert(name.uppercased()).inserted
      else { continue }
      parents[number] = row.integer(2) ?? 0
      records.append(EntityRecord(number: number, name: name, root: number))
    }
    for index in records.indices {
      var line = [records[index].number]
      while let parent = line.last.flatMap({ parents[$0] }), parents[parent] != nil,
        line.count <= records.count
      {
        line.append(parent)
      }
      guard line.count > 1, line.count <= records.count, let root = line.last else { continue }
      records[index].parent = line[1]
      records[index].root = root
    }
    return records
  }
}

/// The columns that hold a property.
struct PropertyColumns: Hashable {
  let column: String
  /// The column with the entity numbers of the objects that a to-one relationship refers to.
  var entityColumn: String?
  /// The column with each object's place among the objects of an ordered inverse.
  var order: String?

  mutating func set(_ extra: ReferenceExtra) {
    switch extra.kind {
    case .entity: entityColumn = extra.column
    case .order: order = extra.column
    }
  }
}

/// A column that a to-one relationship has in addition: `Z4_AUTHOR` or `Z_FOK_AUTHOR`.
struct ReferenceExtra {
  enum Kind {
    case entity
    case order
  }

  let kind: Kind
  let column: String
  /// The number of the destination's entity; nil for an order.
  let number: Int64?
  /// The name that follows, which may have digits that do not belong to the relationship's.
  private let rest: String

  /// - Returns: Nil for another kind of column.
  init?(_ column: String) {
    if let rest = column.dropping("Z_FOK_") {
      (kind, number, self.rest) = (.order, nil, rest)
    } else if let (number, rest) = column.numbered(after: "Z"), let name = rest.dropping("_") {
      (kind, self.number, self.rest) = (.entity, number, name)
    } else {
      return nil
    }
    self.column = column
  }

  /// Whether the column may belong to a relationship with a name in capitals.
  ///
  /// Digits are added only if the names without them and with lower ones exist.
  ///
  /// - Parameter all: The additional columns of the table.
  func isFor(_ kind: Kind, _ name: String, among all: [ReferenceExtra]) -> Bool {
    guard self.kind == kind, let digits = rest.dropping(name) else { return false }
    guard !digits.isEmpty else { return true }
    guard rest.isName(name), digits.first != "0", let count = Int(digits), count <= all.count
    else { return false }
    return (0..<count).allSatisfy { digit in
      let lower = digit == 0 ? name : "\(name)\(digit)"
      return all.contains { $0.kind == kind && $0.number == number && $0.rest == lower }
    }
  }
}

/// A column with the numbers of the objects that a to-one relationship refers to.
struct ToOneColumn {
  /// The number of the entity that has the relationship.
  let owner: Int64
  let table: String
  let columns: PropertyColumns
  let name: String
  /// Whether the file proves that the column belongs to a relationship.
  let isCertain: Bool
  /// The relationship in the newer model.
  let guide: NewerModel.Property?
  /// The entity number of the destination.
  var destination: Int64?

  struct Place: Hashable {
    let table: String
    let column: String
  }

  var column: String { columns.column }
  var place: Place { Place(table: table, column: column) }
  /// Whether the inverse relationship is ordered.
  var isOrderedBack: Bool { columns.order != nil }
  /// The number in the name of the column with the destination's entity number.
  var entityNumber: Int64? { columns.entityColumn.flatMap(ReferenceExtra.init)?.number }
}

/// The indexes of a file whose names tell something about properties.
struct StoreIndexes {
  private var names: Set<String> = []
  /// The columns of unique indexes, by the index's name.
  private var unique: [(name: String, table: String, columns: [String])] = []
  /// The other indexes of columns.
  private let found: [FoundIndex]

  init(_ database: Database) throws {
    let rows = try Row.fetchAll(
      database, sql: "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' ORDER BY name")
    for row in rows {
      guard let name = row.text(0), let table = row.text(1) else { continue }
      names.insert(name)
      guard name.contains("_UNIQUE_") else { continue }
      let columns = try Row.fetchAll(
        database, sql: "PRAGMA index_info(\(name.quotedForSQL))"
      ).compactMap { $0.text(2) }
      unique.append((name, table, columns))
    }
    found = try FoundIndex.all(in: database).filter { !$0.isUnique }
  }

  /// Whether Core Data has created an index for a column, as it does for those of relationships.
  func isReference(_ column: String, in table: String) -> Bool {
    names.contains("\(table)_\(column)_INDEX")
  }

  /// Returns the name of an attribute: as an index spells it, or in small letters.
  func spelling(of column: String, in table: String) -> String {
    let capitals = String(column.dropFirst())
    for index in unique where index.table == table && index.columns.contains(column) {
      guard let end = index.name.range(of: "_UNIQUE_")?.upperBound,
        let names = Self.split(index.name[end...], as: index.columns),
        let name = zip(index.columns, names).first(where: { $0.0 == column })?.1
      else { continue }
      return name
    }
    for index in found where index.table == table && index.keys.map(\.column) == [column] {
      // The index of a single attribute has its name, as in `Z_Book_title`.
      let name = index.name.suffix(capitals.count)
      if name.uppercased() == capitals, index.name.dropLast(name.count).hasSuffix("_") {
        return String(name)
      }
    }
    return capitals.lowercased()
  }

  /// Returns the names of the attributes in each unique index of an entity.
  func constraints(of entity: String, in table: String) -> [[String]] {
    unique.compactMap { index in
      guard index.table == table, let rest = index.name.dropping("Z_\(entity)_UNIQUE_") else {
        return nil
      }
      return Self.split(rest[...], as: index.columns)
    }
  }

  /// Returns the same by the names of the columns' attributes.
  func constraints(
    of entity: String, in table: String, _ properties: [String: String]
  ) -> [[String]] {
    unique.compactMap { index in
      let names = index.columns.compactMap { properties[$0] }
      let isWhole = names.count == index.columns.count && index.table == table
      return isWhole && index.name.hasPrefix("Z_\(entity)_UNIQUE_") ? names : nil
    }
  }

  /// Returns the indexes of an entity that a model describes.
  ///
  /// - Parameter properties: The names of attributes and to-one relationships by their columns.
  func fetchIndexes(
    of entity: String, in table: String, _ properties: [String: String]
  ) -> [FetchIndexDescription] {
    var indexes: [FetchIndexDescription] = []
    for index in found where index.table == table {
      let elements = index.keys.compactMap { key in
        properties[key.column].map {
          FetchIndexElementDescription(propertyName: $0, isAscending: !key.isDescending)
        }
      }
      // SQLite allows a column to be repeated.
      guard elements.count == index.keys.count,
        Set(elements.map(\.propertyName)).count == elements.count
      else { continue }
      if let name = index.name.dropping("Z_\(entity)_"), !name.isEmpty {
        indexes.append(FetchIndexDescription(name: name, elements: elements))
      }
    }
    // Core Data makes a second index, named after the attribute, for each one of a single column.
    return indexes.filter { index in
      index.soleAttribute == nil
        || !indexes.contains { $0 != index && $0.elements == index.elements }
    }
  }

  /// Splits `lastName_firstName` into the names of columns, which may contain `_` themselves.
  private static func split(_ text: Substring, as columns: [String]) -> [String]? {
    var rest = text
    var names: [String] = []
    for (place, column) in columns.enumerated() {
      if place > 0 {
        guard rest.first == "_" else { return nil }
        rest = rest.dropFirst()
      }
      let name = rest.prefix(column.count - 1)
      guard !name.isEmpty, "Z" + name.uppercased() == column else { return nil }
      names.append(String(name))
      rest = rest.dropFirst(name.count)
    }
    // Indexes whose names would be equal have digits.
    return rest.allSatisfy { $0.isASCII && $0.isNumber } ? names : nil
  }
}

/// A join table and its columns.
struct JoinOutline {
  let table: String
  /// The number of the entity whose relationship names the table.
  let owner: Int64
  /// The name of that relationship, in capitals.
  let name: String
  let destination: Int64
  /// The name of the inverse relationship in capitals, with the column's digits.
  let inverse: String
  let isReflexive: Bool
  let isFirstOrdered: Bool
  let isSecondOrdered: Bool

  /// - Returns: Nil if the columns are not those of a join table.
  init?(_ table: String, _ schema: StoreSchema) {
    guard let (number, name) = table.numbered(after: "Z_"), !name.isEmpty else { return nil }
    (self.table, owner, self.name) = (table, number, name)
    let all = schema.columns[table, default: [:]].keys.sorted()
    let ends = all.filter { !$0.hasPrefix("Z_FOK_") }
    guard ends.count == 2 else { return nil }
    let outward = ends.ordered { $0.count < $1.count }.first { column in
      column.numbered(after: "Z_").map { $0.rest.isName(name) } == true
    }
    guard let outward, let destination = outward.numbered(after: "Z_")?.number,
      let back = ends.first(where: { $0 != outward })
    else { return nil }
    self.destination = destination
    isReflexive = back == JoinTable.reflexive
    if isReflexive {
      inverse = name
    } else {
      guard let (owner, rest) = back.numbered(after: "Z_"), owner == number, !rest.isEmpty else {
        return nil
      }
      inverse = rest
    }
    isFirstOrdered = all.contains("Z_FOK_" + outward.dropFirst(2))
    isSecondOrdered = !isReflexive && all.contains("Z_FOK_" + back.dropFirst(2))
  }
}

extension String {
  /// Returns the text after a prefix; nil if it has another prefix.
  func dropping(_ beginning: String) -> String? {
    hasPrefix(beginning) ? String(dropFirst(beginning.count)) : nil
  }

  /// Returns the number after a prefix and the text that follows it; nil if there is none.
  func numbered(after beginning: String) -> (number: Int64, rest: String)? {
    guard let rest = dropping(beginning) else { return nil }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits) else { return nil }
    return (number, String(rest.dropFirst(digits.count)))
  }

  /// Whether the text is a name, or that name followed by digits, as in the second column of a
  /// name.
  func isName(_ name: String) -> Bool {
    dropping(name)?.allSatisfy { $0.isASCII && $0.isNumber } ?? false
  }

  /// Whether a script can use the text as a name: letters, digits and `_`, not starting with a
  /// digit.
  var isPlainName: Bool {
    guard let first = unicodeScalars.first, first == "_" || first.properties.isAlphabetic else {
      return false
    }
    return unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType == .decimal
    }
  }

  /// The plural of a name, such as `books` for `Book`.
  var pluralName: String {
    let name = prefix(1).lowercased() + dropFirst()
    if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
      return name.dropLast() + "ies"
    }
    let hisses = ["s", "x", "z", "ch", "sh"].contains(where: name.hasSuffix)
    return name + (hisses ? "es" : "s")
  }
}

extension Row {
  /// Returns the integer of a column; nil if it holds something else.
  func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(self[column]) }

  /// Returns the text of a column; nil if it holds something else.
  func text(_ column: Int) -> String? {
    guard case .string(let text) = (self[column] as DatabaseValue).storage else { return nil }
    return text
  }
}

extension Database {
  /// Returns the names of a table's columns, in order.
  func columnNames(of table: String) throws -> [String] {
    try Row.fetchAll(self, sql: "PRAGMA table_info(\(table.quotedForSQL))")
      .compactMap { $0.text(1) }
  }
}
