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
        object: change.object, before: changes[place].before, after: change.after,
        causes: changes[place].causes.union(change.causes))
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
  /// What made the object count as changed.
  package let causes: ChangeCauses

  /// Whether the context knew the values before; else `before` only says that
  /// the object existed.
  package var isBeforeKnown: Bool { !causes.contains(.unread) }

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

/// What made an object count as changed in one turn.
package struct ChangeCauses: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A value was assigned, or the object was deleted, or the other side of a
  /// relationship changed.
  package static let assigned = ChangeCauses(rawValue: 1)
  /// Another context's save was merged.
  package static let merged = ChangeCauses(rawValue: 2)
  /// The source's values were read again.
  package static let refreshed = ChangeCauses(rawValue: 4)
  /// An undo, a redo or a rollback.
  package static let undone = ChangeCauses(rawValue: 8)
  /// A save met a conflict and solved it by its policy.
  package static let resolved = ChangeCauses(rawValue: 16)
  /// The context had not read the object before, so the values before are
  /// unknown.
  package static let unread = ChangeCauses(rawValue: 32)
}
