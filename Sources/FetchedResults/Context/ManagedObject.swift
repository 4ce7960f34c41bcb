/// An object of an entity, as one context sees it.
///
/// Reading and writing go through keys, the names of the entity's attributes
/// and relationships. Assigning a value equal to the old one is a change too,
/// as in Core Data.
///
/// An entity's objects may be of a subclass; see
/// ``PersistentStoreCoordinator/register(_:for:)``.
open class ManagedObject {
  // Values are read and written whole, never while something else runs. So what Swift would
  // check at each access is left out where turns of many objects spend their time. Nothing may
  // be overridden, so nothing is looked up at run time.

  // What a search over many rows looks at comes first, so that it lies in one
  // line of the processor's cache.

  /// The values as they are now.
  @exclusivity(unchecked) final package internal(set) var snapshot: ObjectSnapshot
  /// How many batches that some controller may still have to see name the
  /// object.
  @exclusivity(unchecked) final var openBatches: Int32 = 0
  /// Whether the object is in its context's list of unprocessed changes.
  @exclusivity(unchecked) final var isUnprocessed = false
  /// Whether the object is in its context's list of unsaved changes.
  @exclusivity(unchecked) final var isPending = false
  /// Whether the object was deleted, and will be gone from the store at the
  /// next save, or is gone already.
  @exclusivity(unchecked) final public internal(set) var isDeleted = false
  /// What made the object count as changed since changes were last processed.
  @exclusivity(unchecked) final var causes: ChangeCauses = []

  /// The object's identity.
  ///
  /// Where another process took its number before it was saved, it gets another
  /// one at the save.
  @exclusivity(unchecked) final public internal(set) var objectID: ObjectID
  /// The context that the object belongs to; nil once the context is gone or
  /// was reset.
  final public internal(set) weak var managedObjectContext: ManagedObjectContext?

  /// The values in the store; nil if the store does not know the object, or if nothing differs from
  /// it.
  @exclusivity(unchecked) final var committed: ObjectSnapshot?
  /// The values when pending changes were last processed; nil if the object did not exist then.
  @exclusivity(unchecked) final var baseline: ObjectSnapshot?
  /// The version of the store's row that the values were read from; 0 where
  /// the store never had one, and negative where it no longer has one.
  final var version: Int32 = 0
  /// Whether the object is a fault: its values are those that the source has when someone looks at
  /// them next.
  ///
  /// Until then the object keeps the values that were read last, by which
  /// controllers placed it.
  @exclusivity(unchecked) final public internal(set) var isFault = false

  /// Creates an object as its context asks for it.
  ///
  /// Only a context can: insert an object by ``ManagedObjectContext/insert(_:)``.
  public required init(_ creation: ManagedObjectCreation) {
    objectID = creation.objectID
    snapshot = creation.snapshot
    managedObjectContext = creation.context
  }
}

/// What a context gives an object that it creates.
public struct ManagedObjectCreation {
  let objectID: ObjectID
  let snapshot: ObjectSnapshot
  let context: ManagedObjectContext
}

extension ManagedObject: Hashable, Identifiable {
  /// The object's identity, for lists.
  public final var id: ObjectID { objectID }

  /// Whether both are one object of one context.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Feeds which object it is.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject {
  /// The object's entity.
  public var entity: EntityDescription { objectID.entity }

  /// Whether the object was inserted and not saved yet.
  public var isInserted: Bool { isPending && committed == nil && !isDeleted }

  /// Whether the object was inserted and went before it was saved: no row is its own.
  var isNewAndGone: Bool { isDeleted && committed == nil && version == 0 }

  /// Whether the object counts as deleted until the next save, since others deleted
  /// it: no row is left that a save could delete.
  var isGone: Bool { isDeleted && isPending && committed == nil && version > 0 }

  /// Whether the object is gone for good, and is here only until controllers are told about it.
  var isForgotten: Bool { isDeleted && !isPending }

