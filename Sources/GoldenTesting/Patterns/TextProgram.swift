/// Expressions as steps of a machine that follows all their ways at once.
///
/// So a match takes time in proportion to the text and to the steps, whatever
/// the expressions are.
struct TextProgram: Sendable {
  private enum Step {
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    /// Goes on at both places; the first is preferred.
    case fork(Int, Int)
    case jump(Int)
    /// Notes the place in the text.
    case mark(Int)
    case end
  }

  private var steps: [Step] = []
  private var markCount = 0

  /// How many steps there may be.
  private static let mostSteps = 20_000

  /// A part of a text that is matched as a whole.
  enum Part {
    case text(String)
    /// What it matched is told.
    case noted(TextExpression)
  }

  init(_ parts: [Part]) throws(TextExpression.Fault) {
    for part in parts {
      switch part {
      case .text(let text):
        for scalar in text.unicodeScalars { try add(Step.scalar(scalar)) }
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
    case .set(let set): try add(Step.set(set))
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

// MARK: - Running

extension TextProgram {
  /// Where a way through the steps is, and the places it noted.
  private struct Way {
    let step: Int
    var marks: [Int]
  }

  /// The ways that are followed, by preference, each step once.
  private struct Ways {
    var list: [Way] = []
    private var round = 0
    private var seen: [Int]

    init(steps: Int) { seen = Array(repeating: -1, count: steps) }

    mutating func begin(round: Int) {
      list.removeAll(keepingCapacity: true)
      self.round = round
    }

    /// Whether a step is new in this round.
    mutating func isNew(_ step: Int) -> Bool {
      defer { seen[step] = round }
      return seen[step] != round
    }
  }

  /// Returns what the noted parts stand for in a text, or nil where it does not
  /// fit as a whole.
  ///
  /// - Complexity: O(*n* · *m*) for *n* scalars and *m* steps.
  func match(
    _ text: [Unicode.Scalar], until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> [Range<Int>]? {
    var ways = Ways(steps: steps.count)
    var next = Ways(steps: steps.count)
    ways.begin(round: 0)
    follow(Way(step: 0, marks: Array(repeating: 0, count: markCount)), at: 0, &ways)
    for (place, scalar) in text.enumerated() {
      guard !ways.list.isEmpty else { return nil }
      try budget.spend(ways.list.count)
      next.begin(round: place + 1)
      for way in ways.list where fits(way.step, scalar) {
        follow(Way(step: way.step + 1, marks: way.marks), at: place + 1, &next)
      }
      swap(&ways, &next)
    }
    let end = ways.list.first { if case .end = steps[$0.step] { true } else { false } }
    return end.map { end in
      stride(from: 0, to: markCount, by: 2).map { end.marks[$0]..<end.marks[$0 + 1] }
    }
  }

  private func fits(_ step: Int, _ scalar: Unicode.Scalar) -> Bool {
    switch steps[step] {
    case .scalar(let wanted): wanted == scalar
    case .set(let set): set.contains(scalar)
    case .fork, .jump, .mark, .end: false
    }
  }

  /// Adds a way, and those that it forks into before it reads a scalar.
  private func follow(_ start: Way, at place: Int, _ ways: inout Ways) {
    var open = [start]
    while var way = open.popLast() {
      guard ways.isNew(way.step) else { continue }
      switch steps[way.step] {
      case .scalar, .set, .end: ways.list.append(way)
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
