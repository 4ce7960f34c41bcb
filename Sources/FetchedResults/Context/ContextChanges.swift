/// What one processing of pending changes found, as values.
package struct ContextChanges {
  /// The changes, each object once, in the order in which they were first
  /// touched.
  package let changes: [ObjectChange]
  /// Counts the batches of a context from 1.
  package let sequence: Int

  init(changes: [ObjectChange], sequence: Int) {
    self.changes = changes
    self.sequence = sequence
  }

  /// Returns the values before the batch of each object of a root entity that
  /// existed then, by number.
  ///
  /// - Complexity: O(*k*).
  func valuesBefore(of root: EntityDescription) -> [Int64: Snapshot] {
    var values: [Int64: Snapshot] = [:]
    for change in changes where change.object.entity.root === root {
      if let snapshot = change.before { values[change.object.objectID.number] = snapshot }
    }
    return values
  }

  /// Makes one batch of several that follow one another.
  init(joining batches: [ContextChanges]) {
    var changes: [ObjectChange] = []
    var places: [ObjectIdentifier: Int] = [:]
    for change in batches.flatMap(\.changes) {
      guard let place = places[ObjectIdentifier(change.object)] else {
        places[ObjectIdentifier(change.object)] = changes.count
        changes.append(change)
        continue
      }
      changes[place] = ObjectChange(
        object: change.object, before: changes[place].before, after: change.after)
    }
    self.init(
      changes: changes.filter { $0.kind != nil }, sequence: batches.map(\.sequence).max() ?? 0)
  }
}

/// One object's change between two processings.
package struct ObjectChange {
  package let object: ManagedObject
  /// The values before; nil where the object did not exist.
  package let before: Snapshot?
  /// The values after; nil where the object does not exist any more.
  package let after: Snapshot?

  package enum Kind: Hashable, Sendable {
    case inserted
    case updated
    case deleted
  }

  /// Nil where the object came and went between the two processings.
  package var kind: Kind? {
    switch (before != nil, after != nil) {
    case (false, true): .inserted
    case (true, true): .updated
    case (true, false): .deleted
    case (false, false): nil
    }
  }
}
