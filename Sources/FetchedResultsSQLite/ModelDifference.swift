import FetchedResults

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
    if new.superentity.flatMap({ mappings[$0]?.old }) !== old.superentity {
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
