/// Finds the inverse relationships in a model's classes.
///
/// One side can name the other with a key path. If neither does, a relationship's inverse is the
/// only relationship that leads back, if this is true from both sides.
struct InverseSearch {
  private var names: [Place: String] = [:]

  /// A relationship of a class.
  private struct Place: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  /// A relationship, with what is known about its inverse.
  private struct Relationship {
    let owner: any ManagedEntity.Type
    let name: String
    let destination: any ManagedEntity.Type
    let inverse: AnyKeyPath?

    var place: Place { Place(type: ObjectIdentifier(owner), name: name) }
  }

  /// - Throws: ``ManagedModelError``.
  init(_ types: [any ManagedEntity.Type]) throws(ManagedModelError) {
    let all = types.flatMap { Self.relationships(of: $0) }
    let listed = Set(types.map { ObjectIdentifier($0) })
    for relationship in all {
      guard listed.contains(ObjectIdentifier(relationship.destination)) else {
        throw .unlistedClass(
          "\(relationship.destination)", relationship: relationship.name,
          entity: relationship.owner.entityName)
      }
      if let inverse = relationship.inverse { try pair(relationship, with: inverse, among: all) }
    }
    for relationship in all where names[relationship.place] == nil {
      try infer(relationship, among: all)
    }
  }

  /// Returns the name of the inverse of a class's relationship.
  func inverse(of name: String, in type: any ManagedEntity.Type) -> String? {
    names[Place(type: ObjectIdentifier(type), name: name)]
  }

  private mutating func pair(
    _ relationship: Relationship, with keyPath: AnyKeyPath, among all: [Relationship]
  ) throws(ManagedModelError) {
    let entity = relationship.owner.entityName
    guard let name = relationship.destination.propertyName(of: keyPath),
      let other = all.first(where: {
        $0.owner == relationship.destination && $0.name == name
      })
    else {
      throw .foreignInverse(
        relationship: relationship.name, entity: entity,
        destination: relationship.destination.entityName)
    }
    guard other.destination == relationship.owner,
      names[relationship.place] ?? name == name,
      names[other.place] ?? relationship.name == relationship.name
    else {
      throw .contradictoryInverse(
        name, destination: relationship.destination.entityName, relationship: relationship.name,
        entity: entity)
    }
    names[relationship.place] = name
    names[other.place] = relationship.name
  }

  private mutating func infer(
    _ relationship: Relationship, among all: [Relationship]
  ) throws(ManagedModelError) {
    let back = candidates(for: relationship, among: all)
    guard let inverse = back.first else { return }
    let forth = candidates(for: inverse, among: all)
    guard back.count == 1, forth.count == 1 else {
      // A class may have two relationships to itself without inverses.
      if relationship.owner == relationship.destination { return }
      throw .ambiguousInverse(
        back.map(\.name), destination: relationship.destination.entityName,
        relationship: relationship.name, entity: relationship.owner.entityName)
    }
    names[relationship.place] = inverse.name
    names[inverse.place] = relationship.name
  }

  private func candidates(
    for relationship: Relationship, among all: [Relationship]
  ) -> [Relationship] {
    all.filter {
      $0.owner == relationship.destination && $0.destination == relationship.owner
        && names[$0.place] == nil && $0.place != relationship.place
    }
  }

  private static func relationships<T: ManagedEntity>(of type: T.Type) -> [Relationship] {
    type.managedSchema.properties.compactMap { property in
      guard case .relationship(let kind) = property.kind else { return nil }
      return Relationship(
        owner: type, name: property.name, destination: kind.destination, inverse: kind.inverse)
    }
  }
}

extension ManagedEntity {
  /// Returns the name of a property; nil if the key path is not a single property.
  static func propertyName(of keyPath: AnyKeyPath) -> String? { managedSchema.name(of: keyPath) }
}
