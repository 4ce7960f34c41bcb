import Basics
import Synchronization

/// A message with a place.
package struct Diagnostic: Hashable, Sendable {
  package var severity: Severity
  /// The text, in lower case and without a full stop.
  package var message: String
  /// The place, in bytes from the start of the source.
  package var range: Range<Int>
  /// The text that can replace the range to fix the problem; nil if only the author can know it.
  package var replacement: String?

  package init(
    severity: Severity = .error, message: String, range: Range<Int>, replacement: String? = nil
  ) {
    self.severity = severity
    self.message = message
    self.range = range
    self.replacement = replacement
  }

  /// The severity; the raw value is the word before the message.
  package enum Severity: String, Hashable, Sendable {
    case warning
    case error
  }
}

/// Draws a diagnostic: a line with its place, the source line, and a caret.
///
/// ```
/// people.frc:2:1: error: unknown statement 'inser'; did you mean 'insert'?
/// inser Person(name: "Ann")
/// ^~~~~
/// ```
package struct DiagnosticRenderer: Sendable {
  /// Whether the text may contain escape sequences.
  package var usesColor: Bool
  /// The width of the reader's window in columns.
  ///
  /// If it is nil, only a very long line is shortened.
  package var columns: Int?
  /// Whether the place is described in words, and not shown by a caret under the source line.
  package var saysPlace: Bool

  /// Whether a message that is wider than the window is broken between words.
  package var breaksMessage: Bool

  package init(
    usesColor: Bool = false, columns: Int? = nil, saysPlace: Bool = false,
    breaksMessage: Bool = false
  ) {
    self.usesColor = usesColor
    self.breaksMessage = breaksMessage
    self.saysPlace = saysPlace
    self.columns = columns
  }

  /// Returns three lines, without a line end after the last.
  ///
  /// If the source must not be quoted, returns only the first line.
  ///
  /// If the range has several lines, the part on its first line is marked. Of a long line, the text
  /// around the place is shown, with `…` for the rest. The caret is also in the right column after
  /// wide characters and tabs.
  ///
  /// - Parameter showsPlace: Whether the first line begins with the source's name, line and column.
  ///   At a prompt it does not, because the text is visible.
  package func render(
    _ diagnostic: Diagnostic, in source: SourceText, showsPlace: Bool = true
  ) -> String {
    let start = min(diagnostic.range.lowerBound, source.bytes.count)
    let whole = source.range(ofLine: source.line(of: start))
    let from = min(max(start, whole.lowerBound), whole.upperBound)
    let name = source.name.escapingControls()
    let place = showsPlace ? "\(name):\(source.position(of: from)): " : ""
    let severity = paint(diagnostic.severity.rawValue + ":", Self.color(of: diagnostic.severity))
    let message = visible(diagnostic.message, keeps: "\n").shortened(to: 2000)
    let indent = place.count + diagnostic.severity.rawValue.count + 2
    let head =
      (showsPlace ? paint(place, .bold) : "") + severity + " "
      + paint(breaksMessage ? broken(message, after: indent) : message, .bold)
    if saysPlace, source.isQuotable {
      return head + "\n" + words(of: diagnostic, in: source, line: whole, from: from)
    }
    return source.isQuotable
      ? head + "\n" + quotation(of: diagnostic, in: source, line: whole, from: from) : head
  }

  /// A message with line ends between words where a row of the window is full.
  ///
  /// - Parameter used: How many cells of the first row are taken.
  private func broken(_ message: String, after used: Int) -> String {
    guard let columns else { return message }
    var rows = [""]
    var room = columns - used
    for (number, line) in message.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      if number > 0 {
        rows.append("")
        room = columns
      }
      for word in line.split(separator: " ", omittingEmptySubsequences: false) {
        let width = DisplayWidth.width(of: String(word))
        let blank = rows[rows.count - 1].isEmpty ? 0 : 1
        if blank + width > room, blank > 0 {
          rows.append(String(word))
          room = columns - width
        } else {
          rows[rows.count - 1] += (blank > 0 ? " " : "") + word
          room -= blank + width
        }
      }
    }
    return rows.joined(separator: "\n")
  }

  /// Returns the place in words: `at column 5: Boook`.
  private func words(
    of diagnostic: Diagnostic, in source: SourceText, line whole: Range<Int>, from: Int
  ) -> String {
    let position = source.position(of: from)
    let to = min(max(diagnostic.range.upperBound, from), whole.upperBound)
    let line = source.lineStarts.count > 1 ? "line \(position.line), " : ""
    let text = visible(source.text(in: from..<to)).shortened(to: 200)
    return "at \(line)column \(position.column)" + (text.isEmpty ? ", the end" : ": " + text)
  }

  /// Returns the source line, and the caret under it.
  private func quotation(
    of diagnostic: Diagnostic, in source: SourceText, line whole: Range<Int>, from: Int
  ) -> String {
    let content =
      columns.map { source.excerpt(of: whole, around: from, columns: max(16, $0)) }
      ?? source.excerpt(of: whole, around: from)
    let to = min(max(diagnostic.range.upperBound, from), content.upperBound)
    let (head, tail) = (
      content.lowerBound > whole.lowerBound, content.upperBound < whole.upperBound
    )
    let before = (head ? "…" : "") + visible(source.text(in: content.lowerBound..<from))
    let marked = visible(source.text(in: from..<to))
    let indent = before.map { $0 == "\t" ? "\t" : blanks(DisplayWidth.width(of: $0)) }.joined()
    let tildes = max(0, DisplayWidth.width(of: marked) - 1)
    return (head ? "…" : "") + visible(source.text(in: content)) + (tail ? "…" : "") + "\n"
      + indent + paint("^" + String(repeating: "~", count: tildes), .green)
  }

  /// Returns all diagnostics, one below the other.
  package func render(_ diagnostics: [Diagnostic], in source: SourceText) -> String {
    diagnostics.map { render($0, in: source) }.joined(separator: "\n")
  }

  private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

  /// Returns the text without characters that control a terminal.
  private func visible(_ text: String, keeps kept: Unicode.Scalar = "\t") -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar.isControl && scalar != "\t" && scalar != kept ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }

  // MARK: Color

  private enum Style: String {
    case bold = "1"
    case red = "1;31"
    case green = "1;32"
    case yellow = "1;33"
  }

  private static func color(of severity: Diagnostic.Severity) -> Style {
    switch severity {
    case .warning: .yellow
    case .error: .red
    }
  }

  private func paint(_ text: String, _ style: Style) -> String {
    usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension SourceText {
  /// Returns the part of a line that fits into a row and contains the place, with an ellipsis at
  /// each end that was cut.
  ///
  /// - Complexity: O(*columns*).
  fileprivate func excerpt(
    of line: Range<Int>, around offset: Int, columns: Int
  ) -> Range<Int> {
    // A character may have several bytes. One with more than this is cut.
    let first = wholeCharacter(max(line.lowerBound, offset - 8 * columns), before: offset)
    let last = wholeCharacter(min(line.upperBound, offset + 8 * columns), before: line.upperBound)
    let (before, after) = (text(in: first..<offset), text(in: offset..<last))
    if first == line.lowerBound, last == line.upperBound,
      Self.width(of: before + after) < columns
    {
      return line
    }
    // Bytes that are not UTF-8 became U+FFFD, which may have more bytes than they have. So the
    // text does not tell how many bytes fit. No byte gives more than one U+FFFD.
    guard before.utf8.count + after.utf8.count == last - first else {
      let start = wholeCharacter(max(first, offset - columns / 3), before: offset)
      return start..<min(last, start + columns - 3)
    }
    let widthAfter = Self.width(of: after)
    let head = before.suffix(ofWidth: max(columns / 3, columns - 3 - widthAfter))
    let tail = after.prefix(ofWidth: columns - 3 - Self.width(of: head))
    return (offset - head.utf8.count)..<(offset + tail.utf8.count)
  }

  private static func width(of text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  fileprivate static func width(of character: Character) -> Int {
    character == "\t" ? 8 : DisplayWidth.width(of: character)
  }

  /// Returns the part of a line that is shown for a place in it: all of it, unless the line is very
  /// long.
  ///
  /// - Complexity: O(1).
  fileprivate func excerpt(of line: Range<Int>, around offset: Int) -> Range<Int> {
    guard line.count > 400 else { return line }
    let start = wholeCharacter(max(line.lowerBound, offset - 150), before: offset)
    return start..<wholeCharacter(min(line.upperBound, start + 350), before: line.upperBound)
  }

  /// Returns the offset, or the next one at which a character may begin.
  ///
  /// - Parameter end: The last offset that is returned. It counts if the text is not UTF-8: then
  ///   bytes that continue a character may stand anywhere.
  private func wholeCharacter(_ offset: Int, before end: Int) -> Int {
    // A character has at most three bytes after its first one.
    let end = min(end, offset + 3)
    var offset = offset
    while offset < end, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    return offset
  }
}

extension String {
  /// Returns the characters from the start that fit into a number of columns.
  fileprivate func prefix(ofWidth width: Int) -> Substring {
    var room = width
    return prefix { character in
      room -= SourceText.width(of: character)
      return room >= 0
    }
  }

  /// Returns the characters at the end that fit into a number of columns.
  fileprivate func suffix(ofWidth width: Int) -> Substring {
    var room = width
    var start = endIndex
    while start > startIndex {
      let previous = index(before: start)
      room -= SourceText.width(of: self[previous])
      guard room >= 0 else { break }
      start = previous
    }
    return self[start...]
  }
}

/// The columns of some places in the long lines of a text.
///
/// A column counts characters from the start of the line. With *n* warnings in one line, counting
/// from there each time would take *n*² steps.
final class ColumnMarks: Sendable {
  /// A place in a line.
  struct Mark {
    /// The offset of a byte at which a character begins.
    let offset: Int
    /// Its column, counted from 1.
    let column: Int
  }

  /// How many bytes there are at least between two marks.
  private static let distance = 1024

  /// The marks of each line in ascending order, by the offset of the line's first byte.
  private let marks = Mutex<[Int: [Mark]]>([:])

  /// Returns the last mark that is not after an offset; the start of the line if it is near.
  ///
  /// - Complexity: O(log *n*), and O(*k*) in the bytes of the line that were not asked for before.
  func mark(before end: Int, in bytes: [UInt8], ofLineAt start: Int) -> Mark {
    let first = Mark(offset: start, column: 1)
    guard end - start > 2 * Self.distance else { return first }
    return marks.withLock { lines in
      // Taken out, so that it is extended where it is.
      var marks = lines.removeValue(forKey: start) ?? [first]
      while let last = marks.last,
        let next = Self.next(after: last, before: end, in: bytes)
      {
        marks.append(next)
      }
      lines[start] = marks
      let index = marks.partitioningIndex { $0.offset > end }
      return marks[index - 1]
    }
  }

  /// Returns a mark in the distance; nil if there is none before the end.
  ///
  /// Between two ASCII characters other than line ends, a character ends whatever surrounds them.
  private static func next(after mark: Mark, before end: Int, in bytes: [UInt8]) -> Mark? {
    var offset = mark.offset + distance
    while offset < end {
      if bytes[offset - 1] < 0x80, bytes[offset] < 0x80, bytes[offset - 1] != Byte.carriageReturn {
        let text = String(decoding: bytes[mark.offset..<offset], as: UTF8.self)
        return Mark(offset: offset, column: mark.column + text.count)
      }
      offset += 1
    }
    return nil
  }
}

extension ColumnMarks: Hashable {
  /// Marks are no part of a text: any two are equal.
  static func == (left: ColumnMarks, right: ColumnMarks) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
