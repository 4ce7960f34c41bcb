import FetchedResults
import ScriptSyntax

/// `.title`.
final class MemberStep: PreparedStep {
  private let name: Name
  /// Whether the part before it is also a member.
  private let followsMember: Bool
  /// The entity for which the name was last looked up, and the index of the property.
  private var known: (entity: EntityDescription, index: Int)?

  init(
    _ name: Name, followsMember: Bool, _ range: Range<Int>, leftRange: Range<Int>
  ) {
    self.name = name
    self.followsMember = followsMember
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    switch left {
    case .value(.object(let id)):
      let object = try evaluator.names.object(id, leftRange)
      let entity = object.entity
      if known?.entity !== entity { known = entity.place(of: name.text) }
      guard let known else { return try evaluator.members.member(name, of: left, leftRange) }
      evaluator.names.session.note(.read(id, key: name.text))
      return .value(object.value(at: known.index))
    // A key path through nil gives nil, as in `dune.author.name`.
    case .value(.null) where followsMember: return .null
    case .value, .range, .controller, .fetchedObjects, .sections, .section:
      return try evaluator.members.member(name, of: left, leftRange)
    }
  }
}

extension EntityDescription {
  /// Returns the entity with the index of a property; nil if it has none with this name.
  fileprivate func place(of name: String) -> (entity: EntityDescription, index: Int)? {
    propertyIndex(named: name).map { (self, $0) }
  }
}

/// `[0, 1]`.
final class IndexStep: PreparedStep {
  private let indices: [PreparedExpression]

  init(_ indices: [PreparedExpression], _ range: Range<Int>, leftRange: Range<Int>) {
    self.indices = indices
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    try evaluator.members.element(of: left, leftRange, at: indices, range)
  }
}

/// An argument of a method.
struct PreparedArgument {
  let label: String?
  let value: PreparedExpression
}

/// `.indexPath(forObject: dune)`.
final class MethodStep: PreparedStep {
  private let name: Name
  private let arguments: [PreparedArgument]

  init(
    _ name: Name, _ arguments: [PreparedArgument], _ range: Range<Int>, leftRange: Range<Int>
  ) {
    self.name = name
    self.arguments = arguments
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    try evaluator.members.call(name, of: left, arguments, range)
  }
}

/// `+ 1`, `== nil`, `AND read`.
final class BinaryStep: PreparedStep {
  private let sign: ExpressionSyntax.BinaryOperator
  private let right: PreparedExpression

  init(
    _ sign: ExpressionSyntax.BinaryOperator, _ right: PreparedExpression, _ range: Range<Int>,
    leftRange: Range<Int>
  ) {
    self.sign = sign
    self.right = right
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    let operand = PlacedValue(value: left, range: leftRange)
    switch sign {
    case .and:
      guard try evaluator.truth(of: operand) else { return .value(.bool(false)) }
      return .value(.bool(try evaluator.truth(of: right)))
    case .or:
      if try evaluator.truth(of: operand) { return .value(.bool(true)) }
      return .value(.bool(try evaluator.truth(of: right)))
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      let left = try evaluator.scalar(operand)
      let right = try evaluator.scalar(right)
      return .value(.bool(try evaluator.compare(left, sign, right, range)))
    case .add, .subtract, .multiply, .divide, .remainder:
      let left = try evaluator.scalar(operand)
      let right = try evaluator.scalar(right)
      return .value(try evaluator.combine(left, sign, right, range))
    }
  }
}

/// `...9`, `..<9`.
final class RangeStep: PreparedStep {
  private let high: PreparedExpression
  private let isClosed: Bool

  init(
    _ high: PreparedExpression, isClosed: Bool, _ range: Range<Int>, leftRange: Range<Int>
  ) {
    self.high = high
    self.isClosed = isClosed
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    let first = try evaluator.integer(PlacedValue(value: left, range: leftRange))
    let last = try evaluator.integer(high)
    let (end, overflows) = last.addingReportingOverflow(isClosed ? 1 : 0)
    if overflows { throw evaluator.frames.failure(.overflow, range) }
    return .range(first..<max(first, end))
  }
}
