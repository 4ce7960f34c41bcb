/// An error in the text of a predicate, with its place.
package struct PredicateSyntaxError: Error, Hashable, Sendable {
  package var kind: Kind
  package var range: Range<Int>

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  /// The kind of error; its `description` is the message.
  package enum Kind: Hashable, Sendable {
    /// An error in the host's own text, with the host's message.
    case host(String)
    /// The text ends too early. A prompt can ask for the rest.
    case unexpectedEnd(expected: Expectation)
    case unterminatedString(quote: Character)
    /// Letters directly after a string that ended too early: `'JR's'`.
    case quoteInString(Character)
    case expected(Expectation, found: Found)
    /// An expression without a comparison where a predicate is expected: `age`, `age * 25`.
    case missingComparison(operand: String, found: Found)
    /// A predicate in parentheses where a value is expected.
    case predicateAsOperand
    /// A single value where a list is expected: `BETWEEN 1 AND 5`, `IN 1, 2`.
    case needsList(operator: String, found: String)
    case unknownOperator(String, suggestion: String?)
    case unknownOption(String)
    /// An unknown collection operator. The name does not include `@`.
    case unknownCollectionOperator(String, suggestion: String?)
    case optionsNotAllowed(String)
    /// A reserved word where a key is expected.
    case reservedWord(String)
    /// An unknown function. The name includes its colons.
    case unknownFunction(String, suggestion: String?)
    case wrongArgumentCount(function: String, expected: Int, found: Int)
    case malformedNumber(String)
    case numberTooLarge(String)
    /// An invalid escape: `\u{110000}`, a lone surrogate, or `\u` without four digits.
    case invalidEscape(String)
    /// A warning about an escaped character that needs no escape.
    case unknownEscape(Character)
    case unknownConversion(String)
    /// A `%@` in a script, which has no list of arguments.
    case argumentInScript(String)
    case tooDeep(limit: Int)
  }

  /// What the parser expected.
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
    /// Exactly this text, such as `)` or `,`.
    case symbol(String)
    /// Another element of a list, or the bracket that closes it.
    case commaOr(String)
  }

  /// What the parser found.
  package enum Found: Hashable, Sendable {
    case text(String)
    case endOfLine
    case endOfText
  }
}

extension PredicateSyntaxError.Kind {
  /// Whether the text is correct so far, and only ends too early.
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
