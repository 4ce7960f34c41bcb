/// An object of an entity, as one context sees it.
///
/// Reading and writing go through keys, the names of the entity's attributes.
/// Assigning a value equal to the old one is a change too, as in Core Data.
public final class ManagedObject {
  /// The object's identity.
  public let objectID: ObjectID
  /// The context that the object belongs to; nil once the context is gone or
  /// was reset.
  public internal(set) weak var managedObjectContext: ManagedObjectContext?
  /// Whether the object was deleted, and will be gone from the store at the
  /// next save, or is gone already.
  public internal(set) var isDeleted = false

  /// The values as they are now.
  package internal(set) var snapshot: Snapshot
  /// The values in the store; nil where the store does not know the object, or
  /// where nothing differs from it.
  var committed: Snapshot?
  /// The values when pending changes were last processed; nil where the object
  /// did not exist then.
  var baseline: Snapshot?
  /// Whether the object stands in its context's list of unsaved changes.
  var isPending = false
  /// Whether the object stands in its context's list of unprocessed changes.
  var isUnprocessed = false

  init(objectID: ObjectID, snapshot: Snapshot, context: ManagedObjectContext) {
    self.objectID = objectID
    self.snapshot = snapshot
    self.managedObjectContext = context
  }
}

extension ManagedObject {
  /// The object's entity.
  public var entity: EntityDescription { objectID.entity }

  /// Whether the object was inserted and not saved yet.
  public var isInserted: Bool { isPending && committed == nil && !isDeleted }

  /// Whether a saved object was changed and not saved since.
  public var isUpdated: Bool { isPending && committed != nil && !isDeleted }

  /// Whether the object has changes that a save would write.
  public var hasChanges: Bool { isPending && !(committed == nil && isDeleted) }

  /// The value of an attribute.
  ///
  /// - Precondition: The entity has an attribute of this name, a value given
  ///   is of its type, and a deleted object is not written to. Where the name
  ///   or the value comes from elsewhere, use ``value(forKey:)`` and
  ///   ``setValue(_:forKey:)``.
  public subscript(key: String) -> Value {
    get {
      guard let index = entity.attributeIndex(named: key) else {
        preconditionFailure(ObjectError.unknownKey(key, entity: entity.name).description)
      }
      return snapshot[index]
    }
    set {
      do {
        try setValue(newValue, forKey: key)
      } catch {
        preconditionFailure(error.description)
      }
    }
  }

  /// Returns the value of an attribute.
  ///
  /// - Throws: ``ObjectError/unknownKey(_:entity:)``.
  public func value(forKey key: String) throws(ObjectError) -> Value {
    guard let index = entity.attributeIndex(named: key) else {
      throw ObjectError.unknownKey(key, entity: entity.name)
    }
    return snapshot[index]
  }

  /// Sets the value of an attribute; see ``AttributeType/value(from:)`` for
  /// what fits which type.
  ///
  /// - Throws: ``ObjectError`` for an unknown key, a value that does not fit,
  ///   or a deleted object.
  public func setValue(_ value: Value, forKey key: String) throws(ObjectError) {
    guard let index = entity.attributeIndex(named: key) else {
      throw ObjectError.unknownKey(key, entity: entity.name)
    }
    try setValue(value, at: index)
  }

  /// Sets the value of the attribute with this place in the entity.
  package func setValue(_ value: Value, at index: Int) throws(ObjectError) {
    let attribute = entity.attributes[index]
    guard !isDeleted else { throw ObjectError.deleted(objectID) }
    guard let fitting = attribute.type.value(from: value) else {
      throw ObjectError.wrongType(value, attribute: attribute.name, type: attribute.type)
    }
    managedObjectContext?.willChange(self)
    snapshot[index] = fitting
  }
}
