import CoreData

/// Creates a Core Data model from a script's entities.
struct ModelBuilder {
  private(set) var model = NSManagedObjectModel()

  init(_ entities: [Entity]) throws {
    var made: [String: NSEntityDescription] = [:]
    for entity in entities {
      let description = NSEntityDescription()
      description.name = entity.name
      description.managedObjectClassName = "NSManagedObject"
      description.isAbstract = entity.abstract ?? false
      made[entity.name] = description
    }
    for entity in entities {
      guard let description = made[entity.name] else { continue }
      if let parent = entity.parent { made[parent]?.subentities.append(description) }
      description.properties =
        try entity.attributes.map { try Self.attribute($0) }
        + entity.relationships.map { Self.relationship($0, made) }
      if let unique = entity.unique { description.uniquenessConstraints = unique }
    }
    for entity in entities {
      for relationship in entity.relationships {
        guard let inverse = relationship.inverse else { continue }
        let description = made[entity.name]?.relationshipsByName[relationship.name]
        description?.inverseRelationship = made[relationship.to]?.relationshipsByName[inverse]
      }
    }
    // A later change of properties or parents would drop them.
    for entity in entities {
      guard let description = made[entity.name], let indexes = entity.indexes else { continue }
      description.indexes = indexes.map { Self.index($0, of: description) }
    }
    model.entities = entities.compactMap { made[$0.name] }
  }

  private static let types: [String: NSAttributeType] = [
    "String": .stringAttributeType, "Int16": .integer16AttributeType,
    "Int32": .integer32AttributeType, "Int64": .integer64AttributeType,
    "Double": .doubleAttributeType, "Float": .floatAttributeType,
    "Decimal": .decimalAttributeType, "Bool": .booleanAttributeType, "Date": .dateAttributeType,
    "UUID": .UUIDAttributeType, "URI": .URIAttributeType, "Data": .binaryDataAttributeType,
  ]

  private static func index(
    _ index: Entity.Index, of entity: NSEntityDescription
  ) -> NSFetchIndexDescription {
    NSFetchIndexDescription(
      name: index.name,
      elements: zip(index.properties, index.descending).compactMap { name, isDescending in
        guard let property = entity.propertiesByName[name] else { return nil }
        let element = NSFetchIndexElementDescription(property: property, collationType: .binary)
        element.isAscending = !isDescending
        return element
      })
  }

  private static func attribute(_ attribute: Entity.Attribute) throws -> NSAttributeDescription {
    guard let type = types[attribute.type] else {
      throw KitError("'\(attribute.type)' is not a type of an attribute")
    }
    let description = NSAttributeDescription()
    description.name = attribute.name
    description.attributeType = type
    description.isOptional = attribute.optional ?? false
    description.isTransient = attribute.transient ?? false
    description.allowsExternalBinaryDataStorage = attribute.external ?? false
    description.defaultValue = attribute.initial?.foundation { $0 }
    limit(description, attribute)
    return description
  }

  /// Adds the validation predicates that Xcode's model editor writes to an attribute.
  private static func limit(_ description: NSAttributeDescription, _ attribute: Entity.Attribute) {
    let isText = attribute.type == "String"
    let isDate = attribute.type == "Date"
    let subject = isText ? "length" : "SELF"
    var limits: [(predicate: NSPredicate, code: Int)] = []
    if let least = attribute.min?.foundation({ $0 }) {
      limits.append(
        (
          NSPredicate(format: "\(subject) >= %@", argumentArray: [least]),
          isText ? 1670 : isDate ? 1640 : 1620
        ))
    }
    if let most = attribute.max?.foundation({ $0 }) {
      limits.append(
        (
          NSPredicate(format: "\(subject) <= %@", argumentArray: [most]),
          isText ? 1660 : isDate ? 1630 : 1610
        ))
    }
    if let pattern = attribute.pattern {
      limits.append((NSPredicate(format: "SELF MATCHES %@", argumentArray: [pattern]), 1680))
    }
    guard !limits.isEmpty else { return }
    #if canImport(ObjectiveC)
    // A compiled model has the error codes as numbers, which the Swift signature does not accept.
    let codes = limits.map { NSNumber(value: $0.code) } as NSArray
    description.perform(
      NSSelectorFromString("setValidationPredicates:withValidationWarnings:"),
      with: limits.map(\.predicate) as NSArray, with: codes)
    #else
    description.setValidationPredicates(
      limits.map(\.predicate), withValidationWarnings: limits.map { String($0.code) })
    #endif
  }

  private static func relationship(
    _ relationship: Entity.Relationship, _ entities: [String: NSEntityDescription]
  ) -> NSRelationshipDescription {
    let rules: [String: NSDeleteRule] = [
      "nullify": .nullifyDeleteRule, "cascade": .cascadeDeleteRule, "deny": .denyDeleteRule,
      "noAction": .noActionDeleteRule,
    ]
    let description = NSRelationshipDescription()
    let isToMany = relationship.many ?? false
    description.name = relationship.name
    description.destinationEntity = entities[relationship.to]
    description.isOptional = relationship.optional ?? false
    description.isTransient = relationship.transient ?? false
    description.minCount = relationship.min ?? (description.isOptional || isToMany ? 0 : 1)
    description.maxCount = isToMany ? relationship.max ?? 0 : 1
    description.isOrdered = relationship.ordered ?? false
    description.deleteRule = rules[relationship.onDelete] ?? .nullifyDeleteRule
    return description
  }
}
