import FetchedResults
import Foundation
import ScriptSyntax

/// A value, with the place of its expression.
struct PlacedValue {
  let value: ScriptValue
  let range: Range<Int>
}

/// Computes the values of expressions.
final class Evaluator {
  private let session: Session
  let frames: FrameStack
  private let warnings: WarningLog
  private let steps: StepCounter
  private let keptError: KeptError
  let names: NameLookup
  /// The number of nested expressions that are being evaluated, including those of transient
  /// attributes.
  @exclusivity(unchecked) private var depth = 0

  // They use the evaluator, but do not hold it strongly.
  private(set) lazy var members = MemberAccess(self, names, frames)
  private(set) lazy var requests = RequestResolver(self, session, frames, warnings)
  private(set) lazy var insertion = ObjectInsertion(self, session, frames, steps)

  /// The largest depth of nested expressions, including those of the transient attributes that they
  /// read.
  ///
  /// A single expression has at most 200 levels. But transient attributes that use one another
  /// could need any amount of stack.
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

  /// Returns an expression in the form in which it runs, for a statement that evaluates it many
  /// times.
  func prepare(_ expression: ExpressionSyntax) -> PreparedExpression {
    PreparedExpression(expression, frames.variables)
  }

  /// Returns the present value of an expression.
  ///
  /// - Throws: Also the error of a store that could not be read: what could not be read has no value
  ///   in the engine, and a statement must not write that elsewhere.
  func evaluate(_ expression: PreparedExpression) throws(ScriptError) -> ScriptValue {
    if let value = expression.plainValue(frames) { return .value(value) }
    guard depth < Self.deepest else {
      throw frames.failure(.expressionTooDeep(Self.deepest), expression.range)
    }
    depth += 1
    defer { depth -= 1 }
    let value = try expression.value(in: self)
    if depth == 1, let error = session.coordinator.takeReadFailure() {
      throw frames.failure(.engine("\(error)"), expression.range)
    }
    return value
  }

  func operand(of expression: PreparedExpression) throws(ScriptError) -> PlacedValue {
    PlacedValue(value: try evaluate(expression), range: expression.range)
  }

  /// Returns an expression's value, if an attribute or a list could contain it.
  func scalar(_ expression: PreparedExpression) throws(ScriptError) -> PropertyValue {
    if let value = expression.plainValue(frames) { return value }
    let value = try evaluate(expression)
    if case .value(let scalar) = value { return scalar }
    return try scalar(PlacedValue(value: value, range: expression.range))
  }

  /// Returns the values of expressions, which an attribute or a list could contain.
  func scalars(_ expressions: [PreparedExpression]) throws(ScriptError) -> [PropertyValue] {
    try session.values(expressions.count) { index throws(ScriptError) in
      try scalar(expressions[index])
    }
  }

  /// Returns the values of two operands, of which the first is computed.
  func operands(
    _ left: PropertyValue, _ right: PreparedExpression
  ) throws(ScriptError) -> (left: PropertyValue, right: PropertyValue) {
    if left.objectIDs.isEmpty { return (left, try scalar(right)) }
    let values = try session.values(2) { index throws(ScriptError) in
      index == 0 ? left : try scalar(right)
    }
    return (values[0], values[1])
  }

  func scalar(_ operand: PlacedValue) throws(ScriptError) -> PropertyValue {
    switch operand.value {
    case .value(let value): return value
    case .fetchedObjects(let binding):
      guard let objects = binding.fetchedObjects else { return .null }
      return .list(Array(objects).map { .object($0.objectID) })
    case .sections(let binding) where binding.sections == nil: return .null
    case .range(let range):
      guard let length = range.length, length <= PropertyValue.longestList else {
        throw frames.failure(.tooManyElements(limit: PropertyValue.longestList), operand.range)
      }
      return .list(range.map(PropertyValue.int))
    case .history(let binding): return .int(Int64(binding.history?.eventCounter ?? 0))
    case .controller, .sections, .section:
      throw frames.failure(.needed("a value", found: operand.value.kind), operand.range)
    }
  }

  /// Returns an expression's value for an attribute.
  ///
  /// For a decimal attribute, a literal keeps all its digits.
  func scalar(
    _ expression: PreparedExpression, for type: AttributeType
  ) throws(ScriptError) -> PropertyValue {
    if type == .decimal, case .real(_, let text) = expression.syntax.kind,
      let number = Decimal(string: text.filter { $0 != "_" })
    {
      return .decimal(number)
    }
    return try scalar(expression)
  }

