import Foundation
import PredicateSyntax

/// Finds comparisons of one attribute with a constant. The attribute belongs to the object itself
/// or to one at the end of a to-one path.
extension PredicateCompiler {
  /// Returns the fastest node with the same meaning as the comparison.
  func shortcut(for node: ComparisonNode, entity: EntityDescription?) -> PredicateNode {
    let general = PredicateNode.comparison(node)
    guard let entity, node.modifier == nil else { return general }
    switch (node.left, node.right) {
    case (.attribute(let index), .constant(let known)):
      return test(
        index, entity.attributes[index].type, node.rule.comparator, known, node) ?? general
    case (.constant(let known), .attribute(let index)):
      guard let comparator = node.rule.comparator.mirrored else { return general }
      return test(index, entity.attributes[index].type, comparator, known, node) ?? general
    case (.related(let steps, let index, let type), .constant(let known)):
      // The same comparison, evaluated on the object at the end of the path.
      let inner = ComparisonNode(
        modifier: nil, left: .attribute(index), rule: node.rule, right: node.right,
        range: node.range)
      return test(index, type, node.rule.comparator, known, inner)
        .map { .related(steps, $0, node) } ?? general
    case (let path, .constant(let known)):
      guard let steps = toOneSteps(to: path), let ordinal = steps.last,
        let test = ObjectTest(node.rule.comparator, known)
      else { return general }
      let inner = PredicateNode.object(ordinal, test)
      return steps.count == 1 ? inner : .related(steps.dropLast(), inner, node)
    default: return general
    }
  }

  private func test(
    _ index: Int, _ type: AttributeType, _ comparator: PredicateTree.Comparator,
    _ known: PredicateValue, _ node: ComparisonNode
  ) -> PredicateNode? {
    switch (comparator, known) {
    case (.equal, .value(.null)): return .null(index)
    case (.notEqual, .value(.null)): return .not(.null(index))
    case (_, .value(let value)):
      return scalarTest(index, type, comparator, value, node)
    case (.in, .list(let members)):
      guard type == .string ? node.rule.options.isEmpty : type.isInteger,
        let test = MembershipTest(members)
      else { return nil }
      return .membership(index, test, node)
    case (.between, .list(let bounds)) where bounds.count == 2:
      return betweenTest(index, type, bounds[0], bounds[1], node)
    default: return nil
    }
  }

  private func scalarTest(
    _ index: Int, _ type: AttributeType, _ comparator: PredicateTree.Comparator,
    _ value: PropertyValue, _ node: ComparisonNode
  ) -> PredicateNode? {
    if type == .string, case .string(let pattern) = value {
      guard let operation = comparator.textOperation else { return nil }
      let test = TextTest(
        operation, node.rule.options, pattern: pattern, locale: environment.locale)
      return .text(index, test, comparator == .notEqual, node)
    }
    if type.isInteger, let bound = value.integer {
      return IntegerTest(comparator, bound).map { .integer(index, $0, node) }
    }
    if type.isReal, let bound = value.real(for: type) {
      return RealTest(comparator, bound).map { .real(index, $0, node) }
    }
    return nil
  }

  private func betweenTest(
    _ index: Int, _ type: AttributeType, _ lower: PredicateValue, _ upper: PredicateValue,
    _ node: ComparisonNode
  ) -> PredicateNode? {
    guard case .value(let lower) = lower, case .value(let upper) = upper else { return nil }
    if type.isInteger, let lower = lower.integer, let upper = upper.integer {
      return .integer(index, IntegerTest(between: lower, upper), node)
    }
    if type.isReal, let lower = lower.real(for: type), let upper = upper.real(for: type) {
      return .real(index, RealTest(between: lower, upper), node)
    }
    return nil
  }
}

extension PredicateTree.Comparator {
  /// The operator with the same meaning if the sides are exchanged.
  fileprivate var mirrored: Self? {
    switch family {
    case .relation(let relation): Self(relation.mirrored)
    case .containment: .in
    case .membership: .contains
    case .between, .text: nil
    }
  }
}

extension AttributeType {
  fileprivate var isInteger: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: true
    case .string, .double, .float, .decimal, .date, .uuid, .uri, .binaryData: false
    }
  }

  fileprivate var isReal: Bool {
    switch self {
    case .double, .float, .date: true
    case .string, .integer16, .integer32, .integer64, .decimal, .boolean, .uuid, .uri,
      .binaryData:
      false
    }
  }
}

extension PropertyValue {
  fileprivate var integer: Int64? {
    switch self {
    case .int(let number): number
    case .bool(let truth): truth ? 1 : 0
    case .null, .double, .string, .date, .decimal, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// Returns the number to compare values of the attribute with.
  ///
  /// A NaN is left to the general comparison.
  fileprivate func real(for type: AttributeType) -> Double? {
    guard type != .date else { return date?.timeIntervalSinceReferenceDate }
    return double.flatMap { $0.isNaN ? nil : $0 }
  }
}
