/// A language that contains predicates, and adds its own values.
///
/// The parser asks the host at the start of each operand. So a script's dates, objects and
/// interpolated strings become arguments of the predicate, and this module does not need to know
/// them.
package protocol PredicateHost: AnyObject {
  /// Returns the argument that begins at `offset`; nil if the text there belongs to the predicate
  /// language.
  ///
  /// - Parameters:
  ///   - source: The whole source in UTF-8.
  ///   - offset: The start of an operand, in bytes.
  /// - Returns: The argument's index and the offset after its text.
  /// - Throws: A ``PredicateSyntaxError/Kind/host(_:)`` if the host's own text has an error.
  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)?

  /// Receives a warning, such as about an unknown escape.
  func warn(_ warning: PredicateSyntaxError)
}

extension PredicateHost {
  /// Does nothing.
  package func warn(_: PredicateSyntaxError) {}
}
