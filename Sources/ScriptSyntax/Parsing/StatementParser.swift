import Basics

/// Reads statements by recursive descent, and continues after errors.
///
/// A function that finds an error throws it. The function that reads a list of statements or
/// properties catches and records the error, and skips to the end of that element.
struct StatementParser {
  let cursor: TokenCursor
  /// Whether `swift` shows the code of the statement, which an observer has, too.
  let isShownAsCode: Bool

  init(_ cursor: TokenCursor, isShownAsCode: Bool = false) {
    self.cursor = cursor
    self.isShownAsCode = isShownAsCode
  }

  /// Reads a whole script.
  func parseScript() -> [Statement] {
    cursor.checkEncoding()
    if cursor.token.kind == .lineEnd { cursor.advance() }
    var statements: [Statement] = []
    while cursor.token.kind != .end {
      parseStatements(into: &statements)
      // Only an unmatched closing brace stops the list early.
      guard cursor.token.kind != .end else { break }
      let brace = cursor.text(of: cursor.token)
      cursor.record(SyntaxError(.strayCloser(brace), range: cursor.token.range))
      cursor.advance()
    }
    cursor.finish()
    return statements
  }

  /// Reads statements up to the end of the text or a `}`.
  func parseStatements(into statements: inout [Statement]) {
    while true {
      while cursor.token.kind == .lineEnd || cursor.isAt(.semicolon) { cursor.advance() }
      if cursor.token.kind == .end || cursor.isAt(.rightBrace) { return }
      cursor.noteStatement()
      let outer = (cursor.brackets.count, cursor.depth, cursor.lineEndsCount)
      cursor.marks.starts.insert(cursor.token.range.lowerBound)
      let hasBlock = StatementWord.blockWords.contains { cursor.isAt(word: $0) }
      do throws(SyntaxError) {
        let statement = try parseStatement()
        guard cursor.token.endsStatement || cursor.isAt(.rightBrace) else { throw unexpectedEnd() }
        statements.append(statement)
      } catch {
        cursor.record(error)
        ErrorRecovery(cursor).recover(
          from: error, brackets: outer.0, depth: outer.1, hasBlock: hasBlock)
        cursor.lineEndsCount = outer.2
      }
    }
  }

  /// Returns the error for a token after a complete statement.
  private func unexpectedEnd() -> SyntaxError {
    if cursor.isAt(.assign) { return cursor.wrongOperator("==") }
    guard cursor.token.kind == .word,
      cursor.previousEnd == cursor.predicateEnd || cursor.previousEnd == cursor.requestEnd
    else {
      return cursor.unexpected()
    }
    if let feature = AbsentFeature(word: cursor.text(of: cursor.token)) {
      return SyntaxError(.absent(feature), range: cursor.token.range)
    }
    let isInPredicate = cursor.previousEnd == cursor.predicateEnd
    let words = (isInPredicate ? ["AND", "OR"] : []) + ClauseWord.allCases.map(\.rawValue)
    let word = cursor.text(of: cursor.token)
    // The first word is enough to find the intended statement.
    let near = nearestName(to: word, among: words.map { $0.prefix { $0 != " " }.description })
    let suggestion = near.flatMap { near in words.first { $0.hasPrefix(near) } }
    return SyntaxError(
      isInPredicate
        ? .unexpectedAfterPredicate(cursor.found, suggestion: suggestion)
        : .unexpectedAfterRequest(cursor.found, suggestion: suggestion),
      range: cursor.token.range)
  }

  func parseStatement() throws(SyntaxError) -> Statement {
    let start = cursor.token.range.lowerBound
    let isPrint = cursor.isAt(word: StatementWord.print.rawValue)
    let takesValues = takesValues
    let kind = try parseKind()
    return Statement(
      kind, range: start..<max(start, cursor.previousEnd),
      keepsResult: takesValues && (kind.isFetch || kind.isPrint && !isPrint))
  }

