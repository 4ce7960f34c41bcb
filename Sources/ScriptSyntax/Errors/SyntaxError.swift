import Basics
package import PredicateSyntax

/// An error in the text of a script, with its place.
package struct SyntaxError: Error, Equatable, Sendable {
  package var kind: Kind
  package var range: Range<Int>

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  /// The kind of error, as data; `description` has the message.
  package enum Kind: Equatable, Sendable {
    case expected(Expectation, found: Found)
    /// Something follows where the statement should end.
    case unexpected(Found)
    /// Something follows where the statement should end or its predicate continue.
    case unexpectedAfterPredicate(Found, suggestion: String?)
    /// Something follows where the statement should end or its request continue.
    case unexpectedAfterRequest(Found, suggestion: String?)

    // Statements
    case unknownStatement(String, suggestion: String?)
    /// An expression where a statement must be. If it is a call of Apple's API, `statement` does
    /// the same here.
    case valueAlone(statement: String?)
    /// A feature of Core Data that scripts do not have.
    case absent(AbsentFeature)
    /// A clause word at the start of a statement.
    case clauseAlone(String)
    case clauseOfObservers(String)
    /// A clause that gives dictionaries, in a request that gives something else.
    case dictionaries(by: String, in: String)
    case resultOfBatches(String)
    /// `x = 3`: a variable is set with `let`.
    case assignmentToVariable(String)
    case notAssignable

    // Brackets
    /// A bracket that is not closed before the end, or before the place where it must be.
    case unclosed(String, opener: String, isAtEnd: Bool)
    case strayCloser(String)
    case tooDeep(limit: Int)
    case tooLong(limit: Int)

    // Literals
    case notUTF8
    case unknownCharacter(String, instead: String?)
    case commentWithoutBlank
    /// A comment with Swift's signs.
    case foreignComment(String)
    case unterminatedString(quote: Character)
    /// A warning: the character after the backslash stands for itself.
    case unknownEscape(Character)
    case invalidEscape(String)
    case malformedNumber(String)
    case numberTooLarge(String)
    case malformedDate(String)
    case noSuchDate(String)

    // Words
    /// A word that is none of a set, with the nearest word, and all of them.
    case unknown(Family, String, suggestion: String?, known: [String] = [])
    /// A name of an entity must begin with a capital letter.
    case lowercaseEntity(String, suggestion: String)
    case repeatedClause(String)
    case repeatedCallback(String)
    case repeatedPart(String)
    /// A statement in an `extension` block that only the app's own process has.
    case notInExtension(String)

    // Signs
    case wrongOperator(String, instead: String)
    case chainedComparison
    /// `title = "x"` in an insert, `title: "x"` in an update.
    case wrongSeparator(attribute: String, found: String, instead: String)

    /// An error in a predicate, found by its parser.
    case predicate(PredicateSyntaxError.Kind)
  }

  /// What a parser expected.
  package enum Expectation: Equatable, Sendable {
    case value
    case predicate
    case statement
    case name(of: String)
    case keyPath(after: String)
    case type
    case clause
    /// One of these signs or words.
    case oneOf([String])
  }

  /// What a parser found.
  package enum Found: Equatable, Sendable {
    case text(String)
    case string
    case endOfLine
    case endOfSource
  }

  /// The sets of fixed words.
  package enum Family: String, Hashable, Sendable {
    case attributeType = "type"
    case deleteRule = "delete rule"
    case setting
    case delegateMode = "delegate mode"
    case quirk
    case callback
    case clause
    case sortDirection = "direction"
    case sortSelector = "comparison"
    case storeType = "store"
    case mergePolicy = "policy"
    case result
    case aggregate = "function of a group"
    case nilRule = "rule for nil"
    case tableMode = "table mode"
    case change
    case reaction
    case updates = "kind of updates"
  }
}

extension SyntaxError.Kind {
  /// Whether a bracket or a string is not closed.
  var isOpen: Bool {
    switch self {
    case .unclosed, .unterminatedString, .predicate(.unterminatedString),
      .predicate(.unexpectedEnd(expected: .symbol)),
      .predicate(.unexpectedEnd(expected: .commaOr)):
      true
    case .predicate, .expected, .unexpected, .unexpectedAfterPredicate, .unexpectedAfterRequest,
      .unknownStatement, .valueAlone, .absent, .clauseAlone, .clauseOfObservers,
      .dictionaries, .resultOfBatches, .assignmentToVariable, .notAssignable,
      .strayCloser, .tooDeep, .tooLong, .notUTF8, .unknownCharacter, .commentWithoutBlank,
      .foreignComment, .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge,
      .malformedDate, .noSuchDate, .unknown, .lowercaseEntity, .repeatedClause, .repeatedCallback,
      .repeatedPart, .notInExtension, .wrongOperator, .chainedComparison, .wrongSeparator:
      false
    }
  }
}

extension SyntaxError {
  /// Returns the error for a name that is none of some words.
  static func unknown(_ family: Family, _ name: Name, among words: [String]) -> SyntaxError {
    let suggestion = nearestName(to: name.text, among: words)
    return SyntaxError(
      .unknown(family, name.text, suggestion: suggestion, known: words), range: name.range)
  }

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
    case .unexpected(.string): "unexpected string"
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
    case .clauseOfObservers(let word):
      "'\(word)' is a part of observers only; write 'observer NAME = Book \(word) …'"
    case .dictionaries(let clause, let request):
      "'\(clause)' gives dictionaries, so it cannot be in \(request)"
    case .resultOfBatches(let word):
      "'\(word)' is a result of batch requests only; write 'objectIDs' or 'count'"
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
    case .unknown(let family, let word, nil, let known) where !known.isEmpty:
      "unknown \(family.rawValue) '\(word)'; expected \(SyntaxError.Expectation.oneOf(known))"
    case .unknown(let family, let word, let suggestion, _):
      "unknown \(family.rawValue) '\(word)'" + Self.hint(suggestion)
    case .lowercaseEntity(let name, let suggestion):
      "an entity's name begins with a capital letter, '\(name)' does not"
        + Self.hint(suggestion)
    case .repeatedClause(let word): "clause '\(word)' given twice"
    case .repeatedCallback(let word): "callback '\(word)' given twice"
    case .repeatedPart(let word): "'\(word)' given twice"
    case .notInExtension("context"):
      "'context' cannot be in the block of an extension, which has only 'main'"
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

extension SyntaxError.Kind {
  /// The text that can replace the error's range; nil if it is unknown.
  var replacement: String? {
    switch self {
    case .unknownStatement(_, let suggestion), .unknown(_, _, let suggestion, _): suggestion
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
    case .predicate, .expected, .unexpected, .absent, .clauseAlone, .clauseOfObservers,
      .dictionaries, .resultOfBatches, .assignmentToVariable, .notAssignable, .unclosed,
      .strayCloser, .tooDeep, .tooLong, .notUTF8, .unterminatedString,
      .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge, .malformedDate,
      .noSuchDate, .repeatedClause, .repeatedCallback, .repeatedPart, .notInExtension,
      .chainedComparison:
      nil
    }
  }
}
