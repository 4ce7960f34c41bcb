import Basics
public import Foundation

/// An object of an entity, as one context sees it.
///
/// Values are read and written by keys, the names of the entity's attributes and relationships.
/// Assigning a value equal to the old one is a change too, as in Core Data.
///
/// An entity's objects may be of a subclass; see ``PersistentStoreCoordinator/register(_:for:)``.
open class ManagedObject {
  // Values are read and written as a whole, and nothing else runs in the meantime. So Swift's check
  // of exclusive access is turned off where turns of many objects spend their time. Members are
  // final, so no call is looked up at run time.

  // The fields that a search over many rows reads come first, so that they share a line of the
  // processor's cache. All fields together take 72 bytes: malloc would round one byte more up to 16.

  /// The values as they are now.
  @exclusivity(unchecked) final package internal(set) var snapshot: ObjectSnapshot
  /// The version of the store's row that the values were read from; 0 if there never was a row, and
  /// negative if it was deleted.
  @exclusivity(unchecked) final var version: Int32 = 0
  /// What the current turn, or a batch, knows about the object.
  @exclusivity(unchecked) final var flags: Flags = []
  /// What made the object count as changed since changes were last processed.
  @exclusivity(unchecked) final var causes: ChangeCauses = []
  /// Whether the object is in its context's list of unsaved changes.
  @exclusivity(unchecked) final var isPending = false
  /// Whether the object was deleted: the next save deletes it from the store, or it no longer
  /// exists there.
  @exclusivity(unchecked) final public internal(set) var isDeleted = false

  /// The object's identity.
  ///
  /// If another process took its number before it was saved, a save, a merge or a read gives it
  /// another identity.
  @exclusivity(unchecked) final public internal(set) var objectID: ObjectID
  /// Leads to the context; nil after the context was reset.
  @exclusivity(unchecked) final var contextReference: ContextReference?

  /// The values in the store; nil if the store does not know the object, or if nothing differs from
  /// it.
  @exclusivity(unchecked) final var committed: ObjectSnapshot?
  /// The values when pending changes were last processed; nil if the object did not exist then.
  ///
  /// If a merge brought the object since, they are those that it arrived with.
  @exclusivity(unchecked) final var baseline: ObjectSnapshot?

  /// Creates an object; only a context calls this.
  ///
  /// To insert an object, use ``ManagedObjectContext/insert(_:)``.
  public required init(_ creation: ManagedObjectCreation) {
    objectID = creation.objectID
    snapshot = creation.snapshot
    contextReference = creation.context.reference
  }

  /// Creates an object of the plain class, without counting references to its context.
  init(_ id: ObjectID, _ snapshot: ObjectSnapshot, in reference: ContextReference) {
    objectID = id
    self.snapshot = snapshot
    contextReference = reference
  }

  /// Creates an object of the plain class from a row, for fetches of many objects.
  init(_ row: consuming StoreRow, number: Int64, in reference: ContextReference) {
    objectID = ObjectID(entity: row.entity, number: number)
    version = row.version
    snapshot = row.snapshot
    contextReference = reference
  }
}

extension ManagedObject {
  /// The context that the object belongs to; nil after the context was released or reset.
  final public var managedObjectContext: ManagedObjectContext? { contextReference?.context }
}

/// A weak reference to a context, which all objects of the context share.
///
/// If each object had one, making an object would have to count it at the context.
final class ContextReference {
  private(set) weak var context: ManagedObjectContext?

  /// Lets the reference lead to its context, which is being made.
  func lead(to context: ManagedObjectContext) { self.context = context }
}

extension ManagedObject {
  /// Facts of an object that share one byte.
  struct Flags: OptionSet {
    let rawValue: UInt8

    /// The object is in its context's list of unprocessed changes.
    static let unprocessed = Flags(rawValue: 1)
    /// A batch that some controller may still have to see names the object.
    static let inOpenBatch = Flags(rawValue: 2)
    /// The object is a fault.
    static let fault = Flags(rawValue: 4)
    /// A merge brought the object into the context since changes were last processed.
    static let arrived = Flags(rawValue: 8)
  }

