/// Reads the options of a comparison, such as `[cd]`.
struct OptionParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// Reads `[cd]` after an operator.
  ///
  /// If the host has lists in brackets, `IN [1, 2]` has no options. Then a bracket with anything
  /// but option letters counts as options only if it follows the operator without a blank, and
  /// never for IN and BETWEEN.
  func parse(
    of comparator: PredicateTree.Comparator
  ) throws(PredicateSyntaxError) -> PredicateTree.Options {
    let isAdjacent = cursor.byte(at: cursor.end) == UInt8(ascii: "[")
    let start = cursor.end
    let token = cursor.peekOperand()
    guard token.kind == .byte(UInt8(ascii: "[")) else { return [] }
    guard let (options, end) = try readOptions(at: token.end) else {
      if cursor.host != nil, !isAdjacent || comparator == .in || comparator == .between {
        return []
      }
      throw optionError(at: token.end)
    }
    guard comparator != .between else {
      throw PredicateSyntaxError(.optionsNotAllowed("BETWEEN"), range: start..<end)
    }
    cursor.take(upTo: end)
    return options
  }

  /// Reads letters up to the closing bracket; nil if there is anything else.
  private func readOptions(
    at start: Int
  ) throws(PredicateSyntaxError) -> (PredicateTree.Options, end: Int)? {
    var options: PredicateTree.Options = []
    var offset = start
    while let byte = cursor.byte(at: offset) {
      offset += 1
      switch Unicode.Scalar(byte) {
      case "c", "C": options.insert(.caseInsensitive)
      case "d", "D": options.insert(.diacriticInsensitive)
      case "n", "N": options.insert(.normalized)
      case "l", "L": options.insert(.locale)
      case "]" where !options.isEmpty: return (options, offset)
      case " ", "\t", "\n", "\r": continue
      default: return nil
      }
    }
    throw PredicateSyntaxError(
      .unexpectedEnd(expected: .symbol("]")), range: offset..<offset)
  }

  private func optionError(at start: Int) -> PredicateSyntaxError {
    var offset = start
    while let byte = cursor.byte(at: offset), "cdnlCDNL \t\n\r".utf8.contains(byte) { offset += 1 }
    guard offset < cursor.bytes.count else {
      return PredicateSyntaxError(
        .unexpectedEnd(expected: .symbol("]")), range: offset..<offset)
    }
    var end = offset + 1
    while let byte = cursor.byte(at: end), byte & 0xC0 == 0x80 { end += 1 }
    let text = cursor.text(offset..<end)
    if text == "]" {
      return PredicateSyntaxError(
        .expected(.option, found: .text(text)), range: offset..<end)
    }
    return PredicateSyntaxError(.unknownOption(text), range: offset..<end)
  }
}