  /// Whether a value alone is a statement here, as at the prompt outside of blocks.
  ///
  /// Completion offers the words of statements at such a place.
  private var takesValues: Bool {
    cursor.setting == .prompt && cursor.brackets.isEmpty && cursor.notes == nil
  }

  private func parseKind() throws(SyntaxError) -> Statement.Kind {
    guard cursor.token.kind == .word else { return try parseAssignment() }
    let text = cursor.text(of: cursor.token)
    if cursor.lexer.isNamed(after: cursor.token.range.upperBound) { return try parseAssignment() }
    guard let word = StatementWord(rawValue: text) else { return try parseUnknown(text) }
    if word == .count, cursor.peek().kind == .punctuator(.leftParenthesis) {
      return try parseAssignment()
    }
    return try parse(word)
  }

  // MARK: Without a word

  /// Reads a line whose first word begins no statement.
  private func parseUnknown(_ text: String) throws(SyntaxError) -> Statement.Kind {
    switch cursor.peek().kind {
    case .punctuator(.leftBracket): return try parseAssignment()
    case .punctuator(.slash) where cursor.isAtObject: return try parseAssignment()
    case .punctuator(let sign) where sign.isOperator: return try parseAssignment()
    case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown,
      .lineEnd, .end:
      break
    }
    let isLogical =
      ExpressionParser(cursor).isAtNot
      || ["AND", "OR", "and", "or"].contains(cursor.text(of: cursor.peek()))
    if ExpressionParser.literal(text) != nil || takesValues && isLogical {
      return try parseAssignment()
    }
    if let problem = RequestParser(cursor).foreignClause { throw problem }
    if let clause = ClauseWord(firstWord: text) {
      if clause.isOfObservers {
        throw SyntaxError(.clauseOfObservers(clause.rawValue), range: cursor.token.range)
      }
      throw SyntaxError(.clauseAlone(clause.rawValue), range: cursor.token.range)
    }
    if let feature = AbsentFeature(word: text) {
      throw SyntaxError(.absent(feature), range: cursor.token.range)
    }
    if takesValues, cursor.peek().endsStatement { return try parseAssignment() }
    let isCall = cursor.peek().kind == .punctuator(.leftParenthesis)
    if takesValues, isCall, text.first?.isLowercase == true { return try parseAssignment() }
    let isMade =
      text.first?.isUppercase == true && isCall
    let suggestion =
      isMade
      ? "insert \(text)"
      : ForeignWord.statementWord(for: text) ?? nearestName(to: text, among: StatementWord.all)
    throw SyntaxError(.unknownStatement(text, suggestion: suggestion), range: cursor.token.range)
  }

  /// `TARGET = EXPRESSION`.
  ///
  /// At the prompt also a value alone, which is printed.
  private func parseAssignment() throws(SyntaxError) -> Statement.Kind {
    guard cursor.token.beginsOperand else {
      throw cursor.foreignComment ?? cursor.expected(.statement)
    }
    let isPrefix = cursor.isAt(.minus) || cursor.isAt(.not) || ExpressionParser(cursor).isAtNot
    if takesValues, isPrefix { return .print(try ExpressionParser(cursor).parse()) }
    let target = try ExpressionParser(cursor).parsePostfix()
    guard let sign = cursor.assignmentOperator else {
      if cursor.token.endsStatement || cursor.isAt(.rightBrace)
        || ExpressionParser(cursor).infixOperator != nil
      {
        if let feature = AbsentFeature(in: cursor.source.text(in: target.range)), target.isCall {
          throw SyntaxError(.absent(feature), range: target.range)
        }
        let statement = ForeignWord.statement(for: target, in: cursor.source)
        if takesValues, statement == nil {
          return .print(try ExpressionParser(cursor).parse(after: target))
        }
        throw SyntaxError(.valueAlone(statement: statement), range: target.range)
      }
      throw cursor.unexpected()
    }
    switch target.kind {
    case .member: break
    case .name(let name), .variable(let name):
      throw SyntaxError(.assignmentToVariable(name), range: target.range)
    case .null, .boolean, .integer, .real, .string, .date, .object, .list, .range, .index, .call,
      .methodCall, .count, .insert, .fetch, .negation, .not, .binary:
      throw SyntaxError(.notAssignable, range: target.range)
    }
    cursor.advance()
    return .assign(target, sign, try ExpressionParser(cursor).parseAssigned())
  }
}

