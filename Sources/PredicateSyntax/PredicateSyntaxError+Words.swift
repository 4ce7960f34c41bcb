extension PredicateSyntaxError: CustomStringConvertible {
  /// The fault in words, without its place.
  package var description: String { kind.description }
}

extension PredicateSyntaxError.Kind: CustomStringConvertible {
  /// The fault in words: lower case, no full stop, names in single quotes.
  package var description: String {
    switch self {
    case .host(let words): words
    case .unexpectedEnd(let expected): "expected \(expected), but the text ends here"
    case .unterminatedString(let quote): "the string has no closing \(quote)"
    case .expected(let expected, let found): "expected \(expected), found \(found)"
    case .missingComparison(let operand, let found):
      "expected a comparison operator behind '\(operand)', found \(found)"
    case .predicateAsOperand: "expected a value, found a predicate in parentheses"
    case .unknownOperator(let name, let near): "unknown operator '\(name)'" + suggestion(near)
    case .unknownOption(let letter):
      "unknown option '\(letter)'; expected letters of 'c', 'd', 'n', 'l'"
    case .unknownCollectionOperator(let name, let near):
      "unknown collection operator '@\(name)'" + suggestion(near.map { "@" + $0 })
    case .optionsNotAllowed(let name): "'\(name)' takes no options"
    case .reservedWord(let word):
      "expected a value, found the reserved word '\(word)'; an attribute of that name is '#\(word)'"
    case .unknownFunction(let name, let near): "unknown function '\(name)'" + suggestion(near)
    case .wrongArgumentCount(let function, let expected, let found):
      "'\(function)' takes \(counted(expected)), found \(found)"
    case .malformedNumber(let text): "'\(text)' is not a number"
    case .numberTooLarge(let text): "the number '\(text)' is too large"
    case .invalidEscape(let text): "'\(text)' stands for no character"
    case .unknownEscape(let character):
      "unknown escape '\\\(character)'; it stands for '\(character)'"
    case .unknownConversion(let text):
      "unknown conversion '\(text)'; expected '%@', '%K' or a number such as '%d'"
    case .argumentInScript(let text):
      "'\(text)' has no argument here; write a value or '$' and a variable's name"
    case .tooDeep(let limit): "the predicate is nested deeper than \(limit) levels"
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
    case .predicate: "a predicate"
    case .operand: "a value"
    case .comparison: "a comparison"
    case .logicalOperator: "AND, OR or the end"
    case .key: "a key"
    case .collectionOperator: "a collection operator such as '@count'"
    case .conversion: "a conversion such as '%@'"
    case .variable: "a variable such as '$x'"
    case .option: "an option letter"
    case .symbol(let text): "'\(text)'"
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
