import FetchedResults
import Foundation
import PredicateSyntax

extension PredicateExpressions.Equal: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .condition(
      try translator.equality(try translator.translate(lhs), try translator.translate(rhs)))
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let (left, right) = (try translator.translate(lhs), try translator.translate(rhs))
    guard case .operand(let a) = left, case .operand(let b) = right else {
      return .condition(try translator.equality(left, right).negated)
    }
    return .condition(.comparing(a, .notEqual, b))
  }
}

extension PredicateTranslator {
  /// Returns a condition that two expressions are equal, or that both are nil.
  fileprivate func equality(
    _ left: TranslatedExpression, _ right: TranslatedExpression
  ) throws(PredicateTranslationError) -> PredicateTree {
    switch (left, right) {
    case (.condition(let a), .condition(let b)): return .same(a, b)
    case (.condition(let a), .operand(let b)), (.operand(let b), .condition(let a)):
      if b.isNull { return .constant(false) }
      if let truth = b.truth { return .same(a, .constant(truth)) }
      return .any(
        .all(a, .comparing(b, .equal, .truth(true))),
        .all(a.negated, .comparing(b, .equal, .truth(false))))
    case (.optionalCondition(let isNil, let a), .operand(let b)),
      (.operand(let b), .optionalCondition(let isNil, let a)):
      if b.isNull { return isNil }
      if let truth = b.truth { return .all(isNil.negated, .same(a, .constant(truth))) }
      return .any(
        .all(isNil, .isNull(b)),
        .all(isNil.negated, a, .comparing(b, .equal, .truth(true))),
        .all(isNil.negated, a.negated, .comparing(b, .equal, .truth(false))))
    case (.optionalCondition(let isNil, let a), .condition(let b)),
      (.condition(let b), .optionalCondition(let isNil, let a)):
      return .all(isNil.negated, .same(a, b))
    case (.optionalCondition(let aIsNil, let a), .optionalCondition(let bIsNil, let b)):
      return .any(.all(aIsNil, bIsNil), .all(aIsNil.negated, bIsNil.negated, .same(a, b)))
    case (.operand(let a), .operand(let b)): return .comparing(a, .equal, b)
    case (.list, _), (_, .list), (.range, _), (_, .range):
      throw PredicateTranslationError(
        "a comparison with a list or a range", "ask with contains what it contains")
    }
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let comparator: PredicateTree.Comparator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default:
        throw PredicateTranslationError("\(op)", "the format language has no such operation")
      }
    return .condition(
      .comparing(try translator.operand(lhs), comparator, try translator.operand(rhs)))
  }
}

extension PredicateExpressions.Range: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .range(try translator.operand(lower), try translator.operand(upper), isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .range(try translator.operand(lower), try translator.operand(upper), isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let value = try translator.operand(element)
    guard case .range(let lower, let upper, let isClosed) = try translator.translate(range) else {
      throw PredicateTranslationError("\(range)", "a range needs two ends")
    }
    return .condition(
      .all(
        .comparing(value, .greaterOrEqual, lower),
        .comparing(value, isClosed ? .lessOrEqual : .less, upper)))
  }
}

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .condition(.all(try translator.condition(lhs), try translator.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .condition(.any(try translator.condition(lhs), try translator.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .condition(try translator.condition(wrapped).negated)
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let test = try translator.condition(test)
    let (yes, no) = (try translator.translate(trueBranch), try translator.translate(falseBranch))
    if Output.self == Bool.self, let yes = yes.condition, let no = no.condition {
      return .condition(.any(.all(test, yes), .all(test.negated, no)))
    }
    guard let yes = yes.operand, let no = no.operand else {
      throw PredicateTranslationError("\(self)", "the format language cannot choose a range")
    }
    return .operand(.make(.ternary(test, yes, no)))
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let left = try translator.translate(lhs)
    if case .optionalCondition(let isNil, let tree) = left {
      return .condition(
        .any(.all(isNil, try translator.condition(rhs)), .all(isNil.negated, tree)))
    }
    guard let value = left.operand else {
      throw PredicateTranslationError("\(self)", "a range is never nil")
    }
    let fallback = try translator.operand(rhs)
    return .operand(.make(.ternary(.isNull(value), fallback, value)))
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let value = try translator.operand(wrapped)
    translator.bind(variable.key, to: value)
    let isNil = PredicateTree.isNull(value)
    switch try translator.translate(transform) {
    case .condition(let tree): return .optionalCondition(isNil: isNil, tree)
    case .optionalCondition(let inner, let tree):
      return .optionalCondition(isNil: .any(isNil, inner), tree)
    case .operand(let operand) where operand.isKeyPath: return .operand(operand)
    case .operand(let operand):
      return .operand(.make(.ternary(isNil, .make(.null), operand)))
    case .range, .list:
      throw PredicateTranslationError("\(self)", "the format language has no optional lists")
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let value = try translator.translate(inner)
    guard case .optionalCondition(let isNil, let tree) = value else { return value }
    return .condition(.all(isNil.negated, tree))
  }
}

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
