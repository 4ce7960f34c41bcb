import FetchedResults
import PredicateSyntax
import ScriptSyntax

extension EmbeddedPredicate {
  /// Warnings about forms that Apple's parser refuses, or that mean something else than they seem
  /// to.
  var refusalWarnings: [Diagnostic] {
    tree.refusals.map { refusal in
      let range = refusal.range.range
      return Diagnostic(
        severity: .warning, message: refusal.reason.words,
        range: range.isEmpty ? self.range : range)
    }
  }
}

extension PredicateRefusal.Reason {
  fileprivate var words: String {
    switch self {
    case .notIn: "Apple's parser refuses 'x NOT IN y'; write 'NOT x IN y'"
    case .key(let name):
      "Apple's parser refuses the key '\(name)', which is not ASCII; use %K in an app"
    case .sqlPattern(let pattern):
      "'%' has no special meaning in LIKE; '*' matches any text and '?' one character: "
        + "write LIKE \(pattern.replacing("%", with: "*").quoted)"
    }
  }
}
