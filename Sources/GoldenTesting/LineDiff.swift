import FetchedResults

/// The difference of two lists of lines as people read it.
package enum LineDiff {
  /// Returns the lines of both, those only expected behind `-`, those only
  /// actual behind `+`.
  package static func lines(from expected: [String], to actual: [String]) -> [String] {
    let difference = actual.map(ScalarString.init)
      .difference(from: expected.map(ScalarString.init))
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var result: [String] = []
    var old = 0
    var new = 0
    while old < expected.count || new < actual.count {
      if removed.contains(old) {
        result.append("  - " + expected[old])
        old += 1
      } else if inserted.contains(new) {
        result.append("  + " + actual[new])
        new += 1
      } else {
        result.append("    " + expected[old])
        old += 1
        new += 1
      }
    }
    return result
  }
}

extension [String] {
  /// Whether both have the same lines, by Unicode scalars.
  ///
  /// `String` itself holds é equal to e with an accent, and a golden that says
  /// the one where the program prints the other is wrong.
  func hasSameScalars(as other: [String]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.hasSameScalars(as: $1) }
  }
}
