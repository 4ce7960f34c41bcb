import Foundation

/// A predicate ready to be evaluated.
///
/// The first cases cover one attribute against what is known beforehand; they
/// read no more than that attribute. The rest goes through
/// ``ComparisonNode``, and so does a value that is not of the attribute's kind.
indirect enum PredicateNode {
  case constant(Bool)
  case all([PredicateNode])
  case any([PredicateNode])
  case not(PredicateNode)
  case integer(Int, IntegerTest, ComparisonNode)
  case real(Int, RealTest, ComparisonNode)
  /// Null gives the truth value that stands beside the test.
  case text(Int, TextTest, Bool, ComparisonNode)
  /// Whether the attribute is null.
  case null(Int)
  case membership(Int, MembershipTest, ComparisonNode)
  case comparison(ComparisonNode)

  /// Returns whether the object of the scope matches.
  ///
  /// AND and OR stop at the first part that decides.
  func matches(_ scope: PredicateScope) throws(PredicateError) -> Bool {
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
      switch scope.snapshot.values[attribute] {
      case .int(let value): return test.holds(value)
      case .bool(let value): return test.holds(value ? 1 : 0)
      case .null: return test.matchesNull
      default: return try general.matches(scope)
      }
    case .real(let attribute, let test, let general):
      switch scope.snapshot.values[attribute] {
      case .double(let value): return test.holds(value)
      case .date(let value): return test.holds(value.timeIntervalSinceReferenceDate)
      case .null: return test.matchesNull
      default: return try general.matches(scope)
      }
    case .text(let attribute, let test, let matchesNull, let general):
      switch scope.snapshot.values[attribute] {
      case .string(let value):
        do throws(PredicateError) {
          return try test.holds(value)
        } catch {
          throw error.located(at: general.range)
        }
      case .null: return matchesNull
      default: return try general.matches(scope)
      }
    case .null(let attribute): return scope.snapshot.values[attribute].isNull
    case .membership(let attribute, let test, let general):
      if let result = test.holds(scope.snapshot.values[attribute]) { return result }
      return try general.matches(scope)
    case .comparison(let general): return try general.matches(scope)
    }
  }
}

/// What an evaluation sees: the object, and the variables of SUBQUERYs.
struct PredicateScope {
  /// The object's attributes; empty where it is no entity's.
  let snapshot: Snapshot
  /// The object, where it is an entity's.
  let object: ObjectID?
  /// SELF, where the object is no entity's.
  let subject: PredicateValue?
  /// Where the objects on the other side of relationships are.
  var graph: (any ObjectGraph)?
  var bindings: [String: PredicateValue] = [:]

  /// SELF.
  var evaluatedObject: PredicateValue {
    guard let object else { return subject ?? .null }
    return .subject(
      SnapshotSubject(values: ObjectValues(objectID: object, snapshot: snapshot, graph: graph)))
  }
}
