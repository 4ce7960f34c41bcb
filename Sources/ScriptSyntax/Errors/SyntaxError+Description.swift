import PredicateSyntax

extension SyntaxError {
  /// The error as a message with its place.
  package var diagnostic: Diagnostic {
    Diagnostic(
      severity: kind.severity, message: kind.description, range: range,
      replacement: kind.replacement)
  }
}

extension SyntaxError.Kind {
  package var severity: Diagnostic.Severity {
    if case .unknownEscape = self { .warning } else { .error }
  }
}

extension SyntaxError.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .expected(let expectation, .endOfSource):
      "expected \(expectation), but the text ends here"
    case .expected(let expectation, let found): "expected \(expectation), found \(found)"
    case .unexpected(let found): "unexpected \(found)"
    case .unexpectedAfterPredicate(let found, let suggestion):
      "expected AND, OR, a clause or the end, found \(found)" + Self.hint(suggestion)
    case .unexpectedAfterRequest(let found, let suggestion):
      "expected a clause or the end, found \(found)" + Self.hint(suggestion)
    case .unknownStatement(let word, let suggestion):
      "unknown statement '\(word)'" + Self.hint(suggestion)
    case .valueAlone(nil):
      "a value is not a statement in a script; write 'print' before it"
    case .valueAlone(let statement): "this call is not a statement" + Self.use(statement)
    case .absent(let feature):
      "frc has no \(feature.rawValue); \(feature.nearest). Documentation/Rules.md lists what frc does not have"
    case .clauseAlone(let word): "'\(word)' is a part of a request; write 'fetch Book \(word) …'"
    case .assignmentToVariable(let name): "a variable is set with 'let \(name) = …'"
    case .notAssignable: "only an attribute can be set, as in 'book.title = …'"
    case .unclosed(let closer, let opener, _): "missing '\(closer)' for this '\(opener)'"
    case .strayCloser(let closer): "unexpected '\(closer)'; nothing is open here"
    case .tooDeep(let limit): "nested more than \(limit) levels deep"
    case .tooLong(let limit): "more than \(limit) operators in one expression"
    case .notUTF8: "the text is not UTF-8 here"
    case .unknownCharacter(let character, let instead):
      "unexpected character \(character)" + Self.use(instead)
    case .commentWithoutBlank: "a comment after a statement begins with ' # '"
    case .foreignComment(let found): "a comment begins with '#', not with '\(found)'"
    case .unterminatedString(let quote): "the string has no closing \(quote)"
    case .unknownEscape(let character):
      "unknown escape '\\\(character)'; it means '\(character)'"
    case .invalidEscape(let text): "'\(text)' is not a character"
    case .malformedNumber(let text): "'\(text)' is not a number"
    case .numberTooLarge(let text): "the number '\(text)' is too large"
    case .malformedDate(let text):
      "'\(text)' is not a date; dates are written '@2026-11-21' or '@2026-11-21T09:30:00Z'"
    case .noSuchDate(let text): "the calendar has no '\(text)'"
    case .unknown(let family, let word, let suggestion):
      "unknown \(family.rawValue) '\(word)'" + Self.hint(suggestion)
    case .lowercaseEntity(let name, let suggestion):
      "an entity's name begins with a capital letter, '\(name)' does not"
        + Self.hint(suggestion)
    case .repeatedClause(let word): "clause '\(word)' given twice"
    case .repeatedCallback(let word): "callback '\(word)' given twice"
    case .repeatedPart(let word): "'\(word)' given twice"
    case .notInExtension(let word):
      "'\(word)' cannot be in the block of an extension; write it before the block"
    case .wrongOperator(let found, let instead):
      "unexpected '\(found)' in an expression" + Self.use(instead)
    case .chainedComparison: "comparisons cannot be chained; join them with 'AND'"
    case .wrongSeparator(let attribute, let found, let instead):
      "unexpected '\(found)' after '\(attribute)'" + Self.use(instead)
    case .predicate(let kind): kind.description
    }
  }

  private static func hint(_ suggestion: String?) -> String {
    suggestion.map { "; did you mean '\($0)'?" } ?? ""
  }

  private static func use(_ instead: String?) -> String {
    instead.map { "; use '\($0)'" } ?? ""
  }
}

extension SyntaxError.Expectation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .value: "a value"
    case .predicate: "a predicate"
    case .statement: "a statement"
    case .name(let owner): "the name of \(owner)"
    case .keyPath(let word): "a key path after '\(word)'"
    case .type: "a type"
    case .clause: "a clause such as 'where' or 'sort by'"
    case .oneOf(let texts): Self.list(texts)
    }
  }

  /// A list of alternatives: `'a'`, `'a' or 'b'`, `'a', 'b' or 'c'`.
  private static func list(_ texts: [String]) -> String {
    let quoted = texts.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}

extension SyntaxError.Found: CustomStringConvertible {
  package var description: String {
    switch self {
    case .text(let text): "'\(text)'"
    case .string: "a string"
    case .endOfLine: "the end of the line"
    case .endOfSource: "the end of the text"
    }
  }
}
