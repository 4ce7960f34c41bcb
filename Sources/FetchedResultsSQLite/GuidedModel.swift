import FetchedResults

/// The model that a file's tables imply, corrected with the help of a newer model.
///
/// Tables show columns. They do not show which entity of a family has a property, or which entity a
/// number refers to. The newer model tells, if it has the property.
struct GuidedModel {
  private let entities: NameMatch
  private let new: ManagedObjectModel
  private var drafts: [Draft] = []
  private var places: [String: Int] = [:]

  private struct Draft {
    let entity: EntityDescription
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
  }

  /// A property of the newer model, with the old entity that has it.
  private struct Guide {
    let owner: EntityDescription?
    let relationship: RelationshipDescription?
    let inverse: String?
  }

  init(_ implied: [EntityDescription], new: ManagedObjectModel) throws {
    self.new = new
    entities = NameMatch(
      old: implied.map { ($0.name, $0.renamingIdentifier) },
      new: new.entities.map { ($0.name, $0.renamingIdentifier) }, ignoresCase: false)
    for entity in implied {
      places[entity.name] = drafts.count
      drafts.append(Draft(entity: entity))
    }
    for entity in implied {
      let guides = try guides(of: entity.root)
      for attribute in entity.ownAttributes { try add(attribute, of: entity, guides) }
      for ordinal in entity.ownRelationships.indices { try add(ordinal, of: entity, guides) }
    }
  }

  /// Returns what the newer model says about the columns of a family, by their names in capitals.
  private func guides(of root: EntityDescription) throws -> [String: Guide] {
    var guides: [String: Guide] = [:]
    for entity in new.entities {
      let family = new.entities.filter { $0.isKindOf(entity: entity) }.compactMap { old(of: $0) }
      guard family.contains(where: { $0.root === root }) else { continue }
      let owner = old(of: entity).flatMap { $0.root === root ? $0 : nil }
      for attribute in entity.ownAttributes where !attribute.isTransient {
        for name in [attribute.name, attribute.renamingIdentifier].compactMap(\.self) {
          note(name, owner ?? root, nil, nil, in: &guides)
        }
      }
      for ordinal in entity.ownRelationships.indices {
        let relationship = entity.relationships[ordinal]
        guard !relationship.isTransient else { continue }
        let link = try entity.link(at: ordinal)
        let inverse = link.inverse.map { link.destination.relationships[$0.ordinal].name }
        for name in [relationship.name, relationship.renamingIdentifier].compactMap(\.self) {
          note(name, owner ?? root, relationship, inverse, in: &guides)
        }
      }
    }
    return guides
  }

  /// Notes which entity has a property; if two have it, their common ancestor.
  private func note(
    _ name: String, _ owner: EntityDescription, _ relationship: RelationshipDescription?,
    _ inverse: String?, in guides: inout [String: Guide]
  ) {
    var common: EntityDescription? = owner
    if let known = guides[name.uppercased()]?.owner {
      while let ancestor = common, !known.isKindOf(entity: ancestor) {
        common = ancestor.superentity
      }
    }
    guides[name.uppercased()] = Guide(
      owner: common ?? owner, relationship: relationship, inverse: inverse)
  }

  private func old(of entity: EntityDescription) -> EntityDescription? {
    entities.old(for: entity.name).flatMap { places[$0] }.map { drafts[$0].entity }
  }

  private func destination(_ guide: Guide?) -> EntityDescription? {
    guide?.relationship.flatMap { new.entitiesByName[$0.destination] }.flatMap { old(of: $0) }
  }

  private mutating func add(
    _ attribute: AttributeDescription, of entity: EntityDescription, _ guides: [String: Guide]
  ) throws {
    let guide = guides[attribute.name.uppercased()]
    let owner = places[(guide?.owner ?? entity).name] ?? 0
    if attribute.type == .integer64 || attribute.type == .boolean,
      let destination = destination(guide)
    {
      drafts[owner].relationships.append(
        RelationshipDescription(name: attribute.name, destination: destination.name))
    } else {
      drafts[owner].attributes.append(attribute)
    }
  }

  private mutating func add(
    _ ordinal: Int, of entity: EntityDescription, _ guides: [String: Guide]
  ) throws {
    let relationship = entity.relationships[ordinal]
    let inverse = try entity.link(at: ordinal).inverse
    guard !relationship.isToMany else {
      // The inverse of a to-one relationship is added together with it.
      if inverse?.isToMany != false, let place = places[entity.name] {
        drafts[place].relationships.append(relationship)
      }
      return
    }
    let guide = guides[relationship.name.uppercased()]
    let owner = places[(guide?.owner ?? entity).name] ?? 0
    if let guide, guide.relationship == nil {
      drafts[owner].attributes.append(
        try AttributeDescription(name: relationship.name, type: .integer64, isOptional: true))
      return
    }
    let destination = destination(guide)?.name ?? relationship.destination
    var name: String?
    if inverse?.isOrdered == true, let place = places[destination] {
      // If the inverse is ordered, only its order has a column.
      let back = guide?.inverse ?? "\(entity.name)_\(relationship.name)"
      name = back
      drafts[place].relationships.append(
        RelationshipDescription(
          name: back, destination: drafts[owner].entity.name, inverse: relationship.name,
          isToMany: true, isOrdered: true))
    }
    drafts[owner].relationships.append(
      RelationshipDescription(name: relationship.name, destination: destination, inverse: name))
  }

  /// Returns the model.
  ///
  /// - Throws: `ModelError` if the corrected entities do not form a valid model.
  func model() throws -> ManagedObjectModel {
    var made: [String: EntityDescription] = [:]
    var order: [EntityDescription] = []
    for draft in drafts {
      let entity = try EntityDescription(
        name: draft.entity.name, superentity: draft.entity.superentity.flatMap { made[$0.name] },
        attributes: draft.attributes, relationships: draft.relationships)
      made[entity.name] = entity
      order.append(entity)
    }
    return try ManagedObjectModel(entities: order)
  }
}
