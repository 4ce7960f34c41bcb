import Basics

/// Formats a script in the one standard layout.
///
/// Lines are neither joined nor split: a statement on three lines stays on three, and two
/// statements on one line stay on one. The formatter changes only the blanks between the tokens of
/// a line, before the first and after the last:
/// - Each open bracket indents by two columns. A line that continues a request is indented to the
///   request's source, any other continuation by two columns.
/// - Between two tokens is one blank or none, as ``BlankRule`` decides. Texts with a grammar of
///   their own, such as predicates, are unchanged except for runs of blanks.
/// - Comments after statements on adjacent lines begin in the same column.
/// - There are no blanks at the ends of lines, and no empty lines at the end of a file.
///
/// Other empty lines stay, so that `FILE:LINE` still means the same line. Lines that begin with
/// `#>` or `#@` are never changed, and each line keeps its line end. The formatted text parses to
/// the same statements as before.
package enum ScriptFormatter {
  /// Returns the formatted text of a script without errors.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the length of the text.
  package static func format(_ script: ParsedScript) -> [UInt8] {
    var layout = ScriptLayout(script)
    layout.layOut()
    let byteOrderMark = script.source.bytes[..<script.source.lineStarts[0]]
    return byteOrderMark + FormattedLine.joined(FormattedLine.aligned(layout.lines))
  }
}

/// A line of formatted text.
struct FormattedLine {
  /// The line without its comment, indented.
  var code: String
  /// The comment after the code.
  var comment: String?
  /// The bytes of a line that is not changed; nil for any other line.
  var verbatim: [UInt8]?
  /// The bytes that end the line; empty at the end of a text.
  var end: [UInt8]

  var isEmpty: Bool { verbatim == nil && comment == nil && code.isEmpty }

  /// Returns the lines with the comments of adjacent lines in one column.
  static func aligned(_ lines: [FormattedLine]) -> [FormattedLine] {
    var lines = lines
    var start = 0
    while start < lines.count {
      guard lines[start].comment != nil else {
        start += 1
        continue
      }
      let end = lines[start...].firstIndex { $0.comment == nil } ?? lines.count
      let widths = lines[start..<end].map(\.width)
      let column = (widths.max() ?? 0) + 2
      for (index, width) in zip(start..<end, widths) {
        lines[index].code += String(repeating: " ", count: column - width)
      }
      start = end
    }
    return lines
  }

  /// The width of the code's last line.
  private var width: Int { DisplayWidth.width(of: String(code.lastLine)) }

  static func joined(_ lines: [FormattedLine]) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line.verbatim ?? Array((line.code + (line.comment ?? "")).utf8)
      bytes += line.end
    }
    return bytes
  }
}

extension String {
  /// The text after the last line feed.
  var lastLine: Substring { self[(lastIndex(of: "\n").map(index(after:)) ?? startIndex)...] }
}

extension SourceText {
  /// Returns the text of a statement in the formatter's layout, so that messages quote it in the
  /// same way before and after formatting.
  ///
  /// Lines end with line feeds.
  ///
  /// - Parameters:
  ///   - range: A statement, or a part of one.
  ///   - prefix: The text that makes a statement of the part, together with the suffix. Neither is
  ///     in the result.
  /// - Complexity: O(*n* log *n*), where *n* is the length of the range.
  package func formattedText(
    in range: Range<Int>, after prefix: String = "", before suffix: String = ""
  ) -> String {
    let text = text(in: range)
    // A statement may be a large file, and people do not read more than this.
    guard text.utf8.count <= 1 << 16 else { return text }
    let script = ScriptParser.parse(SourceText(name: name, text: prefix + text + suffix))
    guard !script.hasErrors else { return text }
    var bytes = ScriptFormatter.format(script)
    bytes.removeAll { $0 == Byte.carriageReturn }
    while bytes.last == Byte.lineFeed { bytes.removeLast() }
    let formatted = String(decoding: bytes, as: UTF8.self)
    guard formatted.hasPrefix(prefix), formatted.hasSuffix(suffix) else { return text }
    return String(formatted.dropFirst(prefix.count).dropLast(suffix.count))
  }
}

extension ParsedScript {
  /// The ranges of numbers, strings and dates, including those in predicates.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package var literals: [Range<Int>] {
    ScriptTokens(self).pieces.filter { piece in
      switch piece.kind {
      case .number, .quote, .date: true
      case .word, .variable, .malformedNumber, .punctuator, .unknown, .lineEnd, .end: false
      }
    }.map(\.range)
  }

  /// The ranges of objects, such as `Book/3`.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package var objects: [Range<Int>] {
    ScriptTokens(self).pieces.filter { piece in
      piece.kind == .word && source.bytes[piece.range].contains(Byte.slash)
    }.map(\.range)
  }

  /// The ranges of comments without their line ends, including expected output and directives.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package var comments: [Range<Int>] {
    let lexer = Lexer(source)
    var comments: [Range<Int>] = []
    var offset = source.lineStarts[0]
    for piece in ScriptTokens(self).pieces.map(\.range) + [source.bytes.count..<source.bytes.count]
    {
      while offset < piece.lowerBound {
        if source.bytes[offset] == Byte.hash {
          let end = lexer.endOfLine(from: offset)
          comments.append(offset..<end)
          offset = end
        } else {
          offset += 1
        }
      }
      offset = piece.upperBound
    }
    return comments
  }
}

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
    let foreign = script.marks.foreign.ordered { $0.lowerBound < $1.lowerBound }
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

