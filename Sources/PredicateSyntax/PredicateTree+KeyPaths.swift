extension PredicateTree {
  /// The key paths of the evaluated object in the predicate, in order and without duplicates.
  ///
  /// A path with a collection operator includes the keys after it.
  package var keyPaths: [String] {
    var found: [String] = []
    collectKeyPaths(into: &found)
    return found
  }

  fileprivate func collectKeyPaths(into found: inout [String]) {
    switch self {
    case .constant: break
    case .and(let parts), .or(let parts):
      for part in parts { part.collectKeyPaths(into: &found) }
    case .not(let part): part.collectKeyPaths(into: &found)
    case .comparison(let comparison):
      comparison.left.collectKeyPaths(into: &found)
      comparison.right.collectKeyPaths(into: &found)
    }
  }
}

extension OperandTree {
  fileprivate func collectKeyPaths(into found: inout [String]) {
    if let path = keyPath {
      if !found.contains(path) { found.append(path) }
      return
    }
    for part in parts { part.collectKeyPaths(into: &found) }
    if case .ternary(let condition, _, _) = kind { condition.collectKeyPaths(into: &found) }
  }

  /// The keys of a path from the evaluated object; nil for other expressions.
  private var keyPath: String? {
    switch kind {
    case .key(let name, let base):
      guard let base, base.kind != .evaluatedObject else { return name }
      return base.keyPath.map { "\($0).\(name)" }
    case .collectionOperator(_, let base, let right):
      return base?.keyPath.map { ([$0] + right).joined(separator: ".") }
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation, .arithmetic,
      .setOperation, .index, .function, .call, .subquery, .cast, .ternary, .assignment:
      return nil
    }
  }
}
