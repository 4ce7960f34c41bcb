/// What can be at one place of a text that is being typed.
///
/// The parser reads the text before the place and notes there what it would
/// take: so this is never out of step with the grammar.
package struct CursorPlace: Hashable, Sendable {
  /// Where the word begins that the cursor follows, in UTF-8 bytes; the cursor's own place where
  /// there is none.
  package internal(set) var start: Int
  /// The word up to the cursor, with its `$` if it has one.
  package internal(set) var typed: String
  /// What the parser would take instead of the word; empty inside strings and comments, and where
  /// only something new can be.
  package internal(set) var wants: [Want] = []
  /// The variables that the text itself brings into sight, innermost last.
  package var locals: [LocalVariable] = []
  /// The source whose attributes bare names mean, inside `update { }`.
  package internal(set) var updatedSource: String?

  /// One kind of thing that can be at a place.
  package enum Want: Hashable, Sendable {
    /// A statement; these are its first words.
    case statement(words: [String])
    /// A fixed word.
    case word(String)
    /// The name of an entity.
    case entity
    /// The name of an entity, with the values of an insert to follow.
    case insertedEntity
    /// An entity, a request or a controller.
    case source
    case controller
    case table
    case context
    /// The name of a type in an entity.
    case type
    /// An attribute of the entity that a source or a controller is about.
    case attribute(of: String, AttributeRole, besides: [String] = [])
    /// A key of a key path on a source, after these keys; an operator's name, where its `@` is
    /// there already.
    case key(of: String, behind: [String], isOperator: Bool)
    /// A value outside predicates.
    case value
    /// A part of a value.
    case member(of: ExpressionSyntax)
    /// An argument of a method, counted from 0.
    case argument(of: String, index: Int)
    /// A value in a predicate on a source; on none yet where an object after the predicate says
    /// what it is about.
    case operand(of: String)
    /// What is between two values of a predicate on a source; the first is the value of these keys,
    /// or another value if there are none.
    case comparison(of: String, after: [String])
  }

  /// What follows an attribute's name.
  package enum AttributeRole: Hashable, Sendable {
    /// A value, as in `insert Book(title: …)`.
    case inserted
    /// A sign and a value, as in `update Book { pages = … }`.
    case assigned
    /// Nothing or more words, as in `sort by title`.
    case key
  }
}

extension ScriptParser {
  /// Tells what can be at a place in an entry at the prompt.
  ///
  /// - Parameters:
  ///   - text: The entry so far; what follows the place is not looked at.
  ///   - offset: The place, in UTF-8 bytes.
  /// - Complexity: O(*n*), where *n* is the length of the text before it.
  package static func place(in text: String, at offset: Int) -> CursorPlace {
    let bytes = Array(text.utf8.prefix(max(0, offset)))
    let start = CursorNotes.startOfWord(endingAt: bytes.count, in: bytes)
    let typed = String(decoding: bytes[start...], as: UTF8.self)
    let notes = CursorNotes(offset: start)
    // A word that is none of the language's represents the one being typed.
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
