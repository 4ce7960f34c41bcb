import FetchedResults
import Foundation
import PredicateSyntax

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let sign: OperandTree.ArithmeticOperator =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default:
        throw PredicateTranslationError("\(op)", "the format language has no such operation")
      }
    return .operand(
      .make(.arithmetic(try translator.operand(lhs), sign, try translator.operand(rhs))))
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(.make(.arithmetic(try translator.operand(lhs), .divide, try translator.operand(rhs))))
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(.make(.arithmetic(try translator.operand(lhs), .divide, try translator.operand(rhs))))
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(
      .make(
        .function(
          "modulus:by:", [try translator.operand(lhs), try translator.operand(rhs)])))
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(.make(.negation(try translator.operand(wrapped))))
  }
}
