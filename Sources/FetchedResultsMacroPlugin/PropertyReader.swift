import SwiftDiagnostics
import SwiftSyntax

/// Reads the properties of a class, and reports errors in them.
struct PropertyReader {
  private(set) var diagnostics: [Diagnostic] = []

  mutating func report(
    _ name: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []
  ) {
    diagnostics.append(.error(name, at: node, message, fixIts: fixIts))
  }

  /// Returns the property of a declaration; nil if it is computed, static or wrong.
  mutating func property(_ variable: VariableDeclSyntax) -> ManagedProperty? {
    let modifiers = variable.modifiers
    guard modifiers.modifier(.static) == nil, modifiers.modifier(.class) == nil,
      !variable.isComputed, checkForm(of: variable), let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    let name = pattern.identifier.text
    guard !["managedObject", "managedPath", "managedSchema"].contains(name) else {
      report("reserved", at: pattern, "@Managed declares '\(name)' itself; choose another name")
      return nil
    }
    guard name != "`self`" else {
      report("reserved", at: pattern, "in a key path, 'self' is the object; choose another name")
      return nil
    }
    let markers = Markers(variable.attributes)
    let initial = binding.initializer?.value
    var found: ManagedProperty?
    if let annotation = binding.typeAnnotation?.type {
      found = property(name, annotation, markers, initial, at: pattern)
    } else {
      found = literal(name, markers, initial, at: pattern)
    }
    found?.keyAccess = modifiers.keyAccess
    return found
  }

  /// Reports stored properties inside of `#if`: no macro is applied to them.
  mutating func refuse(_ condition: IfConfigDeclSyntax) {
    for clause in condition.clauses {
      guard case .decls(let members)? = clause.elements else { continue }
      for member in members {
        if let inner = member.decl.as(IfConfigDeclSyntax.self) { refuse(inner) }
        guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isComputed,
          variable.modifiers.modifier(.static) == nil, variable.modifiers.modifier(.class) == nil
        else { continue }
        report(
          "condition", at: variable.bindings,
          "a managed property cannot be inside '#if'; put the '#if' around the class")
      }
    }
  }

