import FetchedResults
import Foundation
import GRDB

/// Describes the differences between two models for people.
struct ModelDifference {
  private(set) var changes: [MigrationChange] = []
  private let plan: MigrationPlan
  private let isExact: Bool

  init(
    to new: ManagedObjectModel, _ plan: MigrationPlan, isExact: Bool
  ) throws {
    self.plan = plan
    self.isExact = isExact
    let mappings = Dictionary(
      plan.mappings.map { ($0.new, $0) }, uniquingKeysWith: { first, _ in first })
    for entity in StoreLayout.inOrderOfNumber(new) {
      guard let mapping = mappings[entity] else {
        add(entity.name, nil, .added)
        continue
      }
      try compare(mapping, mappings)
    }
    for entity in plan.removed { add(entity.name, nil, .removed) }
  }

  private mutating func add(_ entity: String, _ property: String?, _ kind: MigrationChange.Kind) {
    changes.append(MigrationChange(entity: entity, property: property, kind: kind))
  }

  private mutating func compare(
    _ mapping: EntityMapping, _ mappings: [EntityDescription: EntityMapping]
  ) throws {
    let (old, new) = (mapping.old, mapping.new)
    if old.name != new.name { add(new.name, nil, .renamed(from: old.name)) }
    let hasMoved =
      if let parent = new.superentity {
        mappings[parent].map { $0.old !== old.superentity } ?? true
      } else { old.superentity != nil }
    if hasMoved {
      add(new.name, nil, .moved(under: new.superentity?.name))
    }
    for index in new.ownAttributes.indices { compareAttribute(index, mapping) }
    for ordinal in new.ownRelationships.indices { try compareRelationship(ordinal, mapping) }
    for name in removedProperties(mapping) { add(new.name, name, .removed) }
  }

  private mutating func compareAttribute(_ index: Int, _ mapping: EntityMapping) {
    let entity = mapping.new.name
    let attribute = mapping.new.attributes[index]
    switch mapping.attributes[index] {
    case nil: break
    case .initial?:
      let old = plan.unconvertible.first {
        plan.mappings[$0.mapping].new === mapping.new && $0.attribute == index
      }
      if case .noConversion(_, _, let before, let after)? = old?.error {
        add(entity, attribute.name, .converted(from: before, to: after))
      } else {
        add(entity, attribute.name, .added)
      }
    case .column(let place, _)?:
      let before = mapping.old.attributes[place]
      rename(entity, from: before.name, to: attribute.name)
      guard isExact else {
        if ColumnType(before.type) != ColumnType(attribute.type) {
          add(entity, attribute.name, .converted(from: before.type, to: attribute.type))
        }
        return
      }
      if before.type != attribute.type {
        add(entity, attribute.name, .converted(from: before.type, to: attribute.type))
      }
      if before.isOptional != attribute.isOptional {
        add(entity, attribute.name, attribute.isOptional ? .madeOptional : .madeRequired)
      }
    }
  }

  private mutating func rename(_ entity: String, from old: String, to new: String) {
    let isSame = isExact ? old == new : old.uppercased() == new.uppercased()
    if !isSame { add(entity, new, .renamed(from: old)) }
  }

  private mutating func compareRelationship(_ ordinal: Int, _ mapping: EntityMapping) throws {
    let relationship = mapping.new.relationships[ordinal]
    let entity = mapping.new.name
    guard !relationship.isTransient else { return }
    guard case .same(let place)? = mapping.relationships[ordinal] else {
      // Tables do not show a to-many relationship whose inverse is to-one. It may have existed.
      let link = try mapping.new.link(at: ordinal)
      var isShown = isExact || !relationship.isToMany || link.inverse?.isToMany != false
      if !isExact, case .reversed? = mapping.relationships[ordinal] { isShown = false }
      if isShown { add(entity, relationship.name, .added) }
      return
    }
    let before = mapping.old.relationships[place]
    rename(entity, from: before.name, to: relationship.name)
    if before.isToMany != relationship.isToMany {
      add(entity, relationship.name, relationship.isToMany ? .madeToMany : .madeToOne)
    }
    let destination = plan.mappings.first { $0.old.name == before.destination }?.new.name
    if destination != relationship.destination {
      let (old, new) = (before.destination, relationship.destination)
      add(entity, relationship.name, .redirected(from: old, to: new))
    }
    guard isExact else { return }
    if relationship.isOrdered, before.isToMany, !before.isOrdered {
      add(entity, relationship.name, .ordered)
    }
    if before.isOptional != relationship.isOptional {
      add(entity, relationship.name, relationship.isOptional ? .madeOptional : .madeRequired)
    }
  }

