/// A predicate that cannot be parsed, resolved or evaluated.
public struct PredicateError: Error, Hashable, Sendable {
  /// What is wrong, in words; Apple's where Apple raises an exception.
  public let message: String

  package init(message: String) { self.message = message }
}

extension PredicateError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
