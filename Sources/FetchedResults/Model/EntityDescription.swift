import Synchronization

/// An entity: a kind of object, with its attributes and its relationships.
///
/// An entity is immutable and has identity: two entities are equal only if they are the same
/// instance. Inherited properties come before its own, so an attribute has the same index in an
/// entity and all its sub-entities.
public final class EntityDescription: Sendable {
  /// The name, such as `Book`.
  public let name: String
  /// The entity that this one inherits from.
  public let superentity: EntityDescription?
  /// Whether the entity cannot have objects of its own.
  ///
  /// Its sub-entities may.
  public let isAbstract: Bool
  /// The attributes, inherited ones first, in order of declaration.
  public let attributes: [AttributeDescription]
  /// The relationships, inherited ones first, in order of declaration.
  public let relationships: [RelationshipDescription]
  /// The attribute that represents an object in output, if the model names one.
  public let displayAttribute: String?
  /// The groups of attributes whose combined values must be unique among the objects.
  public let uniquenessConstraints: [[String]]
  /// The indexes of a store in a file, inherited ones first.
  public let indexes: [FetchIndexDescription]
  /// The entity's name in older versions of the model and their stores; nil if it has not changed.
  public let renamingIdentifier: String?

  /// Each property's index in an ``ObjectSnapshot``.
  private let indices: [String: Int]
  /// The values of a new object.
  package let defaults: ObjectSnapshot
  /// Whether some attribute is computed by an expression.
  package let hasExpressions: Bool
  /// The indices of the attributes that can have an invalid value.
  package let validatedAttributes: [Int]
  /// The places of the attributes that need a value, if a missing value is all that can be wrong
  /// with an object; otherwise nil.
  package let onlyRequiredAttributes: [Int]?
  /// The indices of properties that can be set but are not stored: transient attributes without an
  /// expression, and transient relationships.
  package let unstoredPlaces: [Int]
  /// The places of the attributes by which an index begins.
  package let indexedAttributes: Set<Int>
  /// The relationships that name an inverse, by the inverse's name.
  let ordinalsByInverse: [String: [Int]]
  @usableFromInline let inheritedRoot: EntityDescription?
  /// How many entities this one inherits from.
  private let depth: Int
  /// An entity that this one inherits from, chosen so that each ancestor is found in few jumps.
  private let jump: EntityDescription?
  /// Whether an entity of the same model inherits from this one.
  ///
  /// This decides where a store keeps the objects, so only entities of the model count.
  private let isParent = Atomic(false)
  private let resolution = Locked(Resolution())

  /// The destinations and inverses of the relationships, once they were needed.
  private struct Resolution {
    weak var registry: EntityRegistry?
    var links: [RelationshipTarget?] = []
    var hasValidDerivations = false
  }

  /// Creates an entity.
  ///
  /// Properties, constraints, indexes and the display attribute of the superentity are inherited.
  ///
  /// - Throws: ``ModelError`` if a name is repeated, if the display attribute or an attribute of a
  ///   constraint is unknown, if an attribute of a constraint is transient, or if an index has no
  ///   property or one that cannot be indexed.
  public init(
    name: String, superentity: EntityDescription? = nil, isAbstract: Bool = false,
    attributes: [AttributeDescription], relationships: [RelationshipDescription] = [],
    displayAttribute: String? = nil, uniquenessConstraints: [[String]] = [],
    indexes: [FetchIndexDescription] = [], renamingIdentifier: String? = nil
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
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
    self.superentity = superentity
    self.isAbstract = isAbstract
    self.attributes = attributes
    self.relationships = relationships
    self.displayAttribute = displayAttribute ?? superentity?.displayAttribute
    self.uniquenessConstraints = (superentity?.uniquenessConstraints ?? []) + uniquenessConstraints
    self.indexes = (superentity?.indexes ?? []) + indexes
    self.indexedAttributes = Set(
      self.indexes.compactMap { index in
        index.elements.first.flatMap { indices[$0.propertyName] }
      }.filter { $0 < attributes.count })
    self.indices = indices
    self.defaults = ObjectSnapshot(
      ContiguousArray(
        attributes.map { $0.expression == nil ? $0.defaultValue : .null }
          + relationships.map { $0.isToMany ? .list([]) : .null }))
    self.hasExpressions = attributes.contains { $0.expression != nil }
    self.validatedAttributes = attributes.indices.filter { attributes[$0].isValidated }
    let validated = validatedAttributes
    let isOnlyRequired =
      relationships.isEmpty && validated.allSatisfy { attributes[$0].limits.isEmpty }
    self.onlyRequiredAttributes = isOnlyRequired ? validated : nil
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
    self.depth = superentity.map { $0.depth + 1 } ?? 0
    self.jump = superentity.map { parent in
      guard let first = parent.jump, let second = first.jump,
        parent.depth - first.depth == first.depth - second.depth
      else { return parent }
      return second
    }
    try checkIndexes()
  }

