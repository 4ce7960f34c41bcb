import Foundation
import PredicateSyntax

/// Compares two values by a comparison's operator and options.
struct ComparisonRule {
  let comparator: PredicateTree.Comparator
  let options: PredicateOptions
  let locale: String
  /// A prepared test if the right side is a constant string; for `!=` it is the test for `==`.
  var preparedTest: TextTest?

  init(
    _ comparator: PredicateTree.Comparator, _ options: PredicateOptions = [], locale: String
  ) {
    self.comparator = comparator
    self.options = options
    self.locale = locale
  }

  /// Returns whether the comparison is true.
  ///
  /// If a side is nil, nil equals only nil. `<=` and `>=` are true if both sides are nil, and every
  /// other operator is false.
  ///
  /// - Throws: ``InvalidPredicateError`` where Apple raises: an order between values of different
  ///   kinds, IN without a collection, a string operator without strings, a bad pattern.
  func holds(_ left: PredicateValue, _ right: PredicateValue) throws(InvalidPredicateError) -> Bool
  {
    switch comparator.family {
    case .relation(.equal): try holdsEquality(left, right)
    case .relation(.notEqual): !(try holdsEquality(left, right))
    case .relation(let relation): try isOrdered(left, right, by: relation)
    case .between: try isBetween(left, right)
    case .membership: try isMember(left, of: right)
    case .containment: try isMember(right, of: left)
    case .text: try matchesText(left, right)
    }
  }

  // MARK: Equality

