public import Foundation

// Apple's Foundation brings this expression; the one for other systems does not.
#if !canImport(Darwin)
extension PredicateExpressions {
  /// Whether a string has another one in it, without regard to case and diacritics.
  public struct StringLocalizedStandardContains<Root, Other>: PredicateExpression
  where
    Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol,
    Other.Output: StringProtocol
  {
    /// A truth value.
    public typealias Output = Bool

    /// The string that is searched.
    public let root: Root
    /// The string that is searched for.
    public let other: Other

    /// Creates the expression.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Searches the string.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
    }
  }

  // The macro of Foundation's says what the function is called.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// What `#Predicate` writes for `localizedStandardContains`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}
#endif
