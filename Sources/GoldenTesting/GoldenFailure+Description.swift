import ScriptSyntax

extension GoldenFailure {
  /// The word for this kind of failure in reports for tools.
  package var code: String {
    switch kind {
    case .output: reasons == nil ? "output" : "prediction"
    case .strayExpectation: "strayExpectation"
    case .replay: "replay"
    case .uncaught: "error"
    case .timedOut: "timeout"
    case .exceeded(let limit): limit.resource.rawValue + "Limit"
    case .crashed: "crash"
    case .unreached: "unreached"
    case .unstable: "unstable"
    case .diagnostic: "syntax"
    case .conflictMarker: "conflict"
    case .empty: "empty"
    case .missingGolden: "missingGolden"
    case .unexpectedPass: "unexpectedPass"
    case .update: "update"
    }
  }
}

extension GoldenFailure: CustomStringConvertible {
  /// The message, on one line without the place.
  package var description: String {
    let words =
      switch kind {
      case .output where reasons != nil: "the prediction differs"
      case .output(let mismatch):
        mismatch.expected.isEmpty
          ? "output without an expectation"
          : mismatch.actual.isEmpty ? "nothing is printed" : "output differs"
      case .strayExpectation:
        "this '#>' line must directly follow a statement; remove the empty line or comment above it"
      case .replay(let breach): "callbacks break the replay law: \(breach)"
      case .uncaught(let error): "uncaught error: \(error.diagnostic.message)"
      case .timedOut(let limit):
        limit.words
      case .exceeded(let limit): limit.words
      case .crashed(let reason): "frc crashed: \(reason)"
      case .unreached(let blocks): "\(blocks) \(blocks == 1 ? "block" : "blocks") not reached"
      case .unstable: "a second run prints something else, so it cannot be accepted"
      case .diagnostic(let diagnostic): diagnostic.message
      case .conflictMarker: "a conflict marker that a merge left"
      case .empty: "there is no statement; write one, or '#@ skip REASON'"
      case .missingGolden(let path):
        "the golden file '\(path)' is missing, but git has it; restore it, or remove it with 'git rm'"
      case .unexpectedPass(let reason): "passes, though it was expected to fail: \(reason)"
      case .update(let reason): "not updated: \(reason)"
      }
    return words + (store.map { " (store \($0))" } ?? "")
  }
}

extension Duration {
  var words: String {
    let (seconds, rest) = components
    return rest == 0
      ? "\(seconds) s" : "\(seconds * 1000 + rest / 1_000_000_000_000_000) ms"
  }
}
