import FetchedResults
import NaiveModel

import struct Foundation.Date

/// The rows of a request, found, sorted and cut into sections by asking every
/// object.
struct NaiveRows {
  /// What decides the place of a row: its sort keys, and its section's name.
  struct Row {
    let keys: [PropertyValue]
    let section: String
  }

  let request: FetchRequest
  let sectionKeyPath: String?
  let context: ManagedObjectContext
  /// Whether the offset and the limit hold at every moment.
  let keepsLimit: Bool
  /// Whether a change of what a key path reads of other objects is a change of the row.
  private let tracksRelated: Bool
  /// What each object's key paths read of other objects.
  private var related: [Int64: [Reading]] = [:]
  private let predicate: CompiledPredicate?
  /// The locale of the fetch, which later settings leave alone.
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

  /// The rows in order, where the limit is kept those that it leaves.
  var results: NaiveResults {
    var sorted = rows.sorted { precedes($0, $1) }
    if keepsLimit { sorted = Array(sorted.dropFirst(request.fetchOffset).prefix(limit)) }
    return NaiveResults(
      rows: sorted.map { NaiveResults.Row(number: $0.key, section: $0.value.section) },
      isSectioned: sectionKeyPath != nil)
  }

  /// Takes every object that matches, except for those outside the window.
  ///
  /// The window is one of the saved rows by their saved values. What is unsaved comes
  /// in beside it, and the limit counts once more.
  ///
  /// - Throws: What the predicate raises on an object.
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

  /// Places the objects again whose key paths read something else than before.
  ///
  /// - Parameter changed: Those that changed themselves.
  /// - Returns: The others whose related objects changed.
  mutating func followRelated(
    besides changed: Set<Int64>
  ) throws(InvalidPredicateError) -> Set<Int64> {
    guard tracksRelated else { return [] }
    let old = related
    related = readings
    var found: Set<Int64> = []
    for object in context.registeredObjects(of: request.entity) where !object.isDeleted {
      let number = object.objectID.number
      // Its own relationships are as they were, so others have changed.
      guard !changed.contains(number), let before = old[number], before != related[number] else {
        continue
      }
      found.insert(number)
    }
    // The rows that changed themselves were placed by what others are now already.
    for number in found {
      guard let object = context.registered(number, in: request.entity.root) else { continue }
      rows[number] = try row(of: object)
    }
    return found
  }

  /// Takes note of what the key paths read of other objects, and places nothing.
  mutating func readRelated() { related = readings }

  /// What a key path reads of one object that it leads to.
  private struct Reading: Equatable {
    let object: ObjectID
    let isDeleted: Bool
    let key: String
    let value: PropertyValue
  }

  /// What the key paths of each object read of others.
  private var readings: [Int64: [Reading]] {
    guard tracksRelated else { return [:] }
    let paths =
      request.sortDescriptors.map(\.key) + [sectionKeyPath].compactMap(\.self)
      + request.predicateKeyPaths
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

  /// The object that a key path reads; nil if there is none any more.
  private func readable(_ id: ObjectID) -> ManagedObject? {
    context.currentSnapshot(of: id) == nil ? nil : context.findObject(with: id)
  }

  private var isCut: Bool {
    !keepsLimit && (request.fetchLimit > 0 || request.fetchOffset > 0)
  }

  private var limit: Int { request.fetchLimit > 0 ? request.fetchLimit : .max }

  /// The row that an object is now; nil if it is none.
  func row(of object: ManagedObject) throws(InvalidPredicateError) -> Row? {
    try row(of: object, by: object.snapshot)
  }

  /// The row that an object with some values is; nil if it is none.
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
