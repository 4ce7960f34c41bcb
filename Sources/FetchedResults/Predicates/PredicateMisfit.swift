package import PredicateSyntax

/// A comparison between kinds of values that cannot be compared, which therefore says nothing about
/// an object.
package struct PredicateMisfit {
  package let comparison: PredicateTree.Comparison
  package let reason: Reason
  /// Whether both sides may be nil.
  let canBothBeNil: Bool

  /// Why the sides do not fit.
  package enum Reason {
    /// The kinds of both sides are known and cannot be compared.
    case kinds(OperandTree, PredicateKind, OperandTree, PredicateKind)
    /// No element of the collection can be equal to the value.
    case noMember(OperandTree, PredicateKind, of: OperandTree)
    /// The operator needs a string.
    case needsString(OperandTree, PredicateKind)
    /// The operator needs a string or a collection.
    case needsCollection(OperandTree, PredicateKind)
    /// ANY and ALL need a collection on the left.
    case modifierNeedsCollection(OperandTree, PredicateKind)
  }

  /// For which objects the comparison is true anyway.
  package var truth: Truth {
    if comparison.modifier == .all { return .ofEmptyCollections }
    switch comparison.comparator.family {
    case .relation(.notEqual): return canBothBeNil ? .exceptForNil : .always
    case .relation(.equal), .relation(.lessOrEqual), .relation(.greaterOrEqual), .membership,
      .containment:
      return canBothBeNil ? .forNil : .never
    case .relation(.less), .relation(.greater), .between, .text: return .never
    }
  }

  /// Whether the comparison raises an error for values that are not nil, as in Core Data.
  package var isError: Bool {
    switch reason {
    case .needsCollection, .modifierNeedsCollection: true
    case .needsString: comparison.comparator.family == .text
    case .kinds, .noMember:
      switch comparison.comparator.family {
      case .relation(.less), .relation(.lessOrEqual), .relation(.greater),
        .relation(.greaterOrEqual), .between:
        true
      case .relation(.equal), .relation(.notEqual), .membership, .containment, .text: false
      }
    }
  }

  /// For which objects a comparison of unfit kinds is true.
  package enum Truth {
    case never
    case always
    /// Where both sides are nil.
    case forNil
    case exceptForNil
    case ofEmptyCollections
  }
}

/// What is known about an expression's values before it is evaluated.
package indirect enum PredicateKind: Hashable, Sendable {
  case unknown
  case number
  case boolean
  case string
  case date
  case uuid
  case uri
  case data
  case object
  case list([PredicateKind])

  /// Whether values of the two kinds can be equal.
  func fits(_ other: PredicateKind) -> Bool {
    switch (self, other) {
    case (.unknown, _), (_, .unknown), (.list, _), (_, .list): true
    case (.number, .boolean), (.boolean, .number): true
    default: self == other
    }
  }

  /// Whether this is always exactly one value.
  var isScalar: Bool {
    switch self {
    case .unknown, .list: false
    case .number, .boolean, .string, .date, .uuid, .uri, .data, .object: true
    }
  }

  init(_ type: AttributeType) {
    self =
      switch type {
      case .string: .string
      case .integer16, .integer32, .integer64, .double, .float, .decimal: .number
      case .boolean: .boolean
      case .date: .date
      case .uuid: .uuid
      case .uri: .uri
      case .binaryData: .data
      }
  }

  /// Nil fits every kind.
  init(_ value: PropertyValue) {
    self =
      switch value {
      case .null: .unknown
      case .bool: .boolean
      case .int, .double, .decimal: .number
      case .string: .string
      case .date: .date
      case .uuid: .uuid
      case .uri: .uri
      case .data: .data
      case .object: .object
      case .list(let values): .list(values.map { PredicateKind($0) })
      }
  }
}
