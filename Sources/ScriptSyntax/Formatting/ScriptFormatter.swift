/// Lays a script out as everyone's is.
///
/// Lines stay lines: a statement on three of them stays on three, two on one
/// stay on one. What is put in order is what lies between the tokens of a line,
/// in front of it and behind it:
///
/// - two columns for each open bracket; a line that continues a request stands
///   under its source, any other two columns in,
/// - one blank or none between two tokens, as ``BlankRule`` says; texts with a
///   grammar of their own, predicates above all, keep theirs but for runs of
///   blanks,
/// - comments behind statements on lines that follow one another in one
///   column,
/// - no blanks at the ends of lines, no empty lines at the start and the end of
///   a file or a block, and no two in a row.
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
  /// The comment behind the code.
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
  /// What stands behind the last line feed.
  var lastLine: Substring { self[(lastIndex(of: "\n").map(index(after:)) ?? startIndex)...] }
}
