import Basics
import PredicateSyntax

/// All messages of predicate errors. Those in capitals are Apple's, word for word.
extension InvalidPredicateError {
  // MARK: Parsing

  static func unparsable(_ format: String, _ error: PredicateSyntaxError) -> Self {
    let before = Array(format.utf8)[..<error.range.lowerBound]
    let column = String(decoding: before, as: UTF8.self).count + 1
    let message =
      if case .unknownFunction(let name, _) = error.kind {
        "Unable to parse function name '\(name)' into supported selector (\(name)) "
      } else {
        "Unable to parse the format string \"\(format)\""
      }
    return Self(
      message: message, reason: "\(error) (column \(column))", range: error.range)
  }

  static let insufficientArguments = Self(
    message: "Insufficient arguments for conversion characters specified in format string.")

  static func badKeyPath(_ value: PropertyValue, format: String, range: Range<Int>) -> Self {
    Self(
      message: "Unable to parse the format string \"\(format)\"",
      reason: "'%K' takes a key path, not \(value.quotedDescription)", range: range)
  }

  // MARK: Names

  static func unknownKey(
    _ key: String, path: String, of owner: EntityDescription, in entity: EntityDescription,
    operators: [String], range: Range<Int>
  ) -> Self {
    // A transient property exists, but a store cannot read it.
    let isTransient = owner.propertyIndex(named: key) != nil
    return Self(
      message: "keypath \(path) not found in entity \(entity.name)",
      reason: isTransient ? reasonOfTransientKey(key) : nil,
      range: range,
      unknownKey: isTransient
        ? nil
        : UnknownKey(
          key: key, entity: owner.name, candidates: owner.propertyNames + operators))
  }

  static func reasonOfTransientKey(_ key: String) -> String {
    "'\(key)' is transient, and a store does not have it"
  }

  /// The error as a reason in the words for models; an unknown key with those that there are.
  var reasonOfModel: String {
    guard let unknownKey else { return description }
    let known = unknownKey.candidates.filter { !$0.hasPrefix("@") }.map { "'\($0)'" }
    return "\(unknownKey.entity) has no property '\(unknownKey.key)'; "
      + (nearestName(to: unknownKey.key, among: unknownKey.candidates)
        .map { "did you mean '\($0)'?" } ?? "it has \(known.joined(separator: ", "))")
  }

  static func toManyKey(range: Range<Int>) -> Self {
    Self(
      message: "to-many key not allowed here",
      reason: "it gives many values; say ANY or ALL, or end it with an operator such as @count",
      range: range)
  }

  /// - Parameter candidates: The existing keys, if they are known.
  static func notCodingCompliant(_ key: String, candidates: [String] = []) -> Self {
    let near = nearestName(to: key, among: candidates)
    let known = candidates.map { "'\($0)'" }.joined(separator: ", ")
    return Self(
      message: "this class is not key value coding-compliant for the key \(key).",
      reason: near.map { "did you mean '\($0)'?" }
        ?? (candidates.isEmpty ? nil : "such a value has the keys \(known)"))
  }

  static func unboundVariable(_ name: String, range: Range<Int>) -> Self {
    Self(message: "Can't get value for '\(name)' in bindings { }.", range: range)
  }

  // MARK: Comparing

  static func notComparable(_ left: PredicateValue, _ right: PredicateValue) -> Self {
    Self(
      message:
        "Can't compare \(left.quotedDescription) and \(right.quotedDescription) by order")
  }

  static func notStrings(_ left: PredicateValue, _ right: PredicateValue) -> Self {
    Self(
      message: "Can't do a substring operation with something that isn't a string "
        + "(lhs = \(left) rhs = \(right))")
  }

  static func notCollection(_ value: PredicateValue) -> Self {
    Self(message: "Can't use in/contains operator with collection \(value) (not a collection)")
  }

  static let modifierNeedsCollection = Self(
    message:
      "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet.")

  static func badBounds(_ value: PredicateValue) -> Self {
    Self(message: "Can't use BETWEEN with \(value): expected a list of two values")
  }

