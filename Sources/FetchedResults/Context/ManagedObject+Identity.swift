public import Foundation

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
  /// Nil for an object whose context is gone.
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
