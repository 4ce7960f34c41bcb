package import PredicateSyntax

/// A comparison of values that do not compare, so that it tells nothing about
/// any object.
package struct PredicateMisfit {
  package let comparison: PredicateTree.Comparison
  package let reason: Reason
  /// Whether both sides may be nil.
  let canBothBeNil: Bool

  /// What does not fit, as data.
  package enum Reason {
    /// Both sides' kinds are known, and are not alike.
    case kinds(OperandTree, PredicateKind, OperandTree, PredicateKind)
    /// A collection has no element that a value could be equal to.
    case noMember(OperandTree, PredicateKind, of: OperandTree)
    /// The operator takes strings.
    case needsString(OperandTree, PredicateKind)
    /// The operator takes a string or a collection.
    case needsCollection(OperandTree, PredicateKind)
    /// ANY and ALL take a collection on the left.
    case modifierNeedsCollection(OperandTree, PredicateKind)
  }

  /// When the comparison is true anyway.
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

  /// Whether the comparison is an error for values that are not nil, as it is for Core Data.
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

  /// Of which objects a comparison that tells nothing is true.
  package enum Truth {
    case never
    case always
    /// Where both sides are nil.
    case forNil
    case exceptForNil
    case ofEmptyCollections
  }
}

/// What is known of an expression's values before there is one.
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

  /// Whether a value of one kind may be equal to one of the other.
  func fits(_ other: PredicateKind) -> Bool {
    switch (self, other) {
    case (.unknown, _), (_, .unknown), (.list, _), (_, .list): true
    case (.number, .boolean), (.boolean, .number): true
    default: self == other
    }
  }

  /// Whether this is sure to be one value.
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

  /// Nil fits everything.
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
