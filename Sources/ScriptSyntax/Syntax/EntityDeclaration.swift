import Basics

/// `entity Book { title: String … }`.
package struct EntityDeclaration: Hashable, Sendable {
  package var name: Name
  package var isAbstract: Bool
  package var parent: Name?
  package var properties: [PropertyDeclaration]
  /// The attribute named by `display`.
  package var display: Name?
  /// The attributes of each `unique`.
  package var uniqueness: [[Name]] = []
  package var hooks: [HookSyntax] = []
  /// The name of the entity in older files.
  package var formerName: Name?

  package init(
    name: Name, isAbstract: Bool, parent: Name?, properties: [PropertyDeclaration],
    display: Name?
  ) {
    self.name = name
    self.isAbstract = isAbstract
    self.parent = parent
    self.properties = properties
    self.display = display
  }
}

/// `price: Double? = 1.5`, `books: [Book] inverse author on delete nullify`.
package struct PropertyDeclaration: Hashable, Sendable {
  package var name: Name
  /// The name of the type: an attribute type, or an entity.
  package var type: Name
  package var isOptional: Bool
  /// Whether the type is in brackets, which makes a to-many relationship.
  package var isToMany: Bool
  package var isTransient: Bool
  /// Whether the value is computed at each save.
  package var isDerived = false
  /// The value after `=`: a default, or the expression of a derived attribute.
  package var value: ExpressionSyntax?
  package var inverse: Name?
  package var deleteRule: Name?
  /// Whether the relationship is `ordered`.
  package var isOrdered = false
  /// Whether the attribute is `external`.
  package var isExternal = false
  /// The name of the property in older files.
  package var formerName: Name?
  /// The value after `min`.
  package var minimum: ExpressionSyntax?
  /// The value after `max`.
  package var maximum: ExpressionSyntax?
  /// The value after `matching`.
  package var pattern: ExpressionSyntax?

  package init(
    name: Name, type: Name, isOptional: Bool, isToMany: Bool, isTransient: Bool,
    value: ExpressionSyntax?, inverse: Name?, deleteRule: Name?
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isToMany = isToMany
    self.isTransient = isTransient
    self.value = value
    self.inverse = inverse
    self.deleteRule = deleteRule
  }
}

extension EntityDeclaration {
  /// The names of the attribute types.
  package static let attributeTypes = [
    "Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int16", "Int32", "Int64",
    "String", "URI", "UUID",
  ]

  /// Returns the attribute type that was probably meant by a name: the type that Xcode, Swift or
  /// SQL call so, or the one with the nearest name.
  package static func attributeType(meantBy name: String) -> String? {
    ForeignWord.attributeType(for: name) ?? nearestName(to: name, among: attributeTypes)
  }

  /// The words after `on delete`.
  package static let deleteRules = ["cascade", "deny", "noAction", "nullify"]
}
