/// Reads batch requests.
struct BatchParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// Parses `batch insert …`, `batch update …` or `batch delete …`, with `returning …` after it.
  func parse() throws(SyntaxError) -> BatchSyntax {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    let action = try parseAction()
    if let result = action.clauses?.result { return BatchSyntax(action, returning: result) }
    let result = try RequestParser(cursor).takeResult()
    return BatchSyntax(action, returning: result ?? .objectIDs)
  }

  private func parseAction() throws(SyntaxError) -> BatchSyntax.Action {
    if cursor.isAt(word: "insert") { return .insert(try parseInserts()) }
    if cursor.isAt(word: "update") {
      let (request, values) = try ObjectParser(cursor).parseUpdate()
      return .update(request, values)
    }
    if cursor.isAt(word: "delete") {
      return .delete(try RequestParser(cursor).parseAfterWord())
    }
    throw cursor.expected(.oneOf(BatchWord.allCases.map(\.rawValue)))
  }

  /// Parses `insert Book(title: "A"), Book(title: "B")`.
  ///
  /// All rows have the same entity.
  private func parseInserts() throws(SyntaxError) -> [InsertSyntax] {
    let first = try ObjectParser(cursor).parseInsert()
    var inserts = [first]
    while cursor.take(.comma) {
      cursor.skipLineEnd()
      let next = try ObjectParser(cursor).parseInserted()
      guard next.entity.text == first.entity.text else {
        throw SyntaxError(
          .expected(.oneOf([first.entity.text]), found: .text(next.entity.text)),
          range: next.entity.range)
      }
      inserts.append(next)
    }
    return inserts
  }
}

extension BatchSyntax.Action {
  /// The clauses of the rows, if the request ends with them.
  fileprivate var clauses: RequestClauses? {
    switch self {
    case .delete(let request): request.clauses
    case .insert, .update: nil
    }
  }
}
