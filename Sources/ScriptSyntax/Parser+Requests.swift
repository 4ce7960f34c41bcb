import PredicateSyntax

extension Parser {
  /// A request behind the statement's word, which is taken.
  mutating func parseRequestBehindWord() throws(SyntaxError) -> RequestSyntax {
    advance()
    return try parseRequest()
  }

  /// `SOURCE [CLAUSES]`.
  ///
  /// - Parameter clauses: Those that may begin a line.
  mutating func parseRequest(
    _ clauses: ClauseWords = .ofFetches
  ) throws(SyntaxError) -> RequestSyntax {
    try withClauses(clauses) { parser throws(SyntaxError) in try parser.parseWholeRequest() }
  }

  private mutating func parseWholeRequest() throws(SyntaxError) -> RequestSyntax {
    skipLineEndsAtPrompt()
    note(.source)
    marks.sources.insert(token.range.lowerBound)
    let source = try expectName(.name(of: "an entity, a request or a controller"))
    let isExact = isAtSelf
    if isExact {
      advance()
      advance()
    }
    let clauses = try parseClauses(of: source)
    var request = RequestSyntax(
      source: source, clauses: clauses, range: source.range.lowerBound..<previousEnd)
    request.isExact = isExact
    return request
  }

  /// Whether `.self` stands here.
  private var isAtSelf: Bool { isAt(.dot) && isText("self", of: peek()) }

  /// Whether `.self` stands behind a token, in front of the end or of a clause.
  func isSelf(behind token: Token) -> Bool {
    let dot = self.token(after: token.range.upperBound)
    let word = self.token(after: dot.range.upperBound)
    return dot.kind == .punctuator(.dot) && isText("self", of: word)
  }

  /// `request NAME = REQUEST`, and the same for a controller.
  mutating func parseDefinition(_ word: StatementWord) throws(SyntaxError) -> Statement.Kind {
    advance()
    let name = try expectName(.name(of: "the \(word.rawValue)"))
    skipLineEndsAtPrompt()
    try expect(.assign)
    skipLineEndBehindAssignment()
    if word == .request, isText("stored", of: token), peek().kind == .quote {
      advance()
      return .storedRequest(name, try parseExpression())
    }
    let request = try parseRequest(.all)
    return word == .request ? .request(name, request) : .controller(name, request)
  }

  mutating func parseChange() throws(SyntaxError) -> Statement.Kind {
    advance()
    skipLineEndsAtPrompt()
    note(.controller)
    marks.sources.insert(token.range.lowerBound)
    return try withClauses(.all) { parser throws(SyntaxError) in
      let name = try parser.expectName(.name(of: "a controller"))
      parser.skipLineEndsAtPrompt()
      let clauses = try parser.parseClauses(of: name)
      guard !clauses.isEmpty else { throw parser.expected(.clause) }
      return .change(name, clauses)
    }
  }

  mutating func parseDelegate() throws(SyntaxError) -> Statement.Kind {
    advance()
    skipLineEndsAtPrompt()
    note(.controller)
    let controller = try expectName(.name(of: "a controller"))
    skipLineEndsAtPrompt()
    if isAt(.leftBrace) { return .ownDelegate(controller, try parseCallbacks(of: controller)) }
    let modes = Statement.DelegateMode.allCases.map(\.rawValue)
    let word = try expectName(.oneOf(modes + ["{"]))
    guard let mode = Statement.DelegateMode(rawValue: word.text) else {
      throw SyntaxError(
        .unknown(.delegateMode, word.text, suggestion: nearestName(to: word.text, among: modes)),
        range: word.range)
    }
    return .delegate(controller, mode)
  }

  /// `{ didChangeObject { … } sectionIndexTitle name { … } }`.
  private mutating func parseCallbacks(
    of controller: Name
  ) throws(SyntaxError) -> [CallbackSyntax] {
    try open(.leftBrace)
    var callbacks: [CallbackSyntax] = []
    while true {
      while token.kind == .lineEnd || isAt(.semicolon) { advance() }
      guard !isAt(.rightBrace), token.kind != .end else { break }
      marks.starts.insert(token.range.lowerBound)
      let callback = try parseCallback(of: controller)
      guard !callbacks.contains(where: { $0.callback == callback.callback }) else {
        throw SyntaxError(.repeatedCallback(callback.callback.rawValue), range: callback.range)
      }
      callbacks.append(callback)
    }
    try close()
    return callbacks
  }

