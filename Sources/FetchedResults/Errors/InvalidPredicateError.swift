public import Foundation

/// A predicate that cannot be parsed, resolved or evaluated.
public struct InvalidPredicateError: Error, Hashable, Sendable {
  /// A description of the error, in Apple's words where Apple raises an exception.
  public let message: String
  /// More details, such as what the parser expected.
  public let reason: String?
  /// The error's place in UTF-8 bytes, in the format string or in the script that contains the
  /// predicate; nil if it has no place.
  public let range: Range<Int>?
  /// The unknown key, if that is the error.
  public let unknownKey: UnknownKey?

  package init(
    message: String, reason: String? = nil, range: Range<Int>? = nil,
    unknownKey: UnknownKey? = nil
  ) {
    self.message = message
    self.reason = reason
    self.range = range
    self.unknownKey = unknownKey
  }

  /// A key that an entity does not have.
  public struct UnknownKey: Hashable, Sendable {
    /// The key as it was written.
    public let key: String
    /// The entity's name.
    public let entity: String
    /// The keys that the entity has, in order of declaration.
    public let candidates: [String]
  }
}

extension InvalidPredicateError {
  /// Returns the same error with a place, if it has none yet.
  func located(at place: Range<Int>) -> Self {
    guard range == nil else { return self }
    return Self(message: message, reason: reason, range: place, unknownKey: unknownKey)
  }
}

extension InvalidPredicateError: CustomStringConvertible {
  /// The message, and the reason if there is one.
  public var description: String {
    guard let reason else { return message }
    return (message.hasSuffix(".") ? String(message.dropLast()) : message) + ", reason: " + reason
  }
}

extension InvalidPredicateError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}
