import Basics
import Foundation
import PredicateSyntax

/// The value of an expression in a predicate, which can be more than an attribute can hold.
package enum PredicateValue {
  case value(PropertyValue)
  case list([PredicateValue])
  /// Values without an order, and without duplicates by equality.
  case set([PredicateValue])
  /// A key that is missing gives nil.
  case dictionary([String: PredicateValue])
  /// An object whose values are read by key.
  case subject(any PredicateSubject)

  package static var null: Self { .value(.null) }

  package init(_ value: PropertyValue) {
    if case .list(let elements) = value {
      self = .list(elements.map(PredicateValue.init))
    } else {
      self = .value(value)
    }
  }

  /// Whether this is nil.
  var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }

  /// The single value, if this is one; for an object, its identity.
  var scalar: PropertyValue? {
    switch self {
    case .value(let value): value
    case .subject(let subject): subject.identity
    case .list, .set, .dictionary: nil
    }
  }

  /// The elements, if this is a collection.
  var elements: [PredicateValue]? {
    switch self {
    case .list(let elements), .set(let elements): elements
    case .dictionary(let entries): entries.ordered { $0.key < $1.key }.map(\.value)
    case .value, .subject: nil
    }
  }
}

/// An object whose values a predicate reads by key.
package protocol PredicateSubject {
  /// The value that represents the object in comparisons, such as its ID.
  var identity: PropertyValue { get }

  /// Returns the value of a key. That of a to-many relationship is a list or a set of subjects.
  ///
  /// - Throws: ``InvalidPredicateError`` if the object does not have the key.
  func value(forKey key: String) throws(InvalidPredicateError) -> PredicateValue
}

extension PredicateValue: CustomStringConvertible {
  package var description: String { text { $0.description } }

  /// The description with strings in quotes.
  var quotedDescription: String { text { $0.quotedDescription } }

  private func text(_ describe: (PropertyValue) -> String) -> String {
    switch self {
    case .value(let value): describe(value)
    case .subject(let subject): describe(subject.identity)
    case .list(let elements), .set(let elements):
      "{" + elements.map(\.quotedDescription).joined(separator: ", ") + "}"
    case .dictionary(let entries):
      "{"
        + entries.ordered { $0.key < $1.key }
        .map { "\($0.key) = \($0.value.quotedDescription)" }.joined(separator: "; ") + "}"
    }
  }
}

/// Arithmetic with numbers of any kind.
///
/// The result of integers is an integer, also for a division, unless it would overflow; then it is
/// a floating-point number. With a decimal and no floating-point number, it is a decimal. If a side
/// is nil, the result is nil.
enum PredicateArithmetic {
  enum Number {
    case int(Int64)
    case double(Double)
    case decimal(Decimal)

    init?(_ value: PredicateValue) {
      switch value {
      case .value(.int(let number)): self = .int(number)
      case .value(.double(let number)): self = .double(number)
      case .value(.decimal(let number)): self = .decimal(number)
      case .value(.bool(let truth)): self = .int(truth ? 1 : 0)
      case .value, .list, .set, .dictionary, .subject: return nil
      }
    }

    var double: Double {
      switch self {
      case .int(let number): Double(number)
      case .double(let number): number
      case .decimal(let number): number.nearestDouble
      }
    }

    var decimal: Decimal? {
      switch self {
      case .int(let number): Decimal(number)
      case .decimal(let number): number
      case .double: nil
      }
    }

    var value: PredicateValue {
      switch self {
      case .int(let number): .value(.int(number))
      case .double(let number): .value(.double(number))
      case .decimal(let number): .value(.decimal(number))
      }
    }
  }

  typealias Operator = OperandTree.ArithmeticOperator

  static func apply(
    _ sign: Operator, _ left: PredicateValue, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    if left.isNull || right.isNull { return .null }
    guard let a = Number(left) else {
      throw InvalidPredicateError.notNumber(left, in: sign.rawValue)
    }
    guard let b = Number(right) else {
      throw InvalidPredicateError.notNumber(right, in: sign.rawValue)
    }
    return try apply(sign, a, b).value
  }

  static func apply(_ sign: Operator, _ a: Number, _ b: Number) throws(InvalidPredicateError)
    -> Number
  {
    switch sign {
    case .bitAnd: return .int(try bits(a) & bits(b))
    case .bitOr: return .int(try bits(a) | bits(b))
    case .bitXor: return .int(try bits(a) ^ bits(b))
    case .power: return power(a, b)
    case .add, .subtract, .multiply, .divide: break
    }
    if case .int(let a) = a, case .int(let b) = b { return try integers(sign, a, b) }
    if let a = a.decimal, let b = b.decimal { return try decimals(sign, a, b) }
    return .double(doubles(sign, a.double, b.double))
  }

  private static func integers(
    _ sign: Operator, _ a: Int64, _ b: Int64
  ) throws(InvalidPredicateError) -> Number {
    let (result, overflow) =
      switch sign {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      case .divide, .power, .bitAnd, .bitOr, .bitXor:
        if b == 0 {
          throw InvalidPredicateError.divisionByZero
        } else {
          a.dividedReportingOverflow(by: b)
        }
      }
    return overflow ? .double(doubles(sign, Double(a), Double(b))) : .int(result)
  }

  private static func decimals(
    _ sign: Operator, _ a: Decimal, _ b: Decimal
  ) throws(InvalidPredicateError) -> Number {
    switch sign {
    case .add: return .decimal(a + b)
    case .subtract: return .decimal(a - b)
    case .multiply: return .decimal(a * b)
    case .divide, .power, .bitAnd, .bitOr, .bitXor:
      guard b != 0 else { throw InvalidPredicateError.divisionByZero }
      return .decimal(a / b)
    }
  }

  private static func doubles(_ sign: Operator, _ a: Double, _ b: Double) -> Double {
    switch sign {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide, .power, .bitAnd, .bitOr, .bitXor: a / b
    }
  }

  /// The result is exact if both are integers and it fits exactly into a floating-point number.
  private static func power(_ a: Number, _ b: Number) -> Number {
    let result = pow(a.double, b.double)
    if case .int = a, case .int = b, abs(result) < 0x1p53, let integer = Int64(exactly: result) {
      return .int(integer)
    }
    return .double(result)
  }

  static func bits(_ number: Number) throws(InvalidPredicateError) -> Int64 {
    switch number {
    case .int(let number): return number
    case .double, .decimal:
      guard let integer = Int64(exactly: number.double.rounded(.towardZero)) else {
        throw InvalidPredicateError.notNumber(number.value, in: "bits")
      }
      return integer
    }
  }

  static func negated(_ value: PredicateValue) throws(InvalidPredicateError) -> PredicateValue {
    try apply(.subtract, .value(.int(0)), value)
  }
}

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
