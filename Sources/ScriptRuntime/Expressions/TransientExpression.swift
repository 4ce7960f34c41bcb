import FetchedResults
import ScriptSyntax

/// What computes a transient attribute: an expression of a script.
///
/// Unchecked, since an entity's expressions must be sendable: one is only ever
/// evaluated for an object, and an object, its context and the evaluator
/// whose session they are of belong to one thread.
struct TransientExpression: @unchecked Sendable {
  private weak var evaluator: Evaluator?
  private let expression: PreparedExpression
  private let source: SourceText

  init(_ expression: ExpressionSyntax, in source: SourceText, _ evaluator: Evaluator) {
    self.expression = evaluator.prepare(expression)
    self.source = source
    self.evaluator = evaluator
  }

  /// The expression as an attribute has it; bare names in it are an object's.
  var attributeExpression: AttributeExpression {
    AttributeExpression(source.formattedText(in: expression.range, after: "expect ")) { object in
      evaluator?.value(of: expression, for: object, in: source) ?? .null
    }
  }
}
