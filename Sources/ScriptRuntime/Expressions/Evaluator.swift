import FetchedResults
import Foundation
import ScriptSyntax

/// A value and where it was written.
struct PlacedValue {
  let value: ScriptValue
  let range: Range<Int>
}

/// Finds what expressions mean at the moment.
final class Evaluator {
  private let session: Session
  private let frames: FrameStack
  private let steps: StepCounter
  private let warnings: WarningLog
  private let keptError: KeptError
  private let names: NameLookup
  /// How many expressions are being evaluated, one as a part of another or to
  /// compute a transient attribute of it.
  @exclusivity(unchecked) private var depth = 0

  /// How deep expressions may be nested, those of the transient attributes that
  /// they read included.
  ///
  /// An expression alone nests 200 deep at most; transient attributes that are
  /// made of one another could otherwise need any amount of stack.
  private static var deepest: Int { 1_000 }

  init(
    _ session: Session, _ frames: FrameStack, _ steps: StepCounter, _ warnings: WarningLog,
    _ keptError: KeptError
  ) {
    self.session = session
    self.frames = frames
    self.steps = steps
    self.warnings = warnings
    self.keptError = keptError
    names = NameLookup(session, frames)
  }

  private var members: MemberAccess { MemberAccess(self, names, frames) }
  private var requests: RequestResolver { RequestResolver(self, session, frames, warnings) }
  private var insertion: ObjectInsertion { ObjectInsertion(self, session, frames, steps) }

