import Basics
import Synchronization

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
