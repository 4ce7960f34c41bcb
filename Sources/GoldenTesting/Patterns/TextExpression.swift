/// A regular expression of a pattern `[re:…]`.
///
/// It supports what a search in linear time allows: texts, `.`, classes, groups, `|`, `*`, `+`, `?`
/// and `{n,m}`. It has no back references and no lookaround. It matches a whole text, by Unicode
/// scalars.
indirect enum TextExpression: Sendable {
  case scalar(Unicode.Scalar)
  case set(ScalarSet)
  case sequence([TextExpression])
  case choice([TextExpression])
  /// A repetition from the first to the second bound, which is nil for no upper bound. `isLazy`
  /// prefers few repetitions.
  case repeated(TextExpression, Int, Int?, isLazy: Bool)

  /// Any text, as short as possible.
  static let anyText = TextExpression.repeated(
    .set(ScalarSet(ranges: [], isInverted: true)), 0, nil, isLazy: true)

  /// The error in an expression.
  struct Fault: Error, Hashable {
    let message: String
  }

  init(_ text: some StringProtocol) throws(Fault) {
    var parser = Parser(rest: Array(text.unicodeScalars)[...])
    self = try parser.choice(depth: 0)
    guard parser.rest.isEmpty else { throw Fault(message: "an unmatched ')'") }
  }
}

/// A set of scalars, or the complement of one.
struct ScalarSet: Sendable {
  private let ranges: [ClosedRange<UInt32>]
  private let isInverted: Bool
  /// The scalars below 128 in the set, one bit each.
  private let ascii: (UInt64, UInt64)

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 64 { return ascii.0 >> UInt64(value) & 1 == 1 }
    if value < 128 { return ascii.1 >> UInt64(value - 64) & 1 == 1 }
    return ranges.contains { $0.contains(value) } != isInverted
  }

  /// Creates the set of `\d`, `\w` or `\s`, or the complement for a capital letter; nil for other
  /// letters.
  init?(escape letter: Unicode.Scalar) {
    let ranges: [ClosedRange<UInt32>]
    switch letter {
    case "d", "D": ranges = [0x30...0x39]
    case "w", "W": ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    case "s", "S": ranges = [0x09...0x0D, 0x20...0x20]
    default: return nil
    }
    self.init(ranges: ranges, isInverted: ("A"..."Z").contains(letter))
  }

  init(ranges: [ClosedRange<UInt32>], isInverted: Bool = false) {
    self.ranges = ranges
    self.isInverted = isInverted
    func bits(from first: UInt32) -> UInt64 {
      (0..<64).reduce(0) { bits, bit in
        ranges.contains { $0.contains(first + bit) } != isInverted ? bits | 1 << UInt64(bit) : bits
      }
    }
    ascii = (bits(from: 0), bits(from: 64))
  }

  /// The ranges of scalars in the set.
  fileprivate var members: [ClosedRange<UInt32>] {
    guard isInverted else { return ranges }
    var members: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > next { members.append(next...range.lowerBound - 1) }
      next = max(next, range.upperBound + 1)
    }
    if next <= 0x10FFFF { members.append(next...0x10FFFF) }
    return members
  }
}

// MARK: - Reading

extension TextExpression {
  private struct Parser {
    var rest: ArraySlice<Unicode.Scalar>

    /// The largest depth of nested groups.
    private static let mostDepth = 50
    /// The largest number of repetitions of a part.
    private static let mostRepeats = 1000

    private mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
      guard rest.first == scalar else { return false }
      rest.removeFirst()
      return true
    }

