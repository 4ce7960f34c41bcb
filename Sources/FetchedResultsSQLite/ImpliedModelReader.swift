import FetchedResults
import Foundation
import GRDB

/// Finds the entities that a file of Core Data's layout implies.
///
/// The names of tables and columns follow Core Data's rules. `ZBOOK` has the objects of Book. In
/// it, `ZAUTHOR` has the numbers of their authors, and `Z4_AUTHOR` the authors' entity numbers.
/// `Z_FOK_AUTHOR` has each book's place among its author's ordered books. The join table `Z_2TAGS`
/// joins objects of entity 2 to their tags.
struct ImpliedModelReader {
  private let database: Database
  private let schema: StoreSchema
  /// The entities that are used, in order of their numbers.
  private var records: [EntityRecord]
  private let indexes: StoreIndexes
  private let evidence: ColumnEvidence

  /// The properties that each entity was given, by the entity's number.
  private var attributes: [Int64: [AttributeDescription]] = [:]
  private var references: [ToOneColumn] = []
  private var toMany: [Int64: [RelationshipDescription]] = [:]
  private var inverses: [ToOneColumn.Place: String] = [:]
  private var doubts: [String: [String: [ImpliedModel.Doubt]]] = [:]
  private var omissions: [ImpliedModel.Omission] = []
  /// The names of the properties of each family in capitals, by the root's number.
  private var taken: [Int64: Set<String>] = [:]

  init(_ database: Database, _ schema: StoreSchema) throws {
    self.database = database
    self.schema = schema
    records = try EntityRecord.all(in: database)
    indexes = try StoreIndexes(database)
    evidence = ColumnEvidence(database: database)
  }

  mutating func read() throws -> ImpliedModel {
    dropUnusable()
    for root in records where root.parent == nil {
      taken[root.number] = []
      try readColumns(of: root)
    }
    try readDestinations()
    try readJoinTables()
    try readInverses()
    return model()
  }

  /// Leaves out entities without one of Core Data's tables, and those with names, inherited ones
  /// included, that a script cannot write.
  private mutating func dropUnusable() {
    var usable: Set<Int64> = []
    for root in records where root.parent == nil && schema.hasObjects(ofTable: root.table) {
      usable.formUnion(plainFamily(of: root.number).map(\.number))
    }
    omissions += records.filter { !usable.contains($0.number) }.map { .entity($0.name) }
    records = records.filter { usable.contains($0.number) }
  }

  private func plainFamily(of number: Int64) -> [EntityRecord] {
    guard let first = record(number), first.name.isPlainName else { return [] }
    return [first] + records.filter { $0.parent == number }.flatMap { plainFamily(of: $0.number) }
  }

  private func record(_ number: Int64) -> EntityRecord? { records.first { $0.number == number } }

  /// Returns an entity and those that inherit from it, each after its parent.
  private func family(of number: Int64) -> [EntityRecord] {
    guard let first = record(number) else { return [] }
    return [first] + records.filter { $0.parent == number }.flatMap { family(of: $0.number) }
  }

  private mutating func doubt(_ doubt: ImpliedModel.Doubt, _ property: String, of entity: Int64) {
    guard let name = self.record(entity)?.name else { return }
    doubts[name, default: [:]][property, default: []].append(doubt)
  }
}

// MARK: - Columns

extension ImpliedModelReader {
  private mutating func readColumns(of root: EntityRecord) throws {
    let names = try database.columnNames(of: root.table)
    var entityColumns: [String: Int64] = [:]
    var ordered: Set<String> = []
    var own: [String] = []
    for name in names where !["Z_PK", "Z_ENT", "Z_OPT"].contains(name) {
      if let order = name.dropping("Z_FOK_") {
        ordered.insert(order)
      } else if let (number, rest) = name.numbered(after: "Z"), let property = rest.dropping("_") {
        entityColumns[property] = number
      } else {
        own.append(name)
      }
    }
    for column in own {
      let type = schema.columns[root.table]?[column].flatMap(ColumnType.init(rawValue:))
      let name = indexes.spelling(of: column, in: root.table)
      guard let type, name.isPlainName, "Z" + name.uppercased() == column,
        taken[root.number]?.insert(name.uppercased()).inserted == true
      else {
        omissions.append(.column(column, table: root.table))
        continue
      }
      let owner = try self.owner(of: column, root)
      let capitals = String(column.dropFirst())
      let hasIndex = indexes.isReference(column, in: root.table)
      let entityColumn = entityColumns[capitals]
      let mayRefer = type == .integer && isNamedLikeEntity(capitals)
      if type == .integer, hasIndex || entityColumn != nil || mayRefer {
        references.append(
          ToOneColumn(
            owner: owner, table: root.table, column: column, name: name,
            entityNumber: entityColumn, isOrderedBack: ordered.contains(capitals),
            isCertain: hasIndex || entityColumn != nil))
      } else {
        try addAttribute(name, type, column, root.table, to: owner)
      }
    }
  }

