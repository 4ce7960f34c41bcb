import FetchedResults
import Foundation
import PredicateSyntax

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
