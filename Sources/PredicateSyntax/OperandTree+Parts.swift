extension OperandTree {
  /// The expressions directly inside this one, except those inside a predicate.
  package var parts: [OperandTree] {
    switch kind {
    case .null, .boolean, .integer, .real, .string, .evaluatedObject, .anyKey, .variable,
      .argument:
      []
    case .aggregate(let elements): elements
    case .key(_, let base), .collectionOperator(_, let base, _), .argumentKeyPath(_, let base):
      base.map { [$0] } ?? []
    case .variableKeyPath(_, let base), .negation(let base), .assignment(_, let base): [base]
    case .arithmetic(let left, _, let right), .setOperation(let left, _, let right):
      [left, right]
    case .index(let base, .at(let index)): [base, index]
    case .index(let base, .first), .index(let base, .last), .index(let base, .size): [base]
    case .function(_, let arguments): arguments
    case .call(let operand, let selector, let arguments): [operand, selector] + arguments
    case .subquery(let collection, _, _): [collection]
    case .cast(let value, let type): [value, type]
    case .ternary(_, let positive, let negative): [positive, negative]
    }
  }

  /// Whether the value is written out: a literal, an argument, or a list or cast of these.
  package var isLiteral: Bool {
    switch kind {
    case .null, .boolean, .integer, .real, .string, .argument: true
    case .aggregate, .negation, .cast: parts.allSatisfy(\.isLiteral)
    case .evaluatedObject, .anyKey, .key, .collectionOperator, .variable, .argumentKeyPath,
      .variableKeyPath, .arithmetic, .setOperation, .index, .function, .call, .subquery,
      .ternary, .assignment:
      false
    }
  }
}
