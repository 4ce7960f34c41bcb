import Basics

/// The text of a script and its lines.
///
/// The text may contain any bytes. Bytes that are not UTF-8 are shown as U+FFFD, and the parser
/// reports them. Lines end with a line feed. A carriage return before it belongs to the line end. A
/// byte order mark at the start belongs to no line.
package struct SourceText: Hashable, Sendable {
  /// The name of the text in messages: a file's path, or a word such as `stdin`.
  package let name: String
  package let bytes: [UInt8]
  /// Whether messages may quote its lines.
  ///
  /// A file outside of the folder that a run may read is not quoted, because it may contain
  /// anything.
  package let isQuotable: Bool
  /// The offset of each line's first byte.
  package let lineStarts: [Int]
  /// The columns of places in long lines that were asked for.
  private let columns = ColumnMarks()

  package init(name: String, bytes: [UInt8], isQuotable: Bool = true) {
    self.name = name
    self.bytes = bytes
    self.isQuotable = isQuotable
    var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
    for (offset, byte) in bytes.enumerated() where byte == Byte.lineFeed {
      starts.append(offset + 1)
    }
    lineStarts = starts
  }

  package init(name: String, text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  package var lineCount: Int { lineStarts.count }

  /// Returns the number of the line that contains the byte at `offset`, counted from 1.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of lines.
  package func line(of offset: Int) -> Int {
    max(1, lineStarts.partitioningIndex { $0 > offset })
  }

  /// Returns the line and column of the byte at `offset`.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the line; O(1) for a line of mostly ASCII
  ///   characters, once it was asked for a later place of that line.
  package func position(of offset: Int) -> SourcePosition {
    let line = line(of: offset)
    let content = range(ofLine: line)
    let end = max(content.lowerBound, min(offset, bytes.count))
    let mark = columns.mark(before: end, in: bytes, ofLineAt: content.lowerBound)
    let before = text(in: mark.offset..<end)
    return SourcePosition(line: line, column: mark.column + before.count)
  }

  /// Returns the bytes of a line without its line end.
  ///
  /// Lines are counted from 1.
  ///
  /// A line that does not exist is empty.
  package func range(ofLine line: Int) -> Range<Int> {
    let whole = rangeWithEnd(ofLine: line)
    var end = whole.upperBound
    if end > whole.lowerBound, bytes[end - 1] == Byte.lineFeed { end -= 1 }
    if end > whole.lowerBound, bytes[end - 1] == Byte.carriageReturn { end -= 1 }
    return whole.lowerBound..<end
  }

  /// Returns the bytes of a line with its line end.
  ///
  /// Lines are counted from 1.
  ///
  /// A line that does not exist is empty.
  package func rangeWithEnd(ofLine line: Int) -> Range<Int> {
    guard line >= 1, line <= lineStarts.count else { return bytes.count..<bytes.count }
    let end = line < lineStarts.count ? lineStarts[line] : bytes.count
    return lineStarts[line - 1]..<end
  }

  /// Returns the text of a line without its line end.
  ///
  /// Lines are counted from 1.
  package func text(ofLine line: Int) -> String { text(in: range(ofLine: line)) }

  package func text(in range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }
}

/// A place in a text: lines and columns are counted from 1, columns in characters.
package struct SourcePosition: Equatable, Sendable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  /// The place as text, such as `3:9`.
  package var description: String { "\(line):\(column)" }
}

/// The bytes that the lexer looks for, by name.
enum Byte {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let hash = UInt8(ascii: "#")
  static let backslash = UInt8(ascii: "\\")
  static let doubleQuote = UInt8(ascii: "\"")
  static let singleQuote = UInt8(ascii: "'")
  static let leftParenthesis = UInt8(ascii: "(")
  static let rightParenthesis = UInt8(ascii: ")")
  static let leftBrace = UInt8(ascii: "{")
  static let rightBrace = UInt8(ascii: "}")
  static let at = UInt8(ascii: "@")
  static let dollar = UInt8(ascii: "$")
  static let dot = UInt8(ascii: ".")
  static let slash = UInt8(ascii: "/")
  static let underscore = UInt8(ascii: "_")
  static let equals = UInt8(ascii: "=")
  static let plus = UInt8(ascii: "+")
  static let minus = UInt8(ascii: "-")
  static let colon = UInt8(ascii: ":")

  static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

  /// Returns the value of a digit in a radix up to 16; nil if the byte is not a digit.
  static func digit(_ byte: UInt8, radix: UInt32) -> UInt32? {
    let value: UInt32
    switch byte {
    case 0x30...0x39: value = UInt32(byte - 0x30)
    case 0x41...0x46: value = UInt32(byte - 0x41 + 10)
    case 0x61...0x66: value = UInt32(byte - 0x61 + 10)
    default: return nil
    }
    return value < radix ? value : nil
  }

  /// Whether the byte is an ASCII letter or an underscore.
  static func isLetter(_ byte: UInt8) -> Bool {
    0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == underscore
  }
}

extension String {
  /// Returns the text.
  ///
  /// If it is longer than the limit, returns its start and its end with `…` between them.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package func shortened(to most: Int = 400) -> String {
    guard utf8.count > most, count > most else { return self }
    return prefix(most / 2) + "…" + suffix(most / 4)
  }
}
