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
