/// A language that contains predicates, and that adds values of its own.
///
/// The parser asks its host at the start of each operand. So a script's dates, objects and
/// interpolated strings are in a predicate as arguments, and this module knows none of them.
package protocol PredicateHost: AnyObject {
  /// Returns the argument that begins at `offset`, or nil if the text there is the predicate
  /// language's own.
  ///
  /// - Parameters:
  ///   - source: The whole source in UTF-8.
  ///   - offset: Where an operand begins, in bytes.
  /// - Returns: The argument's index and the offset after its text.
  /// - Throws: A ``PredicateSyntaxError/Kind/host(_:)`` if the host's own text is wrong.
  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)?

  /// Receives something odd that is not an error, such as an unknown escape.
  func warn(_ warning: PredicateSyntaxError)
}

extension PredicateHost {
  /// Does nothing.
  package func warn(_: PredicateSyntaxError) {}
}
