import Basics
import FetchedResults
import Foundation
import GRDB

/// Finds the entities that a file of Core Data's layout implies.
///
/// The names of tables and columns follow Core Data's rules. `ZBOOK` has the objects of Book. In
/// it, `ZAUTHOR` has the numbers of their authors, and `Z4_AUTHOR` the authors' entity numbers.
/// `Z_FOK_AUTHOR` has each book's place among its author's ordered books. The join table `Z_2TAGS`
/// joins objects of entity 2 to their tags.
///
/// With a newer model at hand, the reader takes from it what tables do not show: which entity has a
/// property, and where a relationship leads.
struct ImpliedModelReader {
  private let database: Database
  private let schema: StoreSchema
  /// The entities that are used, in order of their numbers.
  private var records: [EntityRecord]
  private let indexes: StoreIndexes
  private let evidence: ColumnEvidence
  private var newer: NewerModel?
  /// Whether digits at the end of a column may be no part of the property's name.
  private let splitsDigits: Bool
  /// For each entity, the numbers of its ancestors from the root, and its own.
  private var lineages: [Int64: [Int64]] = [:]

  /// The properties that each entity was given, by the entity's number.
  private var attributes: [Int64: [AttributeDescription]] = [:]
  private var references: [ToOneColumn] = []
  private var toMany: [Int64: [RelationshipDescription]] = [:]
  private var inverses: [ToOneColumn.Place: String] = [:]
  private var columns: [String: [String: PropertyColumns]] = [:]
  private var doubts: [String: [String: [ImpliedModel.Doubt]]] = [:]
  private var omissions: [ImpliedModel.Omission] = []
  /// The names in capitals of the properties that each entity declares, by its number.
  private var taken: [Int64: Set<String>] = [:]

  /// Reads the model that a file implies.
  ///
  /// - Parameter newer: The model that the file is about to be migrated to, if there is one.
  static func model(
    of database: Database, _ schema: StoreSchema, newer: ManagedObjectModel? = nil
  ) throws -> ImpliedModel {
    var reader = try ImpliedModelReader(database, schema, newer, splitsDigits: true)
    let model = try reader.read()
    if newer != nil { return model }
    // Without a newer model, the implied one must lead to the same columns on its own.
    if let whole = try? ManagedObjectModel(entities: model.entities),
      let layout = try? StoreLayout(whole, file: schema), layout.matches(model.columns)
    {
      return model
    }
    reader = try ImpliedModelReader(database, schema, nil, splitsDigits: false)
    return try reader.read()
  }

  private init(
    _ database: Database, _ schema: StoreSchema, _ newer: ManagedObjectModel?, splitsDigits: Bool
  ) throws {
    self.database = database
    self.schema = schema
    self.splitsDigits = splitsDigits
    records = try EntityRecord.all(in: database)
    indexes = try StoreIndexes(database)
    evidence = ColumnEvidence(database: database)
    dropUnusable()
    for record in records { lineages[record.number] = lineage(of: record.number) }
    self.newer = try newer.map { try NewerModel($0, for: records) }
  }