/// Formats the lines of a script one by one.
struct ScriptLayout {
  private let source: SourceText
  private let lexer: Lexer
  private let marks: SourceMarks
  private let rule: BlankRule
  private let pieces: [ScriptTokens.Piece]
  /// The index of the next token.
  private var next = 0
  private var frames = [Frame(column: 0, holdsStatements: true)]
  /// The comment lines that wait for the indentation of the next code.
  private var waiting: [Int] = []
  private(set) var lines: [FormattedLine] = []

  /// An open bracket, or the whole text as the outermost frame.
  private struct Frame {
    /// The column where lines inside begin.
    var column: Int
    /// Whether the lines inside are statements or similar, and not parts of one.
    var holdsStatements: Bool
    /// The column of the line with the opening bracket, or of the statement whose block it opens.
    var outerColumn = 0
    /// The column of the line with the current statement.
    var statementColumn = 0
    /// The column for lines that continue the current statement; nil if there is none yet.
    var anchor: Int?
  }

  init(_ script: ParsedScript) {
    source = script.source
    lexer = Lexer(script.source)
    marks = script.marks
    rule = BlankRule(marks: script.marks)
    pieces = ScriptTokens(script).pieces
  }

  mutating func layOut() {
    var line = 1
    while line <= source.lineCount { line = layOut(line) }
    placeWaiting(at: 0)
    while lines.last?.isEmpty == true { lines.removeLast() }
    endLastLine()
  }

  // MARK: Lines

  /// Formats a line and returns the number of the next one.
  ///
  /// A string may extend over several lines.
  private mutating func layOut(_ line: Int) -> Int {
    let content = source.range(ofLine: line)
    if next < pieces.count, content.contains(pieces[next].range.lowerBound) {
      return layOutCode(from: line)
    }
    layOutComment(content, end(ofLine: line))
    return line + 1
  }

  private func end(ofLine line: Int) -> [UInt8] {
    let content = source.range(ofLine: line)
    return Array(source.bytes[content.upperBound..<source.rangeWithEnd(ofLine: line).upperBound])
  }

  /// Formats a line without code.
  private mutating func layOutComment(_ content: Range<Int>, _ end: [UInt8]) {
    let text = trimmed(content)
    if text.isEmpty {
      lines.append(FormattedLine(code: "", end: end))
    } else if text.count >= 2, text.first == Byte.hash,
      ">?@|".utf8.contains(text[text.startIndex + 1])
    {
      lines.append(FormattedLine(code: "", verbatim: Array(source.bytes[content]), end: end))
    } else {
      waiting.append(lines.count)
      lines.append(FormattedLine(code: String(decoding: text, as: UTF8.self), end: end))
    }
  }

  private mutating func layOutCode(from first: Int) -> Int {
    var line = first
    var content = source.range(ofLine: line)
    let column = column(of: pieces[next])
    if isCloser(pieces[next]) {
      placeWaiting(at: frames.last?.column ?? 0)
    } else {
      placeWaiting(at: column)
    }
    var code = String(repeating: " ", count: column)
    var width = column
    var isFirst = true
    while next < pieces.count, content.contains(pieces[next].range.lowerBound) {
      let piece = pieces[next]
      if !isFirst, rule.hasBlank(between: pieces[next - 1], and: piece, isHead: isHead(next)) {
        code += " "
        width += 1
      }
      isFirst = false
      note(piece, at: width, lineColumn: column)
      let text = source.text(in: piece.range)
      code += text
      // The width of the line so far is known. Only a string may contain a line end.
      let lastLine = text.lastLine
      let partWidth = DisplayWidth.width(of: String(lastLine))
      width = lastLine.startIndex == text.startIndex ? width + partWidth : partWidth
      if piece.range.upperBound > content.upperBound {
        line = source.line(of: piece.range.upperBound - 1)
        content = source.range(ofLine: line)
      }
      next += 1
    }
    var tail = trimmed(pieces[next - 1].range.upperBound..<content.upperBound)
    if tail.first == Byte.backslash {
      code += " \\"
      tail = trimmed(tail.startIndex + 1..<content.upperBound)
    }
    let comment = tail.isEmpty ? nil : String(decoding: tail, as: UTF8.self)
    lines.append(FormattedLine(code: code, comment: comment, end: end(ofLine: line)))
    return line + 1
  }

  /// Indents the comments before a line like the line.
  private mutating func placeWaiting(at column: Int) {
    for index in waiting {
      lines[index].code = String(repeating: " ", count: column) + lines[index].code
    }
    waiting = []
  }

