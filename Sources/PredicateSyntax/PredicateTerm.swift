/// What was read where either a predicate or a value may be.
struct PredicateTerm {
  var content: Content
  /// How high its tree is.
  var height: Int
  /// Its text, parentheses included.
  var range: Range<Int>

  enum Content {
    case predicate(PredicateTree)
    case operand(OperandTree)
  }
}
