import Foundation
import PredicateSyntax

/// Reads values by key and collection operator, like key-value coding.
enum KeyValueCoding {
  /// Returns the value of a key; for a collection, the collection of its elements' values.
  static func value(
    forKey key: String, of base: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    if key == "self" { return base }
    switch base {
    case .value(.null): return .null
    case .value(let value): return try scalarValue(forKey: key, of: value)
    case .subject(let subject): return try subject.value(forKey: key)
    case .dictionary(let entries): return entries[key] ?? .null
    case .list(let elements): return .list(try values(forKey: key, of: elements))
    case .set(let elements):
      let values = try values(forKey: key, of: elements)
      return .set(try values.withoutDuplicates(by: .equality))
    }
  }

  private static func values(
    forKey key: String, of elements: [PredicateValue]
  ) throws(InvalidPredicateError) -> [PredicateValue] {
    var values: [PredicateValue] = []
    values.reserveCapacity(elements.count)
    if elements.count > 64 { try InvalidPredicateError.checkStop(after: elements.count) }
    for element in elements { values.append(try value(forKey: key, of: element)) }
    return values
  }

  /// Returns the keys that an attribute's values have, as far as ``scalarValue(forKey:of:)`` knows
  /// them.
  static func keys(of type: AttributeType) -> [String] {
    switch type {
    case .string:
      ["length", "uppercaseString", "lowercaseString", "capitalizedString"] + numbers
        + ["description"]
    case .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean:
      numbers + ["description"]
    case .date: ["timeIntervalSinceReferenceDate", "timeIntervalSince1970", "description"]
    case .binaryData: ["length", "description"]
    case .uuid, .uri: ["description"]
    }
  }

  private static let numbers = [
    "intValue", "integerValue", "longLongValue", "doubleValue", "floatValue",
  ]

  /// Returns the value of a key of one of Foundation's value types.
  private static func scalarValue(
    forKey key: String, of value: PropertyValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    if key == "description" { return .value(.string(PredicateCast.string(of: value))) }
    switch (value, key) {
    case (.string(let text), "length"): return .value(.int(Int64(text.utf16.count)))
    case (.string(let text), "uppercaseString"): return .value(.string(text.uppercased()))
    case (.string(let text), "lowercaseString"): return .value(.string(text.lowercased()))
    case (.string(let text), "capitalizedString"): return .value(.string(text.capitalized))
    case (.data(let data), "length"): return .value(.int(Int64(data.count)))
    case (.date(let date), "timeIntervalSinceReferenceDate"):
      return .value(.double(date.timeIntervalSinceReferenceDate))
    case (.date(let date), "timeIntervalSince1970"):
      return .value(.double(date.timeIntervalSince1970))
    case (_, "intValue"), (_, "integerValue"), (_, "longLongValue"):
      return try PredicateCast.number(of: value, asInteger: true)
    case (_, "doubleValue"), (_, "floatValue"):
      return try PredicateCast.number(of: value, asInteger: false)
    default: throw InvalidPredicateError.notCodingCompliant(key)
    }
  }

  /// Follows keys and operators such as `b.c.@count`, starting at a value.
  static func value(
    forPath path: ArraySlice<String>, of base: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    guard let first = path.first else { return base }
    let rest = path.dropFirst()
    if first.hasPrefix("@") {
      guard let function = CollectionOperator(rawValue: String(first.dropFirst())) else {
        throw InvalidPredicateError.notCodingCompliant(first)
      }
      return try apply(function, to: base, right: rest)
    }
    return try value(forPath: rest, of: try value(forKey: first, of: base))
  }

  // MARK: Collection operators

  /// Applies an operator to a collection.
  ///
  /// The keys after the operator are read from each element.
  static func apply(
    _ function: CollectionOperator, to base: PredicateValue, right: ArraySlice<String>
  ) throws(InvalidPredicateError) -> PredicateValue {
    if base.isNull { return .null }
    let name = "@" + function.rawValue
    guard let elements = base.elements else {
      throw InvalidPredicateError.needsCollection(base, for: name)
    }
    if function == .count { return .value(.int(Int64(elements.count))) }
    guard !right.isEmpty else { throw InvalidPredicateError.needsKey(name) }
    var leaves: [PredicateValue] = []
    if elements.count > 64 { try InvalidPredicateError.checkStop(after: elements.count) }
    for element in elements { leaves.append(try value(forPath: right, of: element)) }
    return try combine(function, leaves, isSet: base.isSet)
  }

  private static func combine(
    _ function: CollectionOperator, _ leaves: [PredicateValue], isSet: Bool
  ) throws(InvalidPredicateError) -> PredicateValue {
    let name = "@" + function.rawValue
    switch function {
    case .count: return .value(.int(Int64(leaves.count)))
    case .sum: return try PredicateStatistics.sum(leaves, name).value
    case .avg: return try PredicateStatistics.average(leaves, name)
    case .min: return try PredicateStatistics.extreme(leaves, .less)
    case .max: return try PredicateStatistics.extreme(leaves, .greater)
    case .unionOfObjects, .distinctUnionOfObjects:
      if leaves.contains(where: \.isNull) { throw InvalidPredicateError.nilInUnion(name) }
      guard function == .distinctUnionOfObjects else { return .list(leaves) }
      let unique = try leaves.withoutDuplicates(by: .equality)
      return isSet ? .set(unique) : .list(unique)
    case .unionOfArrays, .distinctUnionOfArrays, .distinctUnionOfSets:
      var all: [PredicateValue] = []
      for leaf in leaves {
        if leaf.isNull { throw InvalidPredicateError.nilInUnion(name) }
        guard let elements = leaf.elements else {
          throw InvalidPredicateError.needsCollection(leaf, for: name)
        }
        all += elements
      }
      if all.contains(where: \.isNull) { throw InvalidPredicateError.nilInUnion(name) }
      guard function != .unionOfArrays else { return .list(all) }
      let unique = try all.withoutDuplicates(by: .equality)
      return function == .distinctUnionOfSets ? .set(unique) : .list(unique)
    }
  }
}

extension ComparisonRule {
  /// The operator `==` without options.
  static var equality: Self { Self(.equal, locale: "") }
}

extension PredicateValue {
  var isSet: Bool {
    if case .set = self { true } else { false }
  }
}