  /// Gives the last line the line end of the first one, unless it is a line that is not changed.
  private mutating func endLastLine() {
    guard let last = lines.last, last.end.isEmpty, last.verbatim == nil else { return }
    let firstEnd = lines.first?.end ?? []
    lines[lines.count - 1].end = firstEnd.isEmpty ? [Byte.lineFeed] : firstEnd
  }

  private func trimmed(_ range: Range<Int>) -> ArraySlice<UInt8> {
    var start = range.lowerBound
    while start < range.upperBound, let length = lexer.lengthOfBlank(at: start) { start += length }
    var end = max(start, range.upperBound)
    while let length = [1, 2, 3].first(where: { length in
      end - length >= start && lexer.lengthOfBlank(at: end - length) == length
    }) {
      end -= length
    }
    return source.bytes[start..<end]
  }

  // MARK: Columns

  /// Returns the column of a line that begins with this token.
  private func column(of piece: ScriptTokens.Piece) -> Int {
    guard let frame = frames.last else { return 0 }
    if isCloser(piece) { return frame.outerColumn }
    guard frame.holdsStatements else { return frame.anchor ?? frame.column }
    let isStart = marks.starts.contains(piece.range.lowerBound)
    if isStart || piece.kind == .punctuator(.semicolon) { return frame.column }
    if next > 0, isText("else", piece), isCloser(pieces[next - 1]) { return frame.statementColumn }
    return frame.anchor ?? frame.statementColumn + 2
  }

  /// Updates the frames for the lines after a token.
  private mutating func note(_ piece: ScriptTokens.Piece, at width: Int, lineColumn: Int) {
    let offset = piece.range.lowerBound
    let last = frames.count - 1
    if marks.starts.contains(offset) {
      frames[last].statementColumn = lineColumn
      frames[last].anchor = nil
    }
    if marks.sources.contains(offset) { frames[last].anchor = width }
    guard case .punctuator(let sign) = piece.kind else { return }
    if sign.closer != nil {
      let isBlock = sign == .leftBrace && piece.foreign == nil
      let outer = isBlock ? frames[last].statementColumn : lineColumn
      frames.append(
        Frame(
          column: outer + 2, holdsStatements: isBlock, outerColumn: outer, statementColumn: outer))
    } else if isCloser(piece), frames.count > 1 {
      frames.removeLast()
    }
  }

  private func isCloser(_ piece: ScriptTokens.Piece) -> Bool {
    guard case .punctuator(let sign) = piece.kind else { return false }
    return sign.isCloser
  }

  /// Whether the token is the colon after an entity's name.
  private func isHead(_ index: Int) -> Bool {
    index >= 2 && isText("entity", pieces[index - 2])
  }

  private func isText(_ text: String, _ piece: ScriptTokens.Piece) -> Bool {
    source.bytes[piece.range].elementsEqual(text.utf8)
  }
}

/// The rule that decides whether a blank is between two tokens of a line.
struct BlankRule {
  let marks: SourceMarks

  /// Returns whether a blank is between a token and the next.
  ///
  /// - Parameter isHead: Whether the colon between them introduces an entity's parent.
  func hasBlank(
    between left: ScriptTokens.Piece, and right: ScriptTokens.Piece, isHead: Bool
  ) -> Bool {
    if let foreign = left.foreign, foreign == right.foreign {
      return left.range.upperBound < right.range.lowerBound
    }
    if marks.prefixSigns.contains(left.range.lowerBound) { return false }
    if case .punctuator(let sign) = right.kind, right.foreign == nil {
      if sign == .colon { return isHead }
      if sign.touchesTextBefore { return false }
      if marks.attachedBrackets.contains(right.range.lowerBound) { return false }
    }
    if case .punctuator(let sign) = left.kind, left.foreign == nil, sign.touchesTextAfter {
      return false
    }
    return true
  }
}

extension Punctuator {
  fileprivate var touchesTextBefore: Bool {
    switch self {
    case .rightParenthesis, .rightBracket, .comma, .colon, .semicolon, .dot, .question,
      .closedRange, .halfOpenRange:
      true
    case .leftParenthesis, .leftBracket, .leftBrace, .rightBrace, .at, .assign, .addAssign,
      .subtractAssign, .equal, .notEqual, .lessOrGreater, .less, .lessOrEqual, .equalOrLess,
      .greater, .greaterOrEqual, .equalOrGreater, .plus, .minus, .star, .slash, .percent, .not,
      .and, .or:
      false
    }
  }

  fileprivate var touchesTextAfter: Bool {
    switch self {
    case .leftParenthesis, .leftBracket, .dot, .at, .closedRange, .halfOpenRange: true
    case .rightParenthesis, .rightBracket, .leftBrace, .rightBrace, .comma, .colon, .semicolon,
      .question, .assign, .addAssign, .subtractAssign, .equal, .notEqual, .lessOrGreater, .less,
      .lessOrEqual, .equalOrLess, .greater, .greaterOrEqual, .equalOrGreater, .plus, .minus,
      .star, .slash, .percent, .not, .and, .or:
      false
    }
  }
}