  private mutating func checkForm(of variable: VariableDeclSyntax) -> Bool {
    if variable.bindings.count > 1 {
      report(
        "several", at: variable.bindings,
        "a managed property needs a declaration of its own; write one 'var' for each",
        fixIts: variable.separated.map {
          [.replacing(variable, with: $0, "write one 'var' for each")]
        } ?? [])
      return false
    }
    guard let binding = variable.bindings.first, binding.pattern.is(IdentifierPatternSyntax.self)
    else {
      report("pattern", at: variable.bindings, "a managed property has one name, not a pattern")
      return false
    }
    if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      report(
        "let", at: variable.bindingSpecifier, "a managed property must be a 'var'",
        fixIts: [
          .replacing(variable.bindingSpecifier, with: "var", "replace 'let' with 'var'")
        ])
      return false
    }
    for keyword in [Keyword.lazy, .weak, .unowned] {
      guard let modifier = variable.modifiers.modifier(keyword) else { continue }
      report(
        "modifier", at: modifier,
        "a managed property cannot be '\(modifier.name.text)'; its value is in the managed object",
        fixIts: [.removing(modifier, "remove '\(modifier.name.text)'")])
      return false
    }
    if let block = binding.accessorBlock {
      let before = block.previousToken(viewMode: .sourceAccurate)
      let start = before?.endPositionBeforeTrailingTrivia ?? block.position
      report(
        "observers", at: block,
        "a managed property cannot have observers; use a controller's delegate, "
          + "or the hooks of the entity",
        fixIts: [
          .replacing(
            start..<block.endPositionBeforeTrailingTrivia, of: block, with: "",
            "remove the observers")
        ])
      return false
    }
    return true
  }

  private mutating func literal(
    _ name: String, _ markers: Markers, _ initial: ExprSyntax?, at pattern: IdentifierPatternSyntax
  ) -> ManagedProperty? {
    guard let initial, let type = ValueTypes.literalType(initial) else {
      let guess = initial.flatMap(ValueTypes.namedType)
      report(
        "type", at: pattern,
        "'\(name)' needs a type; write 'var \(name): \(guess ?? "String")', or a literal as its "
          + "initial value",
        fixIts: guess.map {
          [.replacing(pattern, with: "\(name): \($0)", "write '\(name): \($0)'")]
        } ?? [])
      return nil
    }
    if let marker = markers.relationship {
      reportValue(type, marker, at: pattern)
      return nil
    }
    return ManagedProperty(
      name: name, kind: .attribute, type: type, initial: initial,
      options: markers.attribute?.options, isTransient: markers.transient != nil,
      isOptional: false)
  }

  private mutating func property(
    _ name: String, _ annotation: TypeSyntax, _ markers: Markers, _ initial: ExprSyntax?,
    at pattern: IdentifierPatternSyntax
  ) -> ManagedProperty? {
    if let unwrapped = annotation.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      report(
        "unwrapped", at: annotation, "write an optional, or a type without '!'",
        fixIts: [.replacing(unwrapped.exclamationMark, with: "?", "replace '!' with '?'")])
      return nil
    }
    let shape = TypeShape(annotation)
    if case .other(let what) = shape.kind {
      report(
        "unsupported", at: annotation,
        "\(what) cannot be stored; use an optional, or a relationship to objects that hold the "
          + "parts")
      return nil
    }
    if let element = shape.element {
      return toMany(name, annotation, element, shape, markers, initial)
    }
    let type = ValueTypes.bare(shape.name)
    if let better = ValueTypes.unsupported[type] {
      report(
        "unsupported", at: annotation, "\(type) cannot be stored; use \(better)",
        fixIts: [
          .replacing(
            shape.wrapped ?? annotation, with: better, "replace '\(type)' with '\(better)'")
        ])
      return nil
    }
    if let marker = markers.relationship {
      return toOne(name, annotation, shape, marker, markers, initial)
    }
    if !shape.isOptional, initial == nil, !ValueTypes.known.contains(type) {
      report(
        "fallback", at: pattern,
        "'\(name)' needs an initial value, which is read where the store holds none of "
          + "\(type); give one, write '\(type)?', or mark a relationship with @Relationship")
      return nil
    }
    return ManagedProperty(
      name: name, kind: .attribute, type: annotation.trimmedDescription, initial: initial,
      options: markers.attribute?.options, isTransient: markers.transient != nil,
      isOptional: shape.isOptional)
  }

  private mutating func toOne(
    _ name: String, _ annotation: TypeSyntax, _ shape: TypeShape, _ marker: Markers.Marker,
    _ markers: Markers, _ initial: ExprSyntax?
  ) -> ManagedProperty? {
    if ValueTypes.known.contains(ValueTypes.bare(shape.name)) {
      reportValue(shape.name, marker, at: annotation)
      return nil
    }
    guard shape.isOptional else {
      report(
        "optional", at: annotation,
        "a to-one relationship is optional in Swift; write 'isOptional: false' in @Relationship "
          + "where a save must have an object",
        fixIts: [.replacing(annotation, with: "\(shape.name)?", "write '\(shape.name)?'")])
      return nil
    }
    if let initial, !initial.is(NilLiteralExprSyntax.self) {
      reportInitial(initial, "a relationship starts with nil; set it on an object")
      return nil
    }
    return ManagedProperty(
      name: name, kind: .toOne(shape.name), type: annotation.trimmedDescription, initial: nil,
      options: marker.options, isTransient: markers.transient != nil, isOptional: true)
  }

  private mutating func toMany(
    _ name: String, _ annotation: TypeSyntax, _ element: String, _ shape: TypeShape,
    _ markers: Markers, _ initial: ExprSyntax?
  ) -> ManagedProperty? {
    if ValueTypes.known.contains(ValueTypes.bare(element)) {
      report(
        "unsupported", at: annotation,
        "a list of \(element) cannot be stored; use a relationship to objects that hold the "
          + "parts")
      return nil
    }
    if shape.isOptional, let wrapped = shape.wrapped {
      report(
        "list", at: annotation, "a to-many relationship is never nil, but empty",
        fixIts: [
          .replacing(annotation, with: wrapped.trimmedDescription, "remove the '?'")
        ])
      return nil
    }
    if let marker = markers.attribute {
      report(
        "value", at: marker.node, "a list is a relationship; use @Relationship",
        fixIts: [.replacing(marker.node, with: "@Relationship", "write '@Relationship'")])
      return nil
    }
    if let initial, initial.as(ArrayExprSyntax.self)?.elements.isEmpty != true {
      reportInitial(initial, "a relationship starts empty; add objects to it later")
      return nil
    }
    return ManagedProperty(
      name: name, kind: .toMany(element, isOrdered: shape.kind == .array),
      type: annotation.trimmedDescription, initial: nil,
      options: markers.relationship?.options, isTransient: markers.transient != nil,
      isOptional: false)
  }
}

