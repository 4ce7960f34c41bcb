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
