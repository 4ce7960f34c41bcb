/// A part of a Foundation predicate that cannot be written in the format language.
public struct PredicateTranslationError: Error, Hashable, Sendable {
  /// The expression, in Foundation's description.
  public let expression: String
  /// Why it cannot be translated, and what to write instead.
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
