/// A part of one of Foundation's predicates for which the format language has no words.
public struct PredicateTranslationError: Error, Hashable, Sendable {
  /// The expression, as Foundation prints it.
  public let expression: String
  /// Why it is refused, and what to write instead.
  public let reason: String

  init(_ expression: String, _ reason: String) {
    self.expression = expression
    self.reason = reason
  }
}

extension PredicateTranslationError: CustomStringConvertible {
  /// The expression and the reason.
  public var description: String { "cannot fetch by \(expression): \(reason)" }
}
