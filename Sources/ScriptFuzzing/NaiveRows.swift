import FetchedResults
import Foundation
import NaiveModel
import PredicateSyntax

import struct Foundation.Date

/// The rows of a request, found, sorted and divided into sections by reading every object.
struct NaiveRows {
  /// The values that decide the place of a row: its sort keys, and the name of its section.
  struct Row {
    let keys: [PropertyValue]
    let section: String
  }

  let request: FetchRequest
  let sectionKeyPath: String?
  let context: ManagedObjectContext
  /// Whether the offset and the limit are kept after every change.
  let keepsLimit: Bool
  /// Whether a row counts as changed if its key paths read a changed value of another object.
  private let tracksRelated: Bool
  /// For each object, the values that its key paths read from other objects.
  private var related: [Int64: [Reading]] = [:]
  private let predicate: CompiledPredicate?
  /// The locale of the fetch, which later settings do not change.
  private let locale: String
  var rows: [Int64: Row] = [:]

  init(_ request: FetchRequest, of controller: FetchedResultsController) throws(FetchError) {
    self.request = request
    sectionKeyPath = controller.sectionNameKeyPath
    context = controller.managedObjectContext
    locale = context.environment.locale
    keepsLimit = controller.keepsLimitNow
    tracksRelated = controller.tracksRelatedNow
    predicate = try context.compile(request.predicate, for: request.entity)
  }

  /// The rows in order; if the limit is kept, only those within it.
  var results: NaiveResults {
    var sorted = rows.sorted { precedes($0, $1) }
    if keepsLimit { sorted = Array(sorted.dropFirst(request.fetchOffset).prefix(limit)) }
    return NaiveResults(
      rows: sorted.map { NaiveResults.Row(number: $0.key, section: $0.value.section) },
      isSectioned: sectionKeyPath != nil)
  }

  /// Fetches every object that matches, except for those outside the window.
  ///
  /// The window is applied to the saved rows, by their saved values. Unsaved rows are added, and
  /// then the limit is applied again.
  ///
  /// - Throws: The error that the predicate raises on an object.
  mutating func fetch() throws(InvalidPredicateError) {
    rows = [:]
    related = readings
    var saved = self
    for object in context.registeredObjects(of: request.entity) {
      let number = object.objectID.number
      if !object.isDeleted { rows[number] = try row(of: object) }
      guard isCut, let snapshot = object.savedSnapshot else { continue }
      saved.rows[number] = try row(of: object, by: snapshot)
    }
    guard isCut else { return }
    let window = Set(
      saved.results.rows.dropFirst(request.fetchOffset).prefix(limit).map(\.number))
    let unsaved = Set(
      (context.insertedObjects + context.updatedObjects).map(\.objectID.number))
    rows = rows.filter { window.contains($0.key) || unsaved.contains($0.key) }
    let counted = Set(results.rows.prefix(limit).map(\.number))
    rows = rows.filter { counted.contains($0.key) }
  }

  /// Places the objects again whose key paths now read other values.
  ///
  /// - Parameter changed: The objects that changed themselves.
  /// - Returns: The other objects whose related objects changed.
  mutating func followRelated(
    besides changed: Set<Int64>
  ) throws(InvalidPredicateError) -> Set<Int64> {
    guard tracksRelated else { return [] }
    let old = related
    related = readings
    var found: Set<Int64> = []
    for object in context.registeredObjects(of: request.entity) where !object.isDeleted {
      let number = object.objectID.number
      // Its own relationships are unchanged, so other objects have changed.
      guard !changed.contains(number), let before = old[number], before != related[number] else {
        continue
      }
      found.insert(number)
    }
    // The rows that changed themselves were already placed by the present values of others.
    for number in found {
      guard let object = context.registered(number, in: request.entity.root) else { continue }
      rows[number] = try row(of: object)
    }
    return found
  }

  /// Records what the key paths read from other objects, and moves no row.
  mutating func readRelated() { related = readings }

  /// What a key path reads from one related object.
  private struct Reading: Equatable {
    let object: ObjectID
    let isDeleted: Bool
    let key: String
    let value: PropertyValue
  }

  /// For each object, what its key paths read from others.
  private var readings: [Int64: [Reading]] {
    guard tracksRelated else { return [:] }
    let paths =
      request.sortDescriptors.map(\.key) + [sectionKeyPath].compactMap(\.self)
      + (request.predicate?.tree.keyPaths(inSubqueries: true) ?? [])
    var found: [Int64: [Reading]] = [:]
    for object in context.registeredObjects(of: request.entity) where !object.isDeleted {
      found[object.objectID.number] = paths.flatMap { readings(of: object, at: $0) }
    }
    return found
  }

