import Synchronization

/// An entity: a kind of object, its attributes and its relationships.
///
/// An entity is immutable and has identity: two entities are one only if they
/// are the same instance. What it inherits comes before what is its own, so
/// that an attribute has one place in the entity and all its sub-entities.
public final class EntityDescription: Sendable {
  /// The name, as in `Book`.
  public let name: String
  /// The entity that this one inherits from.
  public let superentity: EntityDescription?
  /// Whether the entity has no objects of its own, but its sub-entities may.
  public let isAbstract: Bool
  /// The attributes, inherited ones first, in order of declaration.
  public let attributes: [AttributeDescription]
  /// The relationships, inherited ones first, in order of declaration.
  public let relationships: [RelationshipDescription]
  /// The attribute that an object is shown as, where the model says so.
  public let displayAttribute: String?
  /// The attributes whose values, taken together, no two objects may share.
  public let uniquenessConstraints: [[String]]
  /// The name under which older versions of the model, and the stores made with them, know the
  /// entity; nil if it has not changed.
  public let renamingIdentifier: String?

  /// Each property's place in a ``ObjectSnapshot``.
  private let indices: [String: Int]
  /// What a new object starts with.
  package let defaults: ObjectSnapshot
  /// Whether some attribute is computed.
  package let hasExpressions: Bool
  /// The places of the attributes that can be wrong at all.
  package let validatedAttributes: [Int]
  /// The places of the properties that are set and that no store keeps:
  /// transient attributes without an expression, and transient relationships.
  package let unstoredPlaces: [Int]
  /// The relationships that name an inverse, by its name.
  let ordinalsByInverse: [String: [Int]]
  @usableFromInline let inheritedRoot: EntityDescription?
  /// Whether an entity of the same model inherits from this one.
  ///
  /// It decides where a store keeps the objects, so entities outside the model
  /// do not count.
  private let isParent = Atomic(false)
  private let resolution = Mutex(Resolution())

  /// What the names of the relationships mean, once it was asked.
  private struct Resolution {
    weak var registry: EntityRegistry?
    var links: [RelationshipTarget?] = []
  }

  /// Creates an entity.
  ///
  /// Properties, constraints and the display attribute of the superentity are
  /// inherited.
  ///
  /// - Throws: ``ModelError`` if a name is repeated, if the display attribute or one of a
  ///   constraint is unknown, or if one of a constraint is transient.
  public init(
    name: String, superentity: EntityDescription? = nil, isAbstract: Bool = false,
    attributes: [AttributeDescription], relationships: [RelationshipDescription] = [],
    displayAttribute: String? = nil, uniquenessConstraints: [[String]] = [],
    renamingIdentifier: String? = nil
  ) throws(ModelError) {
    let attributes = (superentity?.attributes ?? []) + attributes
    let relationships = (superentity?.relationships ?? []) + relationships
    var indices: [String: Int] = [:]
    for (index, property) in (attributes.map(\.name) + relationships.map(\.name)).enumerated() {
      guard indices.updateValue(index, forKey: property) == nil else {
        throw ModelError.duplicateProperty(property, entity: name)
      }
    }
    for key in uniquenessConstraints.joined() + [displayAttribute].compactMap(\.self) {
      guard let index = indices[key], index < attributes.count else {
        throw ModelError.unknownProperty(key, entity: name)
      }
    }
    for key in uniquenessConstraints.joined() {
      if let index = indices[key], attributes[index].isTransient {
        throw ModelError.uniqueTransient(key, entity: name)
      }
    }
    self.name = name
    self.renamingIdentifier = renamingIdentifier
    self.superentity = superentity
    self.isAbstract = isAbstract
    self.attributes = attributes
    self.relationships = relationships
    self.displayAttribute = displayAttribute ?? superentity?.displayAttribute
    self.uniquenessConstraints = (superentity?.uniquenessConstraints ?? []) + uniquenessConstraints
    self.indices = indices
    self.defaults = ObjectSnapshot(
      ContiguousArray(
        attributes.map { $0.expression == nil ? $0.defaultValue : .null }
          + relationships.map { $0.isToMany ? .list([]) : .null }))
    self.hasExpressions = attributes.contains { $0.expression != nil }
    self.validatedAttributes = attributes.indices.filter { attributes[$0].isValidated }
    self.unstoredPlaces =
      attributes.indices.filter {
        attributes[$0].isTransient && attributes[$0].expression == nil
      }
      + relationships.indices.filter { relationships[$0].isTransient }
      .map { attributes.count + $0 }
    self.ordinalsByInverse = Dictionary(
      grouping: relationships.indices.filter { relationships[$0].inverse != nil }
    ) { relationships[$0].inverse ?? "" }
    self.inheritedRoot = superentity?.root
  }

  /// The entity at the top of the inheritance, whose numbers all its objects
  /// share; the entity itself where it has no parent.
  @inlinable public var root: EntityDescription { inheritedRoot ?? self }

  /// Whether other entities of the model inherit from this one; false while the
  /// entity belongs to no model.
  package var hasSubentities: Bool { isParent.load(ordering: .relaxed) }

  /// The entities of the model that inherit directly from this one, by name order; none while the
  /// entity belongs to no model.
  ///
  /// - Complexity: O(*n* log *n*) in the entities of the model.
  public var subentities: [EntityDescription] {
    guard hasSubentities, let registry = resolution.withLock({ $0.registry }) else { return [] }
    return registry.subentities(of: self)
  }

