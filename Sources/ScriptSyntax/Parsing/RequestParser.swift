/// Reads requests and their clauses.
struct RequestParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// Parses a request after the statement's word, which is also taken.
  func parseAfterWord(
    _ clauses: ClauseWords = .ofFetches
  ) throws(SyntaxError) -> RequestSyntax {
    cursor.advance()
    return try parse(clauses)
  }

  /// Parses the request after `fetch`, which is also taken.
  func parseFetch() throws(SyntaxError) -> RequestSyntax {
    cursor.advance()
    return try parse(.ofFetches, from: .fetchedSource)
  }

  /// `SOURCE [CLAUSES]`.
  ///
  /// - Parameters:
  ///   - clauses: The clauses that may begin a line.
  ///   - source: What the request may be about, for the notes.
  func parse(
    _ clauses: ClauseWords = .ofFetches, from source: CursorPlace.Want = .source
  ) throws(SyntaxError) -> RequestSyntax {
    try cursor.withClauses(clauses) { () throws(SyntaxError) in
      try parseWholeRequest(from: source)
    }
  }

  private func parseWholeRequest(
    from wanted: CursorPlace.Want
  ) throws(SyntaxError) -> RequestSyntax {
    cursor.skipLineEndsAtPrompt()
    cursor.note(wanted)
    cursor.marks.sources.insert(cursor.token.range.lowerBound)
    let source = try cursor.expectName(.name(of: "an entity, a request or a controller"))
    let isExact = cursor.isAtSelf
    if isExact {
      cursor.advance()
      cursor.advance()
    }
    let clauses = try parseClauses(of: source)
    var request = RequestSyntax(
      source: source, clauses: clauses, range: source.range.lowerBound..<cursor.previousEnd)
    request.isExact = isExact
    return request
  }

  // MARK: Clauses

  /// Clauses in any order, each at most once.
  func parseClauses(of source: Name) throws(SyntaxError) -> RequestClauses {
    var clauses = RequestClauses()
    var seen: Set<ClauseWord> = []
    while cursor.token.kind == .word,
      let word = ClauseWord(firstWord: cursor.text(of: cursor.token))
    {
      let start = cursor.token.range.lowerBound
      if word.isOfObservers, !cursor.clauses.contain(word) {
        throw SyntaxError(.clauseOfObservers(word.rawValue), range: cursor.token.range)
      }
      cursor.advance()
      if let second = word.secondWord { try cursor.expect(word: second) }
      guard seen.insert(word).inserted else {
        throw SyntaxError(.repeatedClause(word.rawValue), range: start..<cursor.previousEnd)
      }
      if let conflict = conflict(in: seen) {
        throw SyntaxError(conflict, range: start..<cursor.previousEnd)
      }
      if word != .distinct, ControllerOption(rawValue: word.rawValue) == nil {
        cursor.skipLineEndsAtPrompt()
      }
      switch word {
      case .where: clauses.predicate = try EmbeddedPredicateParser(cursor).parse(on: source)
      case .sort: clauses.sort = try parseSort(of: source)
      case .section: clauses.section = try parseKeyPath(of: source, after: word.rawValue)
      case .limit: clauses.limit = try ExpressionParser(cursor).parse()
      case .offset: clauses.offset = try ExpressionParser(cursor).parse()
      case .batch: clauses.batch = try ExpressionParser(cursor).parse()
      case .cache: clauses.cache = try ExpressionParser(cursor).parse()
      case .keep, .track:
        if let option = ControllerOption(rawValue: word.rawValue) {
          let start = cursor.previousEnd - (word.secondWord?.utf8.count ?? 0)
          let isOn = try parseSwitch()
          clauses.controllerOptions.append(
            ControllerOptionSyntax(option: option, isOn: isOn, range: start..<cursor.previousEnd))
        }
      case .prefetch:
        clauses.prefetch = try parseKeyPaths(
          of: source, after: word.rawValue, areRelationships: true)
      case .includesPendingChanges, .returnsObjectsAsFaults, .shouldRefreshRefetchedObjects:
        if let option = FetchOption(rawValue: word.rawValue) {
          let range = cursor.token.range
          clauses.options.append(
            FetchOptionSyntax(option: option, isOn: try cursor.expectSwitch(), range: range))
        }
      case .values: clauses.fetchedValues = try parseValues(of: source)
      case .group: clauses.groups = try parseKeyPaths(of: source, after: word.rawValue)
      case .having: clauses.having = try EmbeddedPredicateParser(cursor).parse(on: source)
      case .distinct: clauses.isDistinct = true
      case .returning: clauses.result = try parseResult()
      case .updates: clauses.updates = try cursor.expectWord(.updates)
      }
    }
    noteClauses(besides: seen)
    cursor.requestEnd = cursor.previousEnd
    if let problem = foreignClause { throw problem }
    return clauses
  }

  /// Why a request cannot have these clauses together; nil if it can.
  private func conflict(in clauses: Set<ClauseWord>) -> SyntaxError.Kind? {
    let isOfBatch = cursor.clauses == .ofBatches
    guard isOfBatch || clauses.contains(.returning),
      let clause = ClauseWord.allCases.first(where: {
        $0.givesDictionaries && clauses.contains($0)
      })
    else { return nil }
    return .dictionaries(
      by: clause.rawValue, in: isOfBatch ? "a batch request" : "a request with 'returning'")
  }

  /// The error for `order by`, which SQL uses; nil if it is not here.
  var foreignClause: SyntaxError? {
    guard cursor.token.kind == .word,
      let clause = ForeignWord.clause(for: cursor.text(of: cursor.token))
    else {
      return nil
    }
    let next = cursor.peek()
    guard next.kind == .word, cursor.text(of: next).lowercased() == "by" else { return nil }
    let range = cursor.token.range.lowerBound..<next.range.upperBound
    return SyntaxError(
      .unknown(.clause, cursor.source.text(in: range), suggestion: clause), range: range)
  }

  /// Records the clauses that may still follow, if the cursor is here or at the start of the next
  /// line.
  private func noteClauses(besides seen: Set<ClauseWord>) {
    guard let notes = cursor.notes,
      cursor.isCursor(cursor.token.kind == .lineEnd ? cursor.peek() : cursor.token)
    else { return }
    for clause in ClauseWord.allCases where !seen.contains(clause) {
      if clause.isOfObservers, !cursor.clauses.contain(clause) { continue }
      if conflict(in: seen.union([clause])) != nil { continue }
      notes.add(.word(clause.rawValue), by: cursor)
    }
  }

  /// `on` or `off`; true if neither is here.
  private func parseSwitch() throws(SyntaxError) -> Bool {
    guard cursor.isAt(word: "on") || cursor.isAt(word: "off") else { return true }
    return try cursor.expectSwitch()
  }

  private func parseSort(of source: Name) throws(SyntaxError) -> [SortSyntax] {
    var keys: [SortSyntax] = []
    repeat {
      if !keys.isEmpty { cursor.skipLineEnd() }
      let keyPath = try parseKeyPath(of: source, after: keys.isEmpty ? "sort by" : ",")
      var isAscending = true
      if cursor.isAt(word: "asc") || cursor.isAt(word: "desc") {
        isAscending = cursor.isAt(word: "asc")
        cursor.advance()
      } else if cursor.token.kind == .word,
        let word = ForeignWord.direction(for: cursor.text(of: cursor.token))
      {
        throw SyntaxError(
          .unknown(.sortDirection, cursor.text(of: cursor.token), suggestion: word),
          range: cursor.token.range)
      }
      let selector = cursor.take(word: "using") ? try parseSelector() : .binary
      keys.append(SortSyntax(keyPath: keyPath, isAscending: isAscending, selector: selector))
    } while isAtAnotherSortKey && cursor.take(.comma)
    return keys
  }

  // MARK: Results that are not objects

  private func parseKeyPaths(
    of source: Name, after word: String, areRelationships: Bool = false
  ) throws(SyntaxError) -> [Name] {
    var keys: [Name] = []
    repeat {
      if !keys.isEmpty { cursor.skipLineEnd() }
      keys.append(
        try parseKeyPath(
          of: source, after: keys.isEmpty ? word : ",", isOfRelationships: areRelationships))
    } while isAtAnotherSortKey && cursor.take(.comma)
    return keys
  }

  /// `publisher, sum(pages) as total`.
  private func parseValues(of source: Name) throws(SyntaxError) -> [FetchedValueSyntax] {
    var values: [FetchedValueSyntax] = []
    repeat {
      if !values.isEmpty { cursor.skipLineEnd() }
      values.append(try parseValue(of: source, after: values.isEmpty ? "values" : ","))
    } while isAtAnotherSortKey && cursor.take(.comma)
    return values
  }

  private func parseValue(
    of source: Name, after word: String
  ) throws(SyntaxError) -> FetchedValueSyntax {
    var function: FetchedValueSyntax.Function?
    for name in FetchedValueSyntax.Function.allCases.map(\.rawValue) { cursor.note(word: name) }
    if cursor.token.kind == .word, cursor.peek().kind == .punctuator(.leftParenthesis) {
      let name = cursor.takeName()
      function = FetchedValueSyntax.Function(rawValue: name.text)
      if function == nil {
        let names = FetchedValueSyntax.Function.allCases.map(\.rawValue)
        throw .unknown(.aggregate, name, among: names)
      }
      cursor.marks.attachedBrackets.insert(cursor.token.range.lowerBound)
      cursor.advance()
    }
    let keyPath = try parseKeyPath(of: source, after: function?.rawValue ?? word)
    if function != nil { try cursor.expect(.rightParenthesis) }
    guard cursor.take(word: "as") else {
      return FetchedValueSyntax(function: function, keyPath: keyPath, alias: nil)
    }
    return FetchedValueSyntax(
      function: function, keyPath: keyPath, alias: try cursor.expectName(.name(of: "a value")))
  }

  /// Takes `returning …`; returns nil if it is not here.
  func takeResult() throws(SyntaxError) -> RequestResult? {
    cursor.take(word: ClauseWord.returning.rawValue) ? try cursor.expectWord(.result) : nil
  }

  /// Takes the word after `returning` in a request.
  private func parseResult() throws(SyntaxError) -> RequestResult {
    if cursor.clauses == .ofBatches { return try cursor.expectWord(.result) }
    let word = RequestResult.statusOnly.rawValue
    if cursor.token.kind == .word, cursor.isText(word, of: cursor.token) {
      throw SyntaxError(.resultOfBatches(word), range: cursor.token.range)
    }
    return try cursor.expectWord(
      .result, among: RequestResult.allCases.filter { $0 != .statusOnly })
  }

  /// Whether the comma here belongs to the sort, and not to the list of values that contains the
  /// request: `insert Book(author: fetch Author sort by name, pages: 3)`.
  private var isAtAnotherSortKey: Bool {
    guard cursor.isAt(.comma) else { return false }
    let next = cursor.peek()
    return next.kind != .word || !cursor.lexer.isNamed(after: next.range.upperBound)
      || cursor.lexer.byte(at: next.range.upperBound) == Byte.dot
  }

  private func parseSelector() throws(SyntaxError) -> SortSyntax.Selector {
    let selectors = SortSyntax.Selector.allCases.filter { $0 != .binary }.map(\.rawValue)
    let word = try cursor.expectName(.oneOf(selectors))
    guard let selector = SortSyntax.Selector(rawValue: word.text), selector != .binary else {
      throw .unknown(.sortSelector, word, among: selectors)
    }
    return selector
  }

  /// `name`, `author.name`, `books.@count`.
  private func parseKeyPath(
    of source: Name, after word: String, isOfRelationships: Bool = false
  ) throws(SyntaxError) -> Name {
    cursor.skipLineEndsAtPrompt()
    cursor.note(
      isOfRelationships
        ? .relationship(of: source.text, after: []) : .attribute(of: source.text, .key))
    var name = try cursor.expectName(.keyPath(after: word))
    while cursor.take(.dot) {
      let prefix = cursor.take(.at) ? ".@" : "."
      if cursor.notes != nil {
        let keys = name.text.split(separator: ".").map(String.init)
        cursor.note(
          isOfRelationships
            ? .relationship(of: source.text, after: keys)
            : .key(of: source.text, after: keys, isOperator: prefix == ".@"))
      }
      let key = try cursor.expectName(.keyPath(after: "."))
      name = Name(
        name.text + prefix + key.text, range: name.range.lowerBound..<key.range.upperBound)
    }
    return name
  }
}
