import ScriptFuzzing
import ScriptSyntax

/// The shortest script found that has the same failure as a world's script.
struct ReducedFailure {
  let shape: FuzzShape
  let script: ParsedScript
  let failure: TrialFailure

  init(_ found: ListFuzzer.Failure, _ makeList: @escaping () throws -> any FuzzedList) {
    let script = ScriptParser.parse(SourceText(name: "script", text: found.script))
    let entities = Set(script.entityTexts)
    let reduced = Reducer.reduce(script) { candidate in
      // A list may trap if an entity lacks an attribute that it shows.
      guard entities.isSuperset(of: candidate.entityTexts) else { return nil }
      return ListTrial.failure(of: candidate, makeList)
    }
    shape = found.shape
    self.script = reduced?.script ?? script
    failure = reduced?.failure ?? found.failure
  }
}

extension ParsedScript {
  /// The definitions of entities, without separators.
  fileprivate var entityTexts: [String] {
    statements.compactMap { statement in
      guard case .entity = statement.kind else { return nil }
      return source.text(in: statement.range).filter {
        !$0.isWhitespace && $0 != "," && $0 != ";"
      }
    }
  }
}