  /// The values that the object was read or saved with last; nil if it was never saved, or where
  /// others deleted it.
  package var savedSnapshot: ObjectSnapshot? {
    isPending ? committed : isDeleted || version <= 0 ? nil : snapshot
  }

  /// Whether a saved object was changed and not saved since.
  public var isUpdated: Bool { isPending && committed != nil && !isDeleted }

  /// Whether the object has changes that a save would write.
  public var hasChanges: Bool { isPending && !(committed == nil && isDeleted) }

  /// The object's values as they are now, for expressions.
  package var values: ObjectValues {
    if isFault { managedObjectContext?.fire(self) }
    return ObjectValues(objectID: objectID, snapshot: snapshot, graph: managedObjectContext)
  }

  /// The value of an attribute or a relationship.
  ///
  /// - Precondition: The entity has a property of this name, a value given
  ///   fits it, and an object is not written to once its deletion was saved. Where the name or the
  ///   value comes from elsewhere, use ``value(forKey:)`` and
  ///   ``setValue(_:forKey:)``.
  public subscript(key: String) -> PropertyValue {
    get {
      guard let index = entity.propertyIndex(named: key) else {
        preconditionFailure(ObjectError.unknownKey(key, entity: entity.name).description)
      }
      return value(at: index)
    }
    set {
      do {
        try setValue(newValue, forKey: key)
      } catch {
        preconditionFailure(error.description)
      }
    }
  }

  /// Returns the value of an attribute or a relationship: null or an object of
  /// a to-one, a list of objects of a to-many.
  ///
  /// - Throws: ``ObjectError/unknownKey(_:entity:)``.
  public func value(forKey key: String) throws(ObjectError) -> PropertyValue {
    guard let index = entity.propertyIndex(named: key) else {
      throw ObjectError.unknownKey(key, entity: entity.name)
    }
    return value(at: index)
  }

  /// Sets the value of an attribute or a relationship.
  ///
  /// See ``AttributeType/value(from:)`` for what fits which type. A to-one
  /// relationship takes an object or null, a to-many one a list of objects;
  /// the other sides follow, and count as changed.
  ///
  /// An object that is marked for deletion takes values too, as in Core Data. No controller is told
  /// about it, and the save that deletes the object drops them.
  ///
  /// - Throws: ``ObjectError`` for an unknown key, a value that does not fit,
  ///   an attribute that is computed, or an object whose deletion was saved.
  public func setValue(_ value: PropertyValue, forKey key: String) throws(ObjectError) {
    guard let index = entity.propertyIndex(named: key) else {
      throw ObjectError.unknownKey(key, entity: entity.name)
    }
    try setValue(value, at: index)
  }

  /// Returns the value of the property with this place in the entity.
  package func value(at index: Int) -> PropertyValue {
    if isFault { managedObjectContext?.fire(self) }
    return entity.hasExpressions ? values.value(at: index) : snapshot[index]
  }

  /// Sets the value of the property with this place in the entity.
  package func setValue(_ value: PropertyValue, at index: Int) throws(ObjectError) {
    let entity = entity
    guard index < entity.attributes.count else {
      return try setRelationship(index - entity.attributes.count, to: value)
    }
    guard canChange else { throw ObjectError.deleted(objectID) }
    let attribute = entity.attributes[index]
    let fitting = try attribute.fitting(value)
    if mutation(.touchUnseen), snapshot[index] == fitting { return }
    managedObjectContext?.willChange(self)
    snapshot[index] = fitting
  }
}

extension ManagedObject {
  /// Whether values may be set: not once the object's deletion was saved.
  var canChange: Bool { !isDeleted || isPending }
}

extension AttributeDescription {
  /// Returns the value as the attribute holds it.
  ///
  /// - Throws: ``ObjectError`` if it does not fit, or is computed.
  package func fitting(_ value: PropertyValue) throws(ObjectError) -> PropertyValue {
    guard expression == nil else { throw ObjectError.computed(name) }
    guard let fitting = type.value(from: value) else {
      throw ObjectError.wrongType(value, attribute: name, type: type)
    }
    return fitting
  }
}
