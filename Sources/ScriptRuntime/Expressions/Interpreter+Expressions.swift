import FetchedResults
import Foundation
import ScriptSyntax

extension Interpreter {
  /// The longest text that an expression may build, in bytes.
  static var longestText: Int { 16 * 1024 * 1024 }

  /// How deep expressions may be nested, those of the transient attributes that
  /// they read included.
  ///
  /// An expression alone nests 200 deep at most; transient attributes that are
  /// made of one another could otherwise need any amount of stack.
  private static var deepestEvaluation: Int { 1_000 }

  /// The most elements that a list may have, those of its lists included.
  static var longestList: Int { 1_000_000 }

  /// Returns what an expression means now.
  ///
  /// Operators and members that follow one another make a tree that leans to
  /// the left. Walking down it in a loop leaves the stack to what is nested.
  func evaluate(_ expression: ExpressionSyntax) throws(ScriptError) -> ScriptValue {
    guard evaluationDepth < Self.deepestEvaluation else {
      throw failure(.expressionTooDeep(Self.deepestEvaluation), expression.range)
    }
    evaluationDepth += 1
    defer { evaluationDepth -= 1 }
    var outer: [ExpressionSyntax] = []
    var innermost = expression
    while let left = innermost.leftOperand {
      outer.append(innermost)
      innermost = left
    }
    var value = try operand(innermost)
    for expression in outer.reversed() { value = try apply(expression, to: value) }
    return value
  }

  /// Returns what an expression means whose left operand is known.
  private func apply(
    _ expression: ExpressionSyntax, to value: ScriptValue
  ) throws(ScriptError) -> ScriptValue {
    switch expression.kind {
    case .member(let owner, let name):
      // A key path through nil is nil, as in `dune.author.name`.
      if case .member = owner.kind, case .value(.null) = value { return .null }
      return try member(name, of: value, owner.range)
    case .index(let owner, let indices):
      return try element(of: value, owner.range, at: indices, expression.range)
    case .methodCall(_, let name, let arguments):
      return try callMethod(name, of: value, arguments, expression.range)
    case .binary(let left, let sign, let right):
      let left = Operand(value: value, range: left.range)
      return .value(try binary(left, sign, right, expression.range))
    case .range(let low, let high, let isClosed):
      let low = Operand(value: value, range: low.range)
      return try range(from: low, to: high, isClosed: isClosed, expression.range)
    case .null, .boolean, .integer, .real, .string, .date, .object, .list, .name, .variable, .call,
      .count, .insert, .fetch, .negation, .not:
      return try operand(expression)
    }
  }

  /// Returns what an expression without a left operand means.
  private func operand(_ expression: ExpressionSyntax) throws(ScriptError) -> ScriptValue {
    let range = expression.range
    switch expression.kind {
    case .null: return .null
    case .boolean(let value): return .value(.bool(value))
    case .integer(let value): return .value(.int(value))
    case .real(let value, _): return .value(.double(value))
    case .string(let parts): return .value(.string(try text(of: parts, range)))
    case .date(let literal): return .value(.date(Date(literal)))
    case .object(let entity, let number):
      let entity = try self.entity(Name(entity, range: range))
      return .value(
        .object(try object(.object(ObjectID(entity: entity, number: number)), range).objectID))
    case .list(let elements):
      var values: [Value] = []
      for element in elements { values.append(try scalar(element)) }
      return .value(try list(values, range))
    case .name(let name): return try self.name(name, range)
    case .variable(let name): return try variable(name, range)
    case .call(let name, let arguments): return .value(try call(name, arguments, range))
    case .count(let request): return .int(try count(request))
    case .insert(let insert): return try self.insert(insert, range)
    case .fetch(let request):
      return .value(.list(try fetchObjects(request).map { .object($0.objectID) }))
    case .negation(let operand): return .value(try negated(operand))
    case .not(let operand): return .value(.bool(!(try truth(of: operand))))
    case .member, .index, .methodCall, .binary, .range:
      preconditionFailure("an expression with a left operand is applied to its value")
    }
  }

  /// A value and where it was written.
  struct Operand {
    let value: ScriptValue
    let range: Range<Int>
  }

  private func operand(of expression: ExpressionSyntax) throws(ScriptError) -> Operand {
    Operand(value: try evaluate(expression), range: expression.range)
  }

  /// Returns an expression's value, where it is one that an attribute or a
  /// list could hold.
  func scalar(_ expression: ExpressionSyntax) throws(ScriptError) -> Value {
    try scalar(operand(of: expression))
  }

  func scalar(_ operand: Operand) throws(ScriptError) -> Value {
    switch operand.value {
    case .value(let value): return value
    case .fetchedObjects(let binding):
      guard let objects = binding.controller.fetchedObjects else { return .null }
      return .list(Array(objects).map { .object($0.objectID) })
    case .sections(let binding) where binding.controller.sections == nil: return .null
    case .range(let range):
      guard let length = range.length, length <= Self.longestList else {
        throw failure(.tooManyElements(limit: Self.longestList), operand.range)
      }
      return .list(range.map(Value.int))
    case .controller, .sections, .section:
      throw failure(.needed("a value", found: operand.value.kind), operand.range)
    }
  }

