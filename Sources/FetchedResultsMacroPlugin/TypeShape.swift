import SwiftSyntax

/// The structure of a type of which only the text is known.
struct TypeShape {
  /// The type's name without the optional; for a list, the name of the whole type.
  let name: String
  let isOptional: Bool
  let kind: Kind
  /// The type of a list's elements.
  let element: String?
  /// The type inside an optional.
  let wrapped: TypeSyntax?

  enum Kind: Equatable {
    case named
    case array
    case set
    /// A type that no property can have, as a description for messages.
    case other(String)
  }

  init(_ type: TypeSyntax) {
    var inner = type
    var isOptional = false
    if let optional = type.as(OptionalTypeSyntax.self) {
      inner = optional.wrappedType
      isOptional = true
    } else if let argument = type.argument(of: "Optional") {
      inner = argument
      isOptional = true
    }
    self.isOptional = isOptional
    wrapped = isOptional ? inner : nil
    name = inner.trimmedDescription
    if let array = inner.as(ArrayTypeSyntax.self) {
      (kind, element) = (.array, array.element.trimmedDescription)
    } else if let argument = inner.argument(of: "Array") {
      (kind, element) = (.array, argument.trimmedDescription)
    } else if let argument = inner.argument(of: "Set") {
      (kind, element) = (.set, argument.trimmedDescription)
    } else {
      (kind, element) = (inner.misfit.map(Kind.other) ?? .named, nil)
    }
  }
}

extension TypeSyntax {
  /// Returns the argument of a generic type that has one, such as `Set<Book>`.
  fileprivate func argument(of name: String) -> TypeSyntax? {
    guard let identifier = self.as(IdentifierTypeSyntax.self), identifier.name.text == name,
      let arguments = identifier.genericArgumentClause?.arguments, arguments.count == 1,
      case .type(let type)? = arguments.first?.argument
    else { return nil }
    return type
  }

  /// Why no property can have the type, as a phrase; nil if one can.
  fileprivate var misfit: String? {
    if self.is(DictionaryTypeSyntax.self) { return "a dictionary" }
    if self.is(TupleTypeSyntax.self) { return "a tuple" }
    if self.is(FunctionTypeSyntax.self) { return "a function" }
    if self.is(SomeOrAnyTypeSyntax.self) { return "a value of any type" }
    if self.is(OptionalTypeSyntax.self) { return "an optional of an optional" }
    if self.is(AttributedTypeSyntax.self) { return "a type with an attribute" }
    if let name = self.as(IdentifierTypeSyntax.self)?.name.text {
      if name == "Dictionary" { return "a dictionary" }
      if name == "Any" || name == "AnyObject" { return "a value of any type" }
    }
    return nil
  }
}

/// The macros that mark a property.
struct Markers {
  let attribute: Marker?
  let relationship: Marker?
  let transient: Marker?

  struct Marker {
    let node: AttributeSyntax
    var options: LabeledExprListSyntax? { node.arguments?.as(LabeledExprListSyntax.self) }
  }

  init(_ attributes: AttributeListSyntax) {
    attribute = attributes.marker("Attribute")
    relationship = attributes.marker("Relationship")
    transient = attributes.marker("Transient")
  }
}

extension AttributeListSyntax {
  fileprivate func marker(_ name: String) -> Markers.Marker? {
    for case .attribute(let attribute) in self {
      let text = attribute.attributeName.trimmedDescription
      if text == name || text.hasSuffix("." + name) { return Markers.Marker(node: attribute) }
    }
    return nil
  }
}

/// The types that a macro knows by name.
enum ValueTypes {
  /// The types of attributes that the runtime can read without an initial value.
  static let known: Set<String> = [
    "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "Double",
    "Float", "Bool", "Date", "Decimal", "UUID", "URL", "Data",
  ]

  /// Types that no attribute can have, each with the type to use instead.
  static let unsupported: [String: String] = [
    "UInt": "Int64", "UInt64": "Int64", "Int128": "Decimal", "UInt128": "Decimal",
    "Float16": "Float", "CGFloat": "Double", "Character": "String", "Substring": "String",
    "NSString": "String", "NSNumber": "Double", "NSDate": "Date", "NSData": "Data",
  ]

  /// Whether a type, as it is written, is one of the types that each file knows, or its optional.
  static func isKnown(_ type: String) -> Bool {
    known.contains(bare(type.hasSuffix("?") ? String(type.dropLast()) : type))
  }

  /// Returns the name without the prefix of a known module.
  static func bare(_ name: String) -> String {
    for module in ["Swift.", "Foundation."] where name.hasPrefix(module) {
      return String(name.dropFirst(module.count))
    }
    return name
  }

  /// Returns the type of a literal; nil if the expression is not a literal.
  static func literalType(_ expression: ExprSyntax) -> String? {
    if expression.is(StringLiteralExprSyntax.self) { return "String" }
    if expression.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if expression.is(FloatLiteralExprSyntax.self) { return "Double" }
    if expression.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if let prefixed = expression.as(PrefixOperatorExprSyntax.self),
      prefixed.operator.text == "-"
    {
      return literalType(prefixed.expression)
    }
    return nil
  }

  /// Returns the type that an expression names, as in `Date()` or `Date.now`; nil if it names none.
  static func namedType(_ expression: ExprSyntax) -> String? {
    let called = expression.as(FunctionCallExprSyntax.self)?.calledExpression
    func isType(_ expression: ExprSyntax) -> Bool {
      let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.text
      return name?.first?.isUppercase ?? false
    }
    let named = called ?? expression
    if called != nil, isType(named) { return named.trimmedDescription }
    guard let base = named.as(MemberAccessExprSyntax.self)?.base, isType(base) else { return nil }
    return base.trimmedDescription
  }

  /// Whether an expression has the same value for all objects: a literal, or a static member such
  /// as an enumeration's case.
  static func isConstant(_ expression: ExprSyntax) -> Bool {
    if literalType(expression) != nil { return true }
    guard let member = expression.as(MemberAccessExprSyntax.self) else { return false }
    return member.declName.baseName.text != "now"
  }
}
