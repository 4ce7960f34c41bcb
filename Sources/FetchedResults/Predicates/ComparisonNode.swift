import PredicateSyntax

/// One comparison of any two expressions.
final class ComparisonNode {
  let modifier: PredicateTree.Modifier?
  let left: OperandNode
  let rule: ComparisonRule
  let right: OperandNode
  /// The range of the comparison in its text.
  let range: Range<Int>

  init(
    modifier: PredicateTree.Modifier?, left: OperandNode, rule: ComparisonRule,
    right: OperandNode, range: Range<Int>
  ) {
    self.modifier = modifier
    self.left = left
    self.rule = rule
    self.right = right
    self.range = range
  }

  /// Returns whether the comparison is true in the scope.
  ///
  /// ANY and ALL test each element of the collection on the left; of nested collections, their
  /// elements. Nil counts as an empty collection: ANY is false and ALL true.
  ///
  /// - Throws: ``InvalidPredicateError`` with the comparison's place, unless the error has a more
  ///   exact one.
  func matches(_ scope: PredicateScope) throws(InvalidPredicateError) -> Bool {
    do throws(InvalidPredicateError) {
      return try holds(scope)
    } catch {
      throw error.located(at: range)
    }
  }

  private func holds(_ scope: PredicateScope) throws(InvalidPredicateError) -> Bool {
    let leftValue = try left.value(in: scope)
    let rightValue = try right.value(in: scope)
    guard let modifier else { return try rule.holds(leftValue, rightValue) }
    let elements = try elements(of: leftValue)
    if elements.count > 64 { try InvalidPredicateError.checkStop(after: elements.count) }
    switch modifier {
    case .any: return try hasMatch(elements, rightValue)
    case .none: return !(try hasMatch(elements, rightValue))
    case .all:
      for element in elements where !(try rule.holds(element, rightValue)) { return false }
      return true
    }
  }

  /// Returns the element that decides an ANY or ALL: the first that matches for ANY, the first that
  /// does not for ALL.
  ///
  /// Nil if there is none, or no modifier.
  ///
  /// - Throws: ``InvalidPredicateError`` if the comparison raises.
  func decider(in scope: PredicateScope) throws(InvalidPredicateError) -> PredicateValue? {
    guard let modifier else { return nil }
    let right = try right.value(in: scope)
    for element in try elements(of: try left.value(in: scope))
    where try rule.holds(element, right) != (modifier == .all) {
      return element
    }
    return nil
  }

  private func hasMatch(
    _ elements: [PredicateValue], _ right: PredicateValue
  ) throws(InvalidPredicateError) -> Bool {
    for element in elements where try rule.holds(element, right) { return true }
    return false
  }

  private func elements(of value: PredicateValue) throws(InvalidPredicateError) -> [PredicateValue]
  {
    if value.isNull { return [] }
    switch value {
    case .list(let elements), .set(let elements):
      // CONTAINS tests whether each element, which is a collection itself, contains the value.
      guard rule.comparator != .contains else { return elements }
      return elements.flatMap { element in
        switch element {
        case .list(let inner), .set(let inner): inner
        case .value, .dictionary, .subject: [element]
        }
      }
    case .value, .dictionary, .subject: throw InvalidPredicateError.modifierNeedsCollection
    }
  }
}
