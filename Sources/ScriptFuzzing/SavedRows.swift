import FetchedResults
import Foundation

/// The rows of a store, and whether they are valid.
struct SavedRows: Equatable {
  /// Each object with its values, by entity and number.
  let lines: [String]
  /// A description of two objects that share unique values; nil if there are none.
  let shared: String?
  /// A description of an object whose derived attribute is out of date; nil if there is none.
  let outdated: String?

  init(_ coordinator: PersistentStoreCoordinator) {
    let reader = ManagedObjectContext(coordinator: coordinator)
    var lines: [String] = []
    var shared: String?
    var outdated: String?
    var owners: [Constraint: ObjectID] = [:]
    for entity in coordinator.managedObjectModel.entities where entity.superentity == nil {
      for object in reader.registeredObjects(of: entity) {
        let id = object.objectID
        let values = object.entity.propertyNames.indices.map { index in
          "\(object.entity.propertyNames[index]): \(object.snapshot[index])"
        }
        lines.append("\(id) \(values.joined(separator: ", "))")
        outdated = outdated ?? Self.outdatedAttribute(of: object)
        for key in Constraint.all(of: object) {
          guard let other = owners.updateValue(id, forKey: key), shared == nil else { continue }
          shared = "\(other) and \(id) have the same \(key.names.joined(separator: ", "))"
        }
      }
    }
    self.lines = lines
    self.shared = shared
    self.outdated = outdated
  }

  /// Returns the derived attribute of an object that does not fit the attribute it is derived from.
  ///
  /// Attributes that depend on other objects or on the clock are not checked.
  private static func outdatedAttribute(of object: ManagedObject) -> String? {
    let entity = object.entity
    for (index, attribute) in entity.attributes.enumerated() {
      let prefix = "canonical:("
      guard let text = attribute.derivation?.text, text.hasPrefix(prefix), text.hasSuffix(")"),
        let source = entity.attributeIndex(
          named: String(text.dropFirst(prefix.count).dropLast())),
        attribute.type == .string, entity.attributes[source].expression == nil
      else { continue }
      let canonical = object.snapshot[source].string?.folding(
        options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
      guard object.snapshot[index] != canonical.map(PropertyValue.string) ?? .null else { continue }
      return "\(object.objectID) has \(attribute.name) \(object.snapshot[index]) with "
        + "\(entity.attributes[source].name) \(object.snapshot[source])"
    }
    return nil
  }

  /// Returns the lines in which two stores differ, as one text.
  func difference(from other: SavedRows) -> String {
    let (mine, others) = (Set(lines), Set(other.lines))
    return
      "has saved '\(lines.filter { !others.contains($0) }.joined(separator: "; "))' in place of "
      + "'\(other.lines.filter { !mine.contains($0) }.joined(separator: "; "))'"
  }

  /// Values of an object that must be unique.
  private struct Constraint: Hashable {
    let entity: EntityDescription
    let names: [String]
    let values: [PropertyValue]

    /// Returns the constraints of an object, worked out from the entities without the engine's own
    /// keys.
    static func all(of object: ManagedObject) -> [Constraint] {
      var found: [Constraint] = []
      var ancestor: EntityDescription? = object.entity
      while let entity = ancestor {
        let inherited = entity.superentity?.uniquenessConstraints.count ?? 0
        for names in entity.uniquenessConstraints.dropFirst(inherited) {
          let values = names.map { (try? object.value(forKey: $0)) ?? .null }
          guard !values.contains(where: \.isNull) else { continue }
          found.append(Constraint(entity: entity, names: names, values: values))
        }
        ancestor = entity.superentity
      }
      return found
    }
  }
}