  private func holdsEquality(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> Bool {
    if let preparedTest, case .value(.string(let text)) = left {
      return try preparedTest.holds(text)
    }
    return try areEqual(left, right)
  }

  func areEqual(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> Bool {
    switch (left, right) {
    case (.list(let a), .list(let b)):
      guard a.count == b.count else { return false }
      for (a, b) in zip(a, b) where !(try areEqual(a, b)) { return false }
      return true
    case (.set(let a), .set(let b)):
      guard a.count == b.count else { return false }
      for a in a where !(try b.contains(a, by: self)) { return false }
      return true
    case (.dictionary(let a), .dictionary(let b)):
      guard a.count == b.count else { return false }
      for (key, value) in a {
        guard let other = b[key], try areEqual(value, other) else { return false }
      }
      return true
    default:
      guard let a = left.scalar, let b = right.scalar else { return false }
      return try areEqual(a, b)
    }
  }

  private func areEqual(_ left: PropertyValue, _ right: PropertyValue) throws(InvalidPredicateError)
    -> Bool
  {
    switch (left, right) {
    case (.string(let a), .string(let b)):
      if options.isEmpty { return a.hasSameScalars(as: b) }
      return try TextTest(.relation(.equal), options, pattern: b, locale: locale).holds(a)
    case (.object(let a), .object(let b)): return a == b
    case (.null, .null): return true
    case (.null, _), (_, .null): return false
    default: return left.ordering(right) == .same
    }
  }

  // MARK: Order

  private func isOrdered(
    _ left: PredicateValue, _ right: PredicateValue, by relation: PredicateTree.Comparator.Relation
  ) throws(InvalidPredicateError) -> Bool {
    if left.isNull || right.isNull {
      return left.isNull && right.isNull && relation.accepts(0)
    }
    guard let a = left.scalar, let b = right.scalar else {
      throw InvalidPredicateError.notComparable(left, right)
    }
    if case .string(let text) = a, case .string(let pattern) = b {
      if options.isEmpty { return relation.accepts(text.compareScalars(with: pattern)) }
      let test =
        preparedTest
        ?? TextTest(.relation(relation), options, pattern: pattern, locale: locale)
      return try test.holds(text)
    }
    if let order = a.ordering(b) { return relation.accepts(order.rawValue) }
    if a.isNaN || b.isNaN { return false }
    throw InvalidPredicateError.notComparable(left, right)
  }

  private func isBetween(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> Bool {
    if left.isNull || right.isNull { return false }
    guard case .list(let bounds) = right, bounds.count == 2 else {
      throw InvalidPredicateError.badBounds(right)
    }
    if bounds[0].isNull || bounds[1].isNull { return false }
    guard try isOrdered(left, bounds[0], by: .greaterOrEqual) else { return false }
    return try isOrdered(left, bounds[1], by: .lessOrEqual)
  }

  // MARK: Collections

  /// IN, or CONTAINS with its sides exchanged.
  private func isMember(
    _ value: PredicateValue, of collection: PredicateValue
  ) throws(InvalidPredicateError) -> Bool {
    if let elements = collection.elements { return try elements.contains(value, by: self) }
    if collection.isNull { return false }
    guard case .value(.string(let text)) = collection else {
      throw InvalidPredicateError.notCollection(collection)
    }
    if value.isNull { return false }
    guard case .value(.string(let part)) = value else {
      throw comparator == .in
        ? InvalidPredicateError.notStrings(value, collection)
        : InvalidPredicateError.notStrings(collection, value)
    }
    let test = comparator == .contains ? preparedTest : nil
    return try (test ?? TextTest(.contains, options, pattern: part, locale: locale)).holds(text)
  }

  // MARK: Strings

  private func matchesText(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> Bool {
    if left.isNull || right.isNull { return false }
    guard case .value(.string(let text)) = left, case .value(.string(let pattern)) = right else {
      throw InvalidPredicateError.notStrings(left, right)
    }
    guard let operation = comparator.textOperation else { return false }
    let test = preparedTest ?? TextTest(operation, options, pattern: pattern, locale: locale)
    return try test.holds(text)
  }
}

extension [PredicateValue] {
  /// Whether an element is equal to the value.
  func contains(_ value: PredicateValue, by rule: ComparisonRule) throws(InvalidPredicateError)
    -> Bool
  {
    if count > 64 { try InvalidPredicateError.checkStop(after: count) }
    for element in self where try rule.areEqual(value, element) { return true }
    return false
  }

  /// The elements without duplicates, in the order of first occurrence.
  func withoutDuplicates(by rule: ComparisonRule) throws(InvalidPredicateError) -> [PredicateValue]
  {
    var unique: [PredicateValue] = []
    for element in self where !(try unique.contains(element, by: rule)) { unique.append(element) }
    return unique
  }
}

/// Converts values for `CAST(value, "NSDate")`.
package enum PredicateCast {
  /// - Throws: ``InvalidPredicateError`` for an unknown type, or a value that cannot be converted.
  static func cast(
    _ value: PredicateValue, to type: String
  ) throws(InvalidPredicateError) -> PredicateValue {
    guard let scalar = value.scalar else { throw InvalidPredicateError.badCast(value, to: type) }
    if scalar.isNull { return .null }
    let result: PropertyValue? =
      switch type {
      case "NSDate": date(of: scalar).map(PropertyValue.date)
      case "NSNumber": number(of: scalar)
      case "NSDecimalNumber": decimal(of: scalar).map(PropertyValue.decimal)
      case "NSString": .string(string(of: scalar))
      case "NSUUID": scalar.string.flatMap(UUID.init(uuidString:)).map(PropertyValue.uuid)
      case "NSURL": scalar.string.flatMap(URL.init(string:)).map(PropertyValue.uri)
      case "NSData": scalar.string.flatMap { Data(base64Encoded: $0) }.map(PropertyValue.data)
      case "Class": scalar.string.map(PropertyValue.string)
      default: nil
      }
    guard let result else { throw InvalidPredicateError.badCast(value, to: type) }
    return .value(result)
  }

  /// Returns the value's `description`: 1 or 0 for a Boolean, and only the digits for a whole
  /// number.
  package static func string(of value: PropertyValue) -> String {
    switch value {
    case .bool(let truth): return truth ? "1" : "0"
    case .double(let number): return withoutZero(number.description)
    case .null, .int, .string, .date, .decimal, .uuid, .uri, .data, .object, .list:
      return value.description
    }
  }

  /// Returns a number's digits without `.0`.
  static func withoutZero(_ digits: String) -> String {
    digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
  }

  /// Returns a date.
  ///
  /// A number counts seconds since 2001, and a string is in ISO 8601 format.
  private static func date(of value: PropertyValue) -> Date? {
    if let date = value.date { return date }
    if let text = value.string {
      if let date = try? Date(text, strategy: .iso8601) { return date }
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      return try? Date(text, strategy: style)
    }
    return PredicateArithmetic.Number(.value(value)).map {
      Date(timeIntervalSinceReferenceDate: $0.double)
    }
  }

  private static func number(of value: PropertyValue) -> PropertyValue? {
    switch value {
    case .int, .double, .decimal, .bool: value
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    case .string(let text):
      Int64(text).map(PropertyValue.int) ?? Double(text).map(PropertyValue.double)
    case .null, .uuid, .uri, .data, .object, .list: nil
    }
  }

  private static func decimal(of value: PropertyValue) -> Decimal? {
    switch value {
    case .decimal(let number): number
    case .int(let number): Decimal(number)
    case .double(let number): Decimal(wholeText: number.description)
    case .string(let text): text == "NaN" ? .nan : Decimal(string: text)
    case .null, .bool, .date, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// Returns what `intValue` and `doubleValue` return: the number at the start of a string, or 0.
  static func number(
    of value: PropertyValue, asInteger: Bool
  ) throws(InvalidPredicateError) -> PredicateValue {
    let number: Double
    if let text = value.string {
      let digits = text.drop(while: \.isWhitespace).prefix { "+-0123456789.eE".contains($0) }
      number = (digits as Substring).longestNumber
    } else if let scalar = PredicateArithmetic.Number(.value(value)) {
      if asInteger, case .int = scalar { return scalar.value }
      number = scalar.double
    } else {
      throw InvalidPredicateError.notNumber(
        .value(value), in: asInteger ? "intValue" : "doubleValue")
    }
    guard asInteger else { return .value(.double(number)) }
    return .value(.int(Int64(exactly: number.rounded(.towardZero)) ?? 0))
  }
}

extension Substring {
  fileprivate var longestNumber: Double {
    var text = self
    while !text.isEmpty {
      if let number = Double(text) { return number }
      text.removeLast()
    }
    return 0
  }
}
