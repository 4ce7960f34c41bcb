import Basics
import ScriptSyntax

/// A place as the protocol has it: the line and the units before it in the line, both from 0.
package struct Position: Codable, Hashable, Comparable, Sendable {
  package var line: Int
  package var character: Int

  package static func < (left: Position, right: Position) -> Bool {
    (left.line, left.character) < (right.line, right.character)
  }
}

/// A range as the protocol has it, without its end.
package struct TextRange: Codable, Hashable, Sendable {
  package var start: Position
  package var end: Position
}

/// The unit in which a client counts the characters of a line.
package enum PositionEncoding: String, Codable, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
  case utf32 = "utf-32"

  /// Returns how many units a scalar takes that begins with this byte in UTF-8.
  fileprivate func width(of byte: UInt8) -> Int {
    switch self {
    case .utf8: byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    case .utf16: byte < 0xF0 ? 1 : 2
    case .utf32: 1
    }
  }

  /// Returns how many units the scalars take that begin among some bytes.
  fileprivate func width(of bytes: ArraySlice<UInt8>) -> Int {
    // This module is not optimised: a loop in it would take many times as long.
    switch self {
    case .utf8: return bytes.count
    case .utf16:
      let scalars = bytes.scalarCounts
      return scalars.all + scalars.pairs
    case .utf32: return bytes.scalarCounts.all
    }
  }
}

/// The text of a document, as the client has it, with places in the client's units.
///
/// Lines end with a line feed, a carriage return or both, as the protocol says. A script's own
/// lines end only with a line feed, so line numbers of the two are never mixed.
package struct DocumentText: Sendable {
  package private(set) var bytes: [UInt8]
  package let encoding: PositionEncoding
  /// The offset of each line's first byte.
  private var lineStarts: [Int] = []
  /// The units before every `markDistance`th byte.
  ///
  /// With *n* problems in one line, counting from its start each time would take *n*² steps.
  private var marks: [Int] = []

  private static let markDistance = 256

  package init(_ text: String, encoding: PositionEncoding) {
    bytes = Array(text.utf8)
    self.encoding = encoding
    findLines(from: 0)
  }

  /// Creates the text of a file as an editor would show it: without its byte order mark.
  init(_ file: SourceText, encoding: PositionEncoding) {
    bytes = file.bytes
    self.encoding = encoding
    findLines(from: file.lineStarts[0])
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package var lineCount: Int { lineStarts.count }

  private mutating func findLines(from start: Int) {
    var starts = [start]
    bytes.withUnsafeBufferPointer { bytes in
      for offset in bytes.indices {
        let byte = bytes[offset]
        let isEnd =
          byte == 0x0A
          || byte == 0x0D && (offset + 1 == bytes.count || bytes[offset + 1] != 0x0A)
        if isEnd { starts.append(offset + 1) }
      }
    }
    lineStarts = starts
    marks = [0]
    for end in stride(from: Self.markDistance, through: bytes.count, by: Self.markDistance) {
      marks.append(unitCount(before: end))
    }
  }

  /// Returns the units of the text before an offset.
  private func unitCount(before offset: Int) -> Int {
    let mark = min(offset / Self.markDistance, marks.count - 1)
    return marks[mark] + encoding.width(of: bytes[(mark * Self.markDistance)..<offset])
  }

  /// Returns the bytes of a line, counted from 0, without its end; empty after the last line.
  func contents(ofLine line: Int) -> Range<Int> {
    guard lineStarts.indices.contains(line) else { return bytes.count..<bytes.count }
    let start = lineStarts[line]
    var end = line + 1 < lineStarts.count ? lineStarts[line + 1] : bytes.count
    while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  /// Returns the number of the line, from 0, that contains an offset.
  func line(of offset: Int) -> Int {
    max(0, lineStarts.partitioningIndex { $0 > offset } - 1)
  }

  /// Returns the offset of a place.
  ///
  /// A place after the end of a line or of the text is at that end. One within a character is at
  /// its start.
  ///
  /// - Complexity: O(*n*) in the length of the line.
  package func offset(of position: Position) -> Int {
    guard position.line >= 0 else { return 0 }
    let line = contents(ofLine: position.line)
    var left = position.character
    var offset = line.lowerBound
    while offset < line.upperBound, left > 0 {
      let byte = bytes[offset]
      left -= encoding.width(of: byte)
      guard left >= 0 else { return offset }
      offset += PositionEncoding.utf8.width(of: byte)
    }
    return min(offset, line.upperBound)
  }

  /// Returns the place of an offset.
  ///
  /// An offset within a character is at its start.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of lines.
  package func position(of offset: Int) -> Position {
    let line = line(of: offset)
    let contents = contents(ofLine: line)
    var place = min(max(offset, contents.lowerBound), contents.upperBound)
    for _ in 0..<3 where contents.contains(place) && bytes[place] & 0xC0 == 0x80 { place -= 1 }
    place = max(place, contents.lowerBound)
    return Position(
      line: line, character: unitCount(before: place) - unitCount(before: contents.lowerBound))
  }

  func range(of range: TextRange) -> Range<Int> {
    let start = offset(of: range.start)
    return start..<max(start, offset(of: range.end))
  }

  func range(of range: Range<Int>) -> TextRange {
    TextRange(start: position(of: range.lowerBound), end: position(of: range.upperBound))
  }

  /// Replaces a range; nil is the whole text.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package mutating func replace(_ range: TextRange?, with text: String) {
    if let range {
      bytes.replaceSubrange(self.range(of: range), with: text.utf8)
    } else {
      bytes = Array(text.utf8)
    }
    findLines(from: 0)
  }
}
