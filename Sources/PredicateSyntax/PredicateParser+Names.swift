import NearNames

extension PredicateParser {
  /// Takes a key: any word, or `#` and a word.
  mutating func parseKey(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> String {
    if token.kind == .word {
      scanner.take(token)
      return scanner.text(token.range)
    }
    guard token.kind == .byte(UInt8(ascii: "#")), let end = scanner.endOfWord(at: token.end)
    else { throw unexpected(token, expected: .key) }
    scanner.take(upTo: end)
    return scanner.text(token.end..<end)
  }

  /// Takes `@count`, and returns the name without `@`.
  mutating func parseCollectionOperator(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> String {
    guard let end = scanner.endOfWord(at: token.end) else {
      throw unexpected(token, expected: .collectionOperator)
    }
    let name = scanner.text(token.end..<end)
    guard CollectionOperator(rawValue: name) != nil else {
      let near = nearestName(
        to: name, among: CollectionOperator.allCases.map(\.rawValue))
      throw PredicateSyntaxError(
        .unknownCollectionOperator(name, suggestion: near), range: token.start..<end)
    }
    scanner.take(upTo: end)
    return name
  }

  /// Takes `$x`, and returns the name without `$`.
  mutating func parseVariableName(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> String {
    guard token.kind == .byte(UInt8(ascii: "$")), let end = scanner.endOfWord(at: token.end)
    else { throw unexpected(token, expected: .variable) }
    scanner.take(upTo: end)
    return scanner.text(token.end..<end)
  }

  /// Takes `%@`, `%K` or a number such as `%5.2lf`.
  mutating func parseConversion(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> (index: Int, kind: ParsedFormat.Kind) {
    var end = token.end
    while let byte = scanner.byte(at: end), "0123456789.hlqztjL".utf8.contains(byte) {
      end += 1
    }
    guard let letter = scanner.byte(at: end) else {
      throw PredicateSyntaxError(.unexpectedEnd(expected: .conversion), range: end..<end)
    }
    let range = token.start..<end + 1
    guard let kind = Self.conversion(letter) else {
      let shown = letter > 0x20 && letter < 0x7F ? range : token.start..<end
      throw PredicateSyntaxError(.unknownConversion(scanner.text(shown)), range: shown)
    }
    guard !scanner.isEmbedded else {
      throw PredicateSyntaxError(.argumentInScript(scanner.text(range)), range: range)
    }
    scanner.take(upTo: end + 1)
    conversions.append(ParsedFormat.Conversion(kind: kind, range: range))
    return (conversions.count - 1, kind)
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
