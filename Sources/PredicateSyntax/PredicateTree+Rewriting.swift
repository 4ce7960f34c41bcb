extension PredicateTree {
  /// Returns the tree with replaced values, starting with the innermost.
  ///
  /// The closure returns nil for a value that stays.
  ///
  /// - Throws: The error of the closure.
  /// - Complexity: O(*n*) in the size of the tree.
  package func rewritten<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> PredicateTree {
    switch self {
    case .constant: return self
    case .and(let parts): return .and(try Self.rewritten(parts, replace))
    case .or(let parts): return .or(try Self.rewritten(parts, replace))
    case .not(let part): return .not(try part.rewritten(replace))
    case .comparison(var comparison):
      comparison.left = try comparison.left.rewritten(replace)
      comparison.right = try comparison.right.rewritten(replace)
      return .comparison(comparison)
    }
  }

  private static func rewritten<Failure: Error>(
    _ parts: [PredicateTree], _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> [PredicateTree] {
    var result: [PredicateTree] = []
    for part in parts { result.append(try part.rewritten(replace)) }
    return result
  }
}

extension OperandTree {
  /// Returns the value with replaced values in it, starting with the innermost.
  ///
  /// - Throws: The error of the closure.
  package func rewritten<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> OperandTree {
    var tree = self
    tree.kind = try kind.rewritten(replace)
    return try replace(tree) ?? tree
  }

  fileprivate static func rewritten<Failure: Error>(
    _ operands: [OperandTree], _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> [OperandTree] {
    var result: [OperandTree] = []
    for operand in operands { result.append(try operand.rewritten(replace)) }
    return result
  }
}

extension OperandTree.Kind {
  fileprivate func rewritten<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> Self {
    switch self {
    case .null, .boolean, .integer, .real, .string, .evaluatedObject, .anyKey, .variable,
      .argument, .key(_, of: nil), .collectionOperator(_, of: nil, _),
      .argumentKeyPath(_, of: nil):
      return self
    case .aggregate(let elements):
      return .aggregate(try OperandTree.rewritten(elements, replace))
    case .key(let name, let base?): return .key(name, of: try base.rewritten(replace))
    case .collectionOperator(let name, let base?, let right):
      return .collectionOperator(name, of: try base.rewritten(replace), right: right)
    case .argumentKeyPath(let index, let base?):
      return .argumentKeyPath(index, of: try base.rewritten(replace))
    case .variableKeyPath(let name, let base):
      return .variableKeyPath(name, of: try base.rewritten(replace))
    case .negation(let part): return .negation(try part.rewritten(replace))
    case .arithmetic(let left, let sign, let right):
      return .arithmetic(try left.rewritten(replace), sign, try right.rewritten(replace))
    case .setOperation(let left, let sign, let right):
      return .setOperation(try left.rewritten(replace), sign, try right.rewritten(replace))
    case .index(let base, .at(let index)):
      return .index(try base.rewritten(replace), .at(try index.rewritten(replace)))
    case .index(let base, let index): return .index(try base.rewritten(replace), index)
    case .function, .call, .subquery, .cast, .ternary, .assignment:
      return try rewrittenCall(replace)
    }
  }

  private func rewrittenCall<Failure: Error>(
    _ replace: (OperandTree) throws(Failure) -> OperandTree?
  ) throws(Failure) -> Self {
    switch self {
    case .function(let name, let arguments):
      return .function(name, try OperandTree.rewritten(arguments, replace))
    case .call(let operand, let selector, let arguments):
      return .call(
        try operand.rewritten(replace), selector: try selector.rewritten(replace),
        try OperandTree.rewritten(arguments, replace))
    case .subquery(let collection, let variable, let predicate):
      return .subquery(
        try collection.rewritten(replace), variable: variable,
        try predicate.rewritten(replace))
    case .cast(let value, let type):
      return .cast(try value.rewritten(replace), to: try type.rewritten(replace))
    case .ternary(let condition, let positive, let negative):
      return .ternary(
        try condition.rewritten(replace), try positive.rewritten(replace),
        try negative.rewritten(replace))
    case .assignment(let name, let value):
      return .assignment(name, try value.rewritten(replace))
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey, .key,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index:
      return self
    }
  }
}