  func integer(_ expression: PreparedExpression) throws(ScriptError) -> Int64 {
    try integer(operand(of: expression))
  }

  func integer(_ operand: PlacedValue) throws(ScriptError) -> Int64 {
    guard case .value(.int(let number)) = operand.value else {
      throw frames.failure(.needed("an integer", found: operand.value.kind), operand.range)
    }
    return number
  }

  func string(_ expression: PreparedExpression) throws(ScriptError) -> String {
    let value = try evaluate(expression)
    guard case .value(.string(let text)) = value else {
      throw frames.failure(.needed("a string", found: value.kind), expression.range)
    }
    return text
  }

  func truth(of expression: PreparedExpression) throws(ScriptError) -> Bool {
    try truth(of: operand(of: expression))
  }

  func truth(of operand: PlacedValue) throws(ScriptError) -> Bool {
    guard case .value(.bool(let truth)) = operand.value else {
      throw frames.failure(.needed("true or false", found: operand.value.kind), operand.range)
    }
    return truth
  }

  /// Returns the object that is an expression's value.
  func object(_ expression: PreparedExpression) throws(ScriptError) -> ManagedObject {
    let value = try evaluate(expression)
    guard case .value(let scalar) = value else {
      throw frames.notAnObject(value.kind, expression.range)
    }
    return try names.object(scalar, expression.range)
  }

  /// Returns an expression's value as `print` shows it.
  func printed(_ expression: PreparedExpression) throws(ScriptError) -> PrintedValue {
    try printed(operand(of: expression))
  }

  func printed(_ operand: PlacedValue) throws(ScriptError) -> PrintedValue {
    switch operand.value {
    case .sections(let binding):
      let sections = binding.sections
      return PrintedValue(
        sections.map { .list($0.map { .string($0.name) }) } ?? .null)
    case .section(_, let section): return PrintedValue(.string(section.name))
    case .controller(let binding):
      return PrintedValue(
        .string(binding.observer?.scriptText ?? binding.controller.scriptText))
    case .history(let binding): return PrintedValue(.string(binding.scriptText))
    case .value, .range, .fetchedObjects: return PrintedValue(try scalar(operand))
    }
  }

  /// Returns the text that `print` shows for an expression.
  func printedText(_ expression: PreparedExpression) throws(ScriptError) -> String {
    let value = try evaluate(expression)
    if case .value(let scalar) = value { return scalar.description }
    return try printed(PlacedValue(value: value, range: expression.range)).text
  }
}

// MARK: - Operators and functions