  /// Whether the object is in its context's list of unprocessed changes.
  @inline(__always)
  final var isUnprocessed: Bool {
    get { flags.contains(.unprocessed) }
    set {
      if newValue {
        flags.insert(.unprocessed)
      } else {
        flags.subtract([.unprocessed, .arrived])
      }
    }
  }

  /// Whether a merge brought the object into the context since changes were last processed.
  ///
  /// Then ``baseline`` has the values that it arrived with.
  final var hasArrived: Bool {
    get { flags.contains(.arrived) }
    set { set(.arrived, newValue) }
  }

  /// Whether a batch that some controller may still have to see names the object.
  @inline(__always)
  final var isInOpenBatch: Bool {
    get { flags.contains(.inOpenBatch) }
    set { set(.inOpenBatch, newValue) }
  }

  /// Whether the object is a fault: its values are read from the source at the next access.
  ///
  /// Until then the object keeps the values that were read last, by which controllers placed it.
  public internal(set) final var isFault: Bool {
    get { flags.contains(.fault) }
    set { set(.fault, newValue) }
  }

  /// Whether a row of results has its place by the object's current values.
  @inline(__always)
  final var standsByItsValues: Bool { flags.isDisjoint(with: [.unprocessed, .inOpenBatch]) }

  @inline(__always)
  private func set(_ fact: Flags, _ isTrue: Bool) {
    if isTrue { flags.insert(fact) } else { flags.remove(fact) }
  }
}

/// The values with which a context creates an object.
public struct ManagedObjectCreation {
  let objectID: ObjectID
  let snapshot: ObjectSnapshot
  let context: ManagedObjectContext
}

extension ManagedObject: Hashable, Identifiable {
  /// The object's identity, for lists.
  public final var id: ObjectID { objectID }

  /// Whether both are the same object of one context.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Hashes the identity of the instance.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject {
  /// The object's entity.
  public var entity: EntityDescription { objectID.entity }

  /// Whether the object was inserted and not saved yet.
  public var isInserted: Bool { isPending && committed == nil && !isDeleted }

  /// Whether the object was inserted and no row of it was ever saved, so that another process may
  /// have saved one with its number.
  var isNew: Bool { isInserted && version == 0 }

  /// Whether the object was inserted, and deleted before it was saved.
  ///
  /// It has no row.
  var isNewAndGone: Bool { isDeleted && committed == nil && version == 0 }

  /// Whether the next save deletes the object, or others have deleted it.
  package var isUnsavedDeletion: Bool { isDeleted && (committed != nil || isGone) }

  /// Whether others deleted the object.
  ///
  /// It counts as deleted until the next save, which has no row to delete.
  var isGone: Bool { isDeleted && isPending && committed == nil && version > 0 }

  /// Whether the object no longer exists anywhere, and is only kept until controllers have reported
  /// that.
  var isForgotten: Bool { isDeleted && !isPending }

  /// The values that the object was last read or saved with; nil if it was never saved, or if
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
  /// If the store cannot be read, an assignment does nothing, and the next fetch or save throws.
  ///
  /// - Precondition: The entity has a property of this name, an assigned value fits it, and the
  ///   object's deletion was not saved before an assignment. Otherwise the program ends with a
  ///   message. If the name or the value may be wrong, use ``value(forKey:)`` and
  ///   ``setValue(_:forKey:)``.
  public subscript(key: String) -> PropertyValue {
    get {
      guard let index = entity.propertyIndex(named: key) else {
        programmingError(
          refusal(ObjectError.unknownKey(key, entity: entity.name), of: key, by: "value(forKey:)"))
      }
      return value(at: index)
    }
    set {
      do {
        try setValue(newValue, forKey: key)
      } catch {
        refuse(error, of: key, by: "setValue(_:forKey:)")
      }
    }
  }