extension PropertyReader {
  /// Reports a relationship whose type is that of an attribute.
  private mutating func reportValue(
    _ type: String, _ marker: Markers.Marker, at node: some SyntaxProtocol
  ) {
    report(
      "value", at: node, "a relationship leads to objects, not to a \(type)",
      fixIts: [.removing(marker.node, "remove '@Relationship'")])
  }

  /// Reports the initial value of a relationship.
  private mutating func reportInitial(_ initial: ExprSyntax, _ message: String) {
    let clause = initial.parent ?? Syntax(initial)
    report(
      "initial", at: initial, message,
      fixIts: [.removingEnd(clause, "remove the initial value")])
  }
}

extension VariableDeclSyntax {
  /// The declarations of several properties, one in a line; nil if one has a pattern or accessors.
  fileprivate var separated: String? {
    let start =
      (attributes.map(\.trimmedDescription) + modifiers.map(\.trimmedDescription))
      .map { $0 + " " }.joined() + bindingSpecifier.text + " "
    var lines: [String] = []
    // A type belongs to all names before it that have neither a type nor a value.
    var type = ""
    for binding in bindings.reversed() {
      guard binding.pattern.is(IdentifierPatternSyntax.self), binding.accessorBlock == nil else {
        return nil
      }
      if let annotation = binding.typeAnnotation {
        type = annotation.trimmedDescription
      } else if binding.initializer != nil {
        type = ""
      }
      let value = binding.initializer.map { " " + $0.trimmedDescription } ?? ""
      lines.append(start + binding.pattern.trimmedDescription + type + value)
    }
    let line = leadingTrivia.description.split(separator: "\n", omittingEmptySubsequences: false)
    let indentation = (line.last ?? "").prefix { $0 == " " || $0 == "\t" }
    return lines.reversed().joined(separator: "\n" + indentation)
  }

  /// Whether the property has a getter of its own.
  fileprivate var isComputed: Bool {
    guard let block = bindings.first?.accessorBlock else { return false }
    return switch block.accessors {
    case .getter: true
    case .accessors(let list):
      list.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }
  }
}

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
  /// The access modifier of the property's key: that of the property.
  var keyAccess = ""

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
      if let condition = member.decl.as(IfConfigDeclSyntax.self) { reader.refuse(condition) }
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
      guard let variable = member.decl.as(VariableDeclSyntax.self),
        variable.modifiers.modifier(.static) == nil, variable.modifiers.modifier(.class) == nil
      else { return false }
      return variable.bindings.contains {
        $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "id"
      }
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

  /// The access of a generated member with the type of this property.
  fileprivate var keyAccess: String {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return "public "
      case .keyword(.package): return "package "
      case .keyword(.fileprivate): return "fileprivate "
      case .keyword(.private): return "private "
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
