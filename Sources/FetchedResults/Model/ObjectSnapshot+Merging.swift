extension ObjectSnapshot {
  /// Takes over the changes between an older snapshot and another one.
  ///
  /// For a to-many relationship, it takes over the added and removed objects and keeps later
  /// changes of this snapshot. An ordered relationship gets the other's order, followed by objects
  /// that only this snapshot has.
  package mutating func take(
    from other: ObjectSnapshot, whereChangedSince older: ObjectSnapshot,
    of entity: EntityDescription
  ) {
    for index in stored.indices where other.stored[index] != older.stored[index] {
      guard case .list(let mine) = self[index], case .list(let theirs) = other[index],
        case .list(let common) = older[index], mine != common
      else {
        stored[index] = other.stored[index]
        continue
      }
      let relationship = entity.relationships[index - entity.attributes.count]
      let merged = theirs.merged(with: mine, since: common)
      self[index] = .list(relationship.isOrdered ? merged : merged.sortedByNumber)
    }
  }
}

extension [PropertyValue] {
  /// Merges two lists that were changed from the same older list: the result has what one of them
  /// added, and lacks what one of them removed.
  fileprivate func merged(with other: [PropertyValue], since older: [PropertyValue])
    -> [PropertyValue]
  {
    let mine = Set(self)
    let theirs = Set(other)
    let common = Set(older)
    return filter { theirs.contains($0) || !common.contains($0) }
      + other.filter { !mine.contains($0) && !common.contains($0) }
  }

  fileprivate var sortedByNumber: [PropertyValue] {
    sorted { ($0.objectID?.number ?? 0) < ($1.objectID?.number ?? 0) }
  }
}

extension PropertyValue {
  /// Returns the objects that are in exactly one of two values of a relationship.
  package static func members(thatDifferIn left: PropertyValue?, _ right: PropertyValue?)
    -> [ObjectID]
  {
    guard left != right else { return [] }
    let before = left?.members ?? []
    let after = right?.members ?? []
    let kept = Set(before).intersection(after)
    return (before + after).filter { !kept.contains($0) }
  }

  /// The objects of a relationship's value.
  package var members: [ObjectID] {
    switch self {
    case .object(let id): [id]
    case .list(let values): values.compactMap(\.objectID)
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: []
    }
  }
}
