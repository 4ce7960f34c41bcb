import FetchedResults

/// The differences between the model of a file and a newer model.
///
/// The plan is complete before anything is written.
struct MigrationPlan: Sendable {
  /// The differences, entity by entity.
  var changes: [MigrationChange] = []
  /// Where the objects of each old entity go, for those that have a new entity.
  var mappings: [EntityMapping] = []
  /// The old entities that the new model does not have.
  var removed: [EntityDescription] = []
  /// Attributes without a known conversion.
  ///
  /// This is an error unless the app has a step for the entity.
  var unconvertible: [Unconvertible] = []

  /// Whether data of an attribute gets the marker of external data, or loses it.
  var movesData: Bool {
    mappings.contains { mapping in
      mapping.attributes.contains { source in
        if case .column(_, let conversion)? = source { conversion.movesData } else { false }
      }
    }
  }

  /// Whether relationships with pairs of their own become each other's inverse.
  var joinsRelationships: Bool {
    get throws {
      try mappings.contains { mapping in
        try mapping.new.ownRelationships.indices.contains { try isSeparate($0, of: mapping.new) }
      }
    }
  }

  /// Whether the other side of a new relationship has pairs of its own, because the old sides were
  /// not each other's inverse.
  func isSeparate(_ ordinal: Int, of entity: EntityDescription) throws -> Bool {
    let link = try entity.link(at: ordinal)
    guard let inverse = link.inverse else { return false }
    return try mappings.contains { mapping in
      guard mapping.new.isKindOf(entity: link.destination),
        case .same(let source)? = mapping.relationships[inverse.ordinal]
      else { return false }
      let back = try mapping.old.link(at: source)
      return !mappings.contains { other in
        guard other.new.isKindOf(entity: entity) else { return false }
        return switch other.relationships[ordinal] {
        case .same(let place)?:
          place == back.inverse?.ordinal && other.old.isKindOf(entity: back.destination)
        case .reversed(let owner, let place)?:
          place == source && mapping.old.isKindOf(entity: owner)
        case nil: false
        }
      }
    }
  }

  /// An attribute whose old values have no known conversion.
  struct Unconvertible: Sendable {
    /// The indices of the mapping, of the new attribute in it, and of the old attribute.
    let mapping, attribute, old: Int
    let error: MigrationError
  }
}

/// Where the objects of one old entity go.
struct EntityMapping: Sendable {
  let old: EntityDescription
  let new: EntityDescription
  /// Where the value of each new attribute comes from; nil for one that is not stored.
  var attributes: [AttributeSource?]
  /// Where each new relationship comes from; nil for one that is new or not stored.
  var relationships: [RelationshipSource?]
}

/// Where the value of a new attribute comes from.
enum AttributeSource: Sendable {
  case column(of: Int, AttributeConversion)
  /// From no old attribute: the new one begins with its default value.
  case initial
}

/// Where the objects of a new relationship come from.
enum RelationshipSource: Sendable {
  /// From the old relationship at an index.
  case same(Int)
  /// From the relationship at an index of the entity on the other side.
  case reversed(EntityDescription, Int)
}

/// Infers which new entity or property replaces each old one, by names and renaming identifiers.
struct MigrationPlanner {
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel
  /// Whether the old names are exact.
  ///
  /// If not, they come from tables and are in capitals.
  private let isExact: Bool
  private let entities: NameMatch
  private var plan = MigrationPlan()

  private init(_ old: ManagedObjectModel, _ new: ManagedObjectModel, isExact: Bool) {
    self.old = old
    self.new = new
    self.isExact = isExact
    entities = NameMatch(
      old: old.entities.map { ($0.name, $0.renamingIdentifier) },
      new: new.entities.map { ($0.name, $0.renamingIdentifier) }, ignoresCase: false,
      knowsIdentifiers: isExact)
  }

  /// Compares two models.
  ///
  /// - Parameter isExact: Whether the old model is known. If not, it was inferred from tables.
  /// - Throws: `ModelError` if a relationship has no valid destination.
  /// - Complexity: O(*e* × *p*) in the entities and the properties of each, for all ancestors.
  static func plan(
    from old: ManagedObjectModel, to new: ManagedObjectModel, isExact: Bool
  ) throws -> MigrationPlan {
    var planner = MigrationPlanner(old, new, isExact: isExact)
    for entity in old.entities { try planner.map(entity) }
    planner.plan.changes = try ModelDifference(to: new, planner.plan, isExact: isExact).changes
    return planner.plan
  }

