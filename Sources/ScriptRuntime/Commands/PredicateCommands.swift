import FetchedResults
import PredicateSyntax
import ScriptSyntax

/// `evaluate PREDICATE on OBJECT`: shows the value of each part of the predicate for the object.
struct PredicateCommands {
  let session: Session
  let frames: FrameStack
  let evaluator: Evaluator
  let requests: RequestResolver
  let events: EventEmitter

  func evaluate(
    _ syntax: EmbeddedPredicate, on expression: ExpressionSyntax
  ) throws(ScriptError) {
    let object = try evaluator.object(expression)
    let predicate = try requests.predicate(syntax, on: object.entity)
    let evidence = try frames.locating(syntax.range) {
      try predicate.evidence(for: object.values, environment: session.context.environment)
    }
    events.emit(
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
