import FetchedResults
import Foundation
import ScriptSyntax

/// The functions of expressions.
package enum ScriptFunctions {
  /// The functions, with their call forms.
  package static let usages: [String: String] = [
    "abs": "abs(number)",
    "ceiling": "ceiling(number)",
    "count": "count(list) or count(Entity where …)",
    "data": "data(\"base64\")",
    "decimal": "decimal(\"12.50\")",
    "floor": "floor(number)",
    "length": "length(text)",
    "lowercase": "lowercase(text)",
    "max": "max(a, b, …)",
    "min": "min(a, b, …)",
    "now": "now()",
    "string": "string(value)",
    "substring": "substring(text, start, length)",
    "uppercase": "uppercase(text)",
    "uuid": "uuid(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\")",
  ]

  /// The results of the functions that parse a text.
  private static let kinds = [
    "data": "base64", "decimal": "a decimal number", "uuid": "a UUID",
  ]

  /// Returns a function's value; nil if the function does not accept the arguments.
  ///
  /// For a nil text or number the value is nil, as for a key path through nil.
  static func call(
    _ name: String, _ arguments: [PropertyValue], now: () -> Date
  ) throws(ScriptError.Kind) -> PropertyValue? {
    switch (name, arguments.count) {
    case ("now", 0): return .date(now())
    case ("min", 1...), ("max", 1...): return try extreme(of: arguments, name == "min")
    case ("substring", 3): return substring(arguments)
    case ("count", 1):
      guard case .list(let values) = arguments[0] else { return nil }
      return .int(Int64(values.count))
    case ("string", 1): return .string(arguments[0].description)
    case ("now", _), ("substring", _): return nil
    case (_, 1):
      if arguments[0].isNull { return .null }
      if let text = arguments[0].string {
        if let result = call(name, text) { return result }
        if let kind = kinds[name] { throw .malformed(arguments[0].excerpt, as: kind) }
      }
      return try call(name, number: arguments[0])
    default: return nil
    }
  }

  private static func call(_ name: String, _ text: String) -> PropertyValue? {
    switch name {
    case "uppercase": .string(text.uppercased())
    case "lowercase": .string(text.lowercased())
    case "length": .int(Int64(text.utf16.count))
    case "uuid": UUID(uuidString: text).map(PropertyValue.uuid)
    case "data": Data(base64Encoded: text).map(PropertyValue.data)
    case "decimal": Decimal(wholeText: text).map(PropertyValue.decimal)
    default: nil
    }
  }

  private static func call(_ name: String, number: PropertyValue) throws(ScriptError.Kind)
    -> PropertyValue?
  {
    switch (name, number) {
    case ("abs", .int(.min)): throw .overflow
    case ("abs", .int(let value)): return .int(abs(value))
    case ("abs", .double(let value)): return .double(abs(value))
    case ("floor", .int), ("ceiling", .int): return number
    case ("floor", .double(let value)): return .double(value.rounded(.down))
    case ("ceiling", .double(let value)): return .double(value.rounded(.up))
    default: return nil
    }
  }

  private static func extreme(
    of values: [PropertyValue], _ least: Bool
  ) throws(ScriptError.Kind) -> PropertyValue {
    var result = values[0]
    for value in values.dropFirst() where try value.compared(least ? .less : .greater, to: result) {
      result = value
    }
    return result
  }

  private static func substring(_ arguments: [PropertyValue]) -> PropertyValue? {
    if arguments[0].isNull { return .null }
    guard let text = arguments[0].string, let start = arguments[1].int,
      let length = arguments[2].int, start >= 0, length >= 0
    else { return nil }
    return .string(String(text.dropFirst(Int(clamping: start)).prefix(Int(clamping: length))))
  }
}