  private mutating func map(_ entity: EntityDescription) throws {
    guard let target = entities.new(for: entity.name).flatMap({ new.entitiesByName[$0] }) else {
      plan.removed.append(entity)
      return
    }
    let attributes = NameMatch.attributes(entity, target, isExact: isExact)
    let relationships = try NameMatch.relationships(entity, target, isExact: isExact)
    var mapping = EntityMapping(old: entity, new: target, attributes: [], relationships: [])
    for (index, attribute) in target.attributes.enumerated() {
      guard !attribute.isTransient else {
        mapping.attributes.append(nil)
        continue
      }
      guard let name = attributes.old(for: attribute.name),
        let place = entity.attributeIndex(named: name), !entity.attributes[place].isTransient
      else {
        mapping.attributes.append(.initial)
        continue
      }
      let before = entity.attributes[place]
      if let conversion = AttributeConversion(before, attribute, isExact: isExact) {
        mapping.attributes.append(.column(of: place, conversion))
      } else {
        mapping.attributes.append(.initial)
        plan.unconvertible.append(
          MigrationPlan.Unconvertible(
            mapping: plan.mappings.count, attribute: index, old: place,
            error: .noConversion(
              entity: target.name, attribute: attribute.name, from: before.type, to: attribute.type)
          ))
      }
    }
    for ordinal in target.relationships.indices {
      mapping.relationships.append(try relationship(ordinal, of: target, entity, relationships))
    }
    plan.mappings.append(mapping)
  }

  private func relationship(
    _ ordinal: Int, of target: EntityDescription, _ entity: EntityDescription,
    _ match: NameMatch
  ) throws -> RelationshipSource? {
    let relationship = target.relationships[ordinal]
    guard !relationship.isTransient else { return nil }
    if let name = match.old(for: relationship.name),
      let place = entity.relationshipOrdinal(named: name), !entity.relationships[place].isTransient
    {
      return .same(place)
    }
    // The old model may have had only the inverse.
    let link = try target.link(at: ordinal)
    guard let inverse = link.inverse, let other = entities.old(for: link.destination.name),
      let owner = old.entitiesByName[other]
    else { return nil }
    let name = link.destination.relationships[inverse.ordinal].name
    guard
      let before = try NameMatch.relationships(owner, link.destination, isExact: isExact)
        .old(for: name),
      let place = owner.relationshipOrdinal(named: before),
      !owner.relationships[place].isTransient,
      entity.isKindOf(entity: try owner.link(at: place).destination)
    else { return nil }
    return .reversed(owner, place)
  }
}

/// Matches new names to old ones, of the entities of two models or the properties of two entities.
struct NameMatch {
  private var oldNames: [String: String] = [:]
  private var newNames: [String: String] = [:]

  typealias Name = (name: String, identifier: String?)

  /// Matches names.
  ///
  /// Names that are equal and have the same renaming identifier are matched first, so that a second
  /// migration does not rename again. Renaming identifiers come next, then equal names.
  ///
  /// - Parameters:
  ///   - ignoresCase: Whether the old names come from tables and columns.
  ///   - knowsIdentifiers: Whether the old renaming identifiers are known.
  init(old: [Name], new: [Name], ignoresCase: Bool, knowsIdentifiers: Bool) {
    func key(_ name: String) -> String { ignoresCase ? name.uppercased() : name }
    var byName: [String: String] = [:]
    var byIdentifier: [String: String] = [:]
    var identifiers: [String: String] = [:]
    for (name, identifier) in old {
      byName[key(name)] = byName[key(name)] ?? name
      if let identifier {
        byIdentifier[identifier] = byIdentifier[identifier] ?? name
        identifiers[name] = identifier
      }
    }
    let plain = Set(new.filter { $0.identifier == nil }.map { key($0.name) })
    let kept =
      knowsIdentifiers ? [] : Self.unrenamed(new, old: Set(byName.keys), key: key)
    var passes: [(Name) -> String?] = []
    passes.append { name in
      guard let identifier = name.identifier, let before = byName[key(name.name)] else {
        return nil
      }
      if identifiers[before] == identifier || kept.contains(name.name) { return before }
      // The old model has both names and the new one keeps both, so nothing was renamed.
      let bothStay = byName[key(identifier)] != nil && plain.contains(key(identifier))
      return bothStay ? before : nil
    }
    passes.append { name in
      name.identifier.flatMap { byName[key($0)] ?? byIdentifier[$0] }
    }
    passes.append { byName[key($0.name)] }
    for pass in passes {
      for name in new where oldNames[name.name] == nil {
        guard let before = pass(name), newNames[before] == nil else { continue }
        oldNames[name.name] = before
        newNames[before] = name.name
      }
    }
  }

  /// Returns the names that the old model has too, although they have a renaming identifier.
  ///
  /// An identifier stays in a model after the version that renamed. So a name that both models have
  /// is the same, unless another name was made of it: in `a was b, b was a`, both are renamed.
  private static func unrenamed(
    _ new: [Name], old: Set<String>, key: (String) -> String
  ) -> Set<String> {
    var kept: Set<String> = []
    while true {
      let made = Set(
        new.filter { !kept.contains($0.name) }.compactMap { $0.identifier.map(key) })
      let more = new.filter { name in
        name.identifier != nil && old.contains(key(name.name)) && !made.contains(key(name.name))
          && !kept.contains(name.name)
      }
      if more.isEmpty { return kept }
      kept.formUnion(more.map(\.name))
    }
  }

