/// The tokens of a script without errors.
///
/// Strings and objects are one token each.
struct ScriptTokens {
  struct Piece {
    var kind: Token.Kind
    var range: Range<Int>
    /// The number of the text with its own grammar that contains the token; nil for none.
    var foreign: Int?
  }

  private(set) var pieces: [Piece] = []

  /// - Complexity: O(*n*), where *n* is the length of the text.
  init(_ script: ParsedScript) {
    let lexer = Lexer(script.source)
    let foreign = script.marks.foreign.sorted { $0.lowerBound < $1.lowerBound }
    var next = 0
    var offset = 0
    while true {
      let token = lexer.token(after: offset, lineEndsCount: false)
      guard token.kind != .end else { return }
      let start = token.range.lowerBound
      offset = token.range.upperBound
      switch token.kind {
      case .quote:
        offset =
          script.marks.strings[start]
          ?? lexer.endOfString(from: offset, quote: lexer.bytes[start]).offset
      case .word: offset = lexer.endOfObject(at: start) ?? offset
      case .variable, .number, .malformedNumber, .date, .punctuator, .unknown, .lineEnd, .end: break
      }
      while next < foreign.count, foreign[next].upperBound <= start { next += 1 }
      let isForeign = next < foreign.count && foreign[next].contains(start)
      pieces.append(Piece(kind: token.kind, range: start..<offset, foreign: isForeign ? next : nil))
    }
  }
}