  private func isNamedLikeEntity(_ capitals: String) -> Bool {
    records.contains { $0.name.uppercased() == capitals }
  }

  /// Returns the entity that a column belongs to: the common ancestor of all objects with a value.
  private mutating func owner(of column: String, _ root: EntityRecord) throws -> Int64 {
    guard records.contains(where: { $0.parent == root.number }) else { return root.number }
    let numbers = try evidence.entities(withValuesIn: column, root.table)
    var common: [Int64]?
    for number in numbers {
      let line = lineage(of: number)
      guard line.first == root.number else { return root.number }
      common = common.map { zip($0, line).prefix { $0 == $1 }.map(\.0) } ?? line
    }
    return common?.last ?? root.number
  }

  /// Returns an entity's ancestors, starting with the root, and the entity itself.
  private func lineage(of number: Int64) -> [Int64] {
    var line: [Int64] = []
    var next = record(number)
    while let entity = next, line.count <= records.count {
      line.insert(entity.number, at: 0)
      next = entity.parent.flatMap(record)
    }
    return line
  }

  private mutating func addAttribute(
    _ name: String, _ type: ColumnType, _ column: String, _ table: String, to owner: Int64
  ) throws {
    let values = try evidence.values(of: column, table, type)
    let guess = AttributeGuess(name: name, column: type, values: values)
    guard
      let attribute = try? AttributeDescription(
        name: name, type: guess.type, isOptional: true,
        allowsExternalBinaryDataStorage: guess.isExternal)
    else { return omissions.append(.column(column, table: table)) }
    attributes[owner, default: []].append(attribute)
    if values.count == 0 {
      doubt(.noValue, name, of: owner)
    } else if values.count == values.rows {
      doubt(.alwaysSet(rows: values.rows), name, of: owner)
    }
    if !guess.others.isEmpty { doubt(.perhaps(guess.others), name, of: owner) }
    if owner != record(owner)?.root { doubt(.ownerByRows, name, of: owner) }
  }
}

// MARK: - Relationships

extension ImpliedModelReader {
  /// Finds which entities' objects the columns of to-one relationships refer to.
  private mutating func readDestinations() throws {
    for index in references.indices {
      let reference = references[index]
      let values = try evidence.values(of: reference.column, reference.table, .integer)
      var found: [Int64] = []
      if let number = reference.entityNumber {
        found = record(number) == nil ? [] : [number]
      } else {
        for root in records where root.parent == nil {
          guard try evidence.areNumbers(reference, of: root.table) else { continue }
          found += try destinations(of: reference, in: root, hasValues: values.count > 0)
        }
        found = preferred(found, reference.name)
        if values.count == 0, found.count > 1, !isNamed(found[0], like: reference.name) {
          found = []
        }
      }
      guard let destination = found.first, reference.isCertain || values.count > 0 else {
        try addAttribute(
          reference.name, .integer, reference.column, reference.table, to: reference.owner)
        if reference.isCertain { doubt(.noDestination, reference.name, of: reference.owner) }
        continue
      }
      references[index].destination = destination
      note(reference, values, found)
    }
  }

  private mutating func note(
    _ reference: ToOneColumn, _ values: ColumnValues, _ destinations: [Int64]
  ) {
    if values.count == 0 {
      doubt(.noValue, reference.name, of: reference.owner)
    } else if values.count == values.rows {
      doubt(.alwaysSet(rows: values.rows), reference.name, of: reference.owner)
    }
    if destinations.count > 1 {
      let names = destinations.compactMap { record($0)?.name }
      doubt(.destinations(names), reference.name, of: reference.owner)
    }
    if !reference.isCertain { doubt(.withoutIndex, reference.name, of: reference.owner) }
    if reference.owner != record(reference.owner)?.root {
      doubt(.ownerByRows, reference.name, of: reference.owner)
    }
  }

  /// Returns the entities of a table that a column without an entity column may refer to: those
  /// without sub-entities.
  private func destinations(
    of reference: ToOneColumn, in root: EntityRecord, hasValues: Bool
  ) throws -> [Int64] {
    let leaves = family(of: root.number).filter { entity in
      !records.contains { $0.parent == entity.number }
    }
    guard leaves.count > 1 || leaves.first?.number != root.number, hasValues else {
      return leaves.map(\.number)
    }
    let numbers = try evidence.entities(ofObjectsIn: reference, root.table)
    return leaves.map(\.number).filter { numbers == [$0] }
  }

  /// Returns the destinations with those first whose name matches the relationship's.
  private func preferred(_ destinations: [Int64], _ name: String) -> [Int64] {
    destinations.filter { isNamed($0, like: name) }
      + destinations.filter { !isNamed($0, like: name) }
  }

