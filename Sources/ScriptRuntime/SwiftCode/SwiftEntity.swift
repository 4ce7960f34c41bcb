import FetchedResults
import ScriptSyntax

/// The managed-object class of an entity, as code for an app.
struct SwiftEntity {
  let entity: EntityDescription
  /// The hooks that the script defines for the entity.
  var hooks: [HookText] = []

  private var name: String { entity.name.swiftName }
  private var ownAttributes: ArraySlice<AttributeDescription> {
    entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0)
  }
  private var ownRelationships: ArraySlice<RelationshipDescription> {
    entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0)
  }

  /// The lines of the file.
  var lines: [String] {
    let accessors = ownRelationships.filter(\.isToMany).flatMap(accessorLines)
    return ["import CoreData", ""] + classLines + (accessors.isEmpty ? [] : [""] + accessors)
  }

  private var classLines: [String] {
    let isFinal = !entity.hasSubentities && !entity.isAbstract
    let parent = entity.superentity?.name.swiftName ?? "NSManagedObject"
    var body = [
      "@nonobjc class func fetchRequest() -> NSFetchRequest<\(name)> {",
      "  NSFetchRequest(entityName: \(entity.name.quoted))",
      "}",
    ]
    let properties =
      ownAttributes.flatMap(attributeLines)
      + ownRelationships.map { "@NSManaged var \($0.name.swiftName): \($0.swiftType)" }
    if !properties.isEmpty { body += [""] + properties }
    for hook in hooks { body += [""] + overrideLines(hook) }
    return ["@objc(\(entity.name))", "\(isFinal ? "final " : "")class \(name): \(parent) {"]
      + body.indented() + ["}"]
  }

  /// Returns the override for a hook.
  ///
  /// The script's statements become comments to be written in Swift.
  private func overrideLines(_ text: HookText) -> [String] {
    let name = text.hook.rawValue
    let isThrowing = text.hook == .validateForDelete
    var lines = [
      "override func \(name)() \(isThrowing ? "throws " : ""){",
      "  \(isThrowing ? "try " : "")super.\(name)()",
    ]
    for line in text.lines { lines.append("  // " + line.dropFirst(2)) }
    return lines + ["}"]
  }

  // MARK: Attributes

  private func attributeLines(_ attribute: AttributeDescription) -> [String] {
    let name = attribute.name.swiftName
    if let expression = attribute.transientExpression {
      return SwiftExpression(expression.text, of: entity).propertyLines(
        name: name, type: attribute.computedSwiftType)
    }
    let note =
      attribute.derivation.map {
        ["/// Derived in the model: \($0.text.inOneLine)"]
      } ?? []
    return note + ["@NSManaged var \(name): \(attribute.swiftType)"]
  }

  // MARK: Relationships

  /// Returns the methods that Core Data generates to change a to-many relationship.
  private func accessorLines(_ relationship: RelationshipDescription) -> [String] {
    let capital = relationship.name.capitalizedFirst
    let object = relationship.destination.swiftName
    let many = relationship.isOrdered ? "NSOrderedSet" : "Set<\(object)>"
    let methods = [
      ("add\(capital)Object:", "addTo\(capital)(_ value: \(object))"),
      ("remove\(capital)Object:", "removeFrom\(capital)(_ value: \(object))"),
      ("add\(capital):", "addTo\(capital)(_ values: \(many))"),
      ("remove\(capital):", "removeFrom\(capital)(_ values: \(many))"),
    ]
    return ["extension \(name) {"]
      + methods.map { "  @objc(\($0.0)) @NSManaged func \($0.1)" } + ["}"]
  }
}

extension AttributeDescription {
  /// The type of a property that Core Data reads and writes.
  ///
  /// An optional number is an `NSNumber`, and a property without a default is nil in a new object.
  var swiftType: String {
    if let scalar = type.swiftScalar { return isOptional ? "NSNumber?" : scalar }
    let mayBeNil = isOptional || defaultValue.isNull || expression != nil
    return type.swiftClass + (mayBeNil ? "?" : "")
  }

  /// The type of a computed property.
  var computedSwiftType: String {
    guard !isOptional, let scalar = type.swiftScalar else { return type.swiftClass + "?" }
    return scalar
  }
}

extension AttributeType {
  /// The Swift type of non-optional numbers and Booleans; nil for other types.
  var swiftScalar: String? {
    switch self {
    case .integer16: "Int16"
    case .integer32: "Int32"
    case .integer64: "Int64"
    case .double: "Double"
    case .float: "Float"
    case .boolean: "Bool"
    case .string, .decimal, .date, .uuid, .uri, .binaryData: nil
    }
  }

  fileprivate var swiftClass: String {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .string: "String"
    case .decimal: "NSDecimalNumber"
    case .date: "Date"
    case .uuid: "UUID"
    case .uri: "URL"
    case .binaryData: "Data"
    }
  }
}

extension RelationshipDescription {
  fileprivate var swiftType: String {
    guard isToMany else { return destination.swiftName + "?" }
    return isOrdered ? "NSOrderedSet" : "Set<\(destination.swiftName)>"
  }
}
