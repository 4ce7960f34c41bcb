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
  /// Whether the expression consists of literals, names, texts and arithmetic.
  let isPlain: Bool

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
    isPlain = operand.isPlain && steps.allSatisfy(\.isPlain)
  }

  /// Returns the value of a plain expression if that takes no more than variables and arithmetic.
  ///
  /// Most expressions that run a million times are of this kind. Nil if a name is not a variable's,
  /// or if there is an error, which ``value(in:)`` then throws.
  @inline(__always)
  func plainValue(_ frames: FrameStack) -> PropertyValue? {
    guard isPlain, var value = operand.plainValue(frames) else { return nil }
    for step in steps {
      guard let next = step.plainValue(after: value, frames) else { return nil }
      value = next
    }
    return value
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

  /// Whether ``plainValue(_:)`` may have a value.
  var isPlain: Bool { false }

  /// The value; see ``PreparedExpression/plainValue(_:)``.
  func plainValue(_ frames: FrameStack) -> PropertyValue? { nil }
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

  /// Whether ``plainValue(after:_:)`` may have a value.
  var isPlain: Bool { false }

  /// The value after this step; see ``PreparedExpression/plainValue(_:)``.
  func plainValue(after left: PropertyValue, _ frames: FrameStack) -> PropertyValue? { nil }
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

/// A literal.
final class ConstantOperand: PreparedOperand {
  private let constant: ScriptValue

  init(_ constant: ScriptValue, _ range: Range<Int>) {
    self.constant = constant
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue { constant }

  override var isPlain: Bool { true }

  override func plainValue(_ frames: FrameStack) -> PropertyValue? { constant.plainValue }
}

extension ScriptValue {
  /// The value, if an attribute or a list could contain it as it is.
  @inline(__always)
  fileprivate var plainValue: PropertyValue? {
    if case .value(let value) = self { value } else { nil }
  }
}

/// `"Book \(i)"`.
final class TextOperand: PreparedOperand {
  enum Part {
    case text(String)
    case value(PreparedExpression)
  }

  private let parts: [Part]

  init(_ parts: [Part], _ range: Range<Int>) {
    self.parts = parts
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .value(let expression): result += try evaluator.printedText(expression)
      }
    }
    guard result.utf8.count <= PropertyValue.longestText else {
      throw evaluator.frames.failure(.tooLong(limit: PropertyValue.longestText), range)
    }
    return .value(.string(result))
  }

  override var isPlain: Bool {
    parts.allSatisfy { if case .value(let expression) = $0 { expression.isPlain } else { true } }
  }

  override func plainValue(_ frames: FrameStack) -> PropertyValue? {
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .value(let expression):
        guard let value = expression.plainValue(frames) else { return nil }
        result += value.description
      }
    }
    return result.utf8.count <= PropertyValue.longestText ? .string(result) : nil
  }
}

/// `Book/3`.
final class ObjectOperand: PreparedOperand {
  private let entity: Name
  private let number: Int64

  init(_ entity: Name, _ number: Int64, _ range: Range<Int>) {
    self.entity = entity
    self.number = number
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    let id = ObjectID(entity: try evaluator.names.entity(entity), number: number)
    return .value(.object(try evaluator.names.object(id, range).objectID))
  }
}

/// `[1, 2]`.
final class ListOperand: PreparedOperand {
  private let elements: [PreparedExpression]

  init(_ elements: [PreparedExpression], _ range: Range<Int>) {
    self.elements = elements
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    let values = try evaluator.scalars(elements)
    return .value(
      try evaluator.frames.placing(range) { () throws(ScriptError.Kind) in try .list(of: values) })
  }
}

/// A bare name: inside `update { }` an attribute, otherwise a variable or a controller.
final class NameOperand: PreparedOperand {
  let name: String
  private let slot: Int
  /// The entity for which the name was last looked up, and the index of the property.
  private var known: (entity: EntityDescription, index: Int?)?