  /// Ends the program because of an assignment that cannot throw.
  ///
  /// A store that cannot be read is not a mistake of the program. The next fetch or save throws
  /// that error, as after an access to a fault.
  package func refuse(_ error: ObjectError, of key: String, by method: String) {
    if case .unreadable(let failure) = error, let context = managedObjectContext {
      context.persistentStoreCoordinator.note(failure)
    } else {
      programmingError(refusal(error, of: key, by: method))
    }
  }

  /// Returns the message about a property that cannot be read or set.
  ///
  /// - Parameter method: What throws the error instead of ending the program.
  private func refusal(_ error: ObjectError, of key: String, by method: String) -> String {
    let advice: String? =
      switch error {
      case .unknownKey:
        nearestName(to: key, among: entity.propertyNames).map { "write '\($0)'" }
          ?? "write one of \(entity.propertyNames.joined(separator: ", "))"
      case .deleted(objectID):
        "check isDeleted before you write to an object that others may delete"
      case .deleted(let other): "check isDeleted of \(other) first"
      case .computed: "set what it is computed from"
      case .notToMany: "assign to it"
      case .wrongType, .wrongMember, .missing: "check the value first"
      // The error says what to do.
      case .elsewhere, .withoutContext, .model, .unreadable: nil
      }
    let end = advice.map { "\($0), or use \(method), which throws" } ?? "\(method) throws instead"
    return "cannot use '\(key)' of \(objectID): \(error); \(end)"
  }

  /// Returns the value of an attribute or a relationship.
  ///
  /// A to-one relationship gives null or an object, a to-many relationship a list of objects.
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
  /// ``AttributeType/value(from:)`` says which values fit which type. A to-one relationship takes
  /// an object or null, a to-many relationship a list of objects. The other sides of the
  /// relationship are changed too.
  ///
  /// An object that is marked for deletion also takes values, as in Core Data. Controllers do not
  /// report them, and the save that deletes the object drops them.
  ///
  /// - Throws: ``ObjectError`` for an unknown key, a value that does not fit, a computed attribute,
  ///   or an object whose deletion was saved.
  public func setValue(_ value: PropertyValue, forKey key: String) throws(ObjectError) {
    guard let index = entity.propertyIndex(named: key) else {
      throw ObjectError.unknownKey(key, entity: entity.name)
    }
    try setValue(value, at: index)
  }

  /// Returns the value of the property with this place in the entity.
  package func value(at index: Int) -> PropertyValue {
    if isFault { managedObjectContext?.fire(self) }
    if index >= entity.attributes.count, let context = managedObjectContext {
      Renumbering(context).renumberBeforeReading(asksStore: snapshot.isUnread(index))
    }
    return entity.hasExpressions ? values.value(at: index) : snapshot[index]
  }

  /// Returns the value of the attribute with this place in the entity; a fault stays a fault.
  ///
  /// Printing an object must not change what is read later.
  package func shownValue(at index: Int) -> PropertyValue {
    isFault ? shownValues.value(at: index) : value(at: index)
  }

  /// The object's values as they are now; a fault stays a fault.
  var shownValues: ObjectValues {
    guard isFault, let context = managedObjectContext else { return values }
    var shown = snapshot
    if context.stale.contains(objectID) {
      // A fault without a row becomes a deleted object.
      guard let row = context.source.row(of: objectID) else { return values }
      shown = row.snapshot
    }
    return ObjectValues(objectID: objectID, snapshot: shown, graph: context)
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
  /// Whether values may be set.
  ///
  /// They cannot be set after the object's deletion was saved.
  var canChange: Bool { !isDeleted || isPending }
}

extension AttributeDescription {
  /// Returns a value converted to the attribute's type.
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

/// Values of several properties, by their names.
extension ManagedObject {
  /// The properties that have unsaved changes, with their values now.
  ///
  /// A new object has changed every property that differs from its entity's default. A property
  /// that was assigned the value it had is left out. Empty without unsaved changes.
  ///
  /// - Complexity: O(*p*) in the entity's properties.
  public final func changedValues() -> [String: PropertyValue] {
    guard isPending else { return [:] }
    return values(wherever: committed ?? entity.defaults)
  }