  private mutating func read() throws -> ImpliedModel {
    for root in records where root.parent == nil { try readColumns(of: root) }
    try readDestinations()
    try readJoinTables()
    if newer == nil { try readInverses() } else { addOrderedInverses() }
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

  /// Returns a property of the newer model as errors name it: `Book.title`.
  private func name(of property: NewerModel.Property) -> String {
    (record(property.owner)?.name ?? "") + "." + property.name
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
    var extras: [ReferenceExtra] = []
    var own: [ColumnOwners.Column] = []
    for name in names where !["Z_PK", "Z_ENT", "Z_OPT"].contains(name) {
      if let extra = ReferenceExtra(name) {
        extras.append(extra)
        continue
      }
      let type = schema.columns[root.table]?[name].flatMap(ColumnType.init(rawValue:))
      let spelling = indexes.spelling(of: name, in: root.table)
      guard let type, spelling.isPlainName, "Z" + spelling.uppercased() == name else {
        omissions.append(.column(name, table: root.table))
        continue
      }
      let entities = try evidence.entities(withValuesIn: name, root.table)
      own.append(
        ColumnOwners.Column(name: String(name.dropFirst()), type: type, entities: Set(entities)))
    }
    let choices = ColumnOwners(
      own, root: root.number, lineages: lineages, newer: newer, splitsDigits: splitsDigits
    ).choices()
    for choice in choices {
      guard let one = choice.guide, let other = choice.alternative else { continue }
      throw MigrationError.unknownSource(
        reason: "Z\(choice.column) may be \(self.name(of: one)) or \(self.name(of: other))")
    }
    let references = try referenceColumns(among: choices, own, extras, root)
    let types = Dictionary(own.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    // In the order of the table's columns.
    let chosen = Dictionary(
      choices.map { ($0.column, $0) }, uniquingKeysWith: { first, _ in first })
    for column in own {
      guard let choice = chosen[column.name], let capitals = choice.name,
        let type = types[column.name], take(capitals, in: choice.owner)
      else {
        omissions.append(.column("Z" + column.name, table: root.table))
        continue
      }
      let spelling = indexes.spelling(of: "Z" + column.name, in: root.table)
      let name = String(spelling.prefix(capitals.count))
      if choice.isGuess { doubt(.perhapsNamed(spelling), name, of: choice.owner) }
      if let columns = references[column.name] {
        let hasIndex = indexes.isReference(columns.column, in: root.table)
        let isGuided = choice.guide.map { $0.attribute == nil } ?? false
        self.references.append(
          ToOneColumn(
            owner: choice.owner, table: root.table, columns: columns, name: name,
            isCertain: isGuided || hasIndex || columns.entityColumn != nil,
            guide: isGuided ? choice.guide : nil))
      } else {
        try addAttribute(name, type, "Z" + column.name, root.table, to: choice)
      }
    }
  }

  /// Returns the columns of each to-one relationship, by the name of the first without `Z`.
  private func referenceColumns(
    among choices: [ColumnOwners.Choice], _ own: [ColumnOwners.Column],
    _ extras: [ReferenceExtra], _ root: EntityRecord
  ) throws -> [String: PropertyColumns] {
    let integers = Set(own.filter { $0.type == .integer }.map(\.name))
    let all = extras
    var extras = extras
    var found: [String: PropertyColumns] = [:]
    // The extra columns of equal names have digits of their own, in the same order.
    for choice in choices.ordered(by: {
      ($0.column.count, $0.column) < ($1.column.count, $1.column)
    }
    ) {
      guard let name = choice.name, integers.contains(choice.column),
        choice.guide?.attribute == nil
      else { continue }
      var columns = PropertyColumns(column: "Z" + choice.column)
      for place in [ReferenceExtra.Kind.entity, .order] {
        // A value without a reference cannot be its. A reference without an entity number is
        // damage, and without an order it has not been ordered yet.
        var fitting: [(index: Int, misses: Int64)] = []
        for (index, extra) in extras.enumerated() where extra.isFor(place, name, among: all) {
          let found = try evidence.mismatches(columns.column, extra, in: root.table)
          let isNamed = choice.guide?.destination.map { extra.number == $0 } ?? true
          guard found.withoutReference == 0 else { continue }
          fitting.append((index, isNamed ? found.withoutExtra : found.withoutExtra + 1))
        }
        guard let index = fitting.min(by: { $0.misses < $1.misses })?.index else { continue }
        columns.set(extras.remove(at: index))
      }
      let mayRefer = isNamedLikeEntity(name)
      let isReference =
        columns.entityColumn != nil || choice.guide != nil || mayRefer
        || indexes.isReference(columns.column, in: root.table)
      if isReference { found[choice.column] = columns }
    }
    return found
  }

  private func isNamedLikeEntity(_ capitals: String) -> Bool {
    records.contains { $0.name.uppercased() == capitals }
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
    _ name: String, _ type: ColumnType, _ column: String, _ table: String,
    to choice: ColumnOwners.Choice
  ) throws {
    let owner = choice.owner
    let values = try evidence.values(of: column, table, type, all: newer != nil)
    let guess = AttributeGuess(
      name: name, column: type, values: values, newer: choice.guide?.attribute)
    guard
      let attribute = try? AttributeDescription(
        name: name, type: guess.type, isOptional: true,
        allowsExternalBinaryDataStorage: guess.isExternal)
    else { return omissions.append(.column(column, table: table)) }
    attributes[owner, default: []].append(attribute)
    note(PropertyColumns(column: column), name, of: owner)
    if values.count == 0 {
      doubt(.noValue, name, of: owner)
    } else if values.count == values.rows {
      doubt(.alwaysSet(rows: values.rows), name, of: owner)
    }
    if !guess.others.isEmpty { doubt(.perhaps(guess.others), name, of: owner) }
    if owner != record(owner)?.root { doubt(.ownerByRows, name, of: owner) }
  }

  private mutating func note(_ columns: PropertyColumns, _ property: String, of entity: Int64) {
    guard let name = record(entity)?.name else { return }
    self.columns[name, default: [:]][property] = columns
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
      } else if let number = reference.guide?.destination, isLeaf(number),
        try values.count == 0 || leads(reference, to: number)
      {
        found = [number]
      } else {
        for root in try rootsReferred(by: reference) {
          found += try destinations(of: reference, in: root, hasValues: values.count > 0)
        }
        found = preferred(found, reference.name)
        if values.count == 0, found.count > 1, !isNamed(found[0], like: reference.name) {
          found = []
        }
        if found.isEmpty, let number = reference.guide?.destination, isLeaf(number) {
          found = [number]
        }
      }
      guard let destination = found.first, reference.isCertain || values.count > 0 else {
        try addAttribute(
          reference.name, .integer, reference.column, reference.table,
          to: ColumnOwners.Choice(
            column: String(reference.column.dropFirst()), name: reference.name.uppercased(),
            owner: reference.owner, guide: nil))
        if reference.isCertain { doubt(.noDestination, reference.name, of: reference.owner) }
        continue
      }
      references[index].destination = destination
      note(reference.columns, reference.name, of: reference.owner)
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

  private func isLeaf(_ number: Int64) -> Bool { !records.contains { $0.parent == number } }

  /// Whether a column has the number of an object of an entity without sub-entities.
  private func leads(_ reference: ToOneColumn, to number: Int64) throws -> Bool {
    guard let table = record(number)?.table(records) else { return false }
    return try evidence.entities(ofObjectsIn: reference, table).contains(number)
  }

  /// Returns the root entities whose tables may have the objects that a column numbers.
  ///
  /// Some numbers may be of objects that do not exist. So if the column is certainly a
  /// relationship's, the tables with most of the numbers are taken.
  private func rootsReferred(by reference: ToOneColumn) throws -> [EntityRecord] {
    var best: Int64 = 0
    var roots: [EntityRecord] = []
    for root in records where root.parent == nil {
      let (count, found) = try evidence.numbers(in: reference, of: root.table)
      guard found == count || (reference.isCertain && found > 0), found >= best else { continue }
      if found > best { roots = [] }
      best = found
      roots.append(root)
    }
    return roots
  }

  /// Returns the entities of a table that a column without an entity column may refer to: those
  /// without sub-entities.
  private func destinations(
    of reference: ToOneColumn, in root: EntityRecord, hasValues: Bool
  ) throws -> [Int64] {
    let leaves = family(of: root.number).filter { isLeaf($0.number) }
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
      guard let owner = record(reference.owner) else { continue }
      var name = owner.name.pluralName
      if isTaken(name.uppercased(), in: destination) {
        name += "Of" + reference.name.prefix(1).uppercased() + reference.name.dropFirst()
      }
      let unique = takeUnique(name, in: destination)
      inverses[reference.place] = unique
      toMany[destination, default: []].append(
        RelationshipDescription(
          name: unique, destination: owner.name, inverse: reference.name, isToMany: true,
          isOrdered: reference.isOrderedBack))
      doubt(.madeUpName, unique, of: destination)
    }
  }

  /// Gives an inverse to each to-one relationship whose objects are ordered.
  ///
  /// Only its order has a column. Other inverses leave no trace, so the migration does not need
  /// them.
  private mutating func addOrderedInverses() {
    for reference in references where reference.columns.order != nil {
      guard let destination = reference.destination, let owner = record(reference.owner) else {
        continue
      }
      let name = takeUnique(
        reference.guide?.inverse ?? "\(owner.name)_\(reference.name)", in: destination)
      inverses[reference.place] = name
      toMany[destination, default: []].append(
        RelationshipDescription(
          name: name, destination: owner.name, inverse: reference.name, isToMany: true,
          isOrdered: true))
    }
  }

  /// Whether an entity, or one that shares its properties, has a property with this name.
  private func isTaken(_ capitals: String, in entity: Int64) -> Bool {
    taken.contains { other, names in
      names.contains(capitals)
        && (lineages[entity]?.contains(other) == true || lineages[other]?.contains(entity) == true)
    }
  }

  /// Notes a name in capitals; false if it is taken.
  private mutating func take(_ capitals: String, in entity: Int64) -> Bool {
    guard !isTaken(capitals, in: entity) else { return false }
    taken[entity, default: []].insert(capitals)
    return true
  }

  /// Notes a name, with digits if it is taken, and returns it.
  private mutating func takeUnique(_ name: String, in entity: Int64) -> String {
    var unique = name
    var number = 1
    while !take(unique.uppercased(), in: entity) {
      number += 1
      unique = "\(name)\(number)"
    }
    return unique
  }
}

// MARK: - Join tables

extension ImpliedModelReader {
  private mutating func readJoinTables() throws {
    let tables = schema.columns.keys.sorted().filter { table in
      table.numbered(after: "Z_").map { !$0.rest.isEmpty } ?? false
    }
    let joins = tables.compactMap { JoinOutline($0, schema) }
    let outlined = Set(joins.map(\.table))
    omissions += tables.filter { !outlined.contains($0) }.map { .joinTable($0) }
    for join in joins {
      guard let owner = record(join.owner), let destination = record(join.destination) else {
        omissions.append(.joinTable(join.table))
        continue
      }
      let name = join.name
      let first = name.lowercased()
      // If there is no inverse, the column is named after the entity.
      let isOneWay = join.inverse == owner.name.uppercased()
      let second =
        join.isReflexive
        ? first : isOneWay ? nil : inverseName(of: join, destination, among: joins).lowercased()
      guard [first, second ?? first].allSatisfy(\.isPlainName),
        first.uppercased() == name, take(name, in: owner.number),
        second == nil || join.isReflexive
          || take(second?.uppercased() ?? "", in: destination.number)
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

  /// Returns the name of the inverse in capitals, without digits that were added because another
  /// entity's relationship of the same name has a column in another join table.
  private func inverseName(
    of join: JoinOutline, _ destination: EntityRecord, among joins: [JoinOutline]
  ) -> String {
    let digits = join.inverse.reversed().prefix { $0.isASCII && $0.isNumber }.count
    guard splitsDigits, digits > 0, digits < join.inverse.count else { return join.inverse }
    let line = lineages[destination.number] ?? []
    let plain = (1...digits).map { String(join.inverse.dropLast($0)) }.first { base in
      joins.contains { other in
        other.owner == join.owner && other.inverse == base && !line.contains(other.destination)
          && lineages[other.destination]?.contains(destination.number) == false
      }
    }
    func isKnown(_ name: String) -> Bool {
      newer.map { !$0.properties(named: name, in: destination.root).isEmpty } ?? false
    }
    guard let plain, !isKnown(join.inverse) || isKnown(plain) else { return join.inverse }
    return isTaken(plain, in: destination.number) ? join.inverse : plain
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
          relationships: toOne + (toMany[record.number] ?? []), uniquenessConstraints: constraints,
          indexes: fetchIndexes(of: record, parent, attributes, toOne))
        made[record.number] = entity
        entities.append(entity)
      } catch {
        omissions.append(.entity(record.name))
      }
    }
    return ImpliedModel(
      entities: entities, columns: columns, doubts: doubts, omissions: omissions)
  }

  /// Returns the indexes of an entity, except for those of columns that are not its properties.
  private func fetchIndexes(
    of record: EntityRecord, _ parent: EntityDescription?, _ own: [AttributeDescription],
    _ ownToOne: [RelationshipDescription]
  ) -> [FetchIndexDescription] {
    let attributes = (own + (parent?.attributes ?? [])).filter {
      !$0.allowsExternalBinaryDataStorage
    }
    let toOne = (ownToOne + (parent?.relationships ?? [])).filter { !$0.isToMany }
    let known = Set(attributes.map(\.name) + toOne.map(\.name))
    var properties: [String: String] = [:]
    var owners = [record.name]
    var ancestor = parent
    while let entity = ancestor {
      owners.append(entity.name)
      ancestor = entity.superentity
    }
    for (name, place) in owners.flatMap({ columns[$0] ?? [:] }) where known.contains(name) {
      properties[place.column] = name
    }
    return indexes.fetchIndexes(of: record.name, in: record.table(records), properties)
  }
}
