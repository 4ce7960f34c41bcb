import Foundation
import PredicateSyntax

/// The methods that `FUNCTION(operand, 'selector:', …)` may call.
///
/// There is no Objective-C runtime here, so these are the useful methods of strings and
/// collections.
extension PredicateFunctions {
  static func perform(
    _ selector: PredicateValue, on operand: PredicateValue, _ arguments: [PredicateValue],
    range: Range<Int>
  ) throws(InvalidPredicateError) -> PredicateValue {
    let name = selector.description
    if operand.isNull { return .null }
    if case .value(.string(let text)) = operand,
      let value = try perform(name, on: text, arguments)
    {
      return value
    }
    if let elements = operand.elements, let value = try perform(name, on: elements, arguments) {
      return value
    }
    guard arguments.isEmpty, !name.hasSuffix(":"),
      let value = try? KeyValueCoding.value(forKey: name, of: operand)
    else { throw InvalidPredicateError.unsupportedSelector(name, range: range) }
    return value
  }

  private static func perform(
    _ name: String, on text: String, _ arguments: [PredicateValue]
  ) throws(InvalidPredicateError) -> PredicateValue? {
    let path = NSString(string: text)
    switch (name, arguments.count) {
    case ("lastPathComponent", 0): return .value(.string(path.lastPathComponent))
    case ("pathExtension", 0): return .value(.string(path.pathExtension))
    case ("stringByDeletingPathExtension", 0):
      return .value(.string(path.deletingPathExtension))
    case ("stringByDeletingLastPathComponent", 0):
      return .value(.string(path.deletingLastPathComponent))
    case ("stringByAppendingString:", 1):
      return .value(.string(text + (try string(arguments[0], name))))
    case ("stringByReplacingOccurrencesOfString:withString:", 2):
      let old = try string(arguments[0], name)
      return .value(
        .string(text.replacingOccurrences(of: old, with: try string(arguments[1], name))))
    case ("hasPrefix:", 1), ("hasSuffix:", 1), ("containsString:", 1):
      let part = try string(arguments[0], name)
      let operation: PredicateTree.Comparator.TextOperation =
        name == "hasPrefix:" ? .beginsWith : name == "hasSuffix:" ? .endsWith : .contains
      return .value(
        .bool(try TextTest(operation, [], pattern: part, locale: "").holds(text)))
    case ("substringFromIndex:", 1), ("substringToIndex:", 1):
      let units = Array(text.utf16)
      let index = try offset(arguments[0], name)
      guard 0...units.count ~= index else {
        throw InvalidPredicateError.outOfBounds(Int64(index), count: units.count)
      }
      let part = name == "substringToIndex:" ? units[..<index] : units[index...]
      return .value(.string(String(decoding: part, as: UTF16.self)))
    default: return nil
    }
  }

  private static func perform(
    _ name: String, on elements: [PredicateValue], _ arguments: [PredicateValue]
  ) throws(InvalidPredicateError) -> PredicateValue? {
    switch (name, arguments.count) {
    case ("count", 0): return .value(.int(Int64(elements.count)))
    case ("firstObject", 0): return elements.first ?? .null
    case ("lastObject", 0): return elements.last ?? .null
    case ("containsObject:", 1):
      return .value(.bool(try elements.contains(arguments[0], by: .equality)))
    case ("objectAtIndex:", 1):
      return try OperandNode.element(of: .list(elements), at: arguments[0])
    default: return nil
    }
  }

  private static func string(
    _ value: PredicateValue, _ name: String
  ) throws(InvalidPredicateError) -> String {
    guard case .value(.string(let text)) = value else {
      throw InvalidPredicateError.notString(value, in: name)
    }
    return text
  }

  private static func offset(
    _ value: PredicateValue, _ name: String
  ) throws(InvalidPredicateError) -> Int {
    let number = try PredicateStatistics.number(value, name)
    return Int(exactly: number.double.rounded(.towardZero)) ?? .max
  }
}
