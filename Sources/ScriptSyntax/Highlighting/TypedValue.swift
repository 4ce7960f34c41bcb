/// A value that is being typed next to an attribute, as in `where genre == "S`.
package struct TypedValue {
  /// The place where the attribute is looked up.
  package enum Owner: Equatable, Sendable {
    /// The entity of the object that is being inserted.
    case inserted(entity: String)
    /// The entity of an object, as in `Book/1.genre = `.
    case numbered(entity: String)
    /// A variable, or the source that bare names refer to at this place.
    case place
  }

  /// The key path to the attribute.
  package let keys: [String]
  package let owner: Owner
  /// What could be at the place of the value, if no value had begun there.
  package let place: CursorPlace
  /// The start of the value in UTF-8 bytes, after its opening quote.
  package let start: Int
  /// The opening quote of the value, if it has one.
  package let quote: Character?
  /// The part of the value that was typed.
  package let content: String

  /// Scans backward from a place; nil if there is no such value.
  ///
  /// - Parameters:
  ///   - text: The entry so far.
  ///   - offset: The place, in UTF-8 bytes.
  /// - Complexity: O(*n*), where *n* is the length of the text before the place.
  package init?(in text: String, at offset: Int) {
    let bytes = Array(text.utf8.prefix(max(0, offset)))
    let parts = TextParts(String(decoding: bytes, as: UTF8.self))
    let begin: Int
    if parts.endsInString, let string = parts.parts.last, string.role == .string,
      !bytes[string.range].dropFirst().contains(Byte.backslash)
    {
      begin = string.range.lowerBound
      start = begin + 1
      quote = bytes[begin] == Byte.singleQuote ? "'" : "\""
      content = String(decoding: bytes[(begin + 1)...], as: UTF8.self)
    } else {
      guard !parts.endsInString else { return nil }
      begin = bytes.count
      start = begin
      quote = nil
      content = ""
    }
    var scan = BackwardScan(bytes, from: begin)
    guard scan.skipOperator() else { return nil }
    let end = scan.place
    let path = CursorNotes.keyPath(before: end, in: bytes)
    if path.isEmpty {
      // Digits, such as those of `Book/1.genre`, are not a key.
      let key = CursorNotes.startOfWord(endingAt: end, in: Array(bytes[..<end]))
      guard key < end, key > 0, bytes[key - 1] == Byte.dot,
        let object = TypedObject(endingAt: key - 1, in: bytes)
      else { return nil }
      keys = [String(decoding: bytes[key..<end], as: UTF8.self)]
      owner = .numbered(entity: object.entity)
    } else {
      keys = path
      let first = scan.start(ofKeys: path)
      let inserted = parts.parts.lazy.compactMap { part -> String? in
        guard part.range.lowerBound == first, case .attribute(let entity) = part.place else {
          return nil
        }
        return entity
      }.first
      owner = inserted.map { .inserted(entity: $0) } ?? .place
    }
    place = ScriptParser.place(in: String(decoding: bytes[..<begin], as: UTF8.self), at: begin)
  }
}

/// An object that is being typed by its number or by a word of its text, as in `Book/3`.
package struct TypedObject {
  /// The name before the slash.
  ///
  /// It may not be an entity's name.
  package let entity: String
  /// The text after the slash.
  package let typed: String
  /// The start of that text, in UTF-8 bytes.
  package let start: Int

  /// Scans backward from a place in a text; nil if there is no such object.
  package init?(in text: String, at offset: Int) {
    let bytes = Array(text.utf8.prefix(max(0, offset)))
    guard let object = TypedObject(endingAt: bytes.count, in: bytes),
      !TextParts(String(decoding: bytes, as: UTF8.self)).endsInString
    else { return nil }
    self = object
  }

  /// Scans backward from a place.
  init?(endingAt end: Int, in bytes: [UInt8]) {
    guard end > 0, end <= bytes.count else { return nil }
    var start = end
    while start > 0, bytes[start - 1] != Byte.slash {
      let byte = bytes[start - 1]
      guard byte >= 0x80 || Byte.isDigit(byte) || Byte.isLetter(byte) else { return nil }
      start -= 1
    }
    guard start > 1 else { return nil }
    let name = CursorNotes.startOfWord(endingAt: start - 1, in: Array(bytes[..<(start - 1)]))
    guard name < start - 1 else { return nil }
    entity = String(decoding: bytes[name..<(start - 1)], as: UTF8.self)
    typed = String(decoding: bytes[start..<end], as: UTF8.self)
    self.start = start
  }
}

/// A backward scan over the text between an attribute and its value.
private struct BackwardScan {
  private let bytes: [UInt8]
  private(set) var place: Int

  init(_ bytes: [UInt8], from place: Int) {
    self.bytes = bytes
    self.place = place
  }

  /// Skips a sign or a word that compares or assigns, and the start of a list.
  ///
  /// - Returns: Whether there was a sign or a word.
  mutating func skipOperator() -> Bool {
    skipBlanks()
    if last == UInt8(ascii: "{") || last == UInt8(ascii: ",") || last == UInt8(ascii: "[") {
      guard skipList(), skipWord() == "IN" else { return false }
      skipBlanks()
      return true
    }
    if last == UInt8(ascii: "]") {
      while let byte = last, byte != UInt8(ascii: "[") { place -= 1 }
      guard last != nil else { return false }
      place -= 1
    }
    if last == Byte.colon {
      place -= 1
      skipBlanks()
      return true
    }
    let end = place
    while let byte = last, Array("=!<>".utf8).contains(byte) { place -= 1 }
    if place < end {
      let sign = String(decoding: bytes[place..<end], as: UTF8.self)
      skipBlanks()
      return ["=", "==", "!=", "<>"].contains(sign)
    }
    guard ["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE"].contains(skipWord()) else { return false }
    skipBlanks()
    return true
  }

  /// Returns where the key path begins that ends here.
  func start(ofKeys keys: [String]) -> Int {
    place - keys.joined(separator: ".").utf8.count
  }

  private var last: UInt8? { place > 0 ? bytes[place - 1] : nil }

  private mutating func skipBlanks() {
    while let byte = last, byte == 0x20 || byte == Byte.lineFeed { place -= 1 }
  }

  private mutating func skipWord() -> String {
    skipBlanks()
    let end = place
    while let byte = last, Byte.isLetter(byte) { place -= 1 }
    return String(decoding: bytes[place..<end], as: UTF8.self).uppercased()
  }

  /// Skips the values of a list that are already typed.
  private mutating func skipList() -> Bool {
    while let byte = last {
      place -= 1
      switch byte {
      case Byte.leftBrace, UInt8(ascii: "["): return true
      case Byte.doubleQuote, Byte.singleQuote:
        while let other = last, other != byte { place -= 1 }
        place -= 1
        guard place > 0 else { return false }
      case Byte.rightBrace, Byte.lineFeed, UInt8(ascii: ";"): return false
      default: break
      }
    }
    return false
  }
}
