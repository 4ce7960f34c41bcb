import PredicateSyntax

extension SyntaxError.Kind {
  /// The text that can replace the error's range; nil if it is unknown.
  var replacement: String? {
    switch self {
    case .unknownStatement(_, let suggestion), .unknown(_, _, let suggestion): suggestion
    // The second word of the clause is already there.
    case .unexpectedAfterPredicate(_, let suggestion), .unexpectedAfterRequest(_, let suggestion):
      suggestion?.split(separator: " ").first.map(String.init)
    case .lowercaseEntity(_, let suggestion): suggestion
    case .unknownCharacter(_, let instead): instead
    case .valueAlone(let statement): statement
    case .commentWithoutBlank: "# "
    // A comment that ends with `*/` would need more changes.
    case .foreignComment(let found): found == "//" ? "#" : nil
    case .wrongOperator(_, let instead): instead
    case .wrongSeparator(_, _, let instead): instead.count == 1 ? instead : nil
    case .predicate(.unknownOperator(_, let suggestion)): suggestion
    case .predicate(.unknownCollectionOperator(_, let suggestion)): suggestion.map { "@" + $0 }
    case .predicate, .expected, .unexpected, .absent, .clauseAlone, .assignmentToVariable,
      .notAssignable, .unclosed, .strayCloser, .tooDeep, .tooLong, .notUTF8, .unterminatedString,
      .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge, .malformedDate,
      .noSuchDate, .repeatedClause, .repeatedCallback, .repeatedPart, .notInExtension,
      .chainedComparison:
      nil
    }
  }
}
