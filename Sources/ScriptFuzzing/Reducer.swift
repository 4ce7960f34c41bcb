package import ScriptSyntax

/// Makes a failing script as short as possible while it still fails in the same way.
///
/// This is delta debugging. It leaves out ever smaller runs of statements, and then of the
/// statements inside blocks. Next it replaces blocks by their contents, and removes inserts,
/// counting down the numbers after them. Then it removes parts of statements, and at last it makes
/// values simpler. All this is repeated until nothing more can go.
///
/// It accepts a text only if it is shorter, or equally long and first in order of bytes, so it
/// always ends. The same script always gives the same result.
package struct Reducer {
  private let failure: TrialFailure.Kind
  private let test: (ParsedScript) -> TrialFailure?
  /// The shortest script so far.
  private var script: ParsedScript
  /// The number of scripts that were tried.
  package private(set) var trials = 0

  /// Returns the shortest script found, or nil if the script does not fail.
  ///
  /// - Parameter test: Returns how a script fails.
  package static func reduce(
    _ script: ParsedScript, test: @escaping (ParsedScript) -> TrialFailure?
  ) -> (script: ParsedScript, failure: TrialFailure)? {
    guard let failure = test(script) else { return nil }
    var reducer = Reducer(failure: failure.kind, test: test, script: script)
    reducer.reduce()
    // If the reduction was stopped in the meantime, no test fails as before.
    let last = test(reducer.script)
    return (reducer.script, last?.kind == failure.kind ? last ?? failure : failure)
  }

  private mutating func reduce() {
    _ = accept(ScriptEdits.withoutComments(script))
    var before: [UInt8] = []
    while script.source.bytes != before {
      before = script.source.bytes
      for level in 0..<ScriptEdits.deepestLevel(script) { leaveOut { $0.statements(level) } }
      tryEach(\.unwrappings)
      tryEach(\.renumberings)
      leaveOut(\.parts)
      tryEach(\.simplifications)
    }
    _ = accept(ScriptEdits.withoutEmptyLines(script))
    let formatted = ScriptFormatter.format(script)
    _ = accept(SourceText(name: script.source.name, bytes: formatted), always: true)
  }

  /// Tries to leave out ever smaller runs of some pieces of the script.
  private mutating func leaveOut(_ pieces: (ScriptEdits) -> [Range<Int>]) {
    var count = pieces(ScriptEdits(script)).count
    while count > 0 {
      var start = 0
      while true {
        let ranges = pieces(ScriptEdits(script))
        guard start < ranges.count else { break }
        let run = ranges[start..<min(start + count, ranges.count)]
          .map { ScriptEdits.Replacement($0, "") }
        if !accept(script.source.replacing(run)) { start += count }
      }
      count /= 2
    }
  }

  /// Tries edits one by one, from the first one on.
  private mutating func tryEach(_ edits: (ScriptEdits) -> [[ScriptEdits.Replacement]]) {
    var index = 0
    while true {
      let all = edits(ScriptEdits(script))
      guard index < all.count else { return }
      if !accept(script.source.replacing(all[index])) { index += 1 }
    }
  }

  /// Replaces the script by a text, if the text is smaller and fails in the same way.
  private mutating func accept(_ source: SourceText, always: Bool = false) -> Bool {
    let (bytes, shortest) = (source.bytes, script.source.bytes)
    guard
      always || bytes.count < shortest.count
        || bytes.count == shortest.count && bytes.lexicographicallyPrecedes(shortest)
    else { return false }
    let candidate = ScriptParser.parse(source)
    guard !candidate.hasErrors else { return false }
    trials += 1
    guard test(candidate)?.kind == failure else { return false }
    script = candidate
    return true
  }
}

extension SourceText {
  /// Returns the text after replacing some ranges, which ascend and do not overlap.
  func replacing(_ edits: [ScriptEdits.Replacement]) -> SourceText {
    var bytes: [UInt8] = []
    var copied = 0
    for edit in edits where edit.range.lowerBound >= copied {
      bytes += self.bytes[copied..<edit.range.lowerBound] + Array(edit.text.utf8)
      copied = edit.range.upperBound
    }
    return SourceText(name: name, bytes: bytes + self.bytes[copied...])
  }
}
