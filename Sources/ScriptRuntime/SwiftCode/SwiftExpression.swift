import FetchedResults
import ScriptSyntax

/// The expression of a transient attribute in Swift, if its translation is certain.
///
/// It is for attributes, literals, texts, and functions of one text.
struct SwiftExpression {
  private let text: String
  private let entity: EntityDescription

  init(_ text: String, of entity: EntityDescription) {
    self.text = text
    self.entity = entity
  }

  /// Returns the lines of the property.
  ///
  /// If the expression has to be written by hand, the property stops the app with the script's
  /// expression.
  func propertyLines(name: String, type: String) -> [String] {
    let line = text.inOneLine
    let head = ["/// In the script: \(line)", "@objc var \(name): \(type) {"]
    guard let value = swift, value.isOptional == false || type.hasSuffix("?") else {
      return head + ["  fatalError(\("write in Swift: \(line)".quoted))", "}"]
    }
    return head + ["  \(value.text)", "}"]
  }

  private struct Written {
    var text: String
    var isOptional: Bool
  }

  private var swift: Written? {
    let script = ScriptParser.parse(SourceText(name: "", text: "print " + text))
    guard !script.hasErrors, case .print(let expression)? = script.statements.first?.kind else {
      return nil
    }
    return write(expression)
  }

  private func write(_ expression: ExpressionSyntax) -> Written? {
    switch expression.kind {
    case .boolean(let value): return Written(text: "\(value)", isOptional: false)
    case .integer(let value): return Written(text: "\(value)", isOptional: false)
    case .real(_, let text): return Written(text: text, isOptional: false)
    case .name(let name): return write(attribute: name)
    case .string(let parts): return write(parts)
    case .call(let function, let arguments): return write(function.text, arguments.map(\.value))
    case .null, .date, .object, .list, .range, .variable, .member, .index, .methodCall, .count,
      .insert, .fetch, .negation, .not, .binary:
      return nil
    }
  }

  private func write(attribute name: String) -> Written? {
    guard let index = entity.attributeIndex(named: name) else { return nil }
    let type =
      entity.attributes[index].isTransient
      ? entity.attributes[index].computedSwiftType : entity.attributes[index].swiftType
    return Written(text: name.swiftName, isOptional: type.hasSuffix("?"))
  }

  /// Returns a text with interpolated values.
  ///
  /// Nil is written as in the script.
  private func write(_ parts: [ExpressionSyntax.StringPart]) -> Written? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain.quoted.dropFirst().dropLast()
      case .interpolation(let value):
        guard let value = write(value), !value.text.contains("\"") else { return nil }
        text +=
          value.isOptional
          ? "\\(\(value.text).map { \"\\($0)\" } ?? \"nil\")" : "\\(\(value.text))"
      }
    }
    return Written(text: "\"\(text)\"", isOptional: false)
  }

  /// Returns a function of one text, which is nil if the text is nil.
  private func write(_ function: String, _ arguments: [ExpressionSyntax]) -> Written? {
    guard let text = arguments.first.flatMap(write) else { return nil }
    let call: String
    switch function {
    case "uppercase" where arguments.count == 1: call = ".uppercased()"
    case "lowercase" where arguments.count == 1: call = ".lowercased()"
    case "substring" where arguments.count == 3:
      guard case .integer(let start) = arguments[1].kind,
        case .integer(let length) = arguments[2].kind
      else { return nil }
      let slice = text.isOptional ? "$0" : text.text
      let piece = "String(\(slice).dropFirst(\(start)).prefix(\(length)))"
      return Written(
        text: text.isOptional ? "\(text.text).map { \(piece) }" : piece,
        isOptional: text.isOptional)
    default: return nil
    }
    let base = text.isOptional ? "\(text.text).map { $0\(call) }" : text.text + call
    return Written(text: base, isOptional: text.isOptional)
  }
}
