extension PredicateTree {
  /// The operator of a comparison.
  ///
  /// The raw value is its normal form.
  package enum Comparator: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case between = "BETWEEN"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
  }
}

extension PredicateTree.Comparator {
  /// The kinds of values that an operator compares.
  ///
  /// Code that treats all operators of a family the same switches over the family, so that a new
  /// operator does not affect it.
  package enum Family: Hashable, Sendable {
    /// Two values that are equal or ordered.
    case relation(Relation)
    case between
    case membership
    case containment
    /// A string with another string or a pattern.
    case text
  }

  /// How two values compare.
  package enum Relation: Hashable, Sendable {
    case equal
    case notEqual
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual
  }

  /// How a string is compared with another, or matched by a pattern.
  package enum TextOperation: Hashable, Sendable {
    case relation(Relation)
    case contains
    case beginsWith
    case endsWith
    case like
    case matches
  }

  package var family: Family {
    switch self {
    case .equal: .relation(.equal)
    case .notEqual: .relation(.notEqual)
    case .less: .relation(.less)
    case .lessOrEqual: .relation(.lessOrEqual)
    case .greater: .relation(.greater)
    case .greaterOrEqual: .relation(.greaterOrEqual)
    case .between: .between
    case .in: .membership
    case .contains: .containment
    case .beginsWith, .endsWith, .like, .matches: .text
    }
  }

  /// The operation on two strings; nil for an operator whose right side has more than one value.
  package var textOperation: TextOperation? {
    switch self {
    case .between, .in: nil
    case .contains: .contains
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      relation.map(TextOperation.relation)
    }
  }

  package init(_ relation: Relation) {
    self =
      switch relation {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
  }

  /// How the operator compares two values; nil for an operator that is not a relation.
  package var relation: Relation? {
    if case .relation(let relation) = family { relation } else { nil }
  }
}

extension PredicateTree.Comparator.Relation {
  /// Whether the relation is true for two values.
  ///
  /// The number is negative, zero or positive if the first value is less than, equal to or greater
  /// than the second.
  @inline(__always)
  package func accepts(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// The relation with the same meaning if the sides are exchanged.
  package var mirrored: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

/// The collection operators of key paths, without their `@`.
package enum CollectionOperator: String, CaseIterable, Sendable {
  case count
  case sum
  case avg
  case min
  case max
  case unionOfObjects
  case distinctUnionOfObjects
  case unionOfArrays
  case distinctUnionOfArrays
  case distinctUnionOfSets
}

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
