/// A part of the text that is either a predicate or a value.
struct PredicateTerm {
  var content: Content
  /// The height of its tree.
  var height: Int
  /// The range of its text, including parentheses.
  var range: Range<Int>

  enum Content {
    case predicate(PredicateTree)
    case operand(OperandTree)
  }
}