  /// The topmost entity of the inheritance, or the entity itself if it has no parent.
  ///
  /// All objects of its sub-entities share its numbers.
  @inlinable public var root: EntityDescription { inheritedRoot ?? self }

  /// Whether other entities of the model inherit from this one; false if the entity is not in a
  /// model.
  package var hasSubentities: Bool { isParent.load(ordering: .relaxed) }

  /// The entities of the model that inherit directly from this one, sorted by name; empty if the
  /// entity is not in a model.
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
  /// - Complexity: O(log *d*) in the depth of the inheritance.
  public func isKindOf(entity other: EntityDescription) -> Bool {
    var entity = self
    while entity !== other {
      guard entity.depth > other.depth else { return false }
      if let jump = entity.jump, jump.depth >= other.depth {
        entity = jump
      } else if let parent = entity.superentity {
        entity = parent
      } else {
        return false
      }
    }
    return true
  }
}

// MARK: - Properties by name

extension EntityDescription {
  /// Returns the index of an attribute in an ``ObjectSnapshot``; nil if the entity does not have
  /// it.
  package func attributeIndex(named name: String) -> Int? {
    guard let index = indices[name], index < attributes.count else { return nil }
    return index
  }

  /// Returns the index of an attribute or a relationship in an ``ObjectSnapshot``.
  package func propertyIndex(named name: String) -> Int? { indices[name] }

  /// Returns the ordinal of a relationship: its index among the entity's relationships, which is
  /// the same in every sub-entity.
  package func relationshipOrdinal(named name: String) -> Int? {
    guard let index = indices[name], index >= attributes.count else { return nil }
    return index - attributes.count
  }

  /// Whether the property at an index of an ``ObjectSnapshot`` is not stored.
  package func isTransient(at index: Int) -> Bool {
    index < attributes.count
      ? attributes[index].isTransient : relationships[index - attributes.count].isTransient
  }

  /// The names of all properties, in the order of an ``ObjectSnapshot``.
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
  /// Adds the entity to a model, where the names in its relationships are looked up.
  ///
  /// - Returns: False if it belongs to another model that is still in use. Nothing changes then.
  func join(_ registry: EntityRegistry) -> Bool {
    // The end of a registry locks its entities, so no reference to one may end within the lock.
    let owner = resolution.withLock { state in
      let owner = state.registry
      if owner == nil {
        state = Resolution(registry: registry)
        isParent.store(false, ordering: .relaxed)
      }
      return owner
    }
    return owner == nil || owner === registry
  }

  /// Undoes ``join(_:)``.
  func leave(_ registry: EntityRegistry) {
    _ = resolution.withLock { state in
      let owner = state.registry
      if owner === registry { state = Resolution() }
      return owner
    }
  }

  /// Called when the model that the entity belonged to is gone.
  func modelDidEnd() {
    _ = resolution.withLock { state in
      let next = state.registry
      if next == nil {
        for ordinal in state.links.indices { state.links[ordinal]?.modelDidEnd() }
      }
      return next
    }
  }

  /// Tells the entity that this one inherits from that something does.
  ///
  /// The model has that entity too, which told its own parent when it joined.
  func markParent() { superentity?.isParent.store(true, ordering: .relaxed) }

  /// Returns both ends of a relationship.
  ///
  /// - Throws: ``ModelError`` if the destination or the inverse is unknown, or if the inverse has
  ///   another destination.
  package func link(at ordinal: Int) throws(ModelError) -> RelationshipLink {
    let (known, registry) = resolution.withLock { state in
      let known = state.links.indices.contains(ordinal) ? state.links[ordinal]?.link : nil
      return (known, known == nil ? state.registry : nil)
    }
    if let known { return known }
    let link = try (registry ?? EntityRegistry()).link(ordinal, of: self)
    resolution.withLock { state in
      while state.links.count < relationships.count { state.links.append(nil) }
      state.links[ordinal] = RelationshipTarget(link)
    }
    return link
  }

