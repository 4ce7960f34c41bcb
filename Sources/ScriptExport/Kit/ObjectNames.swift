import CoreData

/// The names of objects, such as `Book/1`, by their identities.
///
/// An identity changes when the object is first saved, so each object keeps its name under both.
final class ObjectNames {
  private var names: [NSManagedObjectID: String] = [:]
  private var identities: [String: NSManagedObjectID] = [:]

  /// Gives an object a name, for its current identity.
  func add(_ name: String, of object: NSManagedObject) {
    names[object.objectID] = name
    identities[name] = object.objectID
  }

  /// Returns the name for an identity, or its URI if it has none.
  func name(of id: NSManagedObjectID) -> String {
    names[id] ?? id.uriRepresentation().absoluteString
  }

  /// Returns the identity for a name.
  func identity(of name: String) -> NSManagedObjectID? { identities[name] }

  /// Runs code that may change the identities of objects, and keeps their names.
  func keeping<Result>(_ objects: Set<NSManagedObject>, _ body: () throws -> Result) rethrows
    -> Result
  {
    let named = objects.compactMap { object in
      names[object.objectID].map { (object: object, name: $0) }
    }
    defer {
      for (object, name) in named where !object.objectID.isTemporaryID { add(name, of: object) }
    }
    return try body()
  }

  /// Sorts names by entity and number.
  static func sorted(_ names: [String]) -> [String] {
    names.sorted { left, right in
      let (a, b) = (parts(left), parts(right))
      return a.entity == b.entity ? a.number < b.number : a.entity < b.entity
    }
  }

  private static func parts(_ name: String) -> (entity: Substring, number: Int) {
    guard let slash = name.lastIndex(of: "/") else { return (name[...], 0) }
    return (name[..<slash], Int(name[name.index(after: slash)...]) ?? 0)
  }
}
