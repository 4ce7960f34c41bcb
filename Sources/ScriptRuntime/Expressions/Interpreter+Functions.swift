import FetchedResults
import Foundation
import ScriptSyntax

extension Interpreter {
  /// The functions of expressions and how each is called.
  static let functions: [String: String] = [
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

  /// What the functions make that read a text.
  private static let kinds = [
    "data": "base64", "decimal": "a decimal number", "uuid": "a UUID",
  ]

  /// `uppercase(title)`, `uuid("…")`, `now()`.
  func call(
    _ name: Name, _ arguments: [ExpressionSyntax.Argument], _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    try checkFunction(name)
    var values: [Value] = []
    for argument in arguments { values.append(try scalar(argument.value)) }
    if arguments.allSatisfy({ $0.label == nil }),
      let result = try call(name.text, values, range)
    {
      return result
    }
    throw failure(.wrongArguments(name.text, usage: Self.functions[name.text] ?? ""), range)
  }

  /// Returns a function's value, or nil where the arguments do not fit it.
  ///
  /// A nil text or number gives nil, as a key path through nil does.
  private func call(
    _ name: String, _ arguments: [Value], _ range: Range<Int>
  ) throws(ScriptError) -> Value? {
    switch (name, arguments.count) {
    case ("now", 0): return .date(session.context.environment.now())
    case ("min", 1...), ("max", 1...): return try extreme(of: arguments, name == "min", range)
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
        if let kind = Self.kinds[name] {
          throw failure(.malformed(arguments[0].excerpt, as: kind), range)
        }
      }
      return try call(name, number: arguments[0], range)
    default: return nil
    }
  }

  private func call(_ name: String, _ text: String) -> Value? {
    switch name {
    case "uppercase": .string(text.uppercased())
    case "lowercase": .string(text.lowercased())
    case "length": .int(Int64(text.utf16.count))
    case "uuid": UUID(uuidString: text).map(Value.uuid)
    case "data": Data(base64Encoded: text).map(Value.data)
    case "decimal": Decimal(wholeText: text).map(Value.decimal)
    default: nil
    }
  }

  private func call(
    _ name: String, number: Value, _ range: Range<Int>
  ) throws(ScriptError) -> Value? {
    switch (name, number) {
    case ("abs", .int(.min)): throw failure(.overflow, range)
    case ("abs", .int(let value)): return .int(abs(value))
    case ("abs", .double(let value)): return .double(abs(value))
    case ("floor", .int), ("ceiling", .int): return number
    case ("floor", .double(let value)): return .double(value.rounded(.down))
    case ("ceiling", .double(let value)): return .double(value.rounded(.up))
    default: return nil
    }
  }

  private func extreme(
    of values: [Value], _ least: Bool, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    var result = values[0]
    for value in values.dropFirst()
    where try compare(value, least ? .less : .greater, result, range) {
      result = value
    }
    return result
  }

  private func substring(_ arguments: [Value]) -> Value? {
    if arguments[0].isNull { return .null }
    guard let text = arguments[0].string, let start = arguments[1].int,
      let length = arguments[2].int, start >= 0, length >= 0
    else { return nil }
    return .string(String(text.dropFirst(Int(clamping: start)).prefix(Int(clamping: length))))
  }
}
