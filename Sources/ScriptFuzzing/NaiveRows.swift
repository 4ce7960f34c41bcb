import FetchedResults
import NaiveModel

import struct Foundation.Date

/// The rows of a request, found, sorted and cut into sections by asking every
/// object.
struct NaiveRows {
  /// What a row stands by: its sort keys, and its section's name.
  struct Row {
    let keys: [Value]
    let section: String
  }

  let request: FetchRequest
  let sectionKeyPath: String?
  let context: ManagedObjectContext
  /// Whether the offset and the limit hold at every moment.
  let keepsLimit: Bool
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

  /// Takes every object that matches, but for those outside the window.
  ///
  /// The window is one of the saved rows by their saved values. What is unsaved comes
  /// in beside it, and the limit counts once more.
  ///
  /// - Throws: What the predicate raises on an object.
  mutating func fetch() throws(PredicateError) {
    rows = [:]
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

  private var isCut: Bool {
    !keepsLimit && (request.fetchLimit > 0 || request.fetchOffset > 0)
  }

  private var limit: Int { request.fetchLimit > 0 ? request.fetchLimit : .max }

  /// The row that an object is now; nil where it is none.
  func row(of object: ManagedObject) throws(PredicateError) -> Row? {
    try row(of: object, by: object.snapshot)
  }

  /// The row that an object with some values is; nil where it is none.
  private func row(
    of object: ManagedObject, by snapshot: Snapshot
  ) throws(PredicateError) -> Row? {
    guard includes(object.entity), try predicate?.matches(snapshot, of: object.objectID) ?? true
    else { return nil }
    func value(at keyPath: String) -> Value { self.value(at: keyPath, of: object, by: snapshot) }
    return Row(
      keys: request.sortDescriptors.map { value(at: $0.key) },
      section: sectionKeyPath.map { name(ofSection: value(at: $0)) } ?? "")
  }

  func includes(_ entity: EntityDescription) -> Bool {
    request.includesSubentities ? entity.isKind(of: request.entity) : entity == request.entity
  }

  private func value(
    at keyPath: String, of object: ManagedObject, by snapshot: Snapshot
  ) -> Value {
    let keys = keyPath.split(separator: ".")
    let values = ObjectValues(objectID: object.objectID, snapshot: snapshot, graph: context)
    guard let first = keys.first,
      let index = object.entity.propertyIndex(named: String(first))
    else { return .null }
    var value = values.value(at: index)
    for key in keys.dropFirst() {
      guard case .object(let id) = value, let owner = context.object(with: id) else { return .null }
      value = (try? owner.value(forKey: String(key))) ?? .null
    }
    return value
  }

  private func name(ofSection value: Value) -> String {
    switch value {
    case .null: ""
    case .bool(let value): value ? "1" : "0"
    case .double(let value) where value.description.hasSuffix(".0"):
      String(value.description.dropLast(2))
    case .date(let date): date.description
    case .int, .double, .string, .decimal, .uuid, .uri, .data, .object, .list, .unread:
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
    _ left: Value, _ right: Value, _ descriptor: FetchSortDescriptor
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
