import PredicateSyntax

/// A Foundation expression in terms of the format language.
indirect enum TranslatedExpression {
  /// A value, which may be null.
  case operand(OperandTree)
  /// A Boolean that is computed and not stored.
  case condition(PredicateTree)
  /// A Boolean that is nil under a condition.
  case optionalCondition(isNil: PredicateTree, PredicateTree)
  /// A range between two bounds.
  case range(OperandTree, OperandTree, isClosed: Bool)
  /// A list of constants.
  case list([OperandTree])

  /// A condition that the expression is true, if it is a Boolean and never nil.
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
  /// Returns a node without a place in a text.
  static func make(_ kind: Kind) -> OperandTree {
    OperandTree(kind, range: SourceRange(0, 0))
  }

  static func truth(_ value: Bool) -> OperandTree {
    make(.boolean(value, word: value ? "YES" : "NO"))
  }

  /// The constant Boolean, if this is one.
  var truth: Bool? {
    if case .boolean(let value, word: _) = kind { value } else { nil }
  }

  /// Whether this is a key path, which is nil if an object on its way is nil.
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
  /// Returns a comparison without a place in a text.
  static func comparing(
    _ left: OperandTree, _ comparator: Comparator, _ right: OperandTree, _ options: Options = []
  ) -> PredicateTree {
    .comparison(
      Comparison(
        left: left, comparator: comparator, options: options, right: right,
        range: SourceRange(0, 0)))
  }

  /// Returns a condition that a value is nil.
  static func isNull(_ operand: OperandTree) -> PredicateTree {
    if operand.isNull { return .constant(true) }
    return operand.isLiteral ? .constant(false) : .comparing(operand, .equal, .make(.null))
  }

  /// Returns a conjunction, without constant parts.
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

  /// Returns a disjunction, without constant parts.
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

  /// The negated condition.
  var negated: PredicateTree {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let part): part
    case .and, .or, .comparison: .not(self)
    }
  }

  /// Returns a condition that two conditions are both true or both false.
  static func same(_ left: PredicateTree, _ right: PredicateTree) -> PredicateTree {
    switch (left, right) {
    case (.constant(let value), let other), (let other, .constant(let value)):
      value ? other : other.negated
    default: .any(.all(left, right), .all(left.negated, right.negated))
    }
  }
}
