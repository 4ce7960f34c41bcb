/// What only the parser knows of a text's tokens, kept for the formatter.
package struct SourceMarks: Sendable {
  /// Where statements and the parts of blocks begin.
  var starts: Set<Int> = []
  /// Where the sources of requests begin; what continues a request is under its source.
  var sources: Set<Int> = []
  /// Brackets that belong to the operand before them: of arguments, indices.
  var attachedBrackets: Set<Int> = []
  /// Signs before an operand.
  var prefixSigns: Set<Int> = []
  /// Where each string ends, by where it begins; one with interpolations may
  /// reach over several lines.
  var strings: [Int: Int] = [:]
  /// Texts with a grammar of their own, ascending: predicates, locales.
  var foreign: [Range<Int>] = []
}
