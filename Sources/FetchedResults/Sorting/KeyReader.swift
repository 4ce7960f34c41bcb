/// Reads the value that a key path of a sort or a section leads to: an
/// attribute, or one of an object on the other side of to-one relationships.
struct KeyReader: Sendable {
  /// The to-one relationships on the way, by their ordinals.
  private let steps: [Int]
  private let end: End

  private enum End: Sendable {
    case attribute(String)
    case relationship(Int)
  }

  /// Looks a key path up.
  ///
  /// - Parameter isSort: Whether the values are sorted by, which transient ones
  ///   cannot be.
  /// - Throws: ``FetchError`` with Apple's text: for an unknown key, a
  ///   transient one to sort by, a to-many relationship or a collection
  ///   operator.
  init(_ keyPath: String, entity: EntityDescription, isSort: Bool) throws(FetchError) {
    if keyPath.contains("@") { throw FetchError.aggregateKeyPath(keyPath) }
    var steps: [Int] = []
    var owner = entity
    var end: End?
    for key in keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
      if case .relationship(let ordinal)? = end {
        steps.append(ordinal)
        do throws(ModelError) {
          owner = try owner.link(at: ordinal).destination
        } catch {
          throw FetchError.model(error)
        }
        end = nil
      }
      guard end == nil, let index = owner.propertyIndex(named: key) else {
        throw FetchError.unknownKeyPath(keyPath, entity: entity.name)
      }
      if isSort, owner.isTransient(at: index) {
        throw FetchError.unknownKeyPath(keyPath, entity: entity.name)
      }
      if index < owner.attributes.count {
        end = .attribute(key)
      } else {
        let ordinal = index - owner.attributes.count
        if owner.relationships[ordinal].isToMany { throw FetchError.toManyKey }
        end = .relationship(ordinal)
      }
    }
    guard let end else { throw FetchError.unknownKeyPath(keyPath, entity: entity.name) }
    self.steps = steps
    self.end = end
  }

  /// Returns the value for an object; null where something on the way is.
  func value(of object: ObjectValues) -> PropertyValue {
    var object = object
    for ordinal in steps {
      guard let id = object.member(at: ordinal), let next = object.values(of: id) else {
        return .null
      }
      object = next
    }
    switch end {
    case .attribute(let key): return object.value(forKey: key) ?? .null
    case .relationship(let ordinal):
      return object.member(at: ordinal).map(PropertyValue.object) ?? .null
    }
  }
}

extension ObjectValues {
  /// The object on the other side of a to-one relationship.
  fileprivate func member(at ordinal: Int) -> ObjectID? {
    snapshot[objectID.entity.attributes.count + ordinal].objectID
  }
}