  private mutating func parseCallback(
    of controller: Name
  ) throws(SyntaxError) -> CallbackSyntax {
    let names = CallbackSyntax.Callback.allCases.map(\.rawValue)
    let word = try expectName(.oneOf(names))
    guard let callback = CallbackSyntax.Callback(rawValue: word.text) else {
      throw SyntaxError(
        .unknown(.callback, word.text, suggestion: nearestName(to: word.text, among: names)),
        range: word.range)
    }
    var parameter: Name?
    if callback == .sectionIndexTitle {
      parameter = try expectName(.name(of: "the section's name"))
    }
    let outer = locals
    locals += callback.locals(ofController: controller.text, parameter: parameter?.text)
    self.callback = callback
    let body = try parseBlock()
    self.callback = nil
    locals = outer
    return CallbackSyntax(
      callback: callback, parameter: parameter, body: body,
      range: word.range.lowerBound..<previousEnd)
  }

  /// `evaluate PREDICATE on OBJECT`.
  mutating func parseEvaluate() throws(SyntaxError) -> Statement.Kind {
    let word = takeName()
    skipLineEndsAtPrompt()
    // Which entity the predicate is about is said behind it only.
    let predicate = try parsePredicate(on: Name("", range: word.range))
    skipLineEndsAtPrompt()
    note(.word("on"))
    try expect(word: "on")
    skipLineEndsAtPrompt()
    return .evaluate(predicate, on: try parseExpression())
  }

  // MARK: Clauses

  /// Clauses in any order, each at most once.
  private mutating func parseClauses(of source: Name) throws(SyntaxError) -> RequestClauses {
    var clauses = RequestClauses()
    var seen: Set<ClauseWord> = []
    while token.kind == .word, let word = ClauseWord(firstWord: text(of: token)) {
      let start = token.range.lowerBound
      advance()
      if word.needsBy { try expect(word: "by") }
      guard seen.insert(word).inserted else {
        throw SyntaxError(.repeatedClause(word.rawValue), range: start..<previousEnd)
      }
      skipLineEndsAtPrompt()
      switch word {
      case .where: clauses.predicate = try parsePredicate(on: source)
      case .sort: clauses.sort = try parseSort(of: source)
      case .section: clauses.section = try parseKeyPath(of: source, behind: word.rawValue)
      case .limit: clauses.limit = try parseExpression()
      case .offset: clauses.offset = try parseExpression()
      case .batch: clauses.batch = try parseExpression()
      case .cache: clauses.cache = try parseExpression()
      }
    }
    noteClauses(besides: seen)
    requestEnd = previousEnd
    if let fault = foreignClause { throw fault }
    return clauses
  }

  /// The error for `order by`, as SQL has it, where that stands here.
  var foreignClause: SyntaxError? {
    guard token.kind == .word, let clause = ForeignWord.clause(for: text(of: token)) else {
      return nil
    }
    let next = peek()
    guard next.kind == .word, text(of: next).lowercased() == "by" else { return nil }
    let range = token.range.lowerBound..<next.range.upperBound
    return SyntaxError(
      .unknown(.clause, source.text(in: range), suggestion: clause), range: range)
  }

  /// Notes the clauses that may still come, where the cursor is here or at the
  /// start of the next line.
  private func noteClauses(besides seen: Set<ClauseWord>) {
    guard let notes, isCursor(token.kind == .lineEnd ? peek() : token) else { return }
    for clause in ClauseWord.allCases where !seen.contains(clause) {
      notes.add(.word(clause.rawValue), by: self)
    }
  }

  private mutating func parseSort(of source: Name) throws(SyntaxError) -> [SortSyntax] {
    var keys: [SortSyntax] = []
    repeat {
      if !keys.isEmpty { skipLineEnd() }
      let keyPath = try parseKeyPath(of: source, behind: keys.isEmpty ? "sort by" : ",")
      var isAscending = true
      if isAt(word: "asc") || isAt(word: "desc") {
        isAscending = isAt(word: "asc")
        advance()
      } else if token.kind == .word, let word = ForeignWord.direction(for: text(of: token)) {
        throw SyntaxError(
          .unknown(.sortDirection, text(of: token), suggestion: word), range: token.range)
      }
      let selector = take(word: "using") ? try parseSelector() : .binary
      keys.append(SortSyntax(keyPath: keyPath, isAscending: isAscending, selector: selector))
    } while isAtAnotherSortKey && take(.comma)
    return keys
  }

  /// Whether the comma here belongs to the sort, not to the list of values that
  /// the request stands in: `insert Book(author: fetch Author sort by name, pages: 3)`.
  private var isAtAnotherSortKey: Bool {
    guard isAt(.comma) else { return false }
    let next = peek()
    return next.kind != .word || !lexer.isNamed(behind: next.range.upperBound)
      || lexer.byte(at: next.range.upperBound) == Byte.dot
  }

