import FetchedResults

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
      new: new.entities.map { ($0.name, $0.renamingIdentifier) }, ignoresCase: false)
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
    let properties = NameMatch(entity, target, isExact: isExact)
    var mapping = EntityMapping(old: entity, new: target, attributes: [], relationships: [])
    for (index, attribute) in target.attributes.enumerated() {
      guard !attribute.isTransient else {
        mapping.attributes.append(nil)
        continue
      }
      guard let name = properties.old(for: attribute.name),
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
      mapping.relationships.append(try relationship(ordinal, of: target, entity, properties))
    }
    plan.mappings.append(mapping)
  }

  private func relationship(
    _ ordinal: Int, of target: EntityDescription, _ entity: EntityDescription,
    _ properties: NameMatch
  ) throws -> RelationshipSource? {
    let relationship = target.relationships[ordinal]
    guard !relationship.isTransient else { return nil }
    if let name = properties.old(for: relationship.name),
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
      let before = NameMatch(owner, link.destination, isExact: isExact).old(for: name),
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
  /// - Parameter ignoresCase: Whether the old names come from tables and columns.
  init(old: [Name], new: [Name], ignoresCase: Bool) {
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
    var passes: [(Name) -> String?] = []
    passes.append { name in
      guard let identifier = name.identifier, let before = byName[key(name.name)] else {
        return nil
      }
      if identifiers[before] == identifier { return before }
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

  /// Matches the properties of two entities, inherited ones included.
  init(_ old: EntityDescription, _ new: EntityDescription, isExact: Bool) {
    self.init(
      old: old.attributes.map { ($0.name, $0.renamingIdentifier) }
        + old.relationships.map { ($0.name, $0.renamingIdentifier) },
      new: new.attributes.map { ($0.name, $0.renamingIdentifier) }
        + new.relationships.map { ($0.name, $0.renamingIdentifier) },
      ignoresCase: !isExact)
  }

  /// Returns the old name for a new one; nil if it had none.
  func old(for name: String) -> String? { oldNames[name] }

  /// Returns the new name for an old one; nil if it has none.
  func new(for name: String) -> String? { newNames[name] }
}
