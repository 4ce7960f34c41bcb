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