  /// The entities of the model that inherit directly from this one, by their names.
  ///
  /// - Complexity: O(*n* log *n*) in the entities of the model.
  public var subentitiesByName: [String: EntityDescription] {
    Dictionary(uniqueKeysWithValues: subentities.map { ($0.name, $0) })
  }

  /// The attributes by their names, inherited ones included.
  ///
  /// - Complexity: O(*n*) in the attributes. Use ``attributes`` for their order.
  public var attributesByName: [String: AttributeDescription] {
    Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
  }

  /// The relationships by their names, inherited ones included.
  ///
  /// - Complexity: O(*n*) in the relationships. Use ``relationships`` for their order.
  public var relationshipsByName: [String: RelationshipDescription] {
    Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })
  }

  /// Returns whether the entity is this one or inherits from it.
  ///
  /// - Complexity: O(*d*) in the depth of the inheritance.
  public func isKindOf(entity other: EntityDescription) -> Bool {
    var ancestor: EntityDescription? = self
    while let entity = ancestor {
      if entity === other { return true }
      ancestor = entity.superentity
    }
    return false
  }
}

// MARK: - Properties by name

extension EntityDescription {
  /// Returns the place of an attribute in a ``ObjectSnapshot``, or nil if the entity has none of
  /// that name.
  package func attributeIndex(named name: String) -> Int? {
    guard let index = indices[name], index < attributes.count else { return nil }
    return index
  }

  /// Returns the place of an attribute or a relationship in a ``ObjectSnapshot``.
  package func propertyIndex(named name: String) -> Int? { indices[name] }

  /// Returns the place of a relationship among the entity's relationships,
  /// which is the same in every sub-entity.
  package func relationshipOrdinal(named name: String) -> Int? {
    guard let index = indices[name], index >= attributes.count else { return nil }
    return index - attributes.count
  }

  /// Whether no store has the property at a place of a ``ObjectSnapshot``.
  package func isTransient(at index: Int) -> Bool {
    index < attributes.count
      ? attributes[index].isTransient : relationships[index - attributes.count].isTransient
  }

  /// The names of all properties, in the order of a ``ObjectSnapshot``.
  package var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }

  /// The attributes that the entity adds to its parent's.
  package var ownAttributes: ArraySlice<AttributeDescription> {
    attributes[(superentity?.attributes.count ?? 0)...]
  }

  /// The relationships that the entity adds to its parent's.
  package var ownRelationships: ArraySlice<RelationshipDescription> {
    relationships[(superentity?.relationships.count ?? 0)...]
  }
}

// MARK: - What names of other entities mean

extension EntityDescription {
  /// Makes the entity one of a model, where its relationships' names are
  /// looked up.
  ///
  /// - Returns: False, and nothing changes, where it belongs to another model
  ///   that is still in use.
  func join(_ registry: EntityRegistry) -> Bool {
    resolution.withLock { state in
      if let owner = state.registry { return owner === registry }
      state = Resolution(registry: registry)
      isParent.store(false, ordering: .relaxed)
      return true
    }
  }

  /// Undoes ``join(_:)``.
  func leave(_ registry: EntityRegistry) {
    resolution.withLock { if $0.registry === registry { $0 = Resolution() } }
  }

  /// Tells the entities that this one inherits from that something does.
  func markAncestors() {
    var ancestor = superentity
    while let entity = ancestor {
      entity.isParent.store(true, ordering: .relaxed)
      ancestor = entity.superentity
    }
  }

  /// Returns both ends of a relationship.
  ///
  /// - Throws: ``ModelError`` if the destination or the inverse is unknown, or the inverse leads
  ///   elsewhere.
  package func link(at ordinal: Int) throws(ModelError) -> RelationshipLink {
    let (known, registry) = resolution.withLock { state in
      (state.links.indices.contains(ordinal) ? state.links[ordinal]?.link : nil, state.registry)
    }
    if let known { return known }
    let link = try (registry ?? EntityRegistry()).link(ordinal, of: self)
    resolution.withLock { state in
      while state.links.count < relationships.count { state.links.append(nil) }
      state.links[ordinal] = RelationshipTarget(link)
    }
    return link
  }

  /// Checks that every relationship leads somewhere.
  ///
  /// - Throws: ``ModelError`` of the first that does not.
  package func checkRelationships() throws(ModelError) {
    for ordinal in relationships.indices { _ = try link(at: ordinal) }
  }

  /// Returns the entity on the other side of a relationship, or nil if there is no such
  /// relationship or entity.
  package func destination(ofRelationship name: String) -> EntityDescription? {
    guard let ordinal = relationshipOrdinal(named: name) else { return nil }
    return try? link(at: ordinal).destination
  }

  /// Returns the attribute that a key path over relationships leads to, or nil if it leads to none.
  package func attribute(atKeyPath keyPath: String) -> AttributeDescription? {
    var owner = self
    for key in keyPath.split(separator: ".").map(String.init) {
      if let index = owner.attributeIndex(named: key) { return owner.attributes[index] }
      guard let next = owner.destination(ofRelationship: key) else { return nil }
      owner = next
    }
    return nil
  }
}

/// A link that does not keep the other side's entity, which would often be a
/// circle.
private struct RelationshipTarget {
  weak var destination: EntityDescription?
  let inverse: RelationshipLink.Inverse?

  init(_ link: RelationshipLink) {
    destination = link.destination
    inverse = link.inverse
  }

  var link: RelationshipLink? {
    destination.map { RelationshipLink(destination: $0, inverse: inverse) }
  }
}

extension EntityDescription: Hashable {
  /// Whether both are the same instance.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left === right
  }

  /// Feeds the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
