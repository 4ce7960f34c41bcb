import FetchedResults
import Foundation
import ScriptSyntax

extension Interpreter {
  /// The longest text that an expression may build, in bytes.
  static var longestText: Int { 16 * 1024 * 1024 }

  /// Returns what an expression means now.
  func evaluate(_ expression: ExpressionSyntax) throws(ScriptError) -> ScriptValue {
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
      return .value(.object(try object(.object(ObjectID(entity: entity, number: number)), range).objectID))
    case .list(let elements):
      var values: [Value] = []
      for element in elements { values.append(try scalar(element)) }
      return .value(.list(values))
    case .range(let low, let high, let isClosed):
      return try self.range(from: low, to: high, isClosed: isClosed, range)
    case .name(let name): return try self.name(name, range)
    case .variable(let name): return try variable(name, range)
    case .member(let owner, let name): return try member(name, of: evaluate(owner), owner.range)
    case .index(let owner, let indices): return try element(of: owner, at: indices, range)
    case .call(let name, let arguments): return .value(try call(name, arguments, range))
    case .methodCall(let owner, let name, let arguments):
      return try callMethod(name, of: evaluate(owner), arguments, range)
    case .count(let request): return .int(try count(request))
    case .insert(let insert): return try self.insert(insert, range)
    case .fetch(let request):
      return .value(.list(try fetchObjects(request).map { .object($0.objectID) }))
    case .negation(let operand): return .value(try negated(operand))
    case .not(let operand): return .value(.bool(!(try truth(of: operand))))
    case .binary(let left, let sign, let right):
      return .value(try binary(left, sign, right, range))
    }
  }

  /// Returns an expression's value, where it is one that an attribute or a
  /// list could hold.
  func scalar(_ expression: ExpressionSyntax) throws(ScriptError) -> Value {
    switch try evaluate(expression) {
    case .value(let value): return value
    case .fetchedObjects(let binding):
      guard let objects = binding.controller.fetchedObjects else { return .null }
      return .list(Array(objects).map { .object($0.objectID) })
    case .range(let range) where range.count <= 1_000_000: return .list(range.map(Value.int))
    case let other: throw failure(.needed("a value", found: other.kind), expression.range)
    }
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
    let value = try evaluate(expression)
    guard case .value(.int(let number)) = value else {
      throw failure(.needed("an integer", found: value.kind), expression.range)
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
    let value = try evaluate(expression)
    guard case .value(.bool(let truth)) = value else {
      throw failure(.needed("a Boolean", found: value.kind), expression.range)
    }
    return truth
  }

  /// Returns what `print` shows of an expression.
  func printed(_ expression: ExpressionSyntax) throws(ScriptError) -> ScriptValue.Printed {
    switch try evaluate(expression) {
    case .sections(let binding):
      let names = try sections(of: binding, expression.range).map { Value.string($0.name) }
      return ScriptValue.Printed(.list(names))
    case .section(_, let section): return ScriptValue.Printed(.string(section.name))
    case .controller(let binding): return ScriptValue.Printed(.string(binding.controller.scriptText))
    case .value, .range, .fetchedObjects: return ScriptValue.Printed(try scalar(expression))
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
    from low: ExpressionSyntax, to high: ExpressionSyntax, isClosed: Bool, _ range: Range<Int>
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
    if let updated, let index = updated.entity.attributeIndex(named: name) {
      return .value(updated.snapshot[index])
    }
    if let value = session.variable(name) { return value }
    if let binding = session.controllers[name] { return .controller(binding) }
    let names =
      (updated?.entity.attributes.map(\.name) ?? []) + session.variableNames
      + session.controllerNames
    throw failure(.unknownName(name, suggestion: nearestName(to: name, among: names)), range)
  }

  private func variable(_ name: String, _ range: Range<Int>) throws(ScriptError) -> ScriptValue {
    if let value = session.variable(name) { return value }
    throw failure(
      .unknownVariable(name, suggestion: nearestName(to: name, among: session.variableNames)),
      range)
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
