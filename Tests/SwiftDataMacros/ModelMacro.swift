import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model` on top of the engine's classes without macros.
struct ModelMacro {}

/// A stored property of a model.
private struct Property {
  let name: String
  /// What describes it in the schema.
  let entry: String

  private static let attributes: Set = [
    "String", "Int", "Double", "Float", "Bool", "Decimal", "Date", "UUID", "URL", "Data",
  ]

  init?(_ member: some DeclSyntaxProtocol, of type: String) {
    guard let variable = member.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
      binding.accessorBlock == nil, let annotation = binding.typeAnnotation?.type,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    name = pattern.identifier.text
    let key = name.filter { $0 != "`" }
    let place = "\"\(key)\", \\\(type).\(name)"
    let options = variable.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.attributeName.trimmedDescription == "Relationship" }?
      .arguments?.as(LabeledExprListSyntax.self)
    func argument(_ label: String, as name: String) -> String {
      options?.first { $0.label?.text == label }
        .map { ", \(name): \($0.expression.trimmedDescription)" } ?? ""
    }
    let relation =
      place + argument("inverse", as: "inverse") + argument("deleteRule", as: "deleteRule")
      + argument("minimumModelCount", as: "minCount")
      + argument("maximumModelCount", as: "maxCount")
    let plain =
      annotation.as(OptionalTypeSyntax.self)?.wrappedType.trimmedDescription
      ?? annotation.trimmedDescription
    if annotation.is(ArrayTypeSyntax.self) {
      entry = ".toMany(\(relation))"
    } else if Self.attributes.contains(plain) {
      let value = binding.initializer.map { ", default: \($0.value.trimmedDescription)" } ?? ""
      entry = ".attribute(\(place)\(value))"
    } else {
      entry = ".toOne(\(relation))"
    }
  }
}

extension ModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self)?.name.text else { return [] }
    let properties = declaration.memberBlock.members.compactMap { Property($0.decl, of: type) }
    return [
      """
      static let managedSchema = _ManagedSchema<\(raw: type)>(
        \(literal: type), properties: [\(raw: properties.map(\.entry).joined(separator: ", "))])
      """,
      "private var wrapped: _ManagedObject?",
      """
      var managedObject: _ManagedObject {
        get {
          if let wrapped { return wrapped }
          let made = _ModelObjects.make(\(raw: type).self)
          wrapped = made
          return made
        }
        set { wrapped = newValue }
      }
      """,
      "init(managedObject: _ManagedObject) { wrapped = managedObject }",
    ]
  }
}

extension ModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    Property(member, of: "Self") == nil ? [] : ["@_ModelProperty"]
  }
}

extension ModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    [try ExtensionDeclSyntax("extension \(type.trimmed): StandInModel {}")]
  }
}

/// The accessors of a property.
struct PropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let name = variable.bindings.first?.pattern.trimmedDescription
    else { return [] }
    return [
      "get { self[\\.\(raw: name)] }",
      "set { self[\\.\(raw: name)] = newValue }",
    ]
  }
}

/// Marks a property, and adds no code itself.
struct MarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

@main
struct SwiftDataMacros: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self, PropertyMacro.self, MarkerMacro.self,
  ]
}
