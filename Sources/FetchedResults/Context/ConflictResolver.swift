import Foundation

/// Optimistic locking: a save that meets a newer row than the one read.
struct ConflictResolver {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Resolves every conflict by the merge policy, before anything is written.
  ///
  /// The context keeps the state before, for a save that fails.
  ///
  /// - Returns: Whether there was any.
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``.
  func resolve() throws(MergeConflictError) -> Bool {
    let found = conflicts()
    guard !found.isEmpty else { return false }
    guard context.mergePolicy != .error else {
      throw MergeConflictError(conflicts: found.map { conflict($0.object, with: $0.row) })
    }
    context.keepStateBeforeDecision()
    for (object, row) in found {
      context.replacedState?.note(object, wasStale: context.stale.contains(object.objectID))
      resolve(object, with: row)
    }
    return true
  }

  private typealias FoundConflict = (object: ManagedObject, row: StoreRow?)

  /// Returns the objects to save that the source has in another version than
  /// was read; of those that both sides deleted nothing is left to save.
  private func conflicts() -> [FoundConflict] {
    var found: [FoundConflict] = []
    var isGone = false
    // One that was found gone, and is to come back, may have come back already.
    let saved = context.pending.selected {
      $0.committed != nil || ($0.version < 0 && !$0.isDeleted)
    }
    guard !saved.isEmpty else { return [] }
    context.source.forEachRow(of: saved.map(\.objectID)) { index, row in
      let object = saved[index]
      guard let row else {
        // What could not be read is not gone.
        if context.persistentStoreCoordinator.hasReadFailure { return }
        if object.isDeleted {
          context.endChanges(of: object)
          isGone = true
        } else if object.committed != nil {
          found.append((object, nil))
        }
        return
      }
      if context.parent == nil && row.version != object.version { found.append((object, row)) }
    }
    if isGone { context.dropUnchangedObjects() }
    return found
  }

  private func resolve(_ object: ManagedObject, with row: StoreRow?) {
    guard let row else {
      guard context.mergePolicy.isObjectTrump else {
        return context.replacing.vanish(object, by: .resolved)
      }
      object.committed = nil
      object.renewVersion()
      return
    }
    if object.isDeleted {
      guard context.mergePolicy.isObjectTrump else {
        return context.replacing.replace(object, with: row)
      }
      context.replacing.renewDeletion(of: object, as: row.snapshot)
    } else {
      switch context.mergePolicy {
      case .rollback: return context.replacing.replace(object, with: row)
      case .error, .overwrite: break
      case .mergeByPropertyObjectTrump:
        var merged = row.snapshot
        merged.take(
          from: object.snapshot, whereChangedSince: object.committed ?? merged, of: object.entity)
        context.replacing.replace(object, with: merged)
      case .mergeByPropertyStoreTrump:
        var merged = object.snapshot
        merged.take(
          from: row.snapshot, whereChangedSince: object.committed ?? row.snapshot,
          of: object.entity)
        context.replacing.replace(object, with: merged)
      }
    }
    object.committed = row.snapshot
    object.version = row.version
    context.stale.remove(object.objectID)
  }

  private func conflict(
    _ object: ManagedObject, with row: StoreRow?
  ) -> MergeConflictError.Conflict {
    guard let row else {
      return MergeConflictError.Conflict(
        objectID: object.objectID, kind: .deletedInStore, differences: [])
    }
    var differences: [MergeConflictError.Difference] = []
    for (index, name) in object.entity.propertyNames.enumerated()
    where object.snapshot.stored[index] != row.snapshot.stored[index] {
      differences.append(
        MergeConflictError.Difference(
          attribute: name, objectValue: object.snapshot[index],
          storeValue: row.snapshot[index]))
    }
    return MergeConflictError.Conflict(
      objectID: object.objectID, kind: object.isDeleted ? .deletedHere : .changedTwice,
      differences: differences)
  }
}

