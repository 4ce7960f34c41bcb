import FetchedResults
import Foundation
import PredicateSyntax

extension PredicateExpressions.Value: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    if let range = value as? any BoundedRange {
      guard let lower = PredicateConstant.value(of: range.lower),
        let upper = PredicateConstant.value(of: range.upper)
      else { throw PredicateTranslationError("\(value)", "no attribute holds its bounds") }
      return .range(
        translator.argument(lower), translator.argument(upper), isClosed: range.isClosed)
    }
    guard let constant = PredicateConstant.value(of: value) else {
      throw PredicateTranslationError(
        "\(value)", "no attribute holds values of type \(Output.self)")
    }
    if case .list(let elements) = constant { return .list(elements.map(translator.argument)) }
    return .operand(translator.argument(constant))
  }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression { .operand(.make(.null)) }
}

/// Converts Swift values to constants of a predicate.
enum PredicateConstant {
  /// Returns the value in the form that an attribute holds; nil if no attribute can hold it.
  static func value(of any: Any) -> PropertyValue? {
    if let argument = any as? any PredicateArgument { return argument.predicateValue }
    if let character = any as? Character { return .string(String(character)) }
    if let text = any as? Substring { return .string(String(text)) }
    if let optional = any as? any AnyOptional {
      guard let wrapped = optional.anyWrapped else { return .null }
      return value(of: wrapped)
    }
    if let raw = any as? any RawRepresentable { return value(of: raw.rawValue) }
    if let sequence = any as? any Sequence { return list(sequence) }
    return nil
  }

  private static func list(_ sequence: some Sequence) -> PropertyValue? {
    var values: [PropertyValue] = []
    for element in sequence {
      guard let value = value(of: element) else { return nil }
      values.append(value)
    }
    return .list(values)
  }
}

/// An optional of any type.
private protocol AnyOptional {
  var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var anyWrapped: Any? { map { $0 as Any } }
}

/// A range with two bounds.
private protocol BoundedRange {
  var lower: Any { get }
  var upper: Any { get }
  var isClosed: Bool { get }
}

extension Range: BoundedRange {
  fileprivate var lower: Any { lowerBound }
  fileprivate var upper: Any { upperBound }
  fileprivate var isClosed: Bool { false }
}

extension ClosedRange: BoundedRange {
  fileprivate var lower: Any { lowerBound }
  fileprivate var upper: Any { upperBound }
  fileprivate var isClosed: Bool { true }
}
