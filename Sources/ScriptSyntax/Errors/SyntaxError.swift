package import PredicateSyntax

/// An error in the text of a script, with its place.
package struct SyntaxError: Error, Hashable, Sendable {
  package var kind: Kind
  package var range: Range<Int>

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  /// The kind of error, as data; `description` has the message.
  package enum Kind: Hashable, Sendable {
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
    case unknown(Family, String, suggestion: String?)
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
  package enum Expectation: Hashable, Sendable {
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
  package enum Found: Hashable, Sendable {
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
      .unknownStatement, .valueAlone, .absent, .clauseAlone, .assignmentToVariable, .notAssignable,
      .strayCloser, .tooDeep, .tooLong, .notUTF8, .unknownCharacter, .commentWithoutBlank,
      .foreignComment, .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge,
      .malformedDate, .noSuchDate, .unknown, .lowercaseEntity, .repeatedClause, .repeatedCallback,
      .repeatedPart, .notInExtension, .wrongOperator, .chainedComparison, .wrongSeparator:
      false
    }
  }
}
