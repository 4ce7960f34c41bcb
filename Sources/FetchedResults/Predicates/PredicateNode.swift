import Foundation
import PredicateSyntax

/// A predicate that is ready for evaluation.
///
/// The first cases compare one attribute with a constant, and read only that attribute. All other
/// comparisons use ``ComparisonNode``, also if a value is not of the attribute's kind.
indirect enum PredicateNode {
  case constant(Bool)
  case all([PredicateNode])
  case any([PredicateNode])
  case not(PredicateNode)
  case integer(Int, IntegerTest, ComparisonNode)
  case real(Int, RealTest, ComparisonNode)
  /// The Boolean is the result for a null value.
  case text(Int, TextTest, Bool, ComparisonNode)
  /// Whether the attribute is null.
  case null(Int)
  case membership(Int, MembershipTest, ComparisonNode)
  /// A comparison of a to-one relationship, given by its ordinal.
  case object(Int, ObjectTest)
  /// A predicate on the object at the end of a path of to-one relationships.
  case related([Int], PredicateNode, ComparisonNode)
  case comparison(ComparisonNode)

  /// Returns whether the object of the scope matches.
  ///
  /// AND and OR stop at the first part that decides the result.
  func matches(_ scope: PredicateScope) throws(InvalidPredicateError) -> Bool {
    switch self {
    case .constant(let value): return value
    case .all(let parts):
      for part in parts where !(try part.matches(scope)) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.matches(scope) { return true }
      return false
    case .not(let part): return !(try part.matches(scope))
    case .integer(let attribute, let test, let general):
      switch scope.snapshot.stored[attribute] {
      case .known(.int(let value)): return test.holds(value)
      case .known(.bool(let value)): return test.holds(value ? 1 : 0)
      case .known(.null): return test.matchesNull
      case .known, .unread, .members:
        return try general.matches(scope)
      }
    case .real(let attribute, let test, let general):
      switch scope.snapshot.stored[attribute] {
      case .known(.double(let value)): return test.holds(value)
      case .known(.date(let value)): return test.holds(value.timeIntervalSinceReferenceDate)
      case .known(.null): return test.matchesNull
      case .known, .unread, .members:
        return try general.matches(scope)
      }
    case .text(let attribute, let test, let matchesNull, let general):
      switch scope.snapshot.stored[attribute] {
      case .known(.string(let value)):
        do throws(InvalidPredicateError) {
          return try test.holds(value)
        } catch {
          throw error.located(at: general.range)
        }
      case .known(.null): return matchesNull
      case .known, .unread, .members:
        return try general.matches(scope)
      }
    case .null(let attribute): return scope.snapshot.isNull(at: attribute)
    case .membership(let attribute, let test, let general):
      if let result = test.holds(scope.snapshot[attribute]) { return result }
      return try general.matches(scope)
    case .object(let ordinal, let test):
      return scope.object(at: ordinal).map(test.holds) ?? test.matchesNull
    case .related(let steps, let part, let general):
      guard let inner = scope.related(by: steps) else { return try general.matches(scope) }
      return try part.matches(inner)
    case .comparison(let general): return try general.matches(scope)
    }
  }
}

extension PredicateNode {
  /// Whether an evaluation may read other objects.
  var crossesRelationships: Bool {
    switch self {
    case .constant, .integer, .real, .text, .null, .membership, .object: false
    case .all(let parts), .any(let parts): parts.contains(where: \.crossesRelationships)
    case .not(let part): part.crossesRelationships
    case .related: true
    case .comparison(let node): node.left.crossesRelationships || node.right.crossesRelationships
    }
  }
}

extension OperandNode {
  /// Whether an evaluation may read other objects.
  fileprivate var crossesRelationships: Bool {
    switch self {
    case .constant, .attribute: false
    case .evaluatedObject, .related, .key, .variable, .variableKey, .collectionOperator, .subquery:
      true
    case .aggregate(let parts), .function(_, let parts, _):
      parts.contains(where: \.crossesRelationships)
    case .negation(let part), .first(let part), .last(let part), .size(let part):
      part.crossesRelationships
    case .arithmetic(let left, _, let right), .setOperation(let left, _, let right),
      .element(let left, let right), .cast(let left, let right):
      left.crossesRelationships || right.crossesRelationships
    case .call(let operand, let selector, let arguments, _):
      ([operand, selector] + arguments).contains(where: \.crossesRelationships)
    case .ternary(let condition, let positive, let negative):
      condition.crossesRelationships || positive.crossesRelationships
        || negative.crossesRelationships
    }
  }
}

