/// The change of one object between two processings of its context.
package struct ObjectChange: Sendable {
  package private(set) var objectID: ObjectID
  /// The values before; nil if the object did not exist.
  package let before: ObjectSnapshot?
  /// The values after; nil if the object no longer exists.
  package let after: ObjectSnapshot?
  /// What made the object count as changed.
  package let causes: ChangeCauses

  package init(
    objectID: ObjectID, before: ObjectSnapshot?, after: ObjectSnapshot?, causes: ChangeCauses
  ) {
    self.objectID = objectID
    self.before = before
    self.after = after
    self.causes = causes
  }

  /// Whether the context knew the values before; otherwise `before` only says that the object
  /// existed.
  package var isBeforeKnown: Bool { !causes.contains(.unread) }

  package enum Kind: Hashable, Sendable {
    case inserted
    case updated
    case deleted
  }

  /// Nil if the object was inserted and deleted between the two processings.
  package var kind: Kind? {
    switch (before != nil, after != nil) {
    case (false, true): .inserted
    case (true, true): .updated
    case (true, false): .deleted
    case (false, false): nil
    }
  }

  /// Returns the change with another identity of the object.
  package func renumbered(as objectID: ObjectID) -> ObjectChange {
    var change = self
    change.objectID = objectID
    return change
  }

  /// Returns this change and a later one of the object as one change.
  package func followed(by later: ObjectChange) -> ObjectChange {
    ObjectChange(
      objectID: later.objectID, before: before, after: later.after,
      causes: causes.union(later.causes))
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
  /// The object was read again from its source.
  package static let refreshed = ChangeCauses(rawValue: 4)
  /// An undo, a redo or a rollback.
  package static let undone = ChangeCauses(rawValue: 8)
  /// A save met a conflict, and the merge policy resolved it.
  package static let resolved = ChangeCauses(rawValue: 16)
  /// The context had not read the object before, so the values before are
  /// unknown.
  package static let unread = ChangeCauses(rawValue: 32)
  /// The object was taken out of the context.
  package static let invalidated = ChangeCauses(rawValue: 64)
  /// A controller tracks this object's related objects, and one of them changed.
  ///
  /// The values before and after are the same.
  package static let related = ChangeCauses(rawValue: 128)
}
