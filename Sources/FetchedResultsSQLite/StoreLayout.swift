import Basics
import FetchedResults

/// The places of a model's data in Core Data's file layout.
///
/// There is one table for each root entity, shared with its sub-entities, and one for each
/// many-to-many relationship.
///
/// It is made of a model alone, or of a model and the schema of a file.
struct StoreLayout {
  /// The tables of root entities, in order of the entities' numbers.
  var tables: [EntityTable] = []
  var joins: [JoinTable] = []
  private(set) var placements: [EntityDescription: EntityPlacement] = [:]
  /// Each root with the entities that inherit from it.
  private(set) var families: [EntityDescription: [EntityDescription]] = [:]
  /// The index of each root's table in `tables`.
  private var tableIndices: [EntityDescription: Int] = [:]
  /// The join tables that have a place, by the end that names them.
  private var placedJoins: [End: PlacedJoin] = [:]
  /// How often a join table has used each column name.
  private var joinColumnCounts: [String: Int] = [:]
  /// The entities by their numbers.
  private(set) var entities: [Int64: EntityDescription] = [:]
  /// The columns of attributes and to-one relationships, if they do not follow from the names.
  private let columns: [String: [String: PropertyColumns]]?

  /// Lays out a model.
  ///
  /// - Parameters:
  ///   - model: Entities whose relationships have destinations.
  ///   - file: The schema of an existing file; nil for a new file.
  ///   - columns: The columns of each entity's own attributes and to-one relationships, if the
  ///     model was guessed from them. Without them, names and entity numbers give the columns.
  /// - Throws: `ModelError` if a relationship has no valid destination, `LayoutMisfit` if the
  ///   file has no number for an entity, or `UnusableFile` if a new file would have two tables of
  ///   one name.
  init(
    _ model: ManagedObjectModel, file: StoreSchema? = nil,
    columns: [String: [String: PropertyColumns]]? = nil
  ) throws {
    self.columns = columns
    let order = Self.inOrderOfNumber(model)
    var next: Int64 = 0
    for entity in order {
      next += 1
      guard let number = file.map({ $0.number(of: entity) }) ?? next else {
        throw LayoutMisfit.noEntity(entity.name)
      }
      entities[number] = entity
      placements[entity] = EntityPlacement(
        number: number, table: "Z" + entity.root.name.uppercased())
    }
    families = Dictionary(grouping: order, by: \.root)
    for root in order where root.superentity == nil {
      try placeColumns(of: root, with: families[root] ?? [])
    }
    for entity in order { try placeToMany(of: entity, file: file) }
    guard let file else {
      try checkTables()
      return
    }
    let known = Set(joins.map(\.name))
    let unknown = file.joinColumns.mapValues { $0.filter { !known.contains($0.table) } }
    for entity in order { placeUnknownJoins(of: entity, unknown) }
  }

  /// Checks that each table has a name of its own.
  private func checkTables() throws(UnusableFile) {
    var owners = Dictionary(
      uniqueKeysWithValues: StoreCreation.ownTables.map { ($0.key, "the store itself") })
    for join in joins { owners[join.name] = "a relationship" }
    for table in tables {
      if let other = owners.updateValue(table.root.name, forKey: table.name) {
        throw .sameTable(table.name, entity: table.root.name, other: other)
      }
    }
  }

  /// Returns the places of an entity's properties; nil for an entity of another model.
  subscript(entity: EntityDescription) -> EntityPlacement? { placements[entity] }

  /// Returns the table of a root entity.
  func table(of root: EntityDescription) -> EntityTable? { tableIndices[root].map { tables[$0] } }

  /// Returns the entities in order of their numbers: roots by name, each followed by its
  /// sub-entities.
  static func inOrderOfNumber(_ model: ManagedObjectModel) -> [EntityDescription] {
    let heirs = Dictionary(
      grouping: model.entities.ordered { $0.name > $1.name }, by: \.superentity)
    var order: [EntityDescription] = []
    var waiting = heirs[nil] ?? []
    while let entity = waiting.popLast() {
      order.append(entity)
      waiting += heirs[entity] ?? []
    }
    return order
  }
}

