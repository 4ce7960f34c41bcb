import PredicateSyntax

/// What an expression of one of Foundation's predicates is in the format language.
indirect enum TranslatedExpression {
  /// A value; one that is nil is null.
  case operand(OperandTree)
  /// A truth value that is computed, not stored.
  case condition(PredicateTree)
  /// A truth value that is nil under a condition.
  case optionalCondition(isNil: PredicateTree, PredicateTree)
  /// A range between two values.
  case range(OperandTree, OperandTree, isClosed: Bool)
  /// Values that are known, one by one.
  case list([OperandTree])

  /// The condition that the expression is true, where it is a truth value and never nil.
  var condition: PredicateTree? {
    switch self {
    case .condition(let tree): tree
    case .operand(let operand):
      operand.truth.map(PredicateTree.constant) ?? .comparing(operand, .equal, .truth(true))
    case .optionalCondition, .range, .list: nil
    }
  }

  /// The expression as a value that can be compared.
  var operand: OperandTree? {
    switch self {
    case .operand(let operand): operand
    case .condition(let tree): .make(.ternary(tree, .truth(true), .truth(false)))
    case .optionalCondition(let isNil, let tree):
      .make(
        .ternary(isNil, .make(.null), .make(.ternary(tree, .truth(true), .truth(false)))))
    case .list(let elements): .make(.aggregate(elements))
    case .range: nil
    }
  }
}

extension OperandTree {
  /// A node without a place in a text.
  static func make(_ kind: Kind) -> OperandTree {
    OperandTree(kind, range: SourceRange(0, 0))
  }

  static func truth(_ value: Bool) -> OperandTree {
    make(.boolean(value, word: value ? "YES" : "NO"))
  }

  /// The truth value, where this is one that is known.
  var truth: Bool? {
    if case .boolean(let value, word: _) = kind { value } else { nil }
  }

  /// Whether this is a path of keys, which is nil where an object on its way is.
  var isKeyPath: Bool {
    switch kind {
    case .evaluatedObject, .variable: true
    case .key(_, let base): base?.isKeyPath ?? true
    case .null, .boolean, .integer, .real, .string, .aggregate, .anyKey, .collectionOperator,
      .argument, .argumentKeyPath, .variableKeyPath, .negation, .arithmetic, .setOperation, .index,
      .function, .call, .subquery, .cast, .ternary, .assignment:
      false
    }
  }

  var isNull: Bool {
    if case .null = kind { true } else { false }
  }
}

extension PredicateTree {
  /// A comparison without a place in a text.
  static func comparing(
    _ left: OperandTree, _ comparator: Comparator, _ right: OperandTree, _ options: Options = []
  ) -> PredicateTree {
    .comparison(
      Comparison(
        left: left, comparator: comparator, options: options, right: right,
        range: SourceRange(0, 0)))
  }

  /// Whether a value is nil.
  static func isNull(_ operand: OperandTree) -> PredicateTree {
    if operand.isNull { return .constant(true) }
    return operand.isLiteral ? .constant(false) : .comparing(operand, .equal, .make(.null))
  }

  /// A conjunction, with what is known left out.
  static func all(_ parts: PredicateTree...) -> PredicateTree {
    var kept: [PredicateTree] = []
    for part in parts {
      switch part {
      case .constant(true): continue
      case .constant(false): return .constant(false)
      case .and(let inner): kept += inner
      case .or, .not, .comparison: kept.append(part)
      }
    }
    return kept.count == 1 ? kept[0] : kept.isEmpty ? .constant(true) : .and(kept)
  }

  /// A disjunction, with what is known left out.
  static func any(_ parts: PredicateTree...) -> PredicateTree {
    var kept: [PredicateTree] = []
    for part in parts {
      switch part {
      case .constant(false): continue
      case .constant(true): return .constant(true)
      case .or(let inner): kept += inner
      case .and, .not, .comparison: kept.append(part)
      }
    }
    return kept.count == 1 ? kept[0] : kept.isEmpty ? .constant(false) : .or(kept)
  }

  /// The opposite.
  var negated: PredicateTree {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let part): part
    case .and, .or, .comparison: .not(self)
    }
  }

  /// Whether two conditions hold together or fail together.
  static func same(_ left: PredicateTree, _ right: PredicateTree) -> PredicateTree {
    switch (left, right) {
    case (.constant(let value), let other), (let other, .constant(let value)):
      value ? other : other.negated
    default: .any(.all(left, right), .all(left.negated, right.negated))
    }
  }
}
