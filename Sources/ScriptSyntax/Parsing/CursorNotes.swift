/// A record of what a parser would accept at the cursor.
///
/// It is a class because values in predicates are parsed with a cursor of their own.
final class CursorNotes {
  /// The offset of the placeholder.
  let offset: Int
  private(set) var wants: [CursorPlace.Want] = []
  private(set) var locals: [LocalVariable] = []
  private(set) var updatedSource: String?

  /// Whether the cursor is known to be in a string.
  private var isClosed = false

  /// The word that replaces the one being typed: a letter that nobody types, and that is neither
  /// upper nor lower case.
  static let placeholder = "\u{A015}"

  init(offset: Int) {
    self.offset = offset
  }

  func add(_ want: CursorPlace.Want, by cursor: TokenCursor) {
    guard !isClosed, !wants.contains(want) else { return }
    wants.append(want)
    locals = cursor.locals
    updatedSource = cursor.updatedSource
  }

  /// Stops recording if a string without an end contains the cursor, because the parser continues
  /// after its first line.
  func close(for error: SyntaxError) {
    guard case .unterminatedString = error.kind else { return }
    isClosed = isClosed || error.range.upperBound > offset
  }

  /// Returns the keys of the key path that ends before a place, without blanks between them.
  ///
  /// Returns none if something else ends there.
  ///
  /// An operator of collections keeps its `@`, and a variable its `$`.
  static func keyPath(before place: Int, in bytes: [UInt8]) -> [String] {
    var end = place
    while end > 0, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x0A { end -= 1 }
    var keys: [String] = []
    while true {
      let start = startOfWord(endingAt: end, in: Array(bytes[..<end]))
      guard start < end else { return [] }
      var key = String(decoding: bytes[start..<end], as: UTF8.self)
      end = start
      if end > 0, bytes[end - 1] == Byte.at {
        end -= 1
        key = "@" + key
      }
      keys.insert(key, at: 0)
      guard end > 0, bytes[end - 1] == Byte.dot else { return keys }
      end -= 1
    }
  }

  /// Returns the start of the word that ends at `end`, including its `$`.
  static func startOfWord(endingAt end: Int, in bytes: [UInt8]) -> Int {
    let lexer = Lexer(SourceText(name: "", bytes: bytes))
    // Names may contain any letters, so the start is searched from each place where a character
    // begins.
    var start = end
    var candidate = end
    while candidate > 0, end - candidate < 256 {
      candidate -= 1
      let byte = bytes[candidate]
      if byte & 0xC0 == 0x80 { continue }
      if lexer.endOfName(at: candidate) == end {
        start = candidate
      } else if !Byte.isDigit(byte) {
        break
      }
    }
    let hasDollar = start > 0 && bytes[start - 1] == Byte.dollar
    return hasDollar ? start - 1 : start
  }
}