  init(_ name: String, _ slot: Int, _ range: Range<Int>) {
    self.name = name
    self.slot = slot
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    if let updated = evaluator.frames.updated {
      let entity = updated.entity
      if known?.entity !== entity { known = (entity, entity.propertyIndex(named: name)) }
      if let index = known?.index { return .value(updated.value(at: index)) }
    }
    if let value = evaluator.frames.variables.value(at: slot) { return value }
    return try evaluator.names.value(name, range)
  }

  override var isPlain: Bool { true }

  override func plainValue(_ frames: FrameStack) -> PropertyValue? {
    frames.updated == nil ? frames.variables.value(at: slot)?.plainValue : nil
  }
}

/// `$name`: always a variable, even if something else has this name.
final class VariableOperand: PreparedOperand {
  private let name: String
  private let slot: Int

  init(_ name: String, _ slot: Int, _ range: Range<Int>) {
    self.name = name
    self.slot = slot
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    if let value = evaluator.frames.variables.value(at: slot) { return value }
    return try evaluator.names.variable(name, range)
  }

  override var isPlain: Bool { true }

  override func plainValue(_ frames: FrameStack) -> PropertyValue? {
    frames.variables.value(at: slot)?.plainValue
  }
}

/// `uppercase(title)`, `uuid("…")`, `now()`.
final class CallOperand: PreparedOperand {
  private let name: Name
  private let arguments: [PreparedExpression]
  private let isLabelled: Bool

  init(
    _ name: Name, _ arguments: [PreparedExpression], isLabelled: Bool, _ range: Range<Int>
  ) {
    self.name = name
    self.arguments = arguments
    self.isLabelled = isLabelled
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    try evaluator.names.checkFunction(name)
    var values: [PropertyValue] = []
    values.reserveCapacity(arguments.count)
    for argument in arguments { values.append(try evaluator.scalar(argument)) }
    if !isLabelled, let result = try evaluator.call(name.text, values, range) {
      return .value(result)
    }
    throw evaluator.frames.failure(
      .wrongArguments(name.text, usage: ScriptFunctions.usages[name.text] ?? ""), range)
  }
}

/// `count(Book where …)`, `count(list)`, `fetch Book where …` as a value.
final class RequestOperand: PreparedOperand {
  private let request: PreparedRequest
  private let counts: Bool
  /// The name in `count(NAME)`, which may be that of a list; nil for any other request.
  private let list: NameOperand?

  init(
    _ request: RequestSyntax, counts: Bool, _ variables: VariableTable, _ range: Range<Int>
  ) {
    self.request = PreparedRequest(request, variables)
    self.counts = counts
    list = (counts ? request.nameOfList : nil).map {
      NameOperand($0.text, variables.slot(of: $0.text), $0.range)
    }
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    if let list, evaluator.names.isValue(list.name) { return try count(list, evaluator) }
    if counts { return .int(try evaluator.requests.count(request)) }
    return .value(
      .list(try evaluator.requests.fetchObjects(request).map { .object($0.objectID) }))
  }

  private func count(
    _ list: NameOperand, _ evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    let operand = PlacedValue(value: try list.value(in: evaluator), range: list.range)
    if let count = try evaluator.call("count", [try evaluator.scalar(operand)], range) {
      return .value(count)
    }
    throw evaluator.frames.failure(
      .wrongArguments("count", usage: ScriptFunctions.usages["count"] ?? ""), range)
  }
}

/// `insert Book(…)` as a value.
final class InsertOperand: PreparedOperand {
  private let insert: PreparedInsert

  init(_ insert: PreparedInsert, _ range: Range<Int>) {
    self.insert = insert
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    try evaluator.insertion.insert(insert, range)
  }
}

/// `-pages`.
final class NegationOperand: PreparedOperand {
  private let operand: PreparedExpression

  init(_ operand: PreparedExpression, _ range: Range<Int>) {
    self.operand = operand
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    let value = try evaluator.scalar(operand)
    return .value(
      try evaluator.frames.placing(operand.range) { () throws(ScriptError.Kind) in
        try value.negated()
      })
  }
}

/// `NOT read`.
final class NotOperand: PreparedOperand {
  private let operand: PreparedExpression

  init(_ operand: PreparedExpression, _ range: Range<Int>) {
    self.operand = operand
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    .value(.bool(!(try evaluator.truth(of: operand))))
  }
}