  /// Returns what an expression means now.
  ///
  /// Operators and members that follow one another make a tree that leans to
  /// the left. Walking down it in a loop leaves the stack to what is nested.
  func evaluate(_ expression: ExpressionSyntax) throws(ScriptError) -> ScriptValue {
    guard depth < Self.deepest else {
      throw frames.failure(.expressionTooDeep(Self.deepest), expression.range)
    }
    depth += 1
    defer { depth -= 1 }
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
      return try members.member(name, of: value, owner.range)
    case .index(let owner, let indices):
      return try members.element(of: value, owner.range, at: indices, expression.range)
    case .methodCall(_, let name, let arguments):
      return try members.call(name, of: value, arguments, expression.range)
    case .binary(let left, let sign, let right):
      let left = PlacedValue(value: value, range: left.range)
      return .value(try binary(left, sign, right, expression.range))
    case .range(let low, let high, let isClosed):
      let low = PlacedValue(value: value, range: low.range)
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
      let entity = try names.entity(Name(entity, range: range))
      return .value(
        .object(try names.object(.object(ObjectID(entity: entity, number: number)), range).objectID)
      )
    case .list(let elements):
      var values: [PropertyValue] = []
      for element in elements { values.append(try scalar(element)) }
      return .value(
        try frames.placing(range) { () throws(ScriptError.Kind) in try .list(of: values) })
    case .name(let name): return try names.value(name, range)
    case .variable(let name): return try names.variable(name, range)
    case .call(let name, let arguments): return .value(try call(name, arguments, range))
    case .count(let request): return .int(try requests.count(request))
    case .insert(let insert): return try insertion.insert(insert, range)
    case .fetch(let request):
      return .value(.list(try requests.fetchObjects(request).map { .object($0.objectID) }))
    case .negation(let operand): return .value(try negated(operand))
    case .not(let operand): return .value(.bool(!(try truth(of: operand))))
    case .member, .index, .methodCall, .binary, .range:
      preconditionFailure("an expression with a left operand is applied to its value")
    }
  }

  private func operand(of expression: ExpressionSyntax) throws(ScriptError) -> PlacedValue {
    PlacedValue(value: try evaluate(expression), range: expression.range)
  }

  /// Returns an expression's value, where it is one that an attribute or a
  /// list could hold.
  func scalar(_ expression: ExpressionSyntax) throws(ScriptError) -> PropertyValue {
    try scalar(operand(of: expression))
  }

  func scalar(_ operand: PlacedValue) throws(ScriptError) -> PropertyValue {
    switch operand.value {
    case .value(let value): return value
    case .fetchedObjects(let binding):
      guard let objects = binding.controller.fetchedObjects else { return .null }
      return .list(Array(objects).map { .object($0.objectID) })
    case .sections(let binding) where binding.controller.sections == nil: return .null
    case .range(let range):
      guard let length = range.length, length <= PropertyValue.longestList else {
        throw frames.failure(.tooManyElements(limit: PropertyValue.longestList), operand.range)
      }
      return .list(range.map(PropertyValue.int))
    case .controller, .sections, .section:
      throw frames.failure(.needed("a value", found: operand.value.kind), operand.range)
    }
  }

  /// Returns an expression's value for an attribute; a literal keeps every
  /// digit where the attribute is decimal.
  func scalar(
    _ expression: ExpressionSyntax, for type: AttributeType
  ) throws(ScriptError) -> PropertyValue {
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

  func integer(_ operand: PlacedValue) throws(ScriptError) -> Int64 {
    guard case .value(.int(let number)) = operand.value else {
      throw frames.failure(.needed("an integer", found: operand.value.kind), operand.range)
    }
    return number
  }

  func string(_ expression: ExpressionSyntax) throws(ScriptError) -> String {
    let value = try evaluate(expression)
    guard case .value(.string(let text)) = value else {
      throw frames.failure(.needed("a string", found: value.kind), expression.range)
    }
    return text
  }

  func truth(of expression: ExpressionSyntax) throws(ScriptError) -> Bool {
    try truth(of: operand(of: expression))
  }

  func truth(of operand: PlacedValue) throws(ScriptError) -> Bool {
    guard case .value(.bool(let truth)) = operand.value else {
      throw frames.failure(.needed("true or false", found: operand.value.kind), operand.range)
    }
    return truth
  }

  /// Returns the object that an expression gives.
  func object(_ expression: ExpressionSyntax) throws(ScriptError) -> ManagedObject {
    let value = try evaluate(expression)
    guard case .value(let scalar) = value else {
      throw frames.failure(.notAnObject(found: value.kind), expression.range)
    }
    return try names.object(scalar, expression.range)
  }

  /// Returns what `print` shows of an expression.
  func printed(_ expression: ExpressionSyntax) throws(ScriptError) -> PrintedValue {
    try printed(operand(of: expression))
  }

  func printed(_ operand: PlacedValue) throws(ScriptError) -> PrintedValue {
    switch operand.value {
    case .sections(let binding):
      let sections = binding.controller.sections
      return PrintedValue(
        sections.map { .list($0.map { .string($0.name) }) } ?? .null)
    case .section(_, let section): return PrintedValue(.string(section.name))
    case .controller(let binding):
      return PrintedValue(.string(binding.controller.scriptText))
    case .value, .range, .fetchedObjects: return PrintedValue(try scalar(operand))
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
    guard result.utf8.count <= PropertyValue.longestText else {
      throw frames.failure(.tooLong(limit: PropertyValue.longestText), range)
    }
    return result
  }

  private func range(
    from low: PlacedValue, to high: ExpressionSyntax, isClosed: Bool, _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    let first = try integer(low)
    let last = try integer(high)
    let (end, overflows) = last.addingReportingOverflow(isClosed ? 1 : 0)
    if overflows { throw frames.failure(.overflow, range) }
    return .range(first..<max(first, end))
  }
}

// MARK: - Operators and functions

extension Evaluator {
  private func binary(
    _ left: PlacedValue, _ sign: ExpressionSyntax.BinaryOperator, _ right: ExpressionSyntax,
    _ range: Range<Int>
  ) throws(ScriptError) -> PropertyValue {
    switch sign {
    case .and:
      guard try truth(of: left) else { return .bool(false) }
      return .bool(try truth(of: right))
    case .or:
      if try truth(of: left) { return .bool(true) }
      return .bool(try truth(of: right))
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      return .bool(try compare(scalar(left), sign, scalar(right), range))
    case .add, .subtract, .multiply, .divide, .remainder:
      return try combine(scalar(left), sign, scalar(right), range)
    }
  }

  private func negated(_ operand: ExpressionSyntax) throws(ScriptError) -> PropertyValue {
    let value = try scalar(operand)
    return try frames.placing(operand.range) { () throws(ScriptError.Kind) in
      try value.negated()
    }
  }

  func compare(
    _ left: PropertyValue, _ sign: ExpressionSyntax.BinaryOperator, _ right: PropertyValue,
    _ range: Range<Int>
  ) throws(ScriptError) -> Bool {
    try frames.placing(range) { () throws(ScriptError.Kind) in
      try left.compared(sign, to: right)
    }
  }

  func combine(
    _ left: PropertyValue, _ sign: ExpressionSyntax.BinaryOperator, _ right: PropertyValue,
    _ range: Range<Int>
  ) throws(ScriptError) -> PropertyValue {
    try frames.placing(range) { () throws(ScriptError.Kind) in
      try left.combined(sign, with: right)
    }
  }

  /// `uppercase(title)`, `uuid("…")`, `now()`.
  private func call(
    _ name: Name, _ arguments: [ExpressionSyntax.Argument], _ range: Range<Int>
  ) throws(ScriptError) -> PropertyValue {
    try names.checkFunction(name)
    var values: [PropertyValue] = []
    for argument in arguments { values.append(try scalar(argument.value)) }
    if arguments.allSatisfy({ $0.label == nil }) {
      let result = try frames.placing(range) { () throws(ScriptError.Kind) in
        try ScriptFunctions.call(name.text, values, now: session.context.environment.now)
      }
      if let result { return result }
    }
    throw frames.failure(
      .wrongArguments(name.text, usage: ScriptFunctions.usages[name.text] ?? ""), range)
  }
}

// MARK: - Transient attributes

extension Evaluator {
  /// How deep transient attributes may be made of one another.
  private static var deepestTransient: Int { 64 }

  /// Evaluates an expression for an object, in a frame of its own and in the
  /// context that the object is seen in: that need not be the one whose
  /// statement runs.
  ///
  /// It runs where no error can be thrown; the first is kept until the
  /// statement ends.
  func value(
    of expression: ExpressionSyntax, for object: ObjectValues, in source: SourceText
  ) -> PropertyValue {
    frames.run(in: frames.top.transient(of: object, in: source)) {
      do throws(ScriptError) {
        guard frames.top.transientDepth <= Self.deepestTransient else {
          throw frames.failure(.transientTooDeep(Self.deepestTransient), expression.range)
        }
        return try session.on(object.managedObjectContext ?? session.context) {
          () throws(ScriptError) in try scalar(expression)
        }
      } catch {
        keptError.keepIfFirst(error)
        return .null
      }
    }
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
