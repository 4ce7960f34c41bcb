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