  /// Returns the names of an old entity's own properties that no new entity took over.
  private func removedProperties(_ mapping: EntityMapping) -> [String] {
    let old = mapping.old
    // A property that moved to a sub-entity is still in use.
    let kinds = plan.mappings.filter { $0.old.isKindOf(entity: old) }
    var used: Set<String> = []
    for kind in kinds {
      for case .column(let place, _)? in kind.attributes {
        used.insert(kind.old.attributes[place].name)
      }
      for case .same(let place)? in kind.relationships {
        used.insert(kind.old.relationships[place].name)
      }
    }
    let converted = Set(
      plan.unconvertible.filter { plan.mappings[$0.mapping].old === old }
        .map { old.attributes[$0.old].name })
    let attributes = old.ownAttributes.filter { !$0.isTransient && !converted.contains($0.name) }
    let relationships = old.ownRelationships.enumerated().filter { index, relationship in
      guard !relationship.isTransient else { return false }
      if isExact { return true }
      let link = try? old.link(at: old.ownRelationships.startIndex + index)
      return !relationship.isToMany || link?.inverse?.isToMany != false
    }.map(\.element.name)
    return (attributes.map(\.name) + relationships).filter { !used.contains($0) }
  }
}

/// What a newer model says about the properties in the tables of an older file.
///
/// Tables show columns. They do not show which entity of a family has a property, or which entity a
/// number refers to. The newer model tells, if it still has the property.
struct NewerModel {
  /// A property of the newer model, under one of its names.
  struct Property {
    /// The name in the newer model.
    let name: String
    /// The number of the old entity that has the property.
    let owner: Int64
    /// Whether the newer model names that entity.
    ///
    /// If not, the property belongs to a new ancestor of it.
    let isOwn: Bool
    /// The attribute; nil for a relationship.
    let attribute: AttributeDescription?
    let isToMany: Bool
    /// The number of the old entity that a relationship leads to; nil for an attribute, and if
    /// the file has no such entity.
    let destination: Int64?
    /// The name of the inverse relationship.
    let inverse: String?
    /// The name in the newer model in capitals, if the property was found under its former name.
    var currentName: String?

    /// How implausible it is that a column of a type held the property; 0 if nothing speaks
    /// against it.
    func cost(ofColumn type: ColumnType) -> Int {
      let own = isOwn ? 0 : 1
      guard let attribute else {
        // A to-many relationship has no column, but may have been to-one.
        return own + (type == .integer ? 0 : 4) + (isToMany ? 1 : 0)
      }
      switch (type, ColumnType(attribute.type)) {
      case (.integer, .float), (.integer, .decimal), (.float, .decimal): return own + 1
      case (let column, let newer): return own + (column == newer ? 0 : 4)
      }
    }
  }

  private let properties: [Place: [Property]]

  private struct Place: Hashable {
    let root: Int64
    let name: String
  }

