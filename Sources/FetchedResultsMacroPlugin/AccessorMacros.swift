import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds the accessors of an attribute.
struct AttributeAccessorMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let place = node.place(ofAttribute: true),
      let variable = declaration.as(VariableDeclSyntax.self),
      let binding = variable.bindings.first
    else { return [] }
    let isOptional = binding.typeAnnotation.map { TypeShape($0.type).isOptional } ?? false
    let initial = isOptional ? nil : binding.initializer?.value
    let fallback = initial.map { ", default: \($0.trimmedDescription)" } ?? ""
    let getter: AccessorDeclSyntax = """
      get {
        ManagedAccess.value(of: managedObject, at: \(place)\(raw: fallback))
      }
      """
    if Markers(variable.attributes).attribute?.options?.contains(where: {
      $0.label?.text == "derivation"
    }) == true {
      return [getter]
    }
    return [
      getter,
      """
      set {
        ManagedAccess.set(newValue, of: managedObject, at: \(place))
      }
      """,
    ]
  }
}

/// Adds the accessors of a to-one relationship.
struct ToOneAccessorMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let place = node.place(ofAttribute: false) else { return [] }
    return [
      """
      get {
        ManagedAccess.object(of: managedObject, at: \(place))
      }
      """,
      """
      set {
        ManagedAccess.set(newValue, of: managedObject, relationship: \(place))
      }
      """,
    ]
  }
}

/// Adds the accessors of a to-many relationship.
struct ToManyAccessorMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let place = node.place(ofAttribute: false) else { return [] }
    return [
      """
      get {
        ManagedAccess.objects(of: managedObject, at: \(place))
      }
      """,
      """
      set {
        ManagedAccess.set(newValue, of: managedObject, relationship: \(place))
      }
      """,
    ]
  }
}

/// Marks a property for ``ManagedMacro``, and adds no code itself.
struct MarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

extension AttributeSyntax {
  /// Returns the property's index as it was written.
  ///
  /// If the entity inherits from another, the indices of inherited properties come first.
  fileprivate func place(ofAttribute isAttribute: Bool) -> ExprSyntax? {
    let options = arguments?.as(LabeledExprListSyntax.self)
    guard let place = options?.first?.expression.trimmed else { return nil }
    guard options?.contains(where: { $0.label?.text == "inherits" }) == true else { return place }
    return "Self.inherited\(raw: isAttribute ? "Attributes" : "Relationships") + \(place)"
  }
}
