import SwiftCompilerPlugin
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Managed`: gives a class typed access to an entity's objects.
struct ManagedMacro {}

extension ManagedMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = checkedClass(node, declaration, protocols, in: context) else { return [] }
    var reader = PropertyReader()
    let managed = ManagedClass(type, reading: &reader)
    for diagnostic in reader.diagnostics { context.diagnose(diagnostic) }
    return MemberWriter(managed, entity: EntityOptions(node)).members
  }

  private static func checkedClass(
    _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax, _ protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) -> ClassDeclSyntax? {
    guard let type = declaration.as(ClassDeclSyntax.self) else {
      let keyword =
        declaration.as(StructDeclSyntax.self)?.structKeyword
        ?? declaration.as(ActorDeclSyntax.self)?.actorKeyword
      let fixIts = keyword.map {
        [FixIt.replacing($0, with: "final class", "replace '\($0.text)' with 'final class'")]
      }
      context.diagnose(
        .error(
          "class", at: node, "@Managed can be applied to a class only", fixIts: fixIts ?? []))
      return nil
    }
    if let generics = type.genericParameterClause {
      context.diagnose(.error("generic", at: generics, "a @Managed class cannot be generic"))
      return nil
    }
    guard type.modifiers.modifier(.final) != nil else {
      // No class can be both open and final.
      let fix: FixIt =
        if let open = type.modifiers.modifier(.open) {
          .replacing(open, with: "public final", "replace 'open' with 'public final'")
        } else {
          .replacing(type.classKeyword, with: "final class", "add 'final'")
        }
      context.diagnose(
        .error(
          "final", at: type.classKeyword,
          "a @Managed class must be final; an entity that inherits from this one has a class with "
            + "@Managed(superentity: \(type.name.text).self)", fixIts: [fix]))
      return nil
    }
    // If the class declares the conformance itself, the list of missing ones is empty.
    guard !type.inherits("ManagedSubentity"),
      !protocols.isEmpty || type.inherits("ManagedEntity")
    else {
      diagnoseInheritance(of: type, node, in: context)
      return nil
    }
    return type
  }

  private static func diagnoseInheritance(
    of type: ClassDeclSyntax, _ node: AttributeSyntax, in context: some MacroExpansionContext
  ) {
    let place = type.inheritanceClause.map(Syntax.init) ?? Syntax(type.name)
    if let named = type.inherited("ManagedSubentity") {
      context.diagnose(
        .error(
          "superclass", at: place,
          "@Managed(superentity:) adds ManagedSubentity; "
            + "write ManagedEntity where the class has to name a protocol",
          fixIts: [.replacing(named, with: "ManagedEntity", "write 'ManagedEntity'")]))
      return
    }
    var fixIts: [FixIt] = []
    if let clause = type.inheritanceClause, clause.inheritedTypes.count == 1,
      let base = clause.inheritedTypes.first?.type.trimmedDescription, node.arguments == nil
    {
      let attribute = "@Managed(superentity: \(base).self)"
      fixIts.append(
        .replacing(
          [(node.trimmedRange, attribute), (clause.rangeWithSpaceBefore, "")], of: node,
          "write '\(attribute)'"))
    }
    context.diagnose(
      .error(
        "superclass", at: place,
        "a @Managed class cannot inherit from another one; "
          + "write @Managed(superentity:) where its entity does", fixIts: fixIts))
  }
}

extension ManagedMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self),
      let variable = member.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    else { return [] }
    // The member macro reports the errors, so this one does not.
    var reader = PropertyReader()
    guard reader.property(variable) != nil,
      let property = ManagedClass(type, reading: &reader).properties.first(where: {
        $0.name == name
      })
    else { return [] }
    let place =
      "at: \(property.place)" + (EntityOptions(node).superentity == nil ? "" : ", inherits: true")
    return switch property.kind {
    case .attribute: ["@_ManagedAttribute(\(raw: place))"]
    case .toOne: ["@_ManagedToOne(\(raw: place))"]
    case .toMany: ["@_ManagedToMany(\(raw: place))"]
    }
  }
}

extension ManagedMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let managed = declaration.as(ClassDeclSyntax.self), !protocols.isEmpty,
      managed.modifiers.modifier(.final) != nil, managed.genericParameterClause == nil
    else { return [] }
    // A conformance that the class declares itself is not missing.
    let missing = Set(protocols.map { $0.trimmedDescription.split(separator: ".").last ?? "" })
    var extensions: [ExtensionDeclSyntax] = []
    if missing.contains("ManagedEntity") {
      extensions.append(
        try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): ManagedEntity {}"))
    }
    if missing.contains("ManagedSubentity"), let superentity = EntityOptions(node).superentity {
      extensions.append(
        try ExtensionDeclSyntax(
          """
          nonisolated extension \(type.trimmed): ManagedSubentity {
            \(raw: managed.modifiers.memberAccess)typealias Superentity = \(raw: superentity)
          }
          """))
    }
    return extensions
  }
}

/// The arguments of `@Managed`.
struct EntityOptions {
  let options: LabeledExprListSyntax?

  init(_ node: AttributeSyntax) {
    options = node.arguments?.as(LabeledExprListSyntax.self)
  }

  /// The entity's name, as an expression; nil if it is the class's name.
  var name: ExprSyntax? { options?.first { $0.label?.text == "name" }?.expression }

  /// The class of the superentity; nil if there is none.
  var superentity: String? {
    let given = options?.first { $0.label?.text == "superentity" }?.expression
    return given?.as(MemberAccessExprSyntax.self).flatMap { access in
      access.declName.baseName.text == "self" ? access.base?.trimmedDescription : nil
    }
  }

  /// The other arguments of the schema, as text.
  var rest: [String] {
    (options ?? []).filter { $0.label?.text != "name" }
      .map { "\($0.label?.text ?? ""): \($0.expression.trimmedDescription)" }
  }
}

extension ClassDeclSyntax {
  /// Whether the class itself declares its conformance to a protocol.
  fileprivate func inherits(_ name: String) -> Bool { inherited(name) != nil }

  /// Returns a protocol where the class itself declares its conformance.
  fileprivate func inherited(_ name: String) -> TypeSyntax? {
    inheritanceClause?.inheritedTypes.first {
      let type = $0.type.trimmedDescription
      return type == name || type.hasSuffix("." + name)
    }?.type
  }
}

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
    node.relationshipAccessors(reading: "object")
  }
}

/// Adds the accessors of a to-many relationship.
struct ToManyAccessorMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    node.relationshipAccessors(reading: "objects")
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
  /// Returns the accessors of a relationship, whose value a function of `ManagedAccess` reads.
  fileprivate func relationshipAccessors(reading function: String) -> [AccessorDeclSyntax] {
    guard let place = place(ofAttribute: false) else { return [] }
    return [
      """
      get {
        ManagedAccess.\(raw: function)(of: managedObject, at: \(place))
      }
      """,
      """
      set {
        ManagedAccess.set(newValue, of: managedObject, relationship: \(place))
      }
      """,
    ]
  }

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

/// The macros that the compiler finds in this program.
@main
struct FetchedResultsMacroPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ManagedMacro.self, AttributeAccessorMacro.self, ToOneAccessorMacro.self,
    ToManyAccessorMacro.self, MarkerMacro.self,
  ]
}
