import FetchedResults
import PredicateSyntax
import ScriptSyntax

extension Interpreter {
  /// `evaluate PREDICATE on OBJECT`.
  func evaluate(
    _ syntax: EmbeddedPredicate, on expression: ExpressionSyntax
  ) throws(ScriptError) {
    let object = try object(expression)
    let predicate = try predicate(syntax, on: object.entity)
    let evidence = try locating(syntax.range) {
      try predicate.evidence(for: object.values, environment: session.context.environment)
    }
    emit(
      .evaluation(
        ShownEvaluation(
          object: object.objectID, parts: evidence.map { ShownEvaluation.Part($0, in: syntax) })))
  }
}

extension ShownEvaluation.Part {
  fileprivate init(_ evidence: PredicateEvidence, in syntax: EmbeddedPredicate) {
    depth = evidence.depth
    predicate = syntax.text(of: evidence.part)
    outcome = evidence.outcome.mapError { ShownEvaluation.Failure(message: "\($0)") }
    operands = evidence.operands.map { operand in
      ShownEvaluation.Operand(
        text: syntax.text(of: operand.expression), value: operand.value,
        collection: operand.collection)
    }
    decider = evidence.decider
  }
}