  static func badPattern(
    _ pattern: String, code: String, string: String, ignoresCase: Bool
  ) -> Self {
    Self(
      message: "Can't do regex matching, reason: Can't open pattern \(code) "
        + "(string \(string), pattern \(pattern), case \(ignoresCase ? 1 : 0), canon 0)")
  }

  // MARK: Stopping

  /// Throws if the evaluation is to stop.
  ///
  /// - Parameter steps: How many elements were processed since the last call.
  @inline(__always)
  static func checkStop(after steps: Int = 1) throws(InvalidPredicateError) {
    if StopCheck.isWanted(after: steps) { throw stopped }
  }

  // MARK: Computing

  static func notNumber(_ value: PredicateValue, in function: String) -> Self {
    Self(message: "Can't compute \(function) with \(value.quotedDescription): not a number")
  }

  static func notString(_ value: PredicateValue, in function: String) -> Self {
    Self(message: "Can't compute \(function) with \(value.quotedDescription): not a string")
  }

  /// The evaluation was stopped; see ``StopCheck``.
  static let stopped = Self(message: "the evaluation was stopped")

  static let divisionByZero = Self(message: "Can't divide by zero")

  static func needsCollection(_ value: PredicateValue, for name: String) -> Self {
    Self(message: "Can't use \(name) with \(value.quotedDescription): not a collection")
  }

  static func needsKey(_ name: String) -> Self {
    Self(message: "Can't use \(name) without a key after it")
  }

  static func nilInUnion(_ name: String) -> Self {
    Self(message: "Can't use \(name) where a value is nil")
  }

  static func outOfBounds(_ index: Int64, count: Int) -> Self {
    let bounds = count == 0 ? "for empty array" : "[0 .. \(count - 1)]"
    return Self(message: "index \(index) beyond bounds \(bounds)")
  }

  static func badIndex(_ index: PredicateValue, of base: PredicateValue) -> Self {
    Self(message: "Can't take element \(index.quotedDescription) of \(base.quotedDescription)")
  }

  /// An index after an attribute, which has one value.
  static func hasNoElements(
    _ path: String, _ type: AttributeType, for index: OperandTree.Index
  ) -> Self {
    let write =
      switch (type, index) {
      case (.string, .size): "write '\(path).length' for its number of characters"
      case (.string, .first), (.string, .at):
        "write '\(path) BEGINSWITH \"a\"' for how it begins"
      case (.string, .last): "write '\(path) ENDSWITH \"a\"' for how it ends"
      case (.integer16, _), (.integer32, _), (.integer64, _), (.double, _), (.float, _),
        (.decimal, _), (.boolean, _), (.date, _), (.uuid, _), (.uri, _), (.binaryData, _):
        "write only '\(path)'"
      }
    let kind = type.isNumeric ? "number" : type.rawValue
    return Self(
      message: "'\(path)' is a \(kind), not a list, so it has no \(index.text); \(write)")
  }

  /// An index after a path that leads to one object.
  static func hasNoElements(
    _ path: String, _ entity: String, for index: OperandTree.Index
  ) -> Self {
    Self(
      message: "'\(path)' leads to one \(entity), not to a list, so it has no \(index.text); "
        + "write only '\(path)'")
  }

  static func badCast(_ value: PredicateValue, to type: String) -> Self {
    Self(message: "Can't cast \(value.quotedDescription) to \(type)")
  }

  static func unsupportedSelector(_ selector: String, range: Range<Int>) -> Self {
    Self(message: "unsupported selector '\(selector)' in FUNCTION", range: range)
  }

  static func unsupportedFunction(_ name: String) -> Self {
    Self(message: "Unsupported function expression \(name)")
  }
}

extension OperandTree.Index {
  /// As it is written.
  fileprivate var text: String {
    switch self {
    case .first: "[FIRST]"
    case .last: "[LAST]"
    case .size: "[SIZE]"
    case .at(let place): if case .integer(let number) = place.kind { "[\(number)]" } else { "[…]" }
    }
  }
}
