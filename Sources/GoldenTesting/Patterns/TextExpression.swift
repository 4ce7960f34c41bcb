import Basics

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
    for range in ranges.ordered(by: { $0.lowerBound < $1.lowerBound }) {
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

/// Expressions compiled to steps of a machine that follows all alternatives at once.
///
/// Therefore the time of a match is proportional to the text and to the number of steps, whatever
/// the expressions are.
struct TextProgram: Sendable {
  /// A step.
  ///
  /// It is a plain value, because steps are read for each scalar of a text.
  enum Step {
    case scalar(Unicode.Scalar)
    /// Reads a scalar of a set, given by index.
    case set(Int)
    /// Continues at both places; the first is preferred.
    case fork(Int, Int)
    case jump(Int)
    /// Marks the place in the text.
    case mark(Int)
    case end
  }

  private(set) var steps: [Step] = []
  private(set) var sets: [ScalarSet] = []
  private(set) var markCount = 0

  /// The largest number of steps.
  private static let mostSteps = 20_000

  /// A part of a text that is matched as a whole.
  enum Part {
    case text(String)
    case expression(TextExpression)
    /// An expression whose match is recorded.
    case noted(TextExpression)
  }

  init(_ parts: [Part]) throws(TextExpression.Fault) {
    for part in parts {
      switch part {
      case .text(let text):
        for scalar in text.unicodeScalars { try add(Step.scalar(scalar)) }
      case .expression(let expression): try add(expression)
      case .noted(let expression):
        try add(.mark(markCount))
        try add(expression)
        try add(.mark(markCount + 1))
        markCount += 2
      }
    }
    try add(.end)
  }

  private mutating func add(_ step: Step) throws(TextExpression.Fault) {
    guard steps.count < Self.mostSteps else {
      throw TextExpression.Fault(message: "it has too many parts")
    }
    steps.append(step)
  }

  private mutating func add(_ expression: TextExpression) throws(TextExpression.Fault) {
    switch expression {
    case .scalar(let scalar): try add(Step.scalar(scalar))
    case .set(let set):
      try add(Step.set(sets.count))
      sets.append(set)
    case .sequence(let parts): for part in parts { try add(part) }
    case .choice(let choices):
      var jumps: [Int] = []
      for choice in choices.dropLast() {
        let fork = steps.count
        try add(.fork(fork + 1, 0))
        try add(choice)
        jumps.append(steps.count)
        try add(.jump(0))
        steps[fork] = .fork(fork + 1, steps.count)
      }
      if let last = choices.last { try add(last) }
      for jump in jumps { steps[jump] = .jump(steps.count) }
    case .repeated(let part, let least, let most, let isLazy):
      for _ in 0..<least { try add(part) }
      guard let most else { return try addLoop(part, isLazy) }
      var forks: [Int] = []
      for _ in least..<most {
        forks.append(steps.count)
        try add(.fork(0, 0))
        try add(part)
      }
      for fork in forks { steps[fork] = Self.fork(fork + 1, steps.count, isLazy) }
    }
  }

  private mutating func addLoop(
    _ part: TextExpression, _ isLazy: Bool
  ) throws(TextExpression.Fault) {
    let fork = steps.count
    try add(.fork(0, 0))
    try add(part)
    try add(.jump(fork))
    steps[fork] = Self.fork(fork + 1, steps.count, isLazy)
  }

  private static func fork(_ into: Int, _ past: Int, _ isLazy: Bool) -> Step {
    isLazy ? .fork(past, into) : .fork(into, past)
  }
}

/// Matches texts against a program, one after another.
///
/// It reuses its memory for the next text, because many lines are compared with many.
final class TextMatcher {
  /// A path through the steps, with the places that it marked.
  private struct Way {
    let step: Int
    var marks: [String.Index]
  }

  private let program: TextProgram
  /// The paths that are followed, in order of preference.
  ///
  /// Each step is on only one of them.
  private var ways: [Way] = []
  private var nextWays: [Way] = []
  private var open: [Way] = []
  /// For each step, the last round in which it was added.
  private var rounds: [Int]
  private var round = 0
  /// The number of visits of steps that no budget has counted yet.
  ///
  /// Nested repetitions visit many steps for each path that waits for a scalar.
  private var visits = 0

  init(_ program: TextProgram) {
    self.program = program
    rounds = Array(repeating: -1, count: program.steps.count)
  }

  /// Returns the texts of the recorded parts, or nil if the text as a whole does not match.
  ///
  /// - Throws: ``ComparisonBudget/Exceeded``. Each step that is visited counts for the budget.
  /// - Complexity: O(*n* · *m*) for *n* scalars and *m* steps.
  func match(
    _ text: String, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> [Substring]? {
    let scalars = text.unicodeScalars
    let marks = Array(repeating: scalars.startIndex, count: program.markCount)
    ways.removeAll(keepingCapacity: true)
    round += 1
    follow(Way(step: 0, marks: marks), at: scalars.startIndex, &ways)
    var place = scalars.startIndex
    while place < scalars.endIndex {
      try budget.spend(onExpressions: visits)
      visits = 0
      guard !ways.isEmpty else { return nil }
      let scalar = scalars[place]
      place = scalars.index(after: place)
      nextWays.removeAll(keepingCapacity: true)
      round += 1
      for way in ways where fits(way.step, scalar) {
        follow(Way(step: way.step + 1, marks: way.marks), at: place, &nextWays)
      }
      swap(&ways, &nextWays)
    }
    let end = ways.first { if case .end = program.steps[$0.step] { true } else { false } }
    return end.map { end in
      stride(from: 0, to: program.markCount, by: 2).map {
        Substring(scalars[end.marks[$0]..<end.marks[$0 + 1]])
      }
    }
  }

  private func fits(_ step: Int, _ scalar: Unicode.Scalar) -> Bool {
    switch program.steps[step] {
    case .scalar(let wanted): wanted == scalar
    case .set(let index): program.sets[index].contains(scalar)
    case .fork, .jump, .mark, .end: false
    }
  }

  /// Adds a path, and the paths that it branches into before it reads a scalar.
  private func follow(_ start: Way, at place: String.Index, _ ways: inout [Way]) {
    open.append(start)
    while var way = open.popLast() {
      visits += 1
      guard rounds[way.step] != round else { continue }
      rounds[way.step] = round
      switch program.steps[way.step] {
      case .scalar, .set, .end: ways.append(way)
      case .jump(let step): open.append(Way(step: step, marks: way.marks))
      case .fork(let first, let second):
        open.append(Way(step: second, marks: way.marks))
        open.append(Way(step: first, marks: way.marks))
      case .mark(let mark):
        way.marks[mark] = place
        open.append(Way(step: way.step + 1, marks: way.marks))
      }
    }
  }
}
