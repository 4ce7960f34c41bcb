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

  /// What happened to an object in the context and in the store.
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

extension MergeConflictError: CustomStringConvertible {
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
