import Basics
import FetchedResults

extension SeededGenerator {
  /// Returns a value of an attribute as a script writes it.
  ///
  /// There are few different values, so that equal ones are frequent.
  mutating func literal(for attribute: AttributeDescription) -> String {
    if attribute.isOptional, chance(6) { return "nil" }
    switch attribute.type {
    case .string: return #""\#(one(of: ["", "a", "b", "B", "c", "d", "e", "ä", "z"]) ?? "")""#
    case .integer16, .integer32, .integer64: return "\(number(0...7))"
    case .double, .float: return one(of: ["0.5", "1.0", "1.5", "2.25", "-3.0"]) ?? "0.5"
    case .decimal: return one(of: ["0.5", "1", "2.25", "-3"]) ?? "1"
    case .boolean: return chance(2) ? "YES" : "NO"
    case .date: return "@2026-01-0\(number(1...6))"
    case .uuid: return #"uuid("00000000-0000-4000-8000-00000000000\#(number(1...6))")"#
    case .uri: return #""https://example.org/\#(number(1...6))""#
    case .binaryData: return chance(2) ? #"data("AA==")"# : #"data("AQ==")"#
    }
  }
}

extension EntityDescription {
  /// The attributes that a script can set.
  var settableAttributes: [AttributeDescription] {
    attributes.filter { $0.expression == nil && !$0.isTransient }
  }
}
