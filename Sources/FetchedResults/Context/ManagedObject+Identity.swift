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
  /// A save gives it a permanent identity; an object that a child context saved
  /// into its parent waits for the parent's save. So does
  /// ``ManagedObjectContext/obtainPermanentIDs(for:)``, before any save. Controllers'
  /// callbacks do not tell of it.
  public var hasTemporaryID: Bool {
    guard version <= 0 else { return false }
    if managedObjectContext?.coordinator.permanentIDs.contains(objectID) == true { return false }
    return managedObjectContext?.parent?.source.isTemporary(objectID.number, in: entity.root)
      ?? true
  }

  /// The object's identity as Core Data writes it:
  /// `x-coredata://STORE/Book/p12`, with a `t` for the `p` while it is
  /// temporary.
  ///
  /// Nil for an object whose context is gone.
  public var uriRepresentation: URL? {
    guard let store = managedObjectContext?.coordinator.store else { return nil }
    let letter = hasTemporaryID ? "t" : "p"
    return URL(
      string: "x-coredata://\(store.identifier)/\(entity.name)/\(letter)\(objectID.number)")
  }
}

extension ManagedObject: PredicateArgument {
  /// A reference to the object.
  public var predicateValue: Value { .object(objectID) }
}
