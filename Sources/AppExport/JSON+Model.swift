import FetchedResults
import Foundation
import ScriptRuntime

extension JSON {
  /// Creates an object without the fields that have no value.
  init(fields: [(String, JSON?)]) {
    self = .object(fields.compactMap { key, value in value.map { (key, $0) } })
  }

  /// Returns true, or nil to omit the field, because false is the usual value.
  static func flag(_ isTrue: Bool) -> JSON? { isTrue ? .boolean(true) : nil }

  static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

  /// Encodes a value with its type.
  ///
  /// Strings, Booleans and nil need no type.
  init(typed value: PropertyValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .boolean(value)
    case .string(let text): self = .string(text)
    case .int(let value): self = .object([("int", .string(String(value)))])
    case .double(let value): self = .object([("double", .string(value.description))])
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      self = .object([("date", .string(seconds.description))])
    case .decimal(let value): self = .object([("decimal", .string(value.description))])
    case .uuid(let value): self = .object([("uuid", .string(value.uuidString))])
    case .uri(let value): self = .object([("uri", .string(value.absoluteString))])
    case .data(let value): self = .object([("data", .string(value.base64EncodedString()))])
    case .object(let id): self = .object([("object", .string(id.description))])
    case .list(let values): self = .object([("list", .array(values.map { JSON(typed: $0) }))])
    }
  }

  /// Encodes an entity with the properties that it does not inherit.
  init(entity: EntityDescription) {
    self.init(fields: [
      ("name", .string(entity.name)), ("parent", entity.superentity.map { .string($0.name) }),
      ("abstract", JSON.flag(entity.isAbstract)),
      ("attributes", .array(entity.ownAttributes.map { JSON(attribute: $0) })),
      ("relationships", .array(entity.ownRelationships.map { JSON(relationship: $0, of: entity) })),
      ("unique", JSON.uniqueness(of: entity)),
    ])
  }

  /// The constraints that the entity does not inherit; nil for none.
  private static func uniqueness(of entity: EntityDescription) -> JSON? {
    let own = entity.uniquenessConstraints.dropFirst(
      entity.superentity?.uniquenessConstraints.count ?? 0)
    return own.isEmpty ? nil : .array(own.map { .array($0.map(JSON.string)) })
  }

  private init(attribute: AttributeDescription) {
    let limits = attribute.limits
    self.init(fields: [
      ("name", .string(attribute.name)), ("type", .string(attribute.type.rawValue)),
      ("optional", JSON.flag(attribute.isOptional)),
      ("default", attribute.defaultValue.isNull ? nil : JSON(typed: attribute.defaultValue)),
      ("transient", JSON.flag(attribute.isTransient)),
      ("external", JSON.flag(attribute.allowsExternalBinaryDataStorage)),
      ("min", limits.minimum.isNull ? nil : JSON(typed: limits.minimum)),
      ("max", limits.maximum.isNull ? nil : JSON(typed: limits.maximum)),
      ("pattern", limits.pattern.map(JSON.string)),
    ])
  }

  private init(relationship: RelationshipDescription, of entity: EntityDescription) {
    // In a script, only one side of a relationship has to name the other.
    var inverse = relationship.inverse
    if let ordinal = entity.relationshipOrdinal(named: relationship.name),
      let link = try? entity.link(at: ordinal), let other = link.inverse
    {
      inverse = link.destination.relationships[other.ordinal].name
    }
    self.init(fields: [
      ("name", .string(relationship.name)), ("to", .string(relationship.destination)),
      ("inverse", inverse.map(JSON.string)), ("many", JSON.flag(relationship.isToMany)),
      ("ordered", JSON.flag(relationship.isOrdered)),
      ("optional", JSON.flag(relationship.isOptional)),
      ("transient", JSON.flag(relationship.isTransient)),
      ("min", relationship.minCount == 0 ? nil : .integer(relationship.minCount)),
      ("max", relationship.maxCount == 0 ? nil : .integer(relationship.maxCount)),
      ("onDelete", .string(relationship.deleteRule.rawValue)),
    ])
  }

  /// Encodes the request of a fetch or of a controller.
  init(request: FetchRequest) {
    let predicate = request.predicate?.format { !$0.isPlain }
    let paths = request.relationshipKeyPathsForPrefetching
    self.init(fields: [
      ("entity", .string(request.entity.name)),
      ("where", predicate.map { .string($0.format) }),
      (
        "arguments",
        predicate.flatMap {
          $0.arguments.isEmpty ? nil : .array($0.arguments.map { JSON(typed: $0) })
        }
      ),
      ("sort", .array(request.sortDescriptors.map { JSON(sort: $0) })),
      ("limit", request.fetchLimit == 0 ? nil : .integer(request.fetchLimit)),
      ("offset", request.fetchOffset == 0 ? nil : .integer(request.fetchOffset)),
      ("batch", request.fetchBatchSize == 0 ? nil : .integer(request.fetchBatchSize)),
      ("exact", JSON.flag(!request.includesSubentities)),
      ("savedOnly", JSON.flag(!request.includesPendingChanges)),
      ("noFaults", JSON.flag(!request.returnsObjectsAsFaults)),
      ("refreshes", JSON.flag(request.shouldRefreshRefetchedObjects)),
      ("prefetch", paths.isEmpty ? nil : .array(paths.map(JSON.string))),
      ("ids", JSON.flag(request.resultType == .managedObjectIDs)),
    ])
  }

  private init(sort: FetchSortDescriptor) {
    self.init(fields: [
      ("key", .string(sort.key)), ("descending", JSON.flag(!sort.ascending)),
      ("selector", sort.selector == .compare ? nil : .string(sort.selector.rawValue)),
    ])
  }
}

extension PropertyValue {
  /// Whether every parser of predicates reads the value's text in the same way.
  fileprivate var isPlain: Bool {
    switch self {
    case .null, .bool, .int, .string: true
    case .double(let number): number.isFinite
    case .list(let values): values.allSatisfy(\.isPlain)
    case .date, .decimal, .uuid, .uri, .data, .object: false
    }
  }
}
