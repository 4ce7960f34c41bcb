import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax

/// A script with observers as a test for SwiftData: code, and the results that frc publishes.
package struct ObserverScript {
  /// The path of the script, for people.
  package let name: String
  /// The script's description in its first line; empty if there is none.
  let summary: String
  let models: [ModelClass]
  /// Whether the store needs a file, such as for a history.
  let usesFile: Bool
  /// The statements of the test, after those that make the container.
  let steps: [String]

  /// The text of the file.
  ///
  /// - Parameter identifier: A name of the script in letters, digits and `_`.
  func text(as identifier: String) -> String {
    let classes = models.map(\.lines).joined(separator: [""])
    return """
      #if canImport(SwiftData)
      import Foundation
      import SwiftData
      import XCTest

      @available(macOS 27, iOS 27, *)
      private enum Models {
      \(Self.text(Array(classes), indent: 2))
      }

      @available(macOS 27, iOS 27, *)
      final class Observer_\(identifier): XCTestCase {
        // \(name.inOnePlainLine)\(summary.isEmpty ? "" : "\n  // " + summary.inOnePlainLine)
        @MainActor
        func test() async throws {
      \(Self.text(setUp + steps, indent: 4))
        }
      }
      #endif

      """
  }

  private static func text(_ lines: [String], indent: Int) -> String {
    let space = String(repeating: " ", count: indent)
    return lines.map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n")
  }

  private var setUp: [String] {
    let store = usesFile ? "url: try observers.newStore()" : "isStoredInMemoryOnly: true"
    let types = models.map { "\(ModelClass.scope)\($0.name).self" }.joined(separator: ", ")
    return [
      "let observers = ObserverLog()", "let configuration = ModelConfiguration(\(store))",
      "let schema = Schema([\(types)])",
      "let container = try ModelContainer(for: schema, configurations: configuration)",
      "let main = container.mainContext", "main.autosaveEnabled = false",
    ]
  }
}

extension ParsedScript {
  /// Whether the script defines an observer, also in a block.
  package var hasObservers: Bool { statements.contains(where: \.hasObserver) }
}

extension Statement {
  fileprivate var hasObserver: Bool {
    if case .observer = kind { return true }
    return traits.parts.contains { part in
      switch part {
      case .block(let statements), .scope(let statements, _):
        statements.contains(where: \.hasObserver)
      case .attempt(let statement): statement.hasObserver
      case .value, .target, .name, .request, .clauses, .update, .insert, .predicate, .definition,
        .file, .callback, .hook:
        false
      }
    }
  }
}

/// The class of an entity for SwiftData.
struct ModelClass {
  /// The text before the name of each class: the classes of a test are in a type of their own.
  static var scope: String { "Models." }

  let name: String
  let lines: [String]

  /// Creates the class of an entity.
  ///
  /// - Throws: The reason why SwiftData has no such class.
  init(_ entity: EntityDescription) throws(ExportRefusal.Reason) {
    if !entity.uniquenessConstraints.isEmpty { throw .uniqueInSwiftData }
    guard entity.superentity == nil, !entity.hasSubentities, !entity.isAbstract,
      entity.attributes.allSatisfy({ $0.expression == nil && !$0.isTransient })
    else { throw .modelInSwiftData }
    if entity.hasManagedObjectProperty { throw .nameInCoreData }
    let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    guard Self.unusable.isDisjoint(with: names),
      (names + [entity.name]).allSatisfy(\.isSwiftIdentifier)
    else { throw .nameInSwiftData }
    name = entity.name.swiftName
    var properties: [String] = []
    for attribute in entity.attributes {
      let value = try attribute.defaultValue.isNull ? nil : SwiftValue(attribute.defaultValue).text
      properties.append(
        "var \(attribute.name.swiftName): \(attribute.modelType)"
          + (value.map { " = \($0)" } ?? ""))
    }
    for ordinal in entity.relationships.indices {
      properties += try Self.relationship(ordinal, of: entity)
    }
    var parameters: [String] = []
    for attribute in entity.attributes {
      let value = try attribute.modelDefault
      parameters.append("\(attribute.name.swiftName): \(attribute.modelType) = \(value)")
    }
    lines =
      ["@Model final class \(name) {"] + properties.map { "  " + $0 } + [""]
      + Self.initializer(parameters)
      + entity.attributes.map { "    self.\($0.name) = \($0.name.swiftName)" } + ["  }", "}"]
  }

  /// The names that no property can have in an initializer and in the code that SwiftData adds.
  private static let unusable: Set = ["init", "self", "_"]