  /// Checks that every relationship has a valid destination, and that derived attributes read
  /// properties that exist.
  ///
  /// - Throws: ``ModelError`` for the first one that does not.
  package func checkReferences() throws(ModelError) {
    for ordinal in relationships.indices { _ = try link(at: ordinal) }
    try checkDerivations()
  }

  private func checkDerivations() throws(ModelError) {
    guard hasExpressions, !resolution.withLock({ $0.hasValidDerivations }) else { return }
    try superentity?.checkDerivations()
    for attribute in ownAttributes { try checkDerivation(of: attribute) }
    resolution.withLock { $0.hasValidDerivations = true }
  }

  /// Checks one of the entity's own relationships or derived attributes.
  ///
  /// - Throws: ``ModelError`` if it refers to something that does not exist.
  package func checkReferences(of property: String) throws(ModelError) {
    if let ordinal = relationshipOrdinal(named: property) { _ = try link(at: ordinal) }
    guard let index = attributeIndex(named: property) else { return }
    try checkDerivation(of: attributes[index])
  }

  private func checkDerivation(of attribute: AttributeDescription) throws(ModelError) {
    guard let reason = attribute.derivation?.problem(self) else { return }
    throw ModelError.invalidDerivation(attribute.name, entity: name, reason: reason)
  }

  /// Returns the destination of a relationship; nil if there is no such relationship or entity.
  package func destination(ofRelationship name: String) -> EntityDescription? {
    guard let ordinal = relationshipOrdinal(named: name) else { return nil }
    return try? link(at: ordinal).destination
  }

  /// Returns the attribute at the end of a key path over relationships; nil if there is none.
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

/// The resolved form of a relationship.
///
/// It retains the destination as long as their model exists. Most models have cycles of entities,
/// which end with the model. A weak reference would do that, too, but counting references to the
/// entity, of which each ``ObjectID`` has one, would take twice as long from then on.
private struct RelationshipTarget {
  private var destination: EntityDescription?
  /// The destination, when the model is gone.
  private weak var past: EntityDescription?
  private let inverse: RelationshipLink.Inverse?

  init(_ link: RelationshipLink) {
    destination = link.destination
    inverse = link.inverse
  }

  var link: RelationshipLink? {
    (destination ?? past).map { RelationshipLink(destination: $0, inverse: inverse) }
  }

  mutating func modelDidEnd() {
    past = link?.destination
    destination = nil
  }
}

extension EntityDescription: Hashable {
  /// Whether both are the same instance.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left === right
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A relationship of an entity: to one object of another entity, or to many.
///
/// The destination and the inverse are names. They are resolved when the relationship is first
/// needed, so that entities can be defined in any order.
public struct RelationshipDescription: Hashable, Sendable {
  /// The name, a key of the entity's objects.
  public let name: String
  /// The name of the destination entity.
  public let destination: String
  /// The name of the inverse relationship; nil if none was named.
  public package(set) var inverse: String?
  /// Whether it can lead to more than one object.
  public let isToMany: Bool
  /// Whether the objects of a to-many relationship keep the order in which they were added.
  ///
  /// Otherwise they are sorted by number.
  public let isOrdered: Bool
  /// Whether an object can be saved if the relationship is empty.
  public let isOptional: Bool
  /// The smallest number of related objects, if there are any; 0 for no limit.
  public let minCount: Int
  /// The largest number of related objects; 0 for no limit.
  public let maxCount: Int
  /// The effect on the related objects when the object is deleted.
  public let deleteRule: DeleteRule
  /// Whether the relationship is not stored.
  ///
  /// A store has no column for it, and it is empty in an object that is read again.
  ///
  /// A relationship and its inverse are either both transient or both stored.
  public package(set) var isTransient: Bool
  /// The relationship's name in older versions of the model and their stores; nil if it has not
  /// changed.
  public let renamingIdentifier: String?

  /// The effect of the deletion of an object on its related objects.
  public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
    /// Related objects lose their reference to the deleted object.
    case nullify
    /// Related objects are deleted as well.
    case cascade
    /// The deletion cannot be saved while there are related objects.
    case deny
    /// Related objects keep a reference to an object that no longer exists.
    case noAction
  }