  /// Matches the attributes of two entities, inherited ones included.
  static func attributes(
    _ old: EntityDescription, _ new: EntityDescription, isExact: Bool
  ) -> NameMatch {
    NameMatch(
      old: old.attributes.map { ($0.name, $0.renamingIdentifier) },
      new: new.attributes.map { ($0.name, $0.renamingIdentifier) },
      ignoresCase: !isExact, knowsIdentifiers: isExact)
  }

  /// Matches the relationships of two entities, inherited ones included.
  static func relationships(
    _ old: EntityDescription, _ new: EntityDescription, isExact: Bool
  ) throws -> NameMatch {
    let names = Set(new.relationships.map(\.name))
    return NameMatch(
      old: old.relationships.map { ($0.name, $0.renamingIdentifier) },
      new: try new.relationships.indices.map { ordinal in
        let relationship = new.relationships[ordinal]
        let inverse = try new.link(at: ordinal).inverse
        // Tables do not show such a relationship. So it looks the same as another one that has its
        // former name now.
        let isUnseen = !isExact && relationship.isToMany && inverse?.isToMany == false
        let identifier = relationship.renamingIdentifier
        let isOther = identifier.map(names.contains) ?? false
        return (relationship.name, isUnseen && isOther ? nil : identifier)
      },
      ignoresCase: !isExact, knowsIdentifiers: isExact)
  }

  /// Returns the old name for a new one; nil if it had none.
  func old(for name: String) -> String? { oldNames[name] }

  /// Returns the new name for an old one; nil if it has none.
  func new(for name: String) -> String? { newNames[name] }
}

/// The pairs of objects in an old relationship, as an SQL statement.
///
/// The statement selects four columns. `a` and `b` are the numbers of both objects. `ka` is the
/// order key of `b` among the objects of `a`, and `kb` that of `a` among those of `b`.
struct MigrationPairs {
  let select: String
  /// Whether `ka` and `kb` are order keys.
  ///
  /// Otherwise they are null.
  let hasKeys: (own: Bool, other: Bool)
  /// The old entity on the other side.
  let destination: EntityDescription

  /// - Returns: Nil if the old file does not store the relationship.
  init?(_ source: RelationshipSource, of entity: EntityDescription, _ layout: StoreLayout) throws {
    switch source {
    case .same(let ordinal):
      guard let select = try Self.select(entity, ordinal, layout, ("a", "b", "ka", "kb")) else {
        return nil
      }
      self.select = select.text
      hasKeys = (select.hasOwnKeys, select.hasOtherKeys)
      destination = try entity.link(at: ordinal).destination
    case .reversed(let other, let ordinal):
      guard let select = try Self.select(other, ordinal, layout, ("b", "a", "kb", "ka")) else {
        return nil
      }
      self.select = select.text
      hasKeys = (select.hasOtherKeys, select.hasOwnKeys)
      destination = other
    }
  }

  private static func select(
    _ entity: EntityDescription, _ ordinal: Int, _ layout: StoreLayout,
    _ names: (own: String, other: String, ownKey: String, otherKey: String)
  ) throws -> (text: String, hasOwnKeys: Bool, hasOtherKeys: Bool)? {
    let (own, other, ownKey, otherKey) = names
    switch layout[entity]?.relationships[ordinal] {
    case .toOne(let column, _, let order)?:
      guard let table = layout[entity]?.table.quotedForSQL else { return nil }
      let column = column.quotedForSQL
      return (
        "SELECT Z_PK \(own), \(column) \(other), NULL \(ownKey), "
          + "\(order?.quotedForSQL ?? "NULL") \(otherKey) FROM \(table) "
          + "WHERE \(column) IS NOT NULL", false, order != nil
      )
    case .fromOther(let table, let column, let order)?:
      let column = column.quotedForSQL
      return (
        "SELECT \(column) \(own), Z_PK \(other), \(order?.quotedForSQL ?? "NULL") \(ownKey), "
          + "NULL \(otherKey) FROM \(table.quotedForSQL) WHERE \(column) IS NOT NULL",
        order != nil, false
      )
    case .join(let table, let ownColumn, let otherColumn, let order)?:
      var back: String?
      let link = try entity.link(at: ordinal)
      if let inverse = link.inverse,
        case .join(_, let from, _, let key)? = layout[link.destination]?
          .relationships[inverse.ordinal], from == otherColumn
      {
        back = key
      }
      return (
        "SELECT \(ownColumn.quotedForSQL) \(own), \(otherColumn.quotedForSQL) \(other), "
          + "\(order?.quotedForSQL ?? "NULL") \(ownKey), "
          + "\(back?.quotedForSQL ?? "NULL") \(otherKey) FROM \(table.quotedForSQL)",
        order != nil, back != nil
      )
    case nil: return nil
    }
  }
}