/// The values that an evaluation can read: those of the object, and the variables of SUBQUERYs.
struct PredicateScope {
  /// The object's values; empty if the object has no entity.
  let snapshot: ObjectSnapshot
  /// The object's identity, if it has an entity.
  let object: ObjectID?
  /// SELF, if the object has no entity.
  let subject: PredicateValue?
  /// Where related objects are looked up.
  var graph: (any ObjectGraph)?
  var bindings: [String: PredicateValue] = [:]

  /// Returns the object on the other side of a to-one relationship.
  @inline(__always)
  func object(at ordinal: Int) -> ObjectID? {
    guard let object, case .object(let other) = snapshot[object.entity.attributes.count + ordinal]
    else { return nil }
    return other
  }

  /// Returns the scope of the object at the end of to-one relationships; nil if one of them is
  /// empty.
  func related(by steps: [Int]) -> PredicateScope? {
    guard let graph else { return nil }
    var scope = self
    for ordinal in steps {
      guard let next = scope.object(at: ordinal), let snapshot = graph.currentSnapshot(of: next)
      else { return nil }
      scope = PredicateScope(snapshot: snapshot, object: next, subject: nil, graph: graph)
    }
    return scope
  }

  /// The value of SELF.
  var evaluatedObject: PredicateValue {
    guard let object else { return subject ?? .null }
    return .subject(
      SnapshotSubject(values: ObjectValues(objectID: object, snapshot: snapshot, graph: graph)))
  }
}

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