  /// Creates a relationship.
  ///
  /// A to-one relationship has no order and no counts. A to-many relationship that is not optional
  /// needs at least one object.
  public init(
    name: String, destination: String, inverse: String? = nil, isToMany: Bool = false,
    isOrdered: Bool = false, isOptional: Bool = true, minCount: Int = 0, maxCount: Int = 0,
    deleteRule: DeleteRule = .nullify, isTransient: Bool = false,
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOrdered = isToMany && isOrdered
    self.isOptional = isOptional
    self.minCount = isToMany ? (isOptional ? minCount : max(1, minCount)) : 0
    self.maxCount = isToMany ? maxCount : 0
    self.deleteRule = deleteRule
    self.isTransient = isTransient
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
  }
}

/// Both ends of a relationship, with its names resolved.
package struct RelationshipLink {
  /// The destination entity.
  package let destination: EntityDescription
  /// The inverse relationship; nil if there is none.
  package let inverse: Inverse?

  /// An inverse relationship.
  package struct Inverse {
    /// Its index among the relationships of the destination.
    package let ordinal: Int
    package let isToMany: Bool
    package let isOrdered: Bool
  }
}

/// An index by which a store finds and sorts the objects of an entity.
///
/// An index makes fetches faster and saves slower, and changes no result. A store in memory ignores
/// it.
///
/// ```swift
/// FetchIndexDescription(name: "byTitle", elements: ["title", .descending("pages")])
/// ```
public struct FetchIndexDescription: Hashable, Sendable {
  /// The name, which no other index has that the same entity adds.
  public let name: String
  /// The properties, in the order in which the index compares them.
  public let elements: [FetchIndexElementDescription]

  /// Creates an index.
  public init(name: String, elements: [FetchIndexElementDescription]) {
    self.name = name
    self.elements = elements
  }

  /// Creates the index of a single attribute, which has the attribute's name.
  public init(attribute: String) {
    self.init(name: attribute, elements: [FetchIndexElementDescription(propertyName: attribute)])
  }

  /// The attribute that `indexed` after an attribute of a script means; nil for another index.
  package var soleAttribute: String? { self == Self(attribute: name) ? name : nil }
}

/// A property in an index.
///
/// A string literal is the name of a property with smaller values first:
/// `["title", .descending("pages")]`.
public struct FetchIndexElementDescription: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name of an attribute, or of a to-one relationship.
  public let propertyName: String
  /// Whether smaller values come first.
  public let isAscending: Bool

  /// Creates an element.
  public init(propertyName: String, isAscending: Bool = true) {
    self.propertyName = propertyName
    self.isAscending = isAscending
  }

  /// Creates an element with smaller values first.
  public init(stringLiteral propertyName: String) { self.init(propertyName: propertyName) }

  /// Returns an element with larger values first.
  public static func descending(_ propertyName: String) -> Self {
    Self(propertyName: propertyName, isAscending: false)
  }
}

extension EntityDescription {
  /// The indexes that the entity adds to its parent's.
  package var ownIndexes: ArraySlice<FetchIndexDescription> {
    indexes[(superentity?.indexes.count ?? 0)...]
  }

  /// The reason why a store cannot index a property; nil if it can.
  package func obstacle(toIndexing property: String) -> ModelError.IndexObstacle? {
    guard let place = propertyIndex(named: property) else { return nil }
    if isTransient(at: place) { return .transient }
    if place < attributes.count {
      return attributes[place].allowsExternalBinaryDataStorage ? .external : nil
    }
    return relationships[place - attributes.count].isToMany ? .toMany : nil
  }

  /// Checks the indexes that the entity adds to its parent's.
  func checkIndexes() throws(ModelError) {
    var names: Set<String> = []
    for index in ownIndexes {
      guard names.insert(index.name).inserted else {
        throw ModelError.duplicateIndex(index.name, entity: name)
      }
      guard !index.elements.isEmpty else {
        throw ModelError.emptyIndex(index.name, entity: name)
      }
      var properties: Set<String> = []
      for element in index.elements {
        let property = element.propertyName
        guard propertyIndex(named: property) != nil else {
          throw ModelError.unknownProperty(property, entity: name)
        }
        if let obstacle = obstacle(toIndexing: property) {
          throw ModelError.unindexable(property, entity: name, obstacle)
        }
        guard properties.insert(property).inserted else {
          throw ModelError.repeatedInIndex(property, index: index.name, entity: name)
        }
      }
    }
  }
}
