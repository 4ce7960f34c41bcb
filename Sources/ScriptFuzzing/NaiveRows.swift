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
  private let predicate: CompiledPredicate?
  /// The locale of the fetch, which later settings leave alone.
  private let locale: String
  var rows: [Int64: Row] = [:]

  init(_ request: FetchRequest, of controller: FetchedResultsController) throws(FetchError) {
    self.request = request
    sectionKeyPath = controller.sectionNameKeyPath
    context = controller.managedObjectContext
    locale = context.environment.locale
    predicate = try context.compile(request.predicate, for: request.entity)
  }

  /// The rows in order.
  var results: NaiveResults {
    let sorted = rows.sorted { precedes($0, $1) }
    return NaiveResults(
      rows: sorted.map { NaiveResults.Row(number: $0.key, section: $0.value.section) },
      isSectioned: sectionKeyPath != nil)
  }

  /// Takes every object that matches, but for those outside the window.
  ///
  /// - Throws: What the predicate raises on an object.
  mutating func fetch() throws(PredicateError) {
    rows = [:]
    for object in context.registeredObjects(of: request.entity) where !object.isDeleted {
      rows[object.objectID.number] = try row(of: object)
    }
    let limit = request.fetchLimit > 0 ? request.fetchLimit : rows.count
    let window = Set(results.rows.dropFirst(request.fetchOffset).prefix(limit).map(\.number))
    rows = rows.filter { window.contains($0.key) }
  }

  /// The row that an object is now; nil where it is none.
  func row(of object: ManagedObject) throws(PredicateError) -> Row? {
    guard includes(object.entity),
      try predicate?.matches(object.snapshot, of: object.objectID) ?? true
    else { return nil }
    let section = sectionKeyPath.map { name(ofSection: value(at: $0, of: object)) }
    return Row(
      keys: request.sortDescriptors.map { value(at: $0.key, of: object) }, section: section ?? "")
  }

  func includes(_ entity: EntityDescription) -> Bool {
    request.includesSubentities ? entity.isKind(of: request.entity) : entity == request.entity
  }

  private func value(at keyPath: String, of object: ManagedObject) -> Value {
    var value = Value.object(object.objectID)
    for key in keyPath.split(separator: ".") {
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