/// An expression that is ready for evaluation.
indirect enum OperandNode {
  case constant(PredicateValue)
  /// An attribute of the entity that the predicate was compiled for.
  case attribute(Int)
  /// An attribute of the object at the end of a path of to-one relationships, given by their
  /// ordinals.
  case related([Int], attribute: Int, AttributeType)
  case evaluatedObject
  case key(String, of: OperandNode)
  case variable(String, range: Range<Int>)
  case variableKey(String, of: OperandNode, range: Range<Int>)
  case collectionOperator(CollectionOperator, of: OperandNode, right: [String])
  case aggregate([OperandNode])
  case negation(OperandNode)
  case arithmetic(OperandNode, OperandTree.ArithmeticOperator, OperandNode)
  case setOperation(OperandNode, OperandTree.SetOperator, OperandNode)
  case first(OperandNode)
  case last(OperandNode)
  case size(OperandNode)
  case element(OperandNode, at: OperandNode)
  case function(String, [OperandNode], EvaluationEnvironment)
  case call(OperandNode, selector: OperandNode, [OperandNode], range: Range<Int>)
  case subquery(OperandNode, variable: String, PredicateNode)
  case cast(OperandNode, to: OperandNode)
  case ternary(PredicateNode, OperandNode, OperandNode)

  /// Returns the expression's value in the scope.
  func value(in scope: PredicateScope) throws(InvalidPredicateError) -> PredicateValue {
    switch self {
    case .constant(let value): return value
    case .attribute(let index): return PredicateValue(scope.snapshot[index])
    case .related(let steps, let index, _):
      return scope.related(by: steps).map { PredicateValue($0.snapshot[index]) } ?? .null
    case .evaluatedObject: return scope.evaluatedObject
    case .key, .variable, .variableKey, .collectionOperator: return try pathValue(in: scope)
    case .aggregate(let elements): return .list(try Self.values(of: elements, in: scope))
    case .negation(let part): return try PredicateArithmetic.negated(part.value(in: scope))
    case .arithmetic(let left, let sign, let right):
      return try PredicateArithmetic.apply(
        sign, try left.value(in: scope), try right.value(in: scope))
    case .setOperation(let left, let sign, let right):
      return try Self.combine(try left.value(in: scope), sign, try right.value(in: scope))
    case .first, .last, .size, .element: return try elementValue(in: scope)
    case .function(let name, let arguments, let environment):
      return try PredicateFunctions.call(
        name, try Self.values(of: arguments, in: scope), environment)
    case .call(let operand, let selector, let arguments, let range):
      return try PredicateFunctions.perform(
        try selector.value(in: scope), on: try operand.value(in: scope),
        try Self.values(of: arguments, in: scope), range: range)
    case .subquery(let collection, let variable, let predicate):
      return try Self.members(
        of: try collection.value(in: scope), variable, where: predicate, in: scope)
    case .cast(let value, let type):
      let type = try type.value(in: scope).description
      return try PredicateCast.cast(try value.value(in: scope), to: type)
    case .ternary(let condition, let positive, let negative):
      return try condition.matches(scope)
        ? positive.value(in: scope) : negative.value(in: scope)
    }
  }

  private func pathValue(in scope: PredicateScope) throws(InvalidPredicateError) -> PredicateValue {
    switch self {
    case .key(let name, let base):
      return try KeyValueCoding.value(forKey: name, of: try base.askableValue(in: scope))
    case .variable(let name, let range):
      guard let value = scope.bindings[name] else {
        throw InvalidPredicateError.unboundVariable(name, range: range)
      }
      return value
    case .variableKey(let name, let base, let range):
      guard let key = scope.bindings[name] else {
        throw InvalidPredicateError.unboundVariable(name, range: range)
      }
      return try KeyValueCoding.value(forKey: key.description, of: try base.value(in: scope))
    case .collectionOperator(let function, let base, let right):
      return try KeyValueCoding.apply(
        function, to: try base.askableValue(in: scope), right: right[...])
    case .constant, .attribute, .related, .evaluatedObject, .aggregate, .negation, .arithmetic,
      .setOperation, .first, .last, .size, .element, .function, .call, .subquery, .cast, .ternary:
      return .null
    }
  }

  /// The value, in which objects that were given as constants can be asked for keys as well.
  private func askableValue(in scope: PredicateScope) throws(InvalidPredicateError)
    -> PredicateValue
  {
    guard case .constant(let value) = self else { return try self.value(in: scope) }
    return value.askable(in: scope.graph)
  }

  private static func values(
    of operands: [OperandNode], in scope: PredicateScope
  ) throws(InvalidPredicateError) -> [PredicateValue] {
    var values: [PredicateValue] = []
    values.reserveCapacity(operands.count)
    for operand in operands { values.append(try operand.value(in: scope)) }
    return values
  }

  // MARK: Elements

  private func elementValue(in scope: PredicateScope) throws(InvalidPredicateError)
    -> PredicateValue
  {
    switch self {
    case .first(let base):
      return try Self.elements(of: try base.value(in: scope), "[FIRST]").first ?? .null
    case .last(let base):
      return try Self.elements(of: try base.value(in: scope), "[LAST]").last ?? .null
    case .size(let base):
      let value = try base.value(in: scope)
      if value.isNull { return .null }
      return .value(.int(Int64(try Self.elements(of: value, "[SIZE]").count)))
    case .element(let base, let index):
      return try Self.element(of: try base.value(in: scope), at: try index.value(in: scope))
    case .constant, .attribute, .related, .evaluatedObject, .key, .variable, .variableKey,
      .collectionOperator, .aggregate, .negation, .arithmetic, .setOperation, .function, .call,
      .subquery, .cast, .ternary:
      return .null
    }
  }

  private static func elements(
    of value: PredicateValue, _ name: String
  ) throws(InvalidPredicateError) -> [PredicateValue] {
    if value.isNull { return [] }
    guard let elements = value.elements else {
      throw InvalidPredicateError.needsCollection(value, for: name)
    }
    return elements
  }

  /// Returns an element of a list, or the value of a dictionary's key.
  static func element(
    of base: PredicateValue, at index: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    switch (base, index) {
    case (.value(.null), _): return .null
    case (.list(let elements), .value(.int(let number))):
      guard let place = Int(exactly: number), elements.indices.contains(place) else {
        throw InvalidPredicateError.outOfBounds(number, count: elements.count)
      }
      return elements[place]
    case (.dictionary(let entries), .value(.string(let key))): return entries[key] ?? .null
    default: throw InvalidPredicateError.badIndex(index, of: base)
    }
  }

  // MARK: Sets

  /// UNION, INTERSECT and MINUS.
  ///
  /// Nil counts as an empty set, and the result is a set.
  private static func combine(
    _ left: PredicateValue, _ sign: OperandTree.SetOperator, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    let rule = ComparisonRule.equality
    let a = try elements(of: left, sign.rawValue).withoutDuplicates(by: rule)
    let b = try elements(of: right, sign.rawValue)
    guard sign != .union else { return .set(try (a + b).withoutDuplicates(by: rule)) }
    var kept: [PredicateValue] = []
    for element in a where try b.contains(element, by: rule) == (sign == .intersect) {
      kept.append(element)
    }
    return .set(kept)
  }

  /// The members of a collection for which the predicate is true.
  ///
  /// A key without a variable still belongs to the outer object.
  private static func members(
    of collection: PredicateValue, _ variable: String, where predicate: PredicateNode,
    in scope: PredicateScope
  ) throws(InvalidPredicateError) -> PredicateValue {
    var inner = scope
    var members: [PredicateValue] = []
    for element in try elements(of: collection, "SUBQUERY") {
      try InvalidPredicateError.checkStop()
      inner.bindings[variable] = element
      if try predicate.matches(inner) { members.append(element) }
    }
    return .list(members)
  }
}