  /// - Parameter records: The entities of the file.
  /// - Throws: `ModelError` if a relationship has no valid destination.
  init(_ model: ManagedObjectModel, for records: [EntityRecord]) throws {
    let match = NameMatch(
      old: records.map { ($0.name, nil) },
      new: model.entities.map { ($0.name, $0.renamingIdentifier) }, ignoresCase: false,
      knowsIdentifiers: false)
    let byName = Dictionary(records.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    func record(_ entity: EntityDescription) -> EntityRecord? {
      match.old(for: entity.name).flatMap { byName[$0] }
    }
    let heirs = Dictionary(grouping: model.entities, by: \.superentity)
    /// Returns the old entities that an entity, or the nearest heirs that the file has, come from.
    func sources(_ entity: EntityDescription) -> [EntityRecord] {
      record(entity).map { [$0] } ?? (heirs[entity] ?? []).flatMap(sources)
    }
    var found: [Place: [Property]] = [:]
    for entity in model.entities {
      let own = record(entity)
      // An entity that has moved to another family has the properties of its new ancestors in its
      // old table.
      let owners = (own.map { [$0] } ?? []) + (heirs[entity] ?? []).flatMap(sources)
      for owner in owners where owner.number == own?.number || owner.root != own?.root {
        func note(
          _ name: String, _ oldName: String?, _ attribute: AttributeDescription?,
          isToMany: Bool = false, _ destination: Int64? = nil, _ inverse: String? = nil
        ) {
          var property = Property(
            name: name, owner: owner.number, isOwn: owner.number == own?.number,
            attribute: attribute, isToMany: isToMany, destination: destination, inverse: inverse)
          let place = Place(root: owner.root, name: name.uppercased())
          found[place, default: []].append(property)
          guard let oldName, oldName.uppercased() != place.name else { return }
          // A renaming identifier is stronger than an equal name, so it comes first.
          property.currentName = place.name
          found[Place(root: owner.root, name: oldName.uppercased()), default: []]
            .insert(property, at: 0)
        }
        for attribute in entity.ownAttributes where !attribute.isTransient {
          note(attribute.name, attribute.renamingIdentifier, attribute)
        }
        for ordinal in entity.ownRelationships.indices {
          let relationship = entity.relationships[ordinal]
          guard !relationship.isTransient else { continue }
          let link = try entity.link(at: ordinal)
          note(
            relationship.name, relationship.renamingIdentifier, nil,
            isToMany: relationship.isToMany, record(link.destination)?.number,
            link.inverse.map { link.destination.relationships[$0.ordinal].name })
        }
      }
    }
    properties = found
  }

  /// Returns the properties of a family that have a name, the most plausible first.
  ///
  /// - Parameter name: The name in capitals.
  func properties(named name: String, in root: Int64) -> [Property] {
    properties[Place(root: root, name: name)] ?? []
  }

  /// Whether another property of a family was made of the one with a name.
  ///
  /// - Parameter name: The name in capitals.
  func isFormerName(_ name: String, in root: Int64) -> Bool {
    properties(named: name, in: root).contains { $0.currentName != nil }
  }
}

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
    let names = try Self.names(in: database)
    if let given {
      let layout = try Self.layout(of: given, names, schema)
      self.init(given, .known, layout, schema)
      return
    }
    if let known = try OldModel(storedIn: database, schema) {
      self = known
      return
    }
    let same =
      try Self.exactFit(among: [new], database, schema)
      ?? Self.exactFit(among: versions(), database, schema)
    if let same {
      self.init(same.model, .sameTables, same.layout, schema)
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
    let model = try ManagedObjectModel(entities: implied.entities)
    self.init(
      model, .guessed, try StoreLayout(model, file: schema, columns: implied.columns), schema)
  }

  /// Reads the model that a file has in its metadata; nil if there is none that fits the file.
  ///
  /// - Parameter addsIndexes: Whether to give the model the file's indexes. The metadata has none.
  init?(storedIn database: Database, _ schema: StoreSchema, addsIndexes: Bool = false) throws {
    let names = try Self.names(in: database)
    let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA")
    guard let stored = data.flatMap(StoreMetadata.init)?.model, stored.names == names,
      let model = stored.model(), let layout = try? Self.layout(of: model, names, schema)
    else { return nil }
    guard addsIndexes else {
      self.init(model, .known, layout, schema)
      return
    }
    let indexes = try StoreIndexes(database)
    let whole = stored.model { name in
      guard let entity = model.entitiesByName[name], let placement = layout[entity] else {
        return ([], [])
      }
      let properties = Dictionary(
        entity.propertyNames.compactMap { name in
          placement.column(of: name, entity).map { ($0, name) }
        }, uniquingKeysWith: { first, _ in first })
      return (
        indexes.constraints(of: name, in: placement.table, properties),
        indexes.fetchIndexes(of: name, in: placement.table, properties)
      )
    }
    guard let whole, let layout = try? Self.layout(of: whole, names, schema) else { return nil }
    self.init(whole, .known, layout, schema)
  }

  private init(
    _ model: ManagedObjectModel, _ source: Source, _ layout: StoreLayout, _ schema: StoreSchema
  ) {
    (self.model, self.source, self.layout, self.schema) = (model, source, layout, schema)
  }

  /// Returns the names of a file's entities.
  private static func names(in database: Database) throws -> Set<String> {
    Set(
      try String.fetchAll(
        database, sql: "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < ?",
        arguments: [firstForeignNumber]))
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
