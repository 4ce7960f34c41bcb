/// A part of a predicate that Apple's parser refuses, or whose meaning may surprise.
package struct PredicateRefusal: Hashable, Sendable {
  package let range: SourceRange
  package let reason: Reason

  package enum Reason: Hashable, Sendable {
    /// `x NOT IN y`, which Apple's parser accepts only as `NOT x IN y`.
    case notIn
    /// A key with a letter outside ASCII.
    case key(String)
    /// A LIKE pattern with SQL's `%`, which has no special meaning here.
    case sqlPattern(String)
  }
}

extension PredicateTree {
  /// The parts of the predicate that Apple's parser refuses, in the order of the text.
  package var refusals: [PredicateRefusal] {
    var found: [PredicateRefusal] = []
    addRefusals(to: &found)
    return found
  }

  fileprivate func addRefusals(to found: inout [PredicateRefusal]) {
    switch self {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { part.addRefusals(to: &found) }
    case .not(let part): part.addRefusals(to: &found)
    case .comparison(let comparison):
      comparison.left.addRefusals(to: &found)
      if comparison.spelling.isNotIn {
        found.append(PredicateRefusal(range: comparison.range, reason: .notIn))
      }
      if case .string(let pattern) = comparison.right.kind, comparison.comparator == .like,
        pattern.contains("%"), !pattern.contains(where: { $0 == "*" || $0 == "?" })
      {
        found.append(PredicateRefusal(range: comparison.range, reason: .sqlPattern(pattern)))
      }
      comparison.right.addRefusals(to: &found)
    }
  }
}

extension OperandTree {
  fileprivate func addRefusals(to found: inout [PredicateRefusal]) {
    for part in parts { part.addRefusals(to: &found) }
    switch kind {
    case .key(let name, _):
      if !name.utf8.allSatisfy({ $0 < 0x80 }) {
        found.append(PredicateRefusal(range: range, reason: .key(name)))
      }
    case .subquery(_, _, let predicate): predicate.addRefusals(to: &found)
    case .ternary(let condition, _, _): condition.addRefusals(to: &found)
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index, .function, .call, .cast, .assignment:
      break
    }
  }
}