  private func readings(of object: ManagedObject, at keyPath: String) -> [Reading] {
    var objects = [object]
    var found: [Reading] = []
    for (place, key) in keyPath.split(separator: ".").map(String.init).enumerated() {
      var next: [ManagedObject] = []
      for object in objects {
        let value = (try? object.value(forKey: key)) ?? .null
        if place > 0 {
          found.append(
            Reading(
              object: object.objectID, isDeleted: object.isDeleted, key: key, value: value))
        }
        next += value.members.compactMap(readable)
      }
      objects = next
    }
    return found
  }

  /// Returns the object that a key path reads; nil if it no longer exists.
  private func readable(_ id: ObjectID) -> ManagedObject? {
    context.currentSnapshot(of: id) == nil ? nil : context.findObject(with: id)
  }

  private var isCut: Bool {
    !keepsLimit && (request.fetchLimit > 0 || request.fetchOffset > 0)
  }

  private var limit: Int { request.fetchLimit > 0 ? request.fetchLimit : .max }

  /// Returns the present row of an object; nil if it has none.
  func row(of object: ManagedObject) throws(InvalidPredicateError) -> Row? {
    try row(of: object, by: object.snapshot)
  }

  /// Returns the row of an object with the given values; nil if it has none.
  private func row(
    of object: ManagedObject, by snapshot: ObjectSnapshot
  ) throws(InvalidPredicateError) -> Row? {
    guard includes(object.entity), try predicate?.matches(snapshot, of: object.objectID) ?? true
    else { return nil }
    func value(at keyPath: String) -> PropertyValue {
      self.value(at: keyPath, of: object, by: snapshot)
    }
    return Row(
      keys: request.sortDescriptors.map { value(at: $0.key) },
      section: sectionKeyPath.map { name(ofSection: value(at: $0)) } ?? "")
  }

  func includes(_ entity: EntityDescription) -> Bool {
    request.includesSubentities ? entity.isKindOf(entity: request.entity) : entity == request.entity
  }

  private func value(
    at keyPath: String, of object: ManagedObject, by snapshot: ObjectSnapshot
  ) -> PropertyValue {
    let keys = keyPath.split(separator: ".")
    let values = ObjectValues(objectID: object.objectID, snapshot: snapshot, graph: context)
    guard let first = keys.first,
      let index = object.entity.propertyIndex(named: String(first))
    else { return .null }
    var value = values.value(at: index)
    for key in keys.dropFirst() {
      guard case .object(let id) = value, let owner = readable(id) else { return .null }
      value = (try? owner.value(forKey: String(key))) ?? .null
    }
    return value
  }

  private func name(ofSection value: PropertyValue) -> String {
    switch value {
    case .null: ""
    case .bool(let value): value ? "1" : "0"
    case .double(let value) where value.description.hasSuffix(".0"):
      String(value.description.dropLast(2))
    case .date(let date): date.description
    case .int, .double, .string, .decimal, .uuid, .uri, .data, .object, .list:
      value.description.byScalars
    }
  }

  private func precedes(
    _ left: (key: Int64, value: Row), _ right: (key: Int64, value: Row)
  ) -> Bool {
    for (index, descriptor) in request.sortDescriptors.enumerated() {
      let order = compare(left.value.keys[index], right.value.keys[index], descriptor)
      if order != 0 { return descriptor.ascending ? order < 0 : order > 0 }
    }
    return left.key < right.key
  }

  private func compare(
    _ left: PropertyValue, _ right: PropertyValue, _ descriptor: FetchSortDescriptor
  ) -> Int {
    switch (left, right) {
    case (.string(let a), .string(let b)):
      StringOrder(descriptor.selector, locale: locale).compare(a, b)
    case (.object(let a), .object(let b)):
      a.number < b.number ? -1 : a.number == b.number ? 0 : 1
    default: (left.ordering(right) ?? .same).rawValue
    }
  }
}

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

/// An object as a context has it, or would read it.
///
/// Turns are written by looking at objects in this way. Reading an object into the context would
/// change what the turn does, and only in one of several runs.
struct SeenObject {
  let id: ObjectID
  private let snapshot: ObjectSnapshot

  var entity: EntityDescription { id.entity }

  /// The value of an attribute.
  subscript(name: String) -> PropertyValue {
    entity.attributeIndex(named: name).map { snapshot[$0] } ?? .null
  }

  /// Returns an entity's objects as a context has them, by number.
  static func all(of entity: EntityDescription, in context: ManagedObjectContext) -> [SeenObject] {
    // If the store cannot be read, the next statement fails too.
    var ids = Set((try? context.persistentStoreCoordinator.store.objectIDs(of: entity)) ?? [])
    var layer: ManagedObjectContext? = context
    while let current = layer {
      ids.formUnion(
        current.insertedObjects.map(\.objectID).filter { $0.entity.isKindOf(entity: entity) })
      layer = current.parent
    }
    return ids.sorted { $0.number < $1.number }.compactMap { id in
      // An object that was deleted before a save hides what another process saved under its number.
      guard context.registered(id.number, in: id.entity.root)?.isDeleted != true else { return nil }
      return context.currentSnapshot(of: id).map { SeenObject(id: id, snapshot: $0) }
    }
  }
}
