import Synchronization

/// The entities of a model by name, where relationships look up what they lead
/// to.
final class EntityRegistry: Sendable {
  private let entities = Mutex<[String: EntityDescription]>([:])

  func add(_ entity: EntityDescription) {
    entities.withLock { $0[entity.name] = entity }
    entity.join(self)
  }

  /// Finds both ends of a relationship.
  ///
  /// Where only the other side names an inverse, it is the inverse of both.
  func link(
    _ ordinal: Int, of entity: EntityDescription
  ) throws(ModelError) -> RelationshipLink {
    let relationship = entity.relationships[ordinal]
    let owner = entity.owner(ofRelationship: ordinal)
    guard let destination = entities.withLock({ $0[relationship.destination] }) else {
      throw ModelError.unknownDestination(
        relationship.destination, relationship: relationship.name, entity: owner.name)
    }
    guard let name = relationship.inverse else {
      let back = destination.relationships.indices.first { index in
        destination.relationships[index].inverse == relationship.name
          && entity.isKind(named: destination.relationships[index].destination)
          && !(destination === entity && index == ordinal)
      }
      return RelationshipLink(
        destination: destination, inverse: back.map(destination.inverse(at:)))
    }
    guard let back = destination.relationshipOrdinal(named: name) else {
      throw ModelError.unknownInverse(
        name, destination: destination.name, relationship: relationship.name, entity: owner.name)
    }
    let other = destination.relationships[back]
    guard entity.isKind(named: other.destination),
      other.inverse == nil || other.inverse == relationship.name
    else {
      throw ModelError.contradictoryInverse(
        name, destination: destination.name, relationship: relationship.name, entity: owner.name)
    }
    return RelationshipLink(destination: destination, inverse: destination.inverse(at: back))
  }
}

extension EntityDescription {
  fileprivate func inverse(at ordinal: Int) -> RelationshipLink.Inverse {
    let relationship = relationships[ordinal]
    return RelationshipLink.Inverse(
      ordinal: ordinal, isToMany: relationship.isToMany, isOrdered: relationship.isOrdered)
  }

  /// The entity that declares a relationship, this one or an ancestor.
  fileprivate func owner(ofRelationship ordinal: Int) -> EntityDescription {
    var owner = self
    while let parent = owner.parent, ordinal < parent.relationships.count { owner = parent }
    return owner
  }

  /// Whether the entity or one that it inherits from has a name.
  fileprivate func isKind(named name: String) -> Bool {
    var ancestor: EntityDescription? = self
    while let entity = ancestor {
      if entity.name == name { return true }
      ancestor = entity.parent
    }
    return false
  }
}
