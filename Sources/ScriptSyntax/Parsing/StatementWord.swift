/// The words that begin statements.
enum StatementWord: String, CaseIterable {
  case abstract, automerge, batch, caches, change, context, controller, count, delegate, delete,
    entity
  case evaluate, expect, explain, `extension`, fetch, `for`, history, `if`, `import`, include,
    insert, `let`, merge, model
  case objects, observe, obtain, perform, print, process, quirk, redo, refresh, reload, `repeat`,
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
    case .context, .controller, .entity, .for, .let, .request, .table: true
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
    case .fetch: return .fetch(try RequestParser(cursor).parseAfterWord())
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
