import TextWidth

/// Lays a script out as everyone's is.
///
/// Lines stay lines: a statement on three of them stays on three, two on one stay on one. What is
/// put in order is what lies between the tokens of a line, in front of it and after it:
///
/// - two columns for each open bracket; a line that continues a request is under its source, any
///   other two columns in,
/// - one blank or none between two tokens, as ``BlankRule`` says; texts with a grammar of their
///   own, predicates above all, keep theirs except for runs of blanks,
/// - comments after statements on lines that follow one another in one column,
/// - no blanks at the ends of lines, and no empty lines at the end of a file.
///
/// Other empty lines stay, since `FILE:LINE` is to mean the same line after it.
///
/// Lines that begin with `#>` or `#@` are never touched, and each line keeps
/// its line end. The parsed statements are those of the text before.
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

/// A line of a formatted text.
struct FormattedLine {
  /// The line without its comment, indented.
  var code: String
  /// The comment after the code.
  var comment: String?
  /// The bytes of a line that is not touched; nil for any other.
  var verbatim: [UInt8]?
  /// The bytes that end the line; none at the end of a text.
  var end: [UInt8]

  var isEmpty: Bool { verbatim == nil && comment == nil && code.isEmpty }

  /// Puts the comments of lines that follow one another into one column.
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

  /// How far the code reaches on its last line.
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
  /// What follows the last line feed.
  var lastLine: Substring { self[(lastIndex(of: "\n").map(index(after:)) ?? startIndex)...] }
}

extension SourceText {
  /// The text of a statement as the formatter lays it out, so that what quotes it
  /// says the same before and after; lines end with line feeds.
  ///
  /// - Parameters:
  ///   - range: A statement, or a part of one.
  ///   - prefix: What makes a statement of the part, together with the suffix; both
  ///     are left out.
  /// - Complexity: O(*n* log *n*), where *n* is the length of the range.
  package func formattedText(
    in range: Range<Int>, after prefix: String = "", before suffix: String = ""
  ) -> String {
    let text = text(in: range)
    // People read no more of it, and a statement may be a large file.
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