  private func isNamed(_ entity: Int64, like name: String) -> Bool {
    guard let entity = record(entity)?.name.uppercased() else { return false }
    let name = name.uppercased()
    return name.contains(entity) || entity.contains(name)
  }

  /// Gives each to-one relationship an inverse: a to-one relationship with the same pairs of
  /// objects, or else a to-many one, which leaves no trace in a file.
  private mutating func readInverses() throws {
    for (index, reference) in references.enumerated() {
      guard let destination = reference.destination, inverses[reference.place] == nil else {
        continue
      }
      let others = references[index...].filter { other in
        // Each relationship must lead to the entity that has the other.
        other.destination == reference.owner && other.owner == destination
          && inverses[other.place] == nil
      }
      if let other = try others.first(where: { try evidence.areInverse(reference, $0) }) {
        inverses[reference.place] = other.name
        inverses[other.place] = reference.name
        doubt(.perhapsInverse(of: other.name), reference.name, of: reference.owner)
        continue
      }
      guard let owner = record(reference.owner), let root = record(destination)?.root else {
        continue
      }
      var name = owner.name.pluralName
      if taken[root]?.contains(name.uppercased()) == true {
        name += "Of" + reference.name.prefix(1).uppercased() + reference.name.dropFirst()
      }
      var unique = name
      var number = 1
      while taken[root, default: []].insert(unique.uppercased()).inserted == false {
        number += 1
        unique = "\(name)\(number)"
      }
      inverses[reference.place] = unique
      toMany[destination, default: []].append(
        RelationshipDescription(
          name: unique, destination: owner.name, inverse: reference.name, isToMany: true,
          isOrdered: reference.isOrderedBack))
      doubt(.madeUpName, unique, of: destination)
    }
  }
}

// MARK: - Join tables

extension ImpliedModelReader {
  private mutating func readJoinTables() throws {
    for table in schema.columns.keys.sorted() {
      guard let (number, name) = table.numbered(after: "Z_"), !name.isEmpty else { continue }
      guard let join = JoinOutline(table, number, name, schema),
        let owner = record(number), let destination = record(join.destination)
      else {
        omissions.append(.joinTable(table))
        continue
      }
      let first = name.lowercased()
      // If there is no inverse, the column is named after the entity.
      let isOneWay = join.inverse == owner.name.uppercased()
      let second = join.isReflexive ? first : isOneWay ? nil : join.inverse.lowercased()
      guard [first, second ?? first].allSatisfy(\.isPlainName),
        first.uppercased() == name, take(first, in: owner),
        second == nil || join.isReflexive || take(second ?? "", in: destination)
      else {
        omissions.append(.property(first, entity: owner.name))
        continue
      }
      toMany[owner.number, default: []].append(
        RelationshipDescription(
          name: first, destination: destination.name, inverse: second, isToMany: true,
          isOrdered: join.isFirstOrdered))
      guard let second, !join.isReflexive else { continue }
      toMany[destination.number, default: []].append(
        RelationshipDescription(
          name: second, destination: owner.name, inverse: first, isToMany: true,
          isOrdered: join.isSecondOrdered))
    }
  }

  private mutating func take(_ name: String, in entity: EntityRecord) -> Bool {
    taken[entity.root, default: []].insert(name.uppercased()).inserted
  }
}

// MARK: - The model

extension ImpliedModelReader {
  private mutating func model() -> ImpliedModel {
    var made: [Int64: EntityDescription] = [:]
    var entities: [EntityDescription] = []
    for record in records.filter({ $0.parent == nil }).flatMap({ family(of: $0.number) }) {
      let parent = record.parent.flatMap { made[$0] }
      if record.parent != nil, parent == nil {
        omissions.append(.entity(record.name))
        continue
      }
      let toOne: [RelationshipDescription] = references.compactMap { reference in
        guard reference.owner == record.number,
          let destination = reference.destination.flatMap(self.record)
        else { return nil }
        return RelationshipDescription(
          name: reference.name, destination: destination.name, inverse: inverses[reference.place])
      }
      let attributes = attributes[record.number] ?? []
      let names = Set(attributes.map(\.name) + (parent?.attributes.map(\.name) ?? []))
      let constraints = indexes.constraints(of: record.name, in: record.table(records))
        .filter(names.isSuperset)
      do {
        let entity = try EntityDescription(
          name: record.name, superentity: parent, attributes: attributes,
          relationships: toOne + (toMany[record.number] ?? []), uniquenessConstraints: constraints)
        made[record.number] = entity
        entities.append(entity)
      } catch {
        omissions.append(.entity(record.name))
      }
    }
    return ImpliedModel(entities: entities, doubts: doubts, omissions: omissions)
  }
}
