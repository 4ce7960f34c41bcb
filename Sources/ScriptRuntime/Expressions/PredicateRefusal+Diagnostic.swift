import PredicateSyntax
import ScriptSyntax

extension EmbeddedPredicate {
  /// Warnings of what Apple's parser refuses, though it is understood here.
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
    }
  }
}