extension Statement.Kind {
  fileprivate var isFetch: Bool { if case .fetch = self { true } else { false } }

  fileprivate var isPrint: Bool { if case .print = self { true } else { false } }
}

extension ExpressionSyntax {
  fileprivate var isCall: Bool {
    switch kind {
    case .call, .methodCall: true
    case .null, .boolean, .integer, .real, .string, .date, .object, .name, .variable, .list, .range,
      .member, .index, .count, .insert, .fetch, .negation, .not, .binary:
      false
    }
  }
}

/// The words that begin statements.
enum StatementWord: String, CaseIterable {
  case abstract, automerge, batch, caches, change, context, controller, count, delegate, delete,
    entity
  case evaluate, expect, explain, `extension`, fetch, `for`, history, `if`, `import`, include,
    insert, `let`, merge, model
  case objects, observe, observer, obtain, perform, print, process, quirk, redo, refresh, reload,
    `repeat`,
    request,
    reset
  case resume, `return`, rollback, save, set, show, stats, store, suspend, swift, table, trace
  case `try`, undo, update

  /// All words that begin statements, in alphabetical order.
  static let all: [String] = allCases.map(\.rawValue).sorted()

  private static let allSet = Set(all)

  static func begins(_ word: String) -> Bool { allSet.contains(word) }

  private static let definingSet = Set(allCases.filter(\.definesNextWord).map(\.rawValue))

  /// Whether a word begins a statement that defines the name after it.
  static func definesNext(_ word: String) -> Bool { definingSet.contains(word) }

  /// Whether the word after this one is a name that the statement defines.
  var definesNextWord: Bool {
    switch self {
    case .context, .controller, .entity, .for, .let, .observer, .request, .table: true
    case .abstract, .automerge, .batch, .caches, .change, .count, .delegate, .delete, .evaluate,
      .expect,
      .explain, .extension, .fetch, .history, .if, .import, .include, .insert, .merge, .model,
      .objects, .observe,
      .obtain,
      .perform,
      .print, .process, .quirk, .redo, .refresh, .reload, .repeat, .reset, .resume, .return,
      .rollback, .save, .set, .show, .stats, .store, .suspend, .swift, .trace, .try, .undo,
      .update:
      false
    }
  }
}

