import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the members of a managed class: its object, its schema, its initializers, and the
/// functions that change its to-many relationships.
struct MemberWriter {
  private let managed: ManagedClass
  private let entity: EntityOptions

  init(_ managed: ManagedClass, entity: EntityOptions) {
    self.managed = managed
    self.entity = entity
  }

  var members: [DeclSyntax] {
    var members = [object, wrapping, schema, keys, initialiser]
    if !managed.hasID {
      members.append(
        """
        \(raw: managed.access)var id: ObjectID {
          managedObject.objectID
        }
        """)
    }
    for property in managed.relationships {
      if case .toMany(let element, _) = property.kind {
        members += changes(of: property, element)
      }
    }
    return members
  }

  private var object: DeclSyntax {
    "\(raw: managed.access)let managedObject: ManagedObject"
  }

  private var wrapping: DeclSyntax {
    """
    \(raw: managed.access)init(managedObject: ManagedObject) {
      self.managedObject = managedObject
    }
    """
  }

  private var schema: DeclSyntax {
    let name =
      entity.name?.trimmedDescription ?? "\"\(managed.name.filter { $0 != "`" })\""
    let properties = (managed.attributes + managed.relationships).map { "\n    \(entry($0))," }
    let identities =
      (managed.hasID ? [] : ["id"]) + (managed.hasProperty("objectID") ? [] : ["objectID"])
    let arguments =
      [name] + entity.rest
      + [
        "identities: [" + identities.map { "\\\(managed.name).\($0)" }.joined(separator: ", ") + "]"
      ]
      + ["properties: [" + properties.joined() + (properties.isEmpty ? "" : "\n  ") + "]"]
    return """
      \(raw: managed.access)static let managedSchema = ManagedSchema<\(raw: managed.name)>(
        \(raw: arguments.joined(separator: ", ")))
      """
  }

  /// The properties as key paths, for sorts, sections and batch requests.
  private var keys: DeclSyntax {
    let access = managed.access
    let properties = (managed.attributes + managed.relationships).compactMap(key)
    let conformance =
      entity.superentity.map {
        "ManagedSubkeyPaths {\n  \(access)typealias Superkeys = \($0).ManagedKeys\n"
      } ?? "ManagedKeyPaths {"
    return """
      \(raw: access)struct ManagedKeys: \(raw: conformance)
        \(raw: access)let managedPath: String

        \(raw: access)init(managedPath: String) {
          self.managedPath = managedPath
        }\(raw: properties.map { "\n\n" + $0 }.joined())
      }
      """
  }

  /// Returns the key of a property; nil if its type may be unknown outside of the class.
  private func key(_ property: ManagedProperty) -> String? {
    var access = property.keyAccess
    if access == "private " {
      guard property.isAttribute, ValueTypes.isKnown(property.type) else { return nil }
      access = "fileprivate "
    }
    let type =
      switch property.kind {
      case .attribute: "ManagedKey<\(property.type)>"
      case .toOne(let destination): "ManagedToOne<\(destination)>"
      case .toMany(let element, _): "ManagedToMany<\(element)>"
      }
    return """
        \(access)var \(property.name): \(type) {
          \(type)("\(property.key)", of: self)
        }
      """
  }

  private func entry(_ property: ManagedProperty) -> String {
    var arguments = ["\"\(property.key)\"", "\\\(managed.name).\(property.name)"]
    if property.isAttribute, let initial = property.initial, ValueTypes.isConstant(initial) {
      arguments.append("default: \(initial.trimmedDescription)")
    }
    if property.isTransient { arguments.append("isTransient: true") }
    arguments += (property.options ?? []).map { option in
      let label = option.label.map { "\($0.text): " } ?? "options: "
      return label + option.expression.trimmedDescription
    }
    let function =
      switch property.kind {
      case .attribute: "attribute"
      case .toOne: "toOne"
      case .toMany: "toMany"
      }
    return ".\(function)(\(merged(arguments).joined(separator: ", ")))"
  }

  /// Combines the options without a label into one set.
  private func merged(_ arguments: [String]) -> [String] {
    let prefix = "options: "
    let options = arguments.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
    guard !options.isEmpty else { return arguments }
    let rest = arguments.filter { !$0.hasPrefix(prefix) }
    let place =
      rest.firstIndex { $0.hasPrefix("isTransient") }.map { $0 + 1 }
      ?? min(
        rest.count, rest.contains { $0.hasPrefix("default: ") } ? 3 : 2)
    return rest[..<place] + ["\(prefix)[\(options.joined(separator: ", "))]"] + rest[place...]
  }

  private var initialiser: DeclSyntax {
    let given = managed.properties.filter { !$0.isDerived }
    let parameters = given.filter { !isHidden($0) }
      .map { "\($0.name): \($0.type)\(fallback($0))" }
    let lines = given.map { property in
      if isHidden(property), let initial = property.initial {
        return "  self.\(property.name) = \(initial.trimmedDescription)"
      }
      let assignment = "self.\(property.name) = \(property.name)"
      if case .attribute = property.kind { return "  " + assignment }
      let condition = property.isOptional ? "\(property.name) != nil" : "!\(property.name).isEmpty"
      return "  if \(condition) {\n    \(assignment)\n  }"
    }
    var context = managed.hasProperty("context") ? "managedObjectContext" : "context"
    while managed.hasProperty(context) { context += "_" }
    return """
      \(raw: managed.access)init(\
      \(raw: (parameters + ["in \(context): ManagedObjectContext"]).joined(separator: ", "))) {
        self.managedObject = ManagedAccess.insert(\(raw: managed.name).self, into: \(raw: context))\
      \(raw: lines.map { "\n" + $0 }.joined())
      }
      """
  }

  /// Whether the initializer has no parameter for a property, because its type may be unknown where
  /// the initializer is visible.
  private func isHidden(_ property: ManagedProperty) -> Bool {
    property.isAttribute && property.initial != nil && !ValueTypes.isKnown(property.type)
      && (property.keyAccess == "private "
        || property.keyAccess == "fileprivate " && managed.access != "fileprivate ")
  }

  private func fallback(_ property: ManagedProperty) -> String {
    switch property.kind {
    case .attribute:
      property.initial.map { " = \($0.trimmedDescription)" }
        ?? (property.isOptional ? " = nil" : "")
    case .toOne: " = nil"
    case .toMany: " = []"
    }
  }

  private func changes(of property: ManagedProperty, _ element: String) -> [DeclSyntax] {
    let key = property.key
    let suffix = key.prefix(1).uppercased() + key.dropFirst()
    let place =
      (entity.superentity == nil ? "" : "Self.inheritedRelationships + ") + "\(property.place)"
    return [("add", "addTo"), ("remove", "removeFrom")].flatMap { function, prefix in
      let plural: DeclSyntax = """
        \(raw: managed.access)func \(raw: prefix)\(raw: suffix)(\
        _ objects: some Sequence<\(raw: element)>) {
          ManagedAccess.\(raw: function)(objects, of: managedObject, at: \(raw: place))
        }
        """
      let single: DeclSyntax = """
        \(raw: managed.access)func \(raw: prefix)\(raw: suffix)(_ object: \(raw: element)) {
          ManagedAccess.\(raw: function)(\
        CollectionOfOne(object), of: managedObject, at: \(raw: place))
        }
        """
      return [single, plural]
    }
  }
}
