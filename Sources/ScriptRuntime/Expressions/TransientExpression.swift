import FetchedResults
import ScriptSyntax

/// What computes a transient attribute: an expression of a script.
///
/// Unchecked, since an entity's expressions must be sendable: one is only ever
/// evaluated for an object, and an object, its context and the interpreter
/// whose session they are of belong to one thread.
private struct TransientExpression: @unchecked Sendable {
  weak var interpreter: Interpreter?
  let expression: ExpressionSyntax
  let source: SourceText

  func value(of object: ObjectValues) -> Value {
    interpreter?.value(of: expression, for: object, in: source) ?? .null
  }
}

extension Interpreter {
  /// Makes an expression in which bare names are an object's.
  func transientExpression(_ expression: ExpressionSyntax) -> AttributeExpression {
    let transient = TransientExpression(interpreter: self, expression: expression, source: source)
    return AttributeExpression(source.formattedText(in: expression.range, after: "expect ")) {
      transient.value(of: $0)
    }
  }

  /// Evaluates an expression for an object, in the context that it is seen in:
  /// that need not be the one whose statement runs.
  ///
  /// It runs where no error can be thrown; the first is kept until the
  /// statement ends.
  fileprivate func value(
    of expression: ExpressionSyntax, for object: ObjectValues, in source: SourceText
  ) -> Value {
    let outer = (source: self.source, updated: updated, depth: transientDepth)
    self.source = source
    updated = .values(object)
    transientDepth += 1
    defer {
      self.source = outer.source
      updated = outer.updated
      transientDepth = outer.depth
    }
    do throws(ScriptError) {
      guard transientDepth <= Self.deepestTransient else {
        throw failure(.transientTooDeep(Self.deepestTransient), expression.range)
      }
      return try onContext(object.managedObjectContext ?? session.context) {
        () throws(ScriptError) in try scalar(expression)
      }
    } catch {
      if callbackError == nil { callbackError = error }
      return .null
    }
  }

  /// How deep transient attributes may be made of one another.
  private static var deepestTransient: Int { 64 }
}