/// The table of a root entity and its sub-entities.
struct EntityTable {
  let root: EntityDescription
  let name: String
  /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`.
  var columns: [Column] = []
  /// The columns that refer to other objects.
  ///
  /// Core Data indexes them.
  var references: [String] = []

  struct Column {
    let name: String
    let type: ColumnType
  }

  private var names: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
  /// The last digits that were added to each name.
  private var suffixes: [String: Int] = [:]

  init(root: EntityDescription, name: String) {
    self.root = root
    self.name = name
  }

  /// Adds a column with a unique name, and returns the name.
  mutating func add(_ name: String, _ type: ColumnType) -> String {
    var unique = name
    while !names.insert(unique).inserted {
      suffixes[name, default: 0] += 1
      unique = "\(name)\(suffixes[name] ?? 0)"
    }
    columns.append(Column(name: unique, type: type))
    return unique
  }
}

/// The table of a many-to-many relationship, independent of either side.
struct JoinTable: Hashable {
  /// The column of the owner, if a relationship is its own inverse.
  static let reflexive = "REFLEXIVE"

  let name: String
  let columns: [String]
  let orders: [String]
}

/// The places of an entity's properties.
struct EntityPlacement {
  let number: Int64
  let table: String
  /// The column of each attribute; nil for a transient one.
  var attributes: [String?] = []
  var relationships: [RelationshipPlacement?] = []
  /// The columns that refer to the entity's objects, in join tables of relationships that the file
  /// has and the model lacks.
  var unknownJoins: [JoinColumn] = []
}

/// The place of a relationship.
enum RelationshipPlacement {
  /// In a column of the object's own row. The second column, if there is one, has the entity number
  /// of the other object.
  case toOne(column: String, entityColumn: String?, order: String?)
  /// In a column of the other objects' rows, with a column for their order.
  case fromOther(table: String, column: String, order: String?)
  /// In a separate table, with a column for each of both objects.
  case join(table: String, own: String, other: String, order: String?)
}

/// The reason why a model does not fit a file.
enum LayoutMisfit: Error, Hashable {
  case noEntity(String)
  case noTable(String)
  case noColumn(String, table: String)
  case noKey(table: String)
  case otherType(String, table: String, expected: String, found: String)
}

// MARK: - Join tables

extension StoreLayout {
  /// Returns the columns of join tables that refer to objects of an entity.
  ///
  /// - Complexity: O(*r*) in the relationships of the model.
  func joinColumns(of entity: EntityDescription) -> [JoinColumn] {
    guard let placement = self[entity] else { return [] }
    let own: [JoinColumn] = placement.relationships.flatMap { relationship -> [JoinColumn] in
      guard case .join(let table, let own, let other, _)? = relationship else { return [] }
      // A pair of a relationship that is its own inverse has a row for each side.
      let names = own == JoinTable.reflexive ? [own, other] : [own]
      return names.map { JoinColumn(table: table, name: $0) }
    }
    return own + incomingJoins(of: entity) + placement.unknownJoins
  }

  /// Returns the join columns of relationships without an inverse that lead to the entity.
  private func incomingJoins(of entity: EntityDescription) -> [JoinColumn] {
    var columns: Set<JoinColumn> = []
    for (owner, placement) in placements {
      for (ordinal, relationship) in placement.relationships.enumerated() {
        guard case .join(let table, _, let other, _)? = relationship,
          let link = try? owner.link(at: ordinal), link.inverse == nil,
          entity.isKindOf(entity: link.destination)
        else { continue }
        columns.insert(JoinColumn(table: table, name: other))
      }
    }
    return columns.ordered { ($0.table, $0.name) < ($1.table, $1.name) }
  }
}

// MARK: - Columns

extension StoreLayout {
  private mutating func placeColumns(
    of root: EntityDescription, with family: [EntityDescription]
  ) throws {
    var table = EntityTable(root: root, name: "Z" + root.name.uppercased())
    for entity in family {
      let parent = entity.superentity.flatMap { placements[$0] }
      var attributes = parent?.attributes ?? []
      var columns: [String: String] = [:]
      for attribute in entity.ownAttributes.ordered(by: { $0.name < $1.name })
      where !attribute.isTransient {
        columns[attribute.name] = table.add(
          given(attribute.name, entity)?.column ?? "Z" + attribute.name.uppercased(),
          ColumnType(attribute.type))
      }
      attributes += entity.ownAttributes.map { columns[$0.name] }
      placements[entity]?.attributes = attributes
      var relationships = parent?.relationships ?? []
      relationships += Array(repeating: nil, count: entity.ownRelationships.count)
      let own = entity.ownRelationships.indices.ordered {
        entity.relationships[$0].name < entity.relationships[$1].name
      }
      for ordinal in own
      where !entity.relationships[ordinal].isToMany && !entity.relationships[ordinal].isTransient {
        relationships[ordinal] = try placeToOne(ordinal, of: entity, in: &table)
      }
      placements[entity]?.relationships = relationships
    }
    // Columns of the same type stay in the order in which they were added.
    table.columns = ColumnType.allCases.flatMap { type in table.columns.filter { $0.type == type } }
    tableIndices[root] = tables.count
    tables.append(table)
  }

  private func placeToOne(
    _ ordinal: Int, of entity: EntityDescription, in table: inout EntityTable
  ) throws -> RelationshipPlacement {
    let link = try entity.link(at: ordinal)
    let given = given(entity.relationships[ordinal].name, entity)
    if let given {
      table.references.append(given.column)
      return .toOne(
        column: table.add(given.column, .integer),
        entityColumn: given.entityColumn.map { table.add($0, .integer) },
        order: given.order.map { table.add($0, .integer) })
    }
    let name = entity.relationships[ordinal].name.uppercased()
    let column = table.add("Z" + name, .integer)
    table.references.append(column)
    var entityColumn: String?
    if link.destination.hasSubentities, let number = placements[link.destination]?.number {
      entityColumn = table.add("Z\(number)_\(name)", .integer)
    }
    let order =
      link.inverse?.isOrdered == true ? table.add("Z_FOK_\(name)", .integer) : nil
    return .toOne(column: column, entityColumn: entityColumn, order: order)
  }
}

extension StoreLayout {
  private func given(_ property: String, _ entity: EntityDescription) -> PropertyColumns? {
    columns?[entity.name]?[property]
  }

  /// Whether the attributes and to-one relationships are in these columns.
  ///
  /// - Parameter columns: The columns by the entity's name and then the property's.
  func matches(_ columns: [String: [String: PropertyColumns]]) -> Bool {
    placements.allSatisfy { entity, placement in
      let given = columns[entity.name] ?? [:]
      let attributes = zip(entity.attributes, placement.attributes).allSatisfy {
        given[$0.name] == nil || given[$0.name]?.column == $1
      }
      return attributes
        && zip(entity.relationships, placement.relationships).allSatisfy { relationship, place in
          guard case .toOne(let column, let entityColumn, let order)? = place,
            let given = given[relationship.name]
          else { return true }
          return given == PropertyColumns(column: column, entityColumn: entityColumn, order: order)
        }
    }
  }
}

// MARK: - To-many relationships

extension StoreLayout {
  private mutating func placeToMany(of entity: EntityDescription, file: StoreSchema?) throws {
    // Sorted by name, so that digits after equal names do not depend on the order of declaration.
    let ordinals = entity.relationships.indices.ordered {
      entity.relationships[$0].name < entity.relationships[$1].name
    }
    for ordinal in ordinals
    where entity.relationships[ordinal].isToMany && !entity.relationships[ordinal].isTransient {
      let link = try entity.link(at: ordinal)
      if let inverse = link.inverse, !inverse.isToMany,
        let other = placements[link.destination],
        case .toOne(let column, _, let order)? = other.relationships[inverse.ordinal]
      {
        placements[entity]?.relationships[ordinal] = .fromOther(
          table: other.table, column: column, order: order)
      } else {
        let join = placeJoin(ordinal, of: entity, link, file)
        placements[entity]?.relationships[ordinal] = join
      }
    }
  }

  /// Notes the join rows that must be deleted together with an object, although their relationship
  /// is not in the model.
  private mutating func placeUnknownJoins(
    of entity: EntityDescription, _ unknown: [Int64: [JoinColumn]]
  ) {
    let family = sequence(first: entity) { $0.superentity }
    let columns = family.compactMap { placements[$0]?.number }.flatMap { unknown[$0] ?? [] }
    placements[entity]?.unknownJoins = columns
  }

  /// One end of a many-to-many relationship.
  fileprivate struct End: Hashable {
    let number: Int64
    let name: String
    let isOrdered: Bool

    /// The column that holds what the relationship leads to.
    func column(ofDestination number: Int64) -> String { "Z_\(number)\(name)" }
  }

  private mutating func placeJoin(
    _ ordinal: Int, of entity: EntityDescription, _ link: RelationshipLink, _ file: StoreSchema?
  ) -> RelationshipPlacement {
    let here = end(ordinal, of: entity)
    let back = link.inverse.map { end($0.ordinal, of: link.destination) }
    // If there is no inverse, the other column is named after the entity.
    let there =
      back
      ?? End(
        number: placements[link.destination]?.number ?? 0, name: entity.name.uppercased(),
        isOrdered: false)
    let owners = back == nil ? [here] : [here, there].ordered(by: Self.ownsTable)
    let join =
      placedJoins[owners[0]]
      ?? place(owners, back == nil ? there : owners[1], hasInverse: back != nil, file)
    return join.placement(of: here)
  }

  /// Places the join table between two ends.
  ///
  /// The first one names it.
  private mutating func place(
    _ names: [End], _ second: End, hasInverse: Bool, _ file: StoreSchema?
  ) -> PlacedJoin {
    let first = names[0]
    let tables = names.map { "Z_\($0.number)\($0.name)" }
    let table = tables.first { file?.columns[$0] != nil } ?? tables[0]
    let plain = (
      first.column(ofDestination: second.number), second.column(ofDestination: first.number)
    )
    let isReflexive = plain.0 == plain.1
    var join = PlacedJoin(first: first, table: table, toFirst: plain.1, toSecond: plain.0)
    if isReflexive { join.toFirst = JoinTable.reflexive }
    if let file {
      join.toSecond = file.joinColumn(plain.0, in: table, besides: join.toFirst)
      if !isReflexive {
        join.toFirst = file.joinColumn(plain.1, in: table, besides: join.toSecond)
      }
    } else {
      join.toSecond = joinColumn(plain.0)
      // If there is no inverse, the column has the entity's name, which no relationship has used.
      if !isReflexive, hasInverse { join.toFirst = joinColumn(plain.1) }
    }
    if first.isOrdered { join.orderOfFirst = Self.order(join.toSecond, plain.0, table, file) }
    if second.isOrdered, hasInverse, !isReflexive {
      join.orderOfSecond = Self.order(join.toFirst, plain.1, table, file)
    }
    placedJoins[first] = join
    joins.append(
      JoinTable(
        name: table, columns: [join.toFirst, join.toSecond],
        orders: [join.orderOfFirst, join.orderOfSecond].compactMap(\.self)))
    return join
  }

  /// Returns the name of a join table's column in a new file.
  ///
  /// Relationships with the same name and destination have columns with the same name. The second
  /// and later columns have digits, although they are in other tables.
  private mutating func joinColumn(_ name: String) -> String {
    let count = joinColumnCounts[name, default: 0]
    joinColumnCounts[name] = count + 1
    return count == 0 ? name : "\(name)\(count)"
  }

  /// Returns the name of the order column: that of the objects' column, including digits, with
  /// another prefix.
  private static func order(
    _ column: String, _ plain: String, _ table: String, _ file: StoreSchema?
  ) -> String {
    let name = "Z_FOK_" + column.dropFirst(2)
    guard let file, file.columns[table]?[name] == nil else { return name }
    return file.joinColumn("Z_FOK_" + plain.dropFirst(2), in: table, besides: "")
  }

  /// Returns the end of a relationship, with the number of the entity that declares it.
  private func end(_ ordinal: Int, of entity: EntityDescription) -> End {
    var owner = entity
    while let parent = owner.superentity, ordinal < parent.relationships.count { owner = parent }
    let relationship = entity.relationships[ordinal]
    return End(
      number: placements[owner]?.number ?? 0, name: relationship.name.uppercased(),
      isOrdered: relationship.isOrdered)
  }

  /// Whether the first end gives the table its name.
  ///
  /// The lower entity number decides, then which end is ordered, then the name.
  private static func ownsTable(_ left: End, _ right: End) -> Bool {
    if left.number != right.number { return left.number < right.number }
    if left.isOrdered != right.isOrdered { return left.isOrdered }
    return left.name < right.name
  }
}

/// A join table with the columns of both ends.
private struct PlacedJoin {
  /// The end that names the table.
  let first: StoreLayout.End
  let table: String
  /// The column of the objects that have the first end's relationship.
  var toFirst: String
  /// The column of the objects that the first end leads to.
  var toSecond: String
  var orderOfFirst: String?
  var orderOfSecond: String?

  func placement(of end: StoreLayout.End) -> RelationshipPlacement {
    end == first
      ? .join(table: table, own: toFirst, other: toSecond, order: orderOfFirst)
      : .join(table: table, own: toSecond, other: toFirst, order: orderOfSecond)
  }
}
