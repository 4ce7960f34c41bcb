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

  init(_ program: TextProgram) {
    self.program = program
    rounds = Array(repeating: -1, count: program.steps.count)
  }

  /// Returns the texts of the recorded parts, or nil if the text as a whole does not match.
  ///
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
      guard !ways.isEmpty else { return nil }
      try budget.spend(ways.count)
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