  private mutating func parseSelector() throws(SyntaxError) -> SortSyntax.Selector {
    let selectors = SortSyntax.Selector.allCases.filter { $0 != .binary }.map(\.rawValue)
    let word = try expectName(.oneOf(selectors))
    guard let selector = SortSyntax.Selector(rawValue: word.text), selector != .binary else {
      throw SyntaxError(
        .unknown(
          .sortSelector, word.text, suggestion: nearestName(to: word.text, among: selectors)),
        range: word.range)
    }
    return selector
  }

  /// `name`, `author.name`, `books.@count`.
  private mutating func parseKeyPath(
    of source: Name, behind word: String
  ) throws(SyntaxError) -> Name {
    skipLineEndsAtPrompt()
    note(.attribute(of: source.text, .key))
    var name = try expectName(.keyPath(after: word))
    while take(.dot) {
      let prefix = take(.at) ? ".@" : "."
      let key = try expectName(.keyPath(after: "."))
      name = Name(
        name.text + prefix + key.text, range: name.range.lowerBound..<key.range.upperBound)
    }
    return name
  }

  // MARK: Predicates

  private mutating func parsePredicate(
    on source: Name
  ) throws(SyntaxError) -> EmbeddedPredicate {
    guard !token.endsStatement else { throw expected(.predicate) }
    let start = token.range.lowerBound
    let host = EmbeddedValues(self, subject: source)
    let bytes = lineEndsCount ? self.source.bytes : flattenedSource()
    do throws(PredicateSyntaxError) {
      let (tree, end) = try PredicateParser.parseEmbedded(in: bytes, from: start, host: host)
      diagnostics += host.warnings
      marks.foreign.append(start..<end)
      marks.strings.merge(host.strings) { $1 }
      resume(at: end)
      predicateEnd = previousEnd
      for word in ["AND", "OR"] { note(word: word) }
      return EmbeddedPredicate(tree: tree, arguments: host.arguments, range: start..<end)
    } catch {
      diagnostics += host.warnings
      note(error)
      let fault = host.fault ?? SyntaxError(.predicate(error.kind), range: error.range)
      skipPredicate(to: fault)
      throw fault
    }
  }

  /// Notes what stands between two values of a predicate, where the cursor is
  /// the first thing that the predicate cannot take.
  private func note(_ error: PredicateSyntaxError) {
    guard let notes, notes.offset == error.range.lowerBound, notes.wants.isEmpty,
      lexer.byte(at: notes.offset - 1) != UInt8(ascii: "[")
    else { return }
    switch error.kind {
    case .expected(.symbol, _): for word in ["AND", "OR"] { notes.add(.word(word), by: self) }
    case .expected(.commaOr, _): break
    case .host, .unexpectedEnd, .unterminatedString, .quoteInString, .expected,
      .missingComparison, .predicateAsOperand, .needsList, .unknownOperator, .unknownOption,
      .unknownCollectionOperator, .optionsNotAllowed, .reservedWord, .unknownFunction,
      .wrongArgumentCount, .malformedNumber, .numberTooLarge, .invalidEscape, .unknownEscape,
      .unknownConversion, .argumentInScript, .tooDeep:
      notes.add(.comparison, by: self)
    }
  }

  /// Moves to a fault in a predicate, past lines and into brackets, so that the
  /// end of the statement is looked for behind it.
  private mutating func skipPredicate(to fault: SyntaxError) {
    lineEndsCount = true
    while token.kind != .end, token.range.upperBound <= fault.range.lowerBound {
      switch token.kind {
      case .quote:
        let quote = source.bytes[token.range.lowerBound]
        resume(at: lexer.endOfString(from: token.range.upperBound, quote: quote).offset)
        continue
      case .punctuator(let sign):
        if let closer = sign.closer {
          brackets.append(
            Bracket(
              text: sign.rawValue, closer: closer, offset: token.range.lowerBound,
              outerLineEndsCount: true))
        } else if sign == brackets.last?.closer {
          brackets.removeLast()
        }
      case .word, .variable, .number, .malformedNumber, .date, .unknown, .lineEnd, .end: break
      }
      advance()
    }
  }

  /// The source with blanks in place of line ends and comments.
  ///
  /// Inside the script's brackets line ends do not count, and the parser of
  /// predicates knows nothing of those.
  private mutating func flattenedSource() -> [UInt8] {
    if let flatSource { return flatSource }
    var bytes = source.bytes
    var offset = 0
    while offset < bytes.count {
      let next = lexer.skipBlanks(from: offset).end
      for index in offset..<next { bytes[index] = UInt8(ascii: " ") }
      guard let byte = lexer.byte(at: next) else { break }
      offset = next + 1
      if byte == Byte.doubleQuote || byte == Byte.singleQuote {
        offset = lexer.endOfString(from: offset, quote: byte).offset
      }
    }
    flatSource = bytes
    return bytes
  }
}