extension StatementParser {
  /// Reads the statement that begins with the word at the cursor.
  func parse(_ word: StatementWord) throws(SyntaxError) -> Statement.Kind {
    switch word {
    case .abstract, .entity: return .entity(try EntityParser(cursor).parseEntity())
    case .model: return try EntityParser(cursor).parseModel()
    case .store: return try SettingParser(cursor).parseStore()
    case .caches: return single(.caches)
    case .stats: return single(.stats)
    case .process: return single(.process)
    case .context: return try ContextParser(cursor).parseContext()
    case .merge: return try ContextParser(cursor).parseMerge()
    case .automerge: return try ContextParser(cursor).parseAutomerge()
    case .observe: return try ContextParser(cursor).parseObserve()
    case .refresh: return try ContextParser(cursor).parseRefresh()
    case .table: return try TableParser(cursor).parseTable()
    case .suspend: return .suspend(try TableParser(cursor).parseTableAfterWord())
    case .resume: return .resume(try TableParser(cursor).parseTableAfterWord())
    case .reload: return .reload(try TableParser(cursor).parseTableAfterWord())
    case .trace: return try TableParser(cursor).parseTrace()
    case .undo: return single(.undo)
    case .redo: return single(.redo)
    case .reset: return .reset(ContextParser(cursor).parseContextAfterWord())
    case .return: return .return(try parseOperand())
    case .rollback: return .rollback(ContextParser(cursor).parseContextAfterWord())
    case .save: return .save(ContextParser(cursor).parseContextAfterWord())
    case .insert: return .insert(try ObjectParser(cursor).parseInsert())
    case .batch: return .batch(try BatchParser(cursor).parse())
    case .obtain: return .obtainIDs(try ObjectParser(cursor).parseObtained())
    case .let: return try ObjectParser(cursor).parseLet()
    case .update:
      let (request, values) = try ObjectParser(cursor).parseUpdate()
      return .update(request, values)
    case .delete:
      return try cursor.withClauses(.ofFetches) { () throws(SyntaxError) in
        try ObjectParser(cursor).parseDelete()
      }
    case .perform: return try BlockParser(cursor).parsePerform()
    case .for: return try BlockParser(cursor).parseFor()
    case .if: return try BlockParser(cursor).parseIf()
    case .repeat: return try BlockParser(cursor).parseRepeat()
    case .try: return try BlockParser(cursor).parseTry()
    case .set: return try SettingParser(cursor).parseSet()
    case .extension: return try BlockParser(cursor).parseExtension()
    case .history: return try LookingParser(cursor).parseHistory()
    case .expect: return .expect(try parseOperand())
    case .import: return try ObjectParser(cursor).parseImport()
    case .include: return .include(try parseOperand(), isAlone: cursor.take(word: "alone"))
    case .print: return .print(try parseOperand())
    case .request, .controller: return try ControllerParser(cursor).parseDefinition(word)
    case .observer: return try ControllerParser(cursor).parseObserver()
    case .fetch:
      let parser = RequestParser(cursor)
      return .fetch(try isShownAsCode ? parser.parseAfterWord() : parser.parseFetch())
    case .count: return .count(try RequestParser(cursor).parseAfterWord())
    case .change: return try ControllerParser(cursor).parseChange()
    case .delegate: return try ControllerParser(cursor).parseDelegate()
    case .show: return try LookingParser(cursor).parseShow()
    case .objects: return .objects(try LookingParser(cursor).parseObjects())
    case .evaluate: return try LookingParser(cursor).parseEvaluate()
    case .explain: return .explain(try LookingParser(cursor).parseExplained())
    case .swift: return try LookingParser(cursor).parseSwift()
    case .quirk: return try SettingParser(cursor).parseQuirk()
    }
  }

  private func single(_ kind: Statement.Kind) -> Statement.Kind {
    cursor.advance()
    return kind
  }

  /// Reads the expression after a statement's word.
  private func parseOperand() throws(SyntaxError) -> ExpressionSyntax {
    cursor.advance()
    return try ExpressionParser(cursor).parse()
  }
}

extension ForeignWord {
  /// Returns the statement that does the same as a method of Apple's.
  ///
  /// - Parameters:
  ///   - call: An expression; if it is not such a call, the result is nil.
  ///   - source: The text that contains the call.
  static func statement(for call: ExpressionSyntax, in source: SourceText) -> String? {
    guard case .methodCall(let owner, let name, let arguments) = call.kind else { return nil }
    let base = source.text(in: owner.range)
    // The context of an app is `main` here, which need not be written.
    let context = base.lowercased().hasSuffix("context") ? "" : " " + base
    switch name.text {
    case "performFetch": return "fetch \(base)"
    case "reloadData": return "reload \(base)"
    case "save", "rollback", "reset": return name.text + context
    case "undo", "redo": return name.text
    case "processPendingChanges": return "process"
    case "refreshAllObjects": return "refresh all"
    case "obtainPermanentIDs":
      guard let objects = arguments.first?.value else { return "obtain permanent ids" }
      return "obtain permanent ids for \(source.text(in: objects.range))"
    case "delete":
      guard let object = arguments.first?.value else { return "delete \(base)" }
      return "delete \(source.text(in: object.range))"
    default: return nil
    }
  }
}
