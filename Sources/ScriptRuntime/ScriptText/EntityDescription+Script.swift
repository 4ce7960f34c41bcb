package import FetchedResults
import Foundation
package import ScriptSyntax

extension EntityDescription {
  /// The lines that define the entity in a script, one per property.
  package var scriptLines: [String] { scriptLines(with: []) }

  /// Returns the lines that define the entity in a script: one per property, and its hooks.
  package func scriptLines(with hooks: [HookText]) -> [String] {
    var head = (isAbstract ? "abstract " : "") + "entity \(name)"
    if let superentity { head += " : \(superentity.name)" }
    if let renamingIdentifier { head += renamingIdentifier.formerNameText }
    let indexed = Set(ownIndexes.compactMap(\.soleAttribute))
    var lines = ownAttributes.map { $0.scriptText(isIndexed: indexed.contains($0.name)) }
    lines += ownRelationships.map(\.scriptText)
    for constraint in uniquenessConstraints.dropFirst(superentity?.uniquenessConstraints.count ?? 0)
    {
      lines.append("unique (" + constraint.joined(separator: ", ") + ")")
    }
    let own = Set(ownAttributes.map(\.name))
    for index in ownIndexes where index.soleAttribute.map(own.contains) != true {
      lines.append(index.scriptText)
    }
    if let displayAttribute, displayAttribute != superentity?.displayAttribute {
      lines.append("display \(displayAttribute)")
    }
    guard !lines.isEmpty || !hooks.isEmpty else { return [head + " { }"] }
    return [head + " {"] + lines.map { "  " + $0 } + hooks.flatMap(\.lines) + ["}"]
  }

  /// Returns the definition of a property in a script, without its name; nil if there is no such
  /// property.
  package func scriptText(ofProperty name: String) -> String? {
    let text =
      attributeIndex(named: name).map { place in
        attributes[place].scriptText(isIndexed: indexes.contains { $0.soleAttribute == name })
      }
      ?? relationshipOrdinal(named: name).map { relationships[$0].scriptText }
    guard let text, let colon = text.range(of: ": ") else { return nil }
    return String(text[colon.upperBound...])
  }
}

extension AttributeDescription {
  fileprivate func scriptText(isIndexed: Bool) -> String {
    var text = isTransient ? "transient " : expression == nil ? "" : "derived "
    text += "\(name): \(type.scriptName)" + (isOptional ? "?" : "")
    if let expression {
      text += " = " + (isTransient ? expression.text.inOneLine : expression.text.quoted)
    } else if !defaultValue.isNull {
      text += " = " + defaultValue.scriptLiteral
    }
    if !limits.minimum.isNull { text += " min " + limits.minimum.scriptLiteral }
    if !limits.maximum.isNull { text += " max " + limits.maximum.scriptLiteral }
    if let pattern = limits.pattern { text += " matching " + pattern.quoted }
    if allowsExternalBinaryDataStorage && !isTransient { text += " external" }
    if isIndexed { text += " indexed" }
    if let renamingIdentifier { text += renamingIdentifier.formerNameText }
    return text
  }
}

extension FetchIndexDescription {
  fileprivate var scriptText: String {
    let keys = elements.map { $0.propertyName + ($0.isAscending ? "" : " desc") }
    return "index \(name.isPlainScriptName ? name : name.quoted) (\(keys.joined(separator: ", ")))"
  }
}

extension RelationshipDescription {
  fileprivate var scriptText: String {
    var text =
      (isTransient ? "transient " : "") + "\(name): "
      + (isToMany ? "[\(destination)]" : destination)
    // Without a minimum count, a to-many relationship may always be empty.
    if isOptional, !isToMany || minCount > 0 { text += "?" }
    if isOrdered { text += " ordered" }
    if minCount > 0 { text += " min \(minCount)" }
    if maxCount > 0 { text += " max \(maxCount)" }
    if let renamingIdentifier { text += renamingIdentifier.formerNameText }
    if let inverse { text += " inverse \(inverse)" }
    if deleteRule != .nullify { text += " on delete \(deleteRule.rawValue)" }
    // The type could also be an attribute's. A delete rule after it makes clear that it is an
    // entity's.
    if !isToMany, inverse == nil, deleteRule == .nullify { text += " on delete nullify" }
    return text
  }
}

extension PropertyValue {
  /// The value as a script writes it.
  fileprivate var scriptLiteral: String {
    switch self {
    case .string(let text): text.quoted
    case .date(let date): "@" + date.utcDescription
    case .uuid(let uuid): "uuid(\"\(uuid.uuidString)\")"
    case .uri(let uri): uri.absoluteString.quoted
    case .data(let data): "data(\"\(data.base64EncodedString())\")"
    case .null, .bool, .int, .double, .decimal, .object, .list: description
    }
  }
}

extension String {
  /// The option with an older name, which is a string if it is not a name.
  fileprivate var formerNameText: String { " was " + (isPlainScriptName ? self : quoted) }
}

extension AttributeType {
  /// Creates the type for a script's word.
  ///
  /// `Int` is the 64-bit type.
  package init?(scriptName: String) {
    self.init(rawValue: scriptName == "Int" ? AttributeType.integer64.rawValue : scriptName)
  }

  /// The word for the type in a script.
  package var scriptName: String { self == .integer64 ? "Int" : rawValue }
}

extension FetchedProperty {
  init(_ syntax: FetchedValueSyntax) {
    self.init(
      syntax.keyPath.text, function: syntax.function.map { Function($0) },
      name: syntax.alias?.text)
  }

  /// The value as a script writes it.
  var scriptText: String {
    let text = function.map { "\($0.rawValue)(\(keyPath))" } ?? keyPath
    return FetchedProperty(keyPath, function: function).name == name ? text : "\(text) as \(name)"
  }
}

extension FetchedProperty.Function {
  fileprivate init(_ function: FetchedValueSyntax.Function) {
    self =
      switch function {
      case .count: .count
      case .sum: .sum
      case .min: .min
      case .max: .max
      case .average: .average
      }
  }
}

extension RequestClauses {
  /// Whether a request with these clauses returns dictionaries.
  var asksForDictionaries: Bool {
    fetchedValues != nil || groups != nil || having != nil || isDistinct
  }

  /// What the clauses ask for in place of objects; nil if they do not.
  var resultType: FetchRequestResultType? {
    if asksForDictionaries { return .dictionaries }
    return switch result {
    case .objectIDs?: .managedObjectIDs
    case .count?: .count
    case .statusOnly?, nil: nil
    }
  }
}

/// A hook of an entity as a script writes it.
package struct HookText: Hashable, Sendable {
  package let hook: HookSyntax.Hook
  /// The lines, indented like those of a property.
  package let lines: [String]

  init(_ syntax: HookSyntax, in source: SourceText) {
    hook = syntax.hook
    let text = source.formattedText(in: syntax.range, after: "entity X {\n", before: "\n}")
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
