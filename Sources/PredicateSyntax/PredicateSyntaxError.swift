/// An error in the text of a predicate, and where.
package struct PredicateSyntaxError: Error, Hashable, Sendable {
  package var kind: Kind
  package var range: Range<Int>

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  /// What is wrong, as data; `description` has the words.
  package enum Kind: Hashable, Sendable {
    /// An error found by the host in text of its own, in the host's words.
    case host(String)
    /// The text ends where more must follow; a prompt can ask for it.
    case unexpectedEnd(expected: Expectation)
    case unterminatedString(quote: Character)
    /// `'JR's'`: letters right after a string that has ended too early.
    case quoteInString(Character)
    case expected(Expectation, found: Found)
    /// An expression was found where a predicate is expected: `age`, `age * 25`.
    case missingComparison(operand: String, found: Found)
    /// A predicate in parentheses was found where a value is expected.
    case predicateAsOperand
    /// A value was found where a list is expected: `BETWEEN 1 AND 5`, `IN 1, 2`.
    case needsList(operator: String, found: String)
    case unknownOperator(String, suggestion: String?)
    case unknownOption(String)
    /// The name carries no `@`.
    case unknownCollectionOperator(String, suggestion: String?)
    case optionsNotAllowed(String)
    /// A word of the language was found where a key is expected.
    case reservedWord(String)
    /// The name carries its colons.
    case unknownFunction(String, suggestion: String?)
    case wrongArgumentCount(function: String, expected: Int, found: Int)
    case malformedNumber(String)
    case numberTooLarge(String)
    /// `\u{110000}`, a lone surrogate, or `\u` without four digits.
    case invalidEscape(String)
    /// A warning: the character means itself.
    case unknownEscape(Character)
    case unknownConversion(String)
    /// `%@` if there is no list of arguments.
    case argumentInScript(String)
    case tooDeep(limit: Int)
  }

  /// What the parser was looking for.
  package enum Expectation: Hashable, Sendable {
    case predicate
    case operand
    case comparison
    case logicalOperator
    case key
    case collectionOperator
    case conversion
    case variable
    case option
    /// This very text: `)`, `,`.
    case symbol(String)
    /// One more element of a list, or the bracket that closes it.
    case commaOr(String)
  }

  /// What the parser met.
  package enum Found: Hashable, Sendable {
    case text(String)
    case endOfLine
    case endOfText
  }
}

extension PredicateSyntaxError.Kind {
  /// Whether the text is right as far as it goes, and only ends too early.
  package var isUnfinished: Bool {
    switch self {
    case .unexpectedEnd, .unterminatedString: true
    case .host, .quoteInString, .expected, .missingComparison, .predicateAsOperand, .needsList,
      .unknownOperator, .unknownOption, .unknownCollectionOperator, .optionsNotAllowed,
      .reservedWord,
      .unknownFunction, .wrongArgumentCount, .malformedNumber, .numberTooLarge, .invalidEscape,
      .unknownEscape, .unknownConversion, .argumentInScript, .tooDeep:
      false
    }
  }
}
