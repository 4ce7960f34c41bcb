import FetchedResults
import ScriptSyntax

/// The expression in a script that computes a transient attribute.
///
/// The conformance is unchecked because an entity's expressions must be sendable. It is only
/// evaluated for an object, and the object, its context and the evaluator belong to the same
/// thread.
struct TransientExpression: @unchecked Sendable {
  private weak var evaluator: Evaluator?
  private let expression: PreparedExpression
  private let source: SourceText

  init(_ expression: ExpressionSyntax, in source: SourceText, _ evaluator: Evaluator) {
    self.expression = evaluator.prepare(expression)
    self.source = source
    self.evaluator = evaluator
  }

  /// The expression in the form in which an attribute keeps it.
  ///
  /// Bare names in it refer to an object's properties.
  var attributeExpression: AttributeExpression {
    AttributeExpression(source.formattedText(in: expression.range, after: "expect ")) { object in
      evaluator?.value(of: expression, for: object, in: source) ?? .null
    }
  }
}
