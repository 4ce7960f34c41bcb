import Foundation

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