  /// The saved values of properties, by their names.
  ///
  /// - Parameter keys: Names of attributes and relationships; nil for all.
  /// - Returns: The values by name. A key that the entity does not have is left out. An object that
  ///   was never saved has no values.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: PropertyValue] {
    if isFault { managedObjectContext?.fire(self) }
    guard let saved = savedSnapshot else { return [:] }
    var values: [String: PropertyValue] = [:]
    for key in keys ?? entity.propertyNames {
      if let index = entity.propertyIndex(named: key) { values[key] = saved[index].known }
    }
    return values
  }

  /// The properties whose values differ from those of a snapshot.
  private func values(wherever other: ObjectSnapshot) -> [String: PropertyValue] {
    var changed: [String: PropertyValue] = [:]
    for (index, name) in entity.propertyNames.enumerated()
    where snapshot.stored[index] != other.stored[index] {
      changed[name] = value(at: index).known
    }
    return changed
  }
}

extension PropertyValue {
  /// The value as a client sees it, with relationships as lists.
  fileprivate var known: PropertyValue { list.map(PropertyValue.list) ?? self }
}

extension ManagedObjectContext {
  /// Whether an object that is here or below is not in the store; no row is
  /// read for that.
  package func hasTemporaryID(_ number: Int64, in root: EntityDescription) -> Bool {
    if let object = registered(number, in: root) { return object.hasTemporaryID }
    return parent?.hasTemporaryID(number, in: root) ?? false
  }
}

extension ManagedObject {
  /// Whether the object's identity is not final, since the store does not know it yet.
  ///
  /// A save gives it a permanent identity; an object that a child context saved into its parent
  /// waits for the parent's save. So does ``ManagedObjectContext/obtainPermanentIDs(for:)``, before
  /// any save. Controllers' callbacks do not tell about it.
  public var hasTemporaryID: Bool {
    guard version <= 0 else { return false }
    if managedObjectContext?.persistentStoreCoordinator.permanentIDs.contains(objectID) == true {
      return false
    }
    return managedObjectContext?.parent?.source.isTemporary(objectID.number, in: entity.root)
      ?? true
  }

  /// The object's identity as Core Data writes it:
  /// `x-coredata://STORE/Book/p12`, with a `t` for the `p` while it is
  /// temporary.
  ///
  /// Nil for an object whose context was released.
  public var uriRepresentation: URL? {
    guard let store = managedObjectContext?.persistentStoreCoordinator.store else { return nil }
    return objectID.uriRepresentation(inStore: store.identifier, isTemporary: hasTemporaryID)
  }
}

extension ObjectID {
  fileprivate func uriRepresentation(inStore store: String, isTemporary: Bool) -> URL? {
    URL(string: "x-coredata://\(store)/\(entity.name)/\(isTemporary ? "t" : "p")\(number)")
  }
}

extension PersistentStoreCoordinator {
  /// Returns the permanent identity of an object as Core Data writes it:
  /// `x-coredata://STORE/Book/p12`.
  public func uriRepresentation(of id: ObjectID) -> URL? {
    id.uriRepresentation(inStore: store.identifier, isTemporary: false)
  }

  /// Returns the identity that a URI names; the object need not exist.
  ///
  /// - Parameter uri: As ``uriRepresentation(of:)`` writes it.
  /// - Returns: Nil if the URI is of another store, names an entity that the model does not have,
  ///   or is none of an object.
  public func managedObjectID(forURIRepresentation uri: URL) -> ObjectID? {
    guard uri.scheme == "x-coredata", uri.host == store.identifier else { return nil }
    let parts = uri.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard parts.count == 2, let name = parts.first, let last = parts.last,
      let letter = last.first, "pt".contains(letter), let number = Int64(last.dropFirst()),
      number > 0, let entity = managedObjectModel.entitiesByName[String(name)]
    else { return nil }
    return ObjectID(entity: entity, number: number)
  }
}

extension ManagedObject: PredicateArgument {
  /// A reference to the object.
  public var predicateValue: PropertyValue { .object(objectID) }
}
