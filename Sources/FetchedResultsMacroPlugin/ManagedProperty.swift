import SwiftSyntax

/// A property of a managed class.
struct ManagedProperty {
  /// The name as it is written in code, with backticks if it needs them.
  let name: String
  let kind: Kind
  /// The type as it is written, or the type of the literal.
  let type: String
  /// The initial value of a new object, as it was written.
  let initial: ExprSyntax?
  /// The arguments of the property's own macro, without the index.
  let options: LabeledExprListSyntax?
  let isTransient: Bool
  let isOptional: Bool
  /// The index among the attributes, or among the relationships.
  var place = 0

  enum Kind: Equatable {
    case attribute
    case toOne(String)
    case toMany(String, isOrdered: Bool)
  }

  /// The property's name in the entity, without backticks.
  var key: String { name.filter { $0 != "`" } }

  var isAttribute: Bool { kind == .attribute }

  /// Whether the store computes the value, so it cannot be set.
  var isDerived: Bool { options?.contains { $0.label?.text == "derivation" } ?? false }
}

/// A managed class.
struct ManagedClass {
  let name: String
  /// The access modifier of generated members: `public ` or nothing.
  let access: String
  let properties: [ManagedProperty]

  var attributes: [ManagedProperty] { properties.filter(\.isAttribute) }
  var relationships: [ManagedProperty] { properties.filter { !$0.isAttribute } }
  /// Whether the class declares its own `id`.
  let hasID: Bool

  func hasProperty(_ name: String) -> Bool { properties.contains { $0.key == name } }

  init(_ declaration: ClassDeclSyntax, reading reader: inout PropertyReader) {
    name = declaration.name.text
    access = declaration.modifiers.memberAccess
    var found: [ManagedProperty] = []
    var names: Set<String> = []
    var (attributes, relationships) = (0, 0)
    for member in declaration.memberBlock.members {
      guard let variable = member.decl.as(VariableDeclSyntax.self),
        var property = reader.property(variable)
      else { continue }
      guard names.insert(property.key).inserted else {
        reader.report("duplicate", at: variable.bindings, "'\(property.key)' is declared twice")
        continue
      }
      if property.isAttribute {
        property.place = attributes
        attributes += 1
      } else {
        property.place = relationships
        relationships += 1
      }
      found.append(property)
    }
    properties = found
    hasID = declaration.memberBlock.members.contains { member in
      member.decl.as(VariableDeclSyntax.self)?.bindings.contains {
        $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "id"
      } ?? false
    }
  }
}

extension DeclModifierListSyntax {
  /// The access of members that must be visible wherever the type is.
  var memberAccess: String {
    for modifier in self {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return "public "
      case .keyword(.package): return "package "
      case .keyword(.private), .keyword(.fileprivate): return "fileprivate "
      default: continue
      }
    }
    return ""
  }

  /// Returns a modifier, if the declaration has it.
  func modifier(_ keyword: Keyword) -> DeclModifierSyntax? {
    first { $0.name.tokenKind == .keyword(keyword) }
  }
}
