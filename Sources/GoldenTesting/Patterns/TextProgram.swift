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