  private static func initializer(_ parameters: [String]) -> [String] {
    let line = "  init(\(parameters.joined(separator: ", "))) {"
    if line.utf8.count <= 96 { return [line] }
    return ["  init("]
      + parameters.enumerated().map { index, parameter in
        "    " + parameter + (index < parameters.count - 1 ? "," : "")
      } + ["  ) {"]
  }

  /// Returns the lines of a relationship.
  ///
  /// Only one side names the inverse: two macros that lead to each other do not compile.
  private static func relationship(
    _ ordinal: Int, of entity: EntityDescription
  ) throws(ExportRefusal.Reason) -> [String] {
    let relationship = entity.relationships[ordinal]
    guard let link = try? entity.link(at: ordinal), !relationship.isOrdered,
      !relationship.isTransient, relationship.isOptional
    else { throw .modelInSwiftData }
    var arguments: [String] = []
    if relationship.deleteRule != .nullify {
      arguments.append("deleteRule: .\(relationship.deleteRule.rawValue)")
    }
    if relationship.minCount > 0 {
      arguments.append("minimumModelCount: \(relationship.minCount)")
    }
    if relationship.maxCount > 0 {
      arguments.append("maximumModelCount: \(relationship.maxCount)")
    }
    if let inverse = link.inverse {
      let other = link.destination.relationships[inverse.ordinal]
      let isFirst =
        (link.destination.name, other.name) > (entity.name, relationship.name)
      if relationship.isToMany == other.isToMany ? isFirst : relationship.isToMany {
        arguments.append("inverse: \\\(link.destination.name.swiftName).\(other.name.swiftName)")
      }
    }
    let type = link.destination.name.swiftName
    let property =
      "var \(relationship.name.swiftName): "
      + (relationship.isToMany ? "[\(type)] = []" : "\(type)?")
    if arguments.isEmpty { return [property] }
    let macro = "@Relationship(\(arguments.joined(separator: ", ")))"
    let line = macro + " " + property
    return line.utf8.count <= 96 ? [line] : [macro, property]
  }
}

extension AttributeDescription {
  /// The type of the property.
  fileprivate var modelType: String {
    let plain =
      switch type {
      case .string: "String"
      case .integer16, .integer32, .integer64: "Int"
      case .double: "Double"
      case .float: "Float"
      case .boolean: "Bool"
      case .decimal: "Decimal"
      case .date: "Date"
      case .uuid: "UUID"
      case .uri: "URL"
      case .binaryData: "Data"
      }
    return isOptional ? plain + "?" : plain
  }

  /// The value of the initializer's parameter if it is not given.
  fileprivate var modelDefault: String {
    get throws(ExportRefusal.Reason) {
      if !defaultValue.isNull { return try SwiftValue(defaultValue).text }
      if isOptional { return "nil" }
      return switch type {
      case .string: "\"\""
      case .integer16, .integer32, .integer64, .double, .float, .decimal: "0"
      case .boolean: "false"
      case .date: "Date(timeIntervalSinceReferenceDate: 0)"
      case .uuid: "UUID()"
      case .uri: "URL(filePath: \"/\")"
      case .binaryData: "Data()"
      }
    }
  }
}

/// A value as Swift code.
struct SwiftValue {
  let text: String

  /// - Throws: The reason why it has no literal, as for an object.
  init(_ value: PropertyValue) throws(ExportRefusal.Reason) {
    switch value {
    case .null: text = "nil"
    case .bool(let isTrue): text = "\(isTrue)"
    case .int(let number): text = "\(number)"
    case .double(let number):
      guard number.isFinite else { throw .valueInSwiftData }
      text = "\(number)"
    case .string(let words): text = words.swiftLiteral
    case .date(let date):
      text = "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
    // A default value can neither throw nor be unwrapped by force.
    case .decimal(let number): text = "Decimal(string: \"\(number)\") ?? 0"
    case .uuid(let id): text = "UUID(uuidString: \"\(id.uuidString)\") ?? UUID()"
    case .uri(let url):
      text = "URL(string: \(url.absoluteString.swiftLiteral)) ?? URL(filePath: \"/\")"
    case .data(let data):
      text = "Data(base64Encoded: \"\(data.base64EncodedString())\") ?? Data()"
    case .object, .list: throw .valueInSwiftData
    }
  }
}

extension String {
  /// The text as a literal of Swift, without characters that are invisible or end a line.
  var swiftLiteral: String { ScriptFile.literal(self) }

  /// The text for a comment of one line, which it cannot end.
  var inOnePlainLine: String { ScriptFile.comment(self) }
}
