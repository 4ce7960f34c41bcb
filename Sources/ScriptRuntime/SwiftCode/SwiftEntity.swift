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
    let accessors = ownRelationships.filter { $0.isToMany && $0.name.isSwiftIdentifier }
      .flatMap(accessorLines)
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
      + ownRelationships.map { Self.managed($0.name, $0.swiftType) }
    if !properties.isEmpty { body += [""] + properties }
    for hook in hooks { body += [""] + overrideLines(hook) }
    return [
      "@objc(\(entity.name.swiftIdentifier))",
      "\(isFinal ? "final " : "")class \(name): \(parent) {",
    ] + body.indented() + ["}"]
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
    if let expression = attribute.transientExpression, attribute.name.isSwiftProperty {
      return SwiftExpression(expression.text, of: entity).propertyLines(
        name: attribute.name.swiftName, type: attribute.computedSwiftType)
    }
    let note =
      attribute.derivation.map {
        ["/// Derived in the model: \($0.text.inOneLine)"]
      } ?? []
    return note + [Self.managed(attribute.name, attribute.swiftType)]
  }

  /// Returns a property that Core Data reads and writes.
  private static func managed(_ name: String, _ type: String) -> String {
    if name == "_" {
      return "// Swift has no property '_': write value(forKey: \"_\")."
    }
    if !name.isSwiftIdentifier {
      return "// Swift has no property \(name.quoted): write value(forKey: \(name.quoted))."
    }
    if name.isManagedObjectProperty {
      return "// Every managed object has '\(name)', so Core Data refuses it here. Rename it."
    }
    return "@NSManaged var \(name.swiftName): \(type)"
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

extension EntityDescription {
  /// Whether a property has the name of one that every managed object has.
  package var hasManagedObjectProperty: Bool {
    propertyNames.contains(where: \.isManagedObjectProperty)
  }
}

extension String {
  /// Whether a class of an entity can have a property of this name.
  var isSwiftProperty: Bool { self != "_" && isSwiftIdentifier && !isManagedObjectProperty }

  /// Whether every managed object has a property of this name, so that Core Data refuses another.
  fileprivate var isManagedObjectProperty: Bool { Self.managedObjectProperties.contains(self) }

  private static let managedObjectProperties: Set = [
    "debugDescription", "description", "entity", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "hash", "isDeleted", "isFault", "isInserted", "isProxy",
    "isUpdated", "managedObjectContext", "objectID", "observationInfo", "superclass",
  ]
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

/// The expression of a transient attribute in Swift, if its translation is certain.
///
/// It is for attributes, literals, texts, and functions of one text.
struct SwiftExpression {
  private let text: String
  private let entity: EntityDescription

  init(_ text: String, of entity: EntityDescription) {
    self.text = text
    self.entity = entity
  }

  /// Returns the lines of the property.
  ///
  /// If the expression has to be written by hand, the property stops the app with the script's
  /// expression.
  func propertyLines(name: String, type: String) -> [String] {
    let line = text.inOneLine
    let head = ["/// In the script: \(line)", "@objc var \(name): \(type) {"]
    guard let value = swift, value.fits(type) else {
      return head + ["  fatalError(\("write in Swift: \(line)".quoted))", "}"]
    }
    return head + ["  \(value.text)", "}"]
  }

  private struct Written {
    let text: String
    /// The types that the text can have: several for a literal.
    let types: [String]

    var isOptional: Bool { types.contains { $0.hasSuffix("?") } }
    var isText: Bool { types == ["String"] || types == ["String?"] }

    /// Whether a property of a type can return it.
    func fits(_ type: String) -> Bool {
      types.contains { $0 == type || $0 + "?" == type }
    }
  }

  private var swift: Written? {
    let script = ScriptParser.parse(SourceText(name: "", text: "print " + text))
    guard !script.hasErrors, case .print(let expression)? = script.statements.first?.kind else {
      return nil
    }
    return write(expression)
  }

  private func write(_ expression: ExpressionSyntax) -> Written? {
    switch expression.kind {
    case .boolean(let value): return Written(text: "\(value)", types: ["Bool", "NSNumber"])
    case .integer(let value):
      var types = ["Int64", "Double", "Float", "NSNumber"]
      if Int32(exactly: value) != nil { types.append("Int32") }
      if Int16(exactly: value) != nil { types.append("Int16") }
      return Written(text: "\(value)", types: types)
    case .real(_, let text): return Written(text: text, types: ["Double", "Float", "NSNumber"])
    case .name(let name): return write(attribute: name)
    case .string(let parts): return write(parts)
    case .call(let function, let arguments): return write(function.text, arguments.map(\.value))
    case .null, .date, .object, .list, .range, .variable, .member, .index, .methodCall, .count,
      .insert, .fetch, .negation, .not, .binary:
      return nil
    }
  }

  private func write(attribute name: String) -> Written? {
    guard let index = entity.attributeIndex(named: name), name.isSwiftProperty else { return nil }
    let attribute = entity.attributes[index]
    let isComputed = attribute.transientExpression != nil
    return Written(
      text: name.swiftName,
      types: [isComputed ? attribute.computedSwiftType : attribute.swiftType])
  }

  /// Returns a text with interpolated values.
  ///
  /// Nil is written as in the script.
  private func write(_ parts: [ExpressionSyntax.StringPart]) -> Written? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain.quoted.dropFirst().dropLast()
      case .interpolation(let value):
        guard let value = write(value), !value.text.contains("\"") else { return nil }
        text +=
          value.isOptional
          ? "\\(\(value.text).map { \"\\($0)\" } ?? \"nil\")" : "\\(\(value.text))"
      }
    }
    return Written(text: "\"\(text)\"", types: ["String"])
  }

  /// Returns a function of one text, which is nil if the text is nil.
  private func write(_ function: String, _ arguments: [ExpressionSyntax]) -> Written? {
    guard let text = arguments.first.flatMap(write), text.isText else { return nil }
    let call: String
    switch function {
    case "uppercase" where arguments.count == 1: call = ".uppercased()"
    case "lowercase" where arguments.count == 1: call = ".lowercased()"
    case "substring" where arguments.count == 3:
      guard case .integer(let start) = arguments[1].kind,
        case .integer(let length) = arguments[2].kind
      else { return nil }
      let slice = text.isOptional ? "$0" : text.text
      let piece = "String(\(slice).dropFirst(\(start)).prefix(\(length)))"
      return Written(
        text: text.isOptional ? "\(text.text).map { \(piece) }" : piece, types: text.types)
    default: return nil
    }
    let base = text.isOptional ? "\(text.text).map { $0\(call) }" : text.text + call
    return Written(text: base, types: text.types)
  }
}
