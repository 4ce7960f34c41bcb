/// The circumstances that a cache was made for: the controller's configuration, and everything else
/// that decides which rows it found.
package struct CacheFingerprint: Hashable, Sendable {
  package let entity: String
  package let includesSubentities: Bool
  /// A hash of the properties of the entity and of all related entities.
  package let modelVersion: UInt64
  package let predicate: String?
  package let sortDescriptors: [FetchSortDescriptor]
  package let sectionNameKeyPath: String?
  package let limit: Int
  package let offset: Int
  package let locale: String
  /// Whether a repeated fetch may find other rows although nothing was saved.
  package let isUnrepeatable: Bool

  /// Whether both were made for the same configuration: entity, predicate, sort and section key.
  ///
  /// A different configuration under the same name is a mistake of the programmer, and a fatal
  /// error, as in Core Data. Any other difference only makes the cache useless.
  func hasConfiguration(of other: CacheFingerprint) -> Bool {
    entity == other.entity && predicate == other.predicate
      && sortDescriptors == other.sortDescriptors
      && sectionNameKeyPath == other.sectionNameKeyPath
  }

  /// Why a controller of the same configuration cannot use a cache of this fingerprint; nil if it
  /// can.
  package func staleness(for other: CacheFingerprint) -> SectionCache.Staleness? {
    if modelVersion != other.modelVersion { return .modelChanged }
    if isUnrepeatable { return .unrepeatable }
    return self == other ? nil : .otherRequest
  }
}

extension CacheFingerprint {
  package init(request: FetchRequest, sectionNameKeyPath: String?, locale: String) {
    let version = ModelVersion(of: request.entity)
    entity = request.entity.name
    includesSubentities = request.includesSubentities
    modelVersion = version.hash
    predicate = request.predicate?.predicateFormat
    sortDescriptors = request.sortDescriptors
    self.sectionNameKeyPath = sectionNameKeyPath
    limit = request.fetchLimit
    offset = request.fetchOffset
    self.locale = locale
    isUnrepeatable =
      version.dependsOnTime || predicate.map(ModelVersion.asksForTime) ?? false
      || version.hasUnstored
        && sectionNameKeyPath.map(request.entity.leadsToTransient) ?? false
  }

  /// Why no controller of a model can use a cache of this fingerprint; nil if one may.
  package func staleness(in model: ManagedObjectModel) -> SectionCache.Staleness? {
    guard let entity = model.entitiesByName[entity], ModelVersion(of: entity).hash == modelVersion
    else {
      return .modelChanged
    }
    return isUnrepeatable ? .unrepeatable : nil
  }
}

extension EntityDescription {
  /// Whether a key path crosses a transient relationship, or ends at a transient attribute that is
  /// set by hand or may be computed from such values.
  func leadsToTransient(_ keyPath: String) -> Bool {
    var owner = self
    for key in keyPath.split(separator: ".").map(String.init) {
      if let index = owner.attributeIndex(named: key) {
        return owner.attributes[index].isTransient
      }
      guard let ordinal = owner.relationshipOrdinal(named: key),
        let next = try? owner.link(at: ordinal).destination
      else { return false }
      if owner.relationships[ordinal].isTransient { return true }
      owner = next
    }
    return false
  }
}

/// What decides the rows of an entity in a model: the properties of the entity and of all related
/// entities.
struct ModelVersion {
  /// A hash of every property, its type, and the expression that computes it.
  let hash: UInt64
  /// Whether an attribute is computed from the time or from random numbers.
  let dependsOnTime: Bool
  /// Whether there is a property that is set by hand and that no store keeps.
  let hasUnstored: Bool

  init(of entity: EntityDescription) {
    var entities: [EntityDescription] = [entity]
    var known: Set<EntityDescription> = [entity]
    var text = ""
    var dependsOnTime = false
    var index = 0
    while index < entities.count {
      let entity = entities[index]
      index += 1
      text += "\(entity.name) < \(entity.superentity?.name ?? "") \(entity.isAbstract)\n"
      for attribute in entity.attributes {
        let expression = attribute.expression?.text ?? ""
        text +=
          "\(attribute.name): \(attribute.type.rawValue) \(attribute.isOptional) "
          + "\(attribute.isTransient) \(expression)\n"
        dependsOnTime = dependsOnTime || Self.asksForTime(expression)
      }
      for (ordinal, relationship) in entity.relationships.enumerated() {
        text +=
          "\(relationship.name): \(relationship.destination) \(relationship.isToMany) "
          + "\(relationship.isOrdered) \(relationship.inverse ?? "")"
          + (relationship.isTransient ? " transient\n" : "\n")
        guard let link = try? entity.link(at: ordinal),
          known.insert(link.destination).inserted
        else { continue }
        entities.append(link.destination)
      }
    }
    hasUnstored = entities.contains { !$0.unstoredPlaces.isEmpty }
    hash = XXHash64.hash(Array(text.utf8))
    self.dependsOnTime = dependsOnTime
  }

  /// Returns whether an expression's text contains `now()` or `random()`.
  ///
  /// A string literal that contains them counts too. That only costs one more computation.
  static func asksForTime(_ text: String) -> Bool {
    let text = text.lowercased()
    if text.contains("random") { return true }
    var rest = Substring(text)
    while let found = rest.firstRange(of: "now") {
      let next = rest[found.upperBound...].first { !$0.isWhitespace }
      let isWord = rest[..<found.lowerBound].last.map { !$0.isLetter } ?? true
      if isWord, next == "(" || next == ":" || next == "\"" { return true }
      rest = rest[found.upperBound...]
    }
    return false
  }
}
