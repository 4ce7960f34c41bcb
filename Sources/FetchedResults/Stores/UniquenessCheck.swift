import Foundation

/// The values that an object has under one uniqueness constraint.
///
/// Two keys are equal if a store treats the values as equal. Decimals that a SQLite column cannot
/// tell apart are equal, in memory too.
struct UniqueKey: Hashable {
  /// The entity that has the constraint, with all that inherit from it.
  let entity: EntityDescription
  /// The names of the constraint's attributes.
  let attributes: [String]
  /// The attributes' places in a ``ObjectSnapshot``.
  let places: [Int]
  /// The values as the object has them.
  let values: [PropertyValue]
  /// The values as they are compared.
  private let storedValues: [PropertyValue]

  /// The keys of an object, without those that contain a nil, because nil never causes a conflict.
  static func keys(of snapshot: ObjectSnapshot, in entity: EntityDescription) -> [UniqueKey] {
    entity.uniquenessConstraints.enumerated().compactMap { ordinal, attributes in
      let places = attributes.compactMap(entity.attributeIndex(named:))
      let values = places.map { snapshot[$0] }
      let storedValues = values.map(\.asStored)
      guard !storedValues.contains(where: \.isNull) else { return nil }
      var owner = entity
      while let parent = owner.superentity, ordinal < parent.uniquenessConstraints.count {
        owner = parent
      }
      return UniqueKey(
        entity: owner, attributes: attributes, places: places, values: values,
        storedValues: storedValues)
    }
  }

  /// Whether an object of an entity has these values.
  func isHeld(by snapshot: ObjectSnapshot, of entity: EntityDescription) -> Bool {
    entity.isKindOf(entity: self.entity)
      && zip(places, storedValues).allSatisfy { snapshot[$0].asStored == $1 }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.entity === right.entity && left.places == right.places
      && left.storedValues == right.storedValues
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(entity)
    hasher.combine(places)
    hasher.combine(storedValues)
  }
}

extension PropertyValue {
  /// The value as a unique column of a store compares it.
  ///
  /// A decimal becomes a floating-point number, a URI its text, and NaN becomes nil.
  var asStored: PropertyValue {
    switch self {
    case .decimal(let number): isNaN ? self : PropertyValue.double(number.nearestDouble).asStored
    case .double(let number): number.isNaN ? .null : self
    case .uri(let url): .string(url.absoluteString)
    case .null, .bool, .int, .string, .date, .uuid, .data, .object, .list: self
    }
  }
}

/// Says which constraint a batch request would break.
struct UniquenessCheck {
  let store: any PersistentStore

  /// Returns the entity that declares the first constraint that changes would break, or nil.
  ///
  /// Rows are checked in the order of the changes, and constraints in the order of the entity. So
  /// every store names the same entity.
  ///
  /// - Throws: What the store throws; ``StoreError/cancelled`` if the work is to stop.
  func brokenBy(_ changes: [StoreChange]) throws(StoreError) -> EntityDescription? {
    var holders: [UniqueKey: ObjectID] = [:]
    var changed: Set<ObjectID> = []
    var stop = StopCheck.Loop()
    if changes.contains(where: { !$0.objectID.entity.uniquenessConstraints.isEmpty }) {
      changed.reserveCapacity(changes.count)
      for change in changes {
        if stop.isWanted(after: 4) { throw .cancelled }
        changed.insert(change.objectID)
      }
    }
    for change in changes {
      if stop.isWanted(after: changed.isEmpty ? 1 : 16) { throw .cancelled }
      guard let snapshot = change.snapshot else { continue }
      let id = change.objectID
      for key in UniqueKey.keys(of: snapshot, in: id.entity) {
        if holders.updateValue(id, forKey: key) != nil { return key.entity }
        let root = key.entity.root
        for number in try store.rows(of: key.entity, having: key.values, at: key.places)
        where !changed.contains(ObjectID(entity: root, number: number)) {
          return key.entity
        }
      }
    }
    return nil
  }
}

extension PersistentStore {
  /// The error of a refused batch request.
  ///
  /// It names the entity of the constraint that would break.
  ///
  /// - Parameter entity: The entity to name if another process changed the rows in the meantime, so
  ///   that no constraint would break any more.
  package func sharedUniqueValues(
    of changes: [StoreChange], else entity: EntityDescription
  ) -> StoreError {
    let broken = try? UniquenessCheck(store: self).brokenBy(changes)
    return .sharedUniqueValues(entity: (broken ?? entity).name)
  }
}
