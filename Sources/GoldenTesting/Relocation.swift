import Basics
import ScriptSyntax

/// The new offsets of a text after an update changed it.
struct Relocation {
  /// The distances by which the text after each offset has moved, in order.
  var moves: [(from: Int, by: Int)] = []

  /// - Complexity: O(log *n*), where *n* is the number of moves.
  func offset(of old: Int) -> Int {
    let index = moves.partitioningIndex { $0.from > old }
    return old + (index > 0 ? moves[index - 1].by : 0)
  }

  func range(of old: Range<Int>) -> Range<Int> {
    let start = offset(of: old.lowerBound)
    return start..<start + old.count
  }

  func diagnostic(_ old: Diagnostic) -> Diagnostic {
    var diagnostic = old
    diagnostic.range = range(of: old.range)
    return diagnostic
  }
}

extension GoldenOutcome {
  /// Moves the remaining failures to their places in the new text.
  mutating func relocate(to new: SourceText, _ relocation: Relocation) {
    let old = prepared.test.file
    func line(of line: Int) -> Int {
      new.line(of: relocation.offset(of: old.range(ofLine: line).lowerBound))
    }
    prepared = PreparedTest(
      GoldenTest(source: new, lines: prepared.test.lines.map { Set($0.map(line)) }))
    warnings = warnings.map(relocation.diagnostic)
    notes = notes.map { note in
      var moved = BlockNote(
        kind: note.kind, reason: note.reason,
        lines: line(of: note.lines.lowerBound)...line(of: note.lines.upperBound))
      moved.store = note.store
      return moved
    }
    failures = failures.map { failure in
      let lines = line(of: failure.lines.lowerBound)...line(of: failure.lines.upperBound)
      var kind = failure.kind
      if case .uncaught(let error) = kind, error.source.name == old.name {
        kind = .uncaught(
          .init(diagnostic: relocation.diagnostic(error.diagnostic), source: new))
      }
      var moved = GoldenFailure(kind, in: failure.file, lines)
      moved.store = failure.store
      return moved
    }
  }
}
