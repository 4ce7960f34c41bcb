package import FetchedResults

// Short forms for the models, requests and controllers of tests.

extension AttributeDescription {
  /// Creates an attribute that is not optional.
  package init(
    _ name: String, _ type: AttributeType, default value: PropertyValue = .null
  ) throws(ModelError) {
    try self.init(name: name, type: type, defaultValue: value)
  }

  /// Returns an optional attribute.
  package static func optional(
    _ name: String, _ type: AttributeType, default value: PropertyValue = .null
  ) throws(ModelError) -> AttributeDescription {
    try AttributeDescription(name: name, type: type, isOptional: true, defaultValue: value)
  }
}

extension RelationshipDescription {
  package static func toOne(
    _ name: String, _ destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify
  ) -> RelationshipDescription {
    RelationshipDescription(
      name: name, destination: destination, inverse: inverse, deleteRule: deleteRule)
  }

  package static func toMany(
    _ name: String, _ destination: String, inverse: String? = nil, isOrdered: Bool = false,
    deleteRule: DeleteRule = .nullify
  ) -> RelationshipDescription {
    RelationshipDescription(
      name: name, destination: destination, inverse: inverse, isToMany: true,
      isOrdered: isOrdered, deleteRule: deleteRule)
  }
}

extension FetchSortDescriptor {
  /// Creates a descriptor from a key, with a minus before it for descending order.
  package init(_ text: String) {
    let isDescending = text.hasPrefix("-")
    self.init(key: isDescending ? String(text.dropFirst()) : text, ascending: !isDescending)
  }
}

extension ManagedObjectContext {
  /// Returns a controller of an entity's objects.
  ///
  /// - Parameter keys: The keys by which they are sorted, with a minus for descending order.
  package func controller(
    of entity: EntityDescription, where format: String? = nil, by keys: [String], batch: Int = 0,
    sections: String? = nil, cache: String? = nil
  ) throws -> FetchedResultsController {
    try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: entity, predicate: try format.map { try FetchPredicate(format: $0) },
        sortDescriptors: keys.map(FetchSortDescriptor.init(_:)), fetchBatchSize: batch),
      managedObjectContext: self, sectionNameKeyPath: sections, cacheName: cache)
  }
}
