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

/// What can be written at one place of a text that is being typed.
///
/// The parser reads the text before the place and records what it would accept there, so the result
/// always agrees with the grammar.
package struct CursorPlace: Hashable, Sendable {
  /// The start of the word before the cursor, in UTF-8 bytes; the cursor's own place if there is no
  /// word.
  package internal(set) var start: Int
  /// The word up to the cursor, with its `$` if it has one.
  package internal(set) var typed: String
  /// What the parser would accept instead of the word.
  ///
  /// Empty inside strings and comments, and where only a new name is allowed.
  package internal(set) var wants: [Want] = []
  /// The local variables that the text itself defines, innermost last.
  package var locals: [LocalVariable] = []
  /// The source whose attributes bare names refer to, inside `update { }`.
  package internal(set) var updatedSource: String?

  /// One kind of text that can be at a place.
  package enum Want: Hashable, Sendable {
    /// A statement; `words` are the possible first words.
    case statement(words: [String])
    /// A fixed word.
    case word(String)
    /// The name of an entity.
    case entity
    /// The name of an entity, followed by the values of an insert.
    case insertedEntity
    /// An entity, a request or a controller.
    case source
    case controller
    case table
    case context
    /// The name of a type in an entity.
    case type
    /// An attribute of the entity of a source or a controller.
    case attribute(of: String, AttributeRole, besides: [String] = [])
    /// A key of a key path on a source, after these keys. If `isOperator`, the `@` of an operator
    /// is already typed.
    case key(of: String, after: [String], isOperator: Bool)
    /// A value outside predicates.
    case value
    /// A member of a value.
    case member(of: ExpressionSyntax)
    /// An argument of a method; the index is counted from 0.
    case argument(of: String, index: Int)
    /// A value in a predicate on a source. The source may be empty, if only the object after the
    /// predicate decides it.
    case operand(of: String)
    /// What is between two values of a predicate on a source.
    ///
    /// The first value is the key path of these keys, or another value if there are none.
    case comparison(of: String, after: [String])
  }

  /// The role of an attribute, which decides what follows its name.
  package enum AttributeRole: Hashable, Sendable {
    /// A value follows, as in `insert Book(title: …)`.
    case inserted
    /// A sign and a value follow, as in `update Book { pages = … }`.
    case assigned
    /// Nothing or further words follow, as in `sort by title`.
    case key
  }
}

extension ScriptParser {
  /// Returns what can be written at a place in an entry at the prompt.
  ///
  /// - Parameters:
  ///   - text: The entry so far. Text after the place is ignored.
  ///   - offset: The place, in UTF-8 bytes.
  /// - Complexity: O(*n*), where *n* is the length of the text before the place.
  package static func place(in text: String, at offset: Int) -> CursorPlace {
    let bytes = Array(text.utf8.prefix(max(0, offset)))
    let start = CursorNotes.startOfWord(endingAt: bytes.count, in: bytes)
    let typed = String(decoding: bytes[start...], as: UTF8.self)
    let notes = CursorNotes(offset: start)
    // A word that the language does not have replaces the one being typed.
    let word = (typed.hasPrefix("$") ? "$" : "") + CursorNotes.placeholder
    let source = SourceText(name: "", bytes: bytes[..<start] + Array(word.utf8))
    let cursor = TokenCursor(source, setting: .prompt)
    cursor.notes = notes
    _ = StatementParser(cursor).parseScript()
    return CursorPlace(
      start: start, typed: typed, wants: notes.wants, locals: notes.locals,
      updatedSource: notes.updatedSource)
  }
}

/// Recording of what a text that is being typed could contain at the cursor.
extension TokenCursor {
  /// Whether a token is the placeholder for the word at the cursor.
  func isCursor(_ token: Token) -> Bool {
    guard let notes else { return false }
    return token.range.lowerBound == notes.offset
      && (token.kind == .word || token.kind == .variable)
  }

  /// Records what could be here, if the cursor is here.
  func note(_ want: CursorPlace.Want) {
    guard let notes, isCursor(token) else { return }
    notes.add(want, by: self)
  }

  /// Records a fixed word that could be here.
  func note(word: String) {
    guard notes != nil else { return }
    note(.word(word))
  }

  /// Records a key of a key path, if the cursor is directly after its dot.
  func noteKey(of source: String) {
    guard let notes, notes.wants.isEmpty else { return }
    let bytes = self.source.bytes
    var end = notes.offset
    let isOperator = end > 0 && bytes[end - 1] == Byte.at
    if isOperator { end -= 1 }
    var keys: [String] = []
    while end > 0, bytes[end - 1] == Byte.dot {
      let start = CursorNotes.startOfWord(endingAt: end - 1, in: Array(bytes[..<(end - 1)]))
      guard start < end - 1 else { return }
      keys.insert(String(decoding: bytes[start..<(end - 1)], as: UTF8.self), at: 0)
      end = start
    }
    guard !keys.isEmpty else { return }
    notes.add(.key(of: source, after: keys, isOperator: isOperator), by: self)
  }

  /// Records a statement that could begin here.
  ///
  /// `return` is recorded only in a callback that returns a value.
  func noteStatement() {
    guard notes != nil else { return }
    let words = StatementWord.all
    note(
      .statement(words: givesValue ? words : words.filter { $0 != StatementWord.return.rawValue }))
  }
}