/// A way to decide conflicts of a save.
///
/// A save has a conflict if the store has newer values of an object than its context read, or if
/// objects share values that must be unique.
///
/// The changes of a to-many relationship are the objects that were added and removed. With each
/// policy, both sides of a relationship agree after the save.
///
/// After a save, no two objects in the store share unique values. Which object keeps them does not
/// depend on the order of the changes.
///
/// If an object was changed here and deleted in the store, policies in which the object wins
/// restore it, and the others delete it here. If it was deleted here and changed in the store,
/// policies in which the object wins delete it, and the others restore it here.
public enum MergePolicy: String, Sendable, CaseIterable {
  /// The save fails with a ``MergeConflictError``.
  case error
  /// Attribute by attribute, the store's changes win.
  case mergeByPropertyStoreTrump = "storeTrump"
  /// Attribute by attribute, the context's changes win.
  case mergeByPropertyObjectTrump = "objectTrump"
  /// The whole object is written as it is in the context.
  case overwrite
  /// The whole object becomes what it is in the store.
  case rollback

  /// Whether the context's side wins.
  var isObjectTrump: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }
}

/// A save was refused because other contexts saved first.
public struct MergeConflictError: Error, Hashable, Sendable {
  /// One object whose row in the store is newer than the values that its context read.
  public struct Conflict: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The kind of the conflict.
    public let kind: Kind
    /// The attributes that differ, in the entity's order.
    public let differences: [Difference]
  }

  /// The changes of an object in the context and in the store that form a conflict.
  public enum Kind: Hashable, Sendable {
    /// Changed here, and in the store.
    case changedTwice
    /// Changed here, and deleted in the store.
    case deletedInStore
    /// Deleted here, and changed in the store.
    case deletedHere
    /// Another object has the same values of these attributes, which must be
    /// unique.
    case notUnique(ObjectID, attributes: [String])
  }

  /// An attribute's two values.
  public struct Difference: Hashable, Sendable {
    /// The attribute's name.
    public let attribute: String
    /// The value in the context.
    public let objectValue: PropertyValue
    /// The value in the store.
    public let storeValue: PropertyValue
  }

  /// The conflicts, by object in order of change.
  public let conflicts: [Conflict]

  /// Core Data's error code in NSCocoaErrorDomain: 133021 if all conflicts are about unique values,
  /// otherwise 133020.
  public var code: Int {
    let isOfUniqueValues = conflicts.allSatisfy { conflict in
      if case .notUnique = conflict.kind { true } else { false }
    }
    return isOfUniqueValues ? 133_021 : 133_020
  }
}

extension MergeConflictError: _DescribedError {
  /// The domain, the code, and a description of every conflict, in one line.
  public var description: String {
    "NSCocoaErrorDomain \(code): cannot save: "
      + conflicts.map(\.description).joined(separator: "; ")
  }
}

extension MergeConflictError.Conflict: CustomStringConvertible {
  /// A description of the conflict: the object, and its values on both sides.
  public var description: String {
    switch kind {
    case .changedTwice:
      "\(objectID) was changed in the store since it was read"
        + (differences.isEmpty ? "" : ": " + differenceWords)
    case .deletedInStore: "\(objectID) was changed here and deleted in the store"
    case .deletedHere:
      "\(objectID) was deleted here and changed in the store"
        + (differences.isEmpty ? "" : ": " + differenceWords)
    case .notUnique(let other, let attributes):
      "\(objectID) and \(other) have the same "
        + attributes.map { "'\($0)'" }.joined(separator: ", ")
        + ": " + differences.map(\.objectValue.quotedDescription).joined(separator: ", ")
    }
  }

  private var differenceWords: String {
    differences.map { difference in
      "'\(difference.attribute)' is \(difference.objectValue.quotedDescription) here and "
        + "\(difference.storeValue.quotedDescription) in the store"
    }.joined(separator: ", ")
  }
}