/// Finds the tables that only get new columns, and so need not be copied.
struct KeptTables {
  private(set) var names: Set<String> = []
  private let old: OldModel
  private let layout: StoreLayout
  private let plan: MigrationPlan
  private let tables: MigrationTables

  init(
    _ old: OldModel, _ layout: StoreLayout, _ plan: MigrationPlan, _ tables: MigrationTables
  ) throws {
    self.old = old
    self.layout = layout
    self.plan = plan
    self.tables = tables
    for table in layout.tables {
      if try isKept(table) { names.insert(table.name) }
    }
    var joins: Set<String> = []
    for join in layout.joins {
      if try isKept(join) { joins.insert(join.name) }
    }
    names.formUnion(joins)
  }

  private func isKept(_ table: EntityTable) throws -> Bool {
    guard let found = old.schema.columns[table.name],
      let source = old.layout.tables.first(where: { $0.name == table.name }),
      source.root.hasSubentities == table.root.hasSubentities
    else { return false }
    let wanted = Set(table.columns.map(\.name) + ["Z_PK", "Z_ENT", "Z_OPT"])
    guard Set(found.keys).isSubset(of: wanted) else { return false }
    let mappings = plan.mappings.filter { $0.new.root === table.root }
    guard mappings.allSatisfy({ $0.old.root === source.root }),
      mappings.count == old.layout.families[source.root]?.count,
      mappings.allSatisfy({ old.layout[$0.old]?.number == layout[$0.new]?.number })
    else { return false }
    return try mappings.allSatisfy { try isKept($0, found) }
  }

  private func isKept(_ mapping: EntityMapping, _ found: [String: String]) throws -> Bool {
    guard let before = old.layout[mapping.old], let after = layout[mapping.new] else {
      return false
    }
    for (index, column) in after.attributes.enumerated() {
      guard let column else { continue }
      switch mapping.attributes[index] {
      case .column(let place, let conversion)?:
        let type = ColumnType(mapping.new.attributes[index].type).rawValue
        guard before.attributes[place] == column, conversion.isCopy, found[column] == type else {
          return false
        }
      case .initial?, nil: if found[column] != nil { return false }
      }
    }
    for (ordinal, place) in after.relationships.enumerated() {
      guard case .toOne(let column, let entityColumn, let order)? = place else { continue }
      guard case .same(let source)? = mapping.relationships[ordinal],
        case .toOne(column, entityColumn, let oldOrder)? = before.relationships[source]
      else {
        if [column, entityColumn, order].contains(where: { $0.map { found[$0] != nil } ?? false }) {
          return false
        }
        continue
      }
      guard oldOrder == order || oldOrder == nil else { return false }
      let isSame = try areSame(
        mapping.old.link(at: source).destination, mapping.new.link(at: ordinal).destination)
      guard isSame else { return false }
    }
    return true
  }

  /// Whether all objects of an old entity are in the new entity, with the same entity numbers.
  private func areSame(_ before: EntityDescription, _ after: EntityDescription) -> Bool {
    let numbers = tables.numbers(of: before, becoming: after)
    return tables.offset(from: before, to: after) == 0
      && numbers.count == tables.kinds(of: before).count && numbers.allSatisfy { $0.old == $0.new }
  }

  private func isKept(_ join: JoinTable) throws -> Bool {
    guard old.layout.joins.contains(join), let found = old.schema.columns[join.name],
      Set(found.keys) == Set(join.columns + join.orders)
    else { return false }
    for mapping in plan.mappings {
      guard let place = layout[mapping.new] else { return false }
      for (ordinal, relationship) in place.relationships.enumerated() {
        guard case .join(join.name, let own, let other, let order)? = relationship else { continue }
        guard case .same(let source)? = mapping.relationships[ordinal],
          case .join(join.name, own, other, order)? = old.layout[mapping.old]?
            .relationships[source],
          areSame(mapping.old, mapping.new),
          // A relationship that is its own inverse may have the columns of one without an inverse.
          try (mapping.old.link(at: source).inverse == nil)
            == (mapping.new.link(at: ordinal).inverse == nil)
        else { return false }
        let isSame = try areSame(
          mapping.old.link(at: source).destination, mapping.new.link(at: ordinal).destination)
        guard isSame else { return false }
      }
    }
    return !plan.removed.contains { entity in
      old.layout[entity]?.relationships.contains {
        if case .join(join.name, _, _, _)? = $0 { true } else { false }
      } ?? false
    }
  }
}
