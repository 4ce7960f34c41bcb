import FetchedResults
import Foundation
import ScriptSyntax

/// An expression in the form in which it runs: literals are values, and names are looked up.
///
/// Preparing an expression costs about as much as computing its value once. A loop prepares its
/// body once, before the first repetition.
///
/// A chain of operators and members is a tree that leans to the left. Here the chain is a list of
/// steps after the innermost operand, so that only real nesting uses the stack.
final class PreparedExpression {
  let syntax: ExpressionSyntax
  let range: Range<Int>
  private let operand: PreparedOperand
  /// The steps, the innermost first.
  private let steps: ContiguousArray<PreparedStep>

  init(_ syntax: ExpressionSyntax, _ variables: VariableTable) {
    self.syntax = syntax
    range = syntax.range
    var outer: [ExpressionSyntax] = []
    var innermost = syntax
    while let left = innermost.leftOperand {
      outer.append(innermost)
      innermost = left
    }
    operand = PreparedOperand.prepare(innermost, variables)
    steps = ContiguousArray(outer.reversed().compactMap { PreparedStep.prepare($0, variables) })
  }

  /// Returns the present value of the expression.
  @inline(__always)
  func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    var value = try operand.value(in: evaluator)
    for step in steps { value = try step.apply(to: value, in: evaluator) }
    return value
  }
}

/// A part of an expression without a left operand.
class PreparedOperand {
  let range: Range<Int>

  init(_ range: Range<Int>) { self.range = range }

  func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue { .null }
}

/// A part that follows an operand: a member, an index, a method or an operator.
class PreparedStep {
  /// The place of the whole expression that ends with this step.
  let range: Range<Int>
  /// The place of the part before the step.
  let leftRange: Range<Int>

  init(_ range: Range<Int>, leftRange: Range<Int>) {
    self.range = range
    self.leftRange = leftRange
  }

  /// Returns the value after this step.
  ///
  /// - Parameter left: The value of the part before it.
  func apply(to left: ScriptValue, in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    left
  }
}

extension ExpressionSyntax {
  /// The part before this expression's member, index or operator; nil if there is none.
  fileprivate var leftOperand: ExpressionSyntax? {
    switch kind {
    case .member(let left, _), .index(let left, _), .methodCall(let left, _, _),
      .binary(let left, _, _), .range(let left, _, _):
      left
    case .null, .boolean, .integer, .real, .string, .date, .object, .list, .name, .variable,
      .call, .count, .insert, .fetch, .negation, .not:
      nil
    }
  }
}

extension PreparedOperand {
  fileprivate static func prepare(
    _ expression: ExpressionSyntax, _ variables: VariableTable
  ) -> PreparedOperand {
    func prepared(_ expression: ExpressionSyntax) -> PreparedExpression {
      PreparedExpression(expression, variables)
    }
    let range = expression.range
    switch expression.kind {
    case .null: return ConstantOperand(.null, range)
    case .boolean(let value): return ConstantOperand(.value(.bool(value)), range)
    case .integer(let value): return ConstantOperand(.value(.int(value)), range)
    case .real(let value, _): return ConstantOperand(.value(.double(value)), range)
    case .date(let literal): return ConstantOperand(.value(.date(Date(literal))), range)
    case .string(let parts):
      if let text = expression.plainText, text.utf8.count <= PropertyValue.longestText {
        return ConstantOperand(.value(.string(text)), range)
      }
      return TextOperand(
        parts.map { part in
          switch part {
          case .text(let text): .text(text)
          case .interpolation(let value): .value(prepared(value))
          }
        }, range)
    case .object(let entity, let number):
      return ObjectOperand(Name(entity, range: range), number, range)
    case .list(let elements): return ListOperand(elements.map(prepared), range)
    case .name(let name): return NameOperand(name, variables.slot(of: name), range)
    case .variable(let name): return VariableOperand(name, variables.slot(of: name), range)
    case .call(let name, let arguments):
      return CallOperand(
        name, arguments.map { prepared($0.value) },
        isLabelled: arguments.contains { $0.label != nil }, range)
    case .count(let request): return RequestOperand(request, counts: true, variables, range)
    case .fetch(let request): return RequestOperand(request, counts: false, variables, range)
    case .insert(let insert): return InsertOperand(PreparedInsert(insert, variables), range)
    case .negation(let operand): return NegationOperand(prepared(operand), range)
    case .not(let operand): return NotOperand(prepared(operand), range)
    case .member, .index, .methodCall, .binary, .range:
      preconditionFailure("an expression with a left operand is a step")
    }
  }
}

extension ExpressionSyntax {
  /// The text of a string without interpolations; nil for any other expression.
  fileprivate var plainText: String? {
    guard case .string(let parts) = kind else { return nil }
    var result = ""
    for part in parts {
      guard case .text(let text) = part else { return nil }
      result += text
    }
    return result
  }
}

extension PreparedStep {
  /// Returns the step of an expression; nil if the expression has no left operand.
  fileprivate static func prepare(
    _ expression: ExpressionSyntax, _ variables: VariableTable
  ) -> PreparedStep? {
    let range = expression.range
    switch expression.kind {
    case .member(let owner, let name):
      var followsMember = false
      if case .member = owner.kind { followsMember = true }
      return MemberStep(name, followsMember: followsMember, range, leftRange: owner.range)
    case .index(let owner, let indices):
      return IndexStep(
        indices.map { PreparedExpression($0, variables) }, range, leftRange: owner.range)
    case .methodCall(let owner, let name, let arguments):
      return MethodStep(
        name,
        arguments.map {
          PreparedArgument(label: $0.label?.text, value: PreparedExpression($0.value, variables))
        }, range, leftRange: owner.range)
    case .binary(let left, let sign, let right):
      return BinaryStep(
        sign, PreparedExpression(right, variables), range, leftRange: left.range)
    case .range(let low, let high, let isClosed):
      return RangeStep(
        PreparedExpression(high, variables), isClosed: isClosed, range, leftRange: low.range)
    case .null, .boolean, .integer, .real, .string, .date, .object, .list, .name, .variable, .call,
      .count, .insert, .fetch, .negation, .not:
      return nil
    }
  }
}
