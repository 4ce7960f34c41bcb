import FetchedResults
import PredicateSyntax
import ScriptSyntax

extension EmbeddedPredicate {
  /// Returns a part of the predicate in its normal form, with values as the script writes them.
  func text(of part: PredicateTree) -> String {
    part.normalForm(argument: argument, keepsWords: true)
  }

  /// Returns an expression of the predicate, without the text inside a SUBQUERY.
  func text(of expression: OperandTree) -> String {
    expression.rewritten { operand in
      guard case .subquery = operand.kind else { return nil }
      let rest = OperandTree(.argument(-1), range: operand.range)
      return OperandTree(.function("SUBQUERY", [rest]), range: operand.range)
    }.normalForm(argument: argument, keepsWords: true)
  }

  private func argument(_ index: Int) -> String {
    arguments.indices.contains(index) ? arguments[index].description : "…"
  }
}
