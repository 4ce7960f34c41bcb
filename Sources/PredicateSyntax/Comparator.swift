extension PredicateTree {
  /// A comparison's operator; the raw value is its normal form.
  package enum Comparator: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case between = "BETWEEN"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
  }
}

extension PredicateTree.Comparator {
  /// What an operator compares.
  ///
  /// Code that treats all operators of a family alike asks for the
  /// family, so that a new operator changes no line of it.
  package enum Family: Hashable, Sendable {
    /// Two values that are equal or ordered.
    case relation(Relation)
    case between
    case membership
    case containment
    /// A string with another string or a pattern.
    case text
  }

  /// How two values compare.
  package enum Relation: Hashable, Sendable {
    case equal
    case notEqual
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual
  }

  /// How a string is compared with another, or matched by a pattern.
  package enum TextOperation: Hashable, Sendable {
    case relation(Relation)
    case contains
    case beginsWith
    case endsWith
    case like
    case matches
  }

  package var family: Family {
    switch self {
    case .equal: .relation(.equal)
    case .notEqual: .relation(.notEqual)
    case .less: .relation(.less)
    case .lessOrEqual: .relation(.lessOrEqual)
    case .greater: .relation(.greater)
    case .greaterOrEqual: .relation(.greaterOrEqual)
    case .between: .between
    case .in: .membership
    case .contains: .containment
    case .beginsWith, .endsWith, .like, .matches: .text
    }
  }

  /// What the operator asks of one string and another; nil for an operator that takes more than
  /// one value on its right.
  package var textOperation: TextOperation? {
    switch self {
    case .between, .in: nil
    case .contains: .contains
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      relation.map(TextOperation.relation)
    }
  }

  package init(_ relation: Relation) {
    self =
      switch relation {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
  }

  /// How the operator compares two values; nil for an operator that is not a relation.
  package var relation: Relation? {
    if case .relation(let relation) = family { relation } else { nil }
  }
}

extension PredicateTree.Comparator.Relation {
  /// Whether the relation holds between two values, by a negative, zero or positive number that
  /// says how the first compares with the second.
  @inline(__always)
  package func accepts(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// The relation that means the same with the sides exchanged.
  package var mirrored: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
