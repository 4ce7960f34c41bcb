/// Information about a text's tokens that only the parser has, for the formatter.
package struct SourceMarks: Sendable {
  /// The offsets where statements and the parts of blocks begin.
  var starts: Set<Int> = []
  /// The offsets where the sources of requests begin.
  ///
  /// Lines that continue a request are indented to its source.
  var sources: Set<Int> = []
  /// Brackets that belong to the operand before them: arguments and indices.
  var attachedBrackets: Set<Int> = []
  /// Signs before an operand.
  var prefixSigns: Set<Int> = []
  /// For the start of each string, its end.
  ///
  /// A string with interpolations may extend over several lines.
  var strings: [Int: Int] = [:]
  /// Texts with a grammar of their own, ascending: predicates and locales.
  var foreign: [Range<Int>] = []
}