  /// Returns a list, unless it would hold too much.
  func list(_ values: [Value], _ range: Range<Int>) throws(ScriptError) -> Value {
    var rest = Self.longestList
    guard values.allSatisfy({ $0.takeElements(from: &rest) }), rest >= 0 else {
      throw failure(.tooManyElements(limit: Self.longestList), range)
    }
    return .list(values)
  }

  /// Returns an expression's value for an attribute; a literal keeps every
  /// digit where the attribute is decimal.
  func scalar(
    _ expression: ExpressionSyntax, for type: AttributeType
  ) throws(ScriptError) -> Value {
    if type == .decimal, case .real(_, let text) = expression.kind,
      let number = Decimal(string: text.filter { $0 != "_" })
    {
      return .decimal(number)
    }
    return try scalar(expression)
  }

  func integer(_ expression: ExpressionSyntax) throws(ScriptError) -> Int64 {
    try integer(operand(of: expression))
  }

  func integer(_ operand: Operand) throws(ScriptError) -> Int64 {
    guard case .value(.int(let number)) = operand.value else {
      throw failure(.needed("an integer", found: operand.value.kind), operand.range)
    }
    return number
  }

  func string(_ expression: ExpressionSyntax) throws(ScriptError) -> String {
    let value = try evaluate(expression)
    guard case .value(.string(let text)) = value else {
      throw failure(.needed("a string", found: value.kind), expression.range)
    }
    return text
  }

  func truth(of expression: ExpressionSyntax) throws(ScriptError) -> Bool {
    try truth(of: operand(of: expression))
  }

  func truth(of operand: Operand) throws(ScriptError) -> Bool {
    guard case .value(.bool(let truth)) = operand.value else {
      throw failure(.needed("true or false", found: operand.value.kind), operand.range)
    }
    return truth
  }

  /// Returns what `print` shows of an expression.
  func printed(_ expression: ExpressionSyntax) throws(ScriptError) -> ScriptValue.Printed {
    let operand = try operand(of: expression)
    switch operand.value {
    case .sections(let binding):
      let sections = binding.controller.sections
      return ScriptValue.Printed(
        sections.map { .list($0.map { .string($0.name) }) } ?? .null)
    case .section(_, let section): return ScriptValue.Printed(.string(section.name))
    case .controller(let binding):
      return ScriptValue.Printed(.string(binding.controller.scriptText))
    case .value, .range, .fetchedObjects: return ScriptValue.Printed(try scalar(operand))
    }
  }

  private func text(
    of parts: [ExpressionSyntax.StringPart], _ range: Range<Int>
  ) throws(ScriptError) -> String {
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .interpolation(let expression): result += try printed(expression).text
      }
    }
    guard result.utf8.count <= Self.longestText else {
      throw failure(.tooLong(limit: Self.longestText), range)
    }
    return result
  }

  private func range(
    from low: Operand, to high: ExpressionSyntax, isClosed: Bool, _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    let first = try integer(low)
    let last = try integer(high)
    let (end, overflows) = last.addingReportingOverflow(isClosed ? 1 : 0)
    if overflows { throw failure(.overflow, range) }
    return .range(first..<max(first, end))
  }
}

// MARK: - Names

extension Interpreter {
  /// A bare name: inside `update { }` an attribute, else a variable or a
  /// controller.
  private func name(_ name: String, _ range: Range<Int>) throws(ScriptError) -> ScriptValue {
    if let value = updated?.value(named: name) { return .value(value) }
    if let value = session.variable(name) { return value }
    if let binding = session.controllers[name] { return .controller(binding) }
    let properties = updated?.entity.propertyNames ?? []
    throw unknownName(name, among: properties + session.variableNames, range)
  }

  /// The error for a name that has no value.
  func unknownName(
    _ name: String, among values: [String], _ range: Range<Int>
  ) -> ScriptError {
    if let meaning = session.meaning(of: name) {
      return failure(.notValue(name, is: meaning), range)
    }
    let near = nearestName(to: name, among: values + session.controllerNames)
    return failure(.unknownName(name, suggestion: near), range)
  }

  /// `$name`: a variable, whatever else has its name.
  func variable(_ name: String, _ range: Range<Int>) throws(ScriptError) -> ScriptValue {
    if let value = session.variable(name) { return value }
    throw failure(
      .unknownVariable(name, suggestion: nearestName(to: name, among: session.variableNames)),
      range)
  }
}

extension ExpressionSyntax {
  /// What stands in front of this expression's member, index or operator.
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

extension Value {
  /// Counts the elements of a list and its lists down from a limit.
  ///
  /// - Returns: False where the limit does not suffice; the count then ends.
  fileprivate func takeElements(from rest: inout Int) -> Bool {
    rest -= 1
    guard case .list(let values) = self else { return rest >= 0 }
    return rest >= 0 && values.allSatisfy { $0.takeElements(from: &rest) }
  }
}

extension Date {
  /// The moment of a literal; the parser has checked that it exists.
  init(_ literal: DateLiteral) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let components = DateComponents(
      calendar: calendar, timeZone: .gmt, year: literal.year, month: literal.month,
      day: literal.day, hour: literal.hour, minute: literal.minute)
    let minute = calendar.date(from: components) ?? Date(timeIntervalSinceReferenceDate: 0)
    self = minute.addingTimeInterval(literal.second - Double(literal.offset) * 60)
  }
}