extension Evaluator {
  func compare(
    _ left: PropertyValue, _ sign: ExpressionSyntax.BinaryOperator, _ right: PropertyValue,
    _ range: Range<Int>
  ) throws(ScriptError) -> Bool {
    if case .int(let a) = left, case .int(let b) = right, let result = sign.compares(a, b) {
      return result
    }
    return try frames.placing(range) { () throws(ScriptError.Kind) in
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

  /// Calls a function; returns nil if it does not accept the arguments.
  func call(
    _ name: String, _ values: [PropertyValue], _ range: Range<Int>
  ) throws(ScriptError) -> PropertyValue? {
    try frames.placing(range) { () throws(ScriptError.Kind) in
      try ScriptFunctions.call(name, values, now: session.context.environment.now)
    }
  }
}

// MARK: - Transient attributes

extension Evaluator {
  /// The largest depth of transient attributes that use one another.
  private static var deepestTransient: Int { 64 }

  /// Evaluates an expression for an object, in a frame of its own and in the object's context,
  /// which may not be that of the running statement.
  ///
  /// It runs where no error can be thrown, so the first error is kept until the statement ends.
  func value(
    of expression: PreparedExpression, for object: ObjectValues, in source: SourceText
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

// MARK: - Expressions that run once

extension Evaluator {
  func evaluate(_ expression: ExpressionSyntax) throws(ScriptError) -> ScriptValue {
    try evaluate(prepare(expression))
  }

  func scalar(_ expression: ExpressionSyntax) throws(ScriptError) -> PropertyValue {
    try scalar(prepare(expression))
  }

  func scalar(
    _ expression: ExpressionSyntax, for type: AttributeType
  ) throws(ScriptError) -> PropertyValue {
    try scalar(prepare(expression), for: type)
  }

  func integer(_ expression: ExpressionSyntax) throws(ScriptError) -> Int64 {
    try integer(prepare(expression))
  }

  func string(_ expression: ExpressionSyntax) throws(ScriptError) -> String {
    try string(prepare(expression))
  }

  func truth(of expression: ExpressionSyntax) throws(ScriptError) -> Bool {
    try truth(of: prepare(expression))
  }

  func object(_ expression: ExpressionSyntax) throws(ScriptError) -> ManagedObject {
    try object(prepare(expression))
  }
}

extension ExpressionSyntax.BinaryOperator {
  /// Compares two integers; returns nil for an operator that is not a comparison.
  fileprivate func compares(_ left: Int64, _ right: Int64) -> Bool? {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    case .add, .subtract, .multiply, .divide, .remainder, .and, .or: nil
    }
  }
}

extension Date {
  /// Creates the date of a literal, which the parser has checked.
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

/// The functions of expressions.
package enum ScriptFunctions {
  /// The functions, with their call forms.
  package static let usages: [String: String] = [
    "abs": "abs(number)",
    "ceiling": "ceiling(number)",
    "count": "count(list) or count(Entity where …)",
    "data": "data(\"base64\")",
    "decimal": "decimal(\"12.50\")",
    "floor": "floor(number)",
    "length": "length(text)",
    "lowercase": "lowercase(text)",
    "max": "max(a, b, …)",
    "min": "min(a, b, …)",
    "now": "now()",
    "string": "string(value)",
    "substring": "substring(text, start, length)",
    "uppercase": "uppercase(text)",
    "uuid": "uuid(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\")",
  ]

  /// The results of the functions that parse a text.
  private static let kinds = [
    "data": "base64", "decimal": "a decimal number", "uuid": "a UUID",
  ]

  /// Returns a function's value; nil if the function does not accept the arguments.
  ///
  /// For a nil text or number the value is nil, as for a key path through nil.
  static func call(
    _ name: String, _ arguments: [PropertyValue], now: () -> Date
  ) throws(ScriptError.Kind) -> PropertyValue? {
    switch (name, arguments.count) {
    case ("now", 0): return .date(now())
    case ("min", 1...), ("max", 1...): return try extreme(of: arguments, name == "min")
    case ("substring", 3): return substring(arguments)
    case ("count", 1):
      guard case .list(let values) = arguments[0] else { return nil }
      return .int(Int64(values.count))
    case ("string", 1): return .string(arguments[0].description)
    case ("now", _), ("substring", _): return nil
    case (_, 1):
      if arguments[0].isNull { return .null }
      if let text = arguments[0].string {
        if let result = call(name, text) { return result }
        if let kind = kinds[name] { throw .malformed(arguments[0].excerpt, as: kind) }
      }
      return try call(name, number: arguments[0])
    default: return nil
    }
  }

  private static func call(_ name: String, _ text: String) -> PropertyValue? {
    switch name {
    case "uppercase": .string(text.uppercased())
    case "lowercase": .string(text.lowercased())
    case "length": .int(Int64(text.utf16.count))
    case "uuid": UUID(uuidString: text).map(PropertyValue.uuid)
    case "data": Data(base64Encoded: text).map(PropertyValue.data)
    case "decimal": Decimal(wholeText: text).map(PropertyValue.decimal)
    default: nil
    }
  }

  private static func call(_ name: String, number: PropertyValue) throws(ScriptError.Kind)
    -> PropertyValue?
  {
    switch (name, number) {
    case ("abs", .int(.min)): throw .overflow
    case ("abs", .int(let value)): return .int(abs(value))
    case ("abs", .double(let value)): return .double(abs(value))
    case ("floor", .int), ("ceiling", .int): return number
    case ("floor", .double(let value)): return .double(value.rounded(.down))
    case ("ceiling", .double(let value)): return .double(value.rounded(.up))
    default: return nil
    }
  }

  private static func extreme(
    of values: [PropertyValue], _ least: Bool
  ) throws(ScriptError.Kind) -> PropertyValue {
    var result = values[0]
    for value in values.dropFirst() where try value.compared(least ? .less : .greater, to: result) {
      result = value
    }
    return result
  }

  private static func substring(_ arguments: [PropertyValue]) -> PropertyValue? {
    if arguments[0].isNull { return .null }
    guard let text = arguments[0].string, let start = arguments[1].int,
      let length = arguments[2].int, start >= 0, length >= 0
    else { return nil }
    return .string(String(text.dropFirst(Int(clamping: start)).prefix(Int(clamping: length))))
  }
}
