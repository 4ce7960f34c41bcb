import Basics

/// Reads names: keys, collection operators, variables and `%` arguments.
struct NameParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// Reads a key: any word, or `#` and a word.
  func key(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> String {
    if token.kind == .word {
      cursor.take(token)
      return cursor.text(token.range)
    }
    guard token.kind == .byte(UInt8(ascii: "#")), let end = cursor.endOfWord(at: token.end)
    else { throw cursor.unexpected(token, expected: .key) }
    cursor.take(upTo: end)
    return cursor.text(token.end..<end)
  }

  /// Reads `@count`, and returns the name without `@`.
  func collectionOperator(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> String {
    guard let end = cursor.endOfWord(at: token.end) else {
      throw cursor.unexpected(token, expected: .collectionOperator)
    }
    let name = cursor.text(token.end..<end)
    guard CollectionOperator(rawValue: name) != nil else {
      let near = nearestName(
        to: name, among: CollectionOperator.allCases.map(\.rawValue))
      throw PredicateSyntaxError(
        .unknownCollectionOperator(name, suggestion: near), range: token.start..<end)
    }
    cursor.take(upTo: end)
    return name
  }

  /// Reads `$x`, and returns the name without `$`.
  func variable(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> String {
    guard token.kind == .byte(UInt8(ascii: "$")), let end = cursor.endOfWord(at: token.end)
    else { throw cursor.unexpected(token, expected: .variable) }
    cursor.take(upTo: end)
    return cursor.text(token.end..<end)
  }

  /// Reads `%@`, `%K` or a number such as `%5.2lf`.
  func argument(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> (index: Int, kind: ParsedFormat.Kind) {
    var end = token.end
    while let byte = cursor.byte(at: end), "0123456789.hlqztjL".utf8.contains(byte) {
      end += 1
    }
    guard let letter = cursor.byte(at: end) else {
      throw PredicateSyntaxError(.unexpectedEnd(expected: .conversion), range: end..<end)
    }
    let range = token.start..<end + 1
    guard let kind = Self.conversion(letter) else {
      let shown = letter > 0x20 && letter < 0x7F ? range : token.start..<end
      throw PredicateSyntaxError(.unknownConversion(cursor.text(shown)), range: shown)
    }
    guard !cursor.isEmbedded else {
      throw PredicateSyntaxError(.argumentInScript(cursor.text(range)), range: range)
    }
    cursor.take(upTo: end + 1)
    return (cursor.add(ParsedFormat.Conversion(kind: kind, range: range)), kind)
  }

  private static func conversion(_ letter: UInt8) -> ParsedFormat.Kind? {
    switch Unicode.Scalar(letter) {
    case "@": .object
    case "K": .keyPath
    case "d", "D", "i", "u", "U", "x", "X", "o", "O", "p": .integer
    case "f", "F", "e", "E", "g", "G", "a", "A": .real
    case "c", "C": .character
    case "s", "S": .string
    default: nil
    }
  }
}
