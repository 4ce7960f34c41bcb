/// An error in the text of a predicate, with its place.
package struct PredicateSyntaxError: Error, Equatable, Sendable {
  package var kind: Kind
  package var range: Range<Int>

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  /// The kind of error; its `description` is the message.
  package enum Kind: Equatable, Sendable {
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
  package enum Expectation: Equatable, Sendable {
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
  package enum Found: Equatable, Sendable {
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

extension PredicateSyntaxError: CustomStringConvertible {
  /// The error's message, without its place.
  package var description: String { kind.description }
}

extension PredicateSyntaxError.Kind: CustomStringConvertible {
  /// The error's message: lower case, no full stop, names in single quotes.
  package var description: String {
    switch self {
    case .host(let words): words
    case .unexpectedEnd(let expected): "expected \(expected), but the text ends here"
    case .unterminatedString(let quote): "the string has no closing \(quote)"
    case .quoteInString(let quote):
      "the string ends at this \(quote); inside a string it is written \\\(quote)"
    case .expected(let expected, let found):
      "expected \(expected), found \(found)" + advice(found, afterValue: false)
    case .missingComparison(let operand, let found):
      "expected a comparison operator after '\(operand.onOneLine)', found \(found)"
        + advice(found, afterValue: true)
    case .predicateAsOperand: "expected a value, found a predicate in parentheses"
    case .needsList(let name, let found):
      "'\(name)' takes a list in braces, such as {1, 2}, found '\(found)'"
    case .unknownOperator(let name, let near): "unknown operator '\(name)'" + suggestion(near)
    case .unknownOption(let letter):
      "unknown option '\(letter)'; expected letters of 'c', 'd', 'n', 'l'"
    case .unknownCollectionOperator(let name, let near):
      "unknown collection operator '@\(name)'" + suggestion(near.map { "@" + $0 })
    case .optionsNotAllowed(let name): "'\(name)' takes no options"
    case .reservedWord(let word):
      "expected a value, found the reserved word '\(word)'; an attribute of that name is '#\(word)'"
    case .unknownFunction(let name, let near):
      "unknown function '\(name)'"
        + (near == nil ? "; the functions are NSExpression's, such as 'sum:'" : suggestion(near))
    case .wrongArgumentCount(let function, let expected, let found):
      "'\(function)' takes \(counted(expected)), found \(found)"
    case .malformedNumber(let text): "'\(text)' is not a number"
    case .numberTooLarge(let text): "the number '\(text)' is too large"
    case .invalidEscape(let text): "'\(text)' is not a character"
    case .unknownEscape(let character):
      "unknown escape '\\\(character)'; it means '\(character)'"
    case .unknownConversion(let text):
      "unknown conversion '\(text)'; expected '%@', '%K' or a number such as '%d'"
    case .argumentInScript(let text):
      "'\(text)' has no argument here; write a value or '$' and a variable's name"
    case .tooDeep(let limit): "the predicate is nested deeper than \(limit) levels"
    }
  }

  /// Returns how to write a construct that other languages write differently.
  private func advice(
    _ found: PredicateSyntaxError.Found, afterValue: Bool
  ) -> String {
    guard case .text(let text) = found else { return "" }
    switch text {
    case "[" where !afterValue, "," where afterValue: return "; a list is written {1, 2}"
    case "“", "”", "„", "«", "»", "‘", "’": return "; write strings in \"…\" or '…'"
    case "%" where afterValue: return "; a remainder is 'modulus:by:(a, b)'"
    case _ where afterValue && text.uppercased() == "NOT":
      return "; write NOT before the whole comparison"
    default: return ""
    }
  }

  private func suggestion(_ name: String?) -> String {
    name.map { "; did you mean '\($0)'?" } ?? ""
  }

  private func counted(_ count: Int) -> String {
    switch count {
    case 0: "no arguments"
    case 1: "1 argument"
    default: "\(count) arguments"
    }
  }
}

extension PredicateSyntaxError.Expectation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .operand: "a value"
    case .comparison: "a comparison"
    case .logicalOperator: "AND, OR or the end"
    case .key: "a key"
    case .collectionOperator: "a collection operator such as '@count'"
    case .conversion: "a conversion such as '%@'"
    case .variable: "a variable such as '$x'"
    case .option: "an option letter"
    case .symbol(let text): "'\(text)'"
    case .commaOr(let text): "',' or '\(text)'"
    }
  }
}

extension PredicateSyntaxError.Found: CustomStringConvertible {
  package var description: String {
    switch self {
    case .text(let text): "'\(text)'"
    case .endOfLine: "the end of the line"
    case .endOfText: "the end of the text"
    }
  }
}

extension String {
  /// The text on one line, because a message has only one.
  fileprivate var onOneLine: String {
    guard contains(where: \.isNewline) else { return self }
    return split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