    mutating func choice(depth: Int) throws(Fault) -> TextExpression {
      guard depth <= Self.mostDepth else { throw Fault(message: "groups nest too deep") }
      var choices = [try sequence(depth: depth)]
      while takes("|") { choices.append(try sequence(depth: depth)) }
      return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence(depth: Int) throws(Fault) -> TextExpression {
      var parts: [TextExpression] = []
      while let next = rest.first, next != "|", next != ")" {
        parts.append(try repeats(of: try part(depth: depth)))
      }
      return .sequence(parts)
    }

    private mutating func part(depth: Int) throws(Fault) -> TextExpression {
      guard let first = rest.popFirst() else { throw Fault(message: "it ends too early") }
      switch first {
      case ".": return .set(ScalarSet(ranges: [], isInverted: true))
      case "(": return try group(depth: depth)
      case "[": return .set(try set())
      case "\\":
        guard let letter = rest.popFirst() else { throw Fault(message: "it ends with '\\'") }
        if let set = ScalarSet(escape: letter) { return .set(set) }
        return .scalar(try Self.literal(letter))
      case "*", "+", "?", "{": throw Fault(message: "nothing comes before '\(first)' to repeat")
      case "^", "$":
        throw Fault(message: "'\(first)' is not known: an expression fits as a whole anyway")
      default: return .scalar(first)
      }
    }

    private mutating func group(depth: Int) throws(Fault) -> TextExpression {
      if takes("?") {
        guard takes(":") else { throw Fault(message: "of '(?' only '(?:' is known") }
      }
      let inner = try choice(depth: depth + 1)
      guard takes(")") else { throw Fault(message: "')' is missing") }
      return inner
    }

    /// Returns the scalar that a letter after `\` stands for, if it is not a set.
    private static func literal(_ letter: Unicode.Scalar) throws(Fault) -> Unicode.Scalar {
      switch letter {
      case "t": return "\t"
      case "n": return "\n"
      case "r": return "\r"
      case _ where letter.properties.isAlphabetic || ("0"..."9").contains(letter):
        throw Fault(message: "'\\\(letter)' is not known")
      default: return letter
      }
    }

    private mutating func set() throws(Fault) -> ScalarSet {
      let isInverted = takes("^")
      var ranges: [ClosedRange<UInt32>] = []
      while !takes("]") {
        guard let lower = try member(&ranges) else { continue }
        guard rest.first == "-", rest.dropFirst().first != "]" else {
          ranges.append(lower.value...lower.value)
          continue
        }
        rest.removeFirst()
        guard let upper = try member(&ranges), lower <= upper else {
          throw Fault(message: "a range in '[…]' goes from the lower to the higher")
        }
        ranges.append(lower.value...upper.value)
      }
      guard !ranges.isEmpty else { throw Fault(message: "'[]' has nothing in it") }
      return ScalarSet(ranges: ranges, isInverted: isInverted)
    }

    /// Parses a member of a class.
    ///
    /// Returns a scalar, or nil if it was a set, which is then added.
    private mutating func member(
      _ ranges: inout [ClosedRange<UInt32>]
    ) throws(Fault) -> Unicode.Scalar? {
      guard let first = rest.popFirst() else { throw Fault(message: "']' is missing") }
      guard first == "\\" else { return first }
      guard let letter = rest.popFirst() else { throw Fault(message: "']' is missing") }
      guard let set = ScalarSet(escape: letter) else { return try Self.literal(letter) }
      ranges += set.members
      return nil
    }

    private mutating func repeats(of part: TextExpression) throws(Fault) -> TextExpression {
      var result = part
      var isRepeated = false
      while let bounds = try bounds() {
        guard !isRepeated else { throw Fault(message: "a repetition of a repetition; use (?:…)") }
        isRepeated = true
        result = .repeated(result, bounds.least, bounds.most, isLazy: takes("?"))
      }
      return result
    }

    private mutating func bounds() throws(Fault) -> (least: Int, most: Int?)? {
      if takes("*") { return (0, nil) }
      if takes("+") { return (1, nil) }
      if takes("?") { return (0, 1) }
      guard takes("{") else { return nil }
      let least = try number()
      var most: Int? = least
      if takes(",") { most = rest.first == "}" ? nil : try number() }
      guard takes("}"), least <= most ?? .max else {
        throw Fault(message: "'{' takes a number, or two: {2}, {2,}, {2,5}")
      }
      return (least, most)
    }

    private mutating func number() throws(Fault) -> Int {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(digits.count)
      guard let number = Int(String(String.UnicodeScalarView(digits))),
        number <= Self.mostRepeats
      else {
        throw Fault(message: "'{' takes a number up to \(Self.mostRepeats)")
      }
      return number
    }
  }
}
