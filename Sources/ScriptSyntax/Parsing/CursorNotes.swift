/// Where a parser notes what it would take at the cursor.
///
/// A class, because values in predicates are read beside the script's cursor.
final class CursorNotes {
  /// Where the placeholder is.
  let offset: Int
  private(set) var wants: [CursorPlace.Want] = []
  private(set) var locals: [LocalVariable] = []
  private(set) var updatedSource: String?

  /// Whether the cursor is known to be in a string.
  private var isClosed = false

  /// The word that represents the one being typed: a letter that nobody types and that is neither a
  /// capital nor a small one.
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

  /// Notes nothing more where a string without an end has taken the cursor in; the parser would go
  /// on after its first line.
  func close(for error: SyntaxError) {
    guard case .unterminatedString = error.kind else { return }
    isClosed = isClosed || error.range.upperBound > offset
  }

  /// The keys of the key path that ends before a place, blanks between them left out; none
  /// where something else ends there.
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

  /// Where the word begins that ends at `end`, its `$` included.
  static func startOfWord(endingAt end: Int, in bytes: [UInt8]) -> Int {
    let lexer = Lexer(SourceText(name: "", bytes: bytes))
    // Names may hold any letters, so the start is looked for from each place
    // where a character begins.
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
