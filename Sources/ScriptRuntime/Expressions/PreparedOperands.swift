import FetchedResults
import ScriptSyntax

/// A literal.
final class ConstantOperand: PreparedOperand {
  private let constant: ScriptValue

  init(_ constant: ScriptValue, _ range: Range<Int>) {
    self.constant = constant
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue { constant }
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
    var values: [PropertyValue] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try evaluator.scalar(element)) }
    return .value(
      try evaluator.frames.placing(range) { () throws(ScriptError.Kind) in try .list(of: values) })
  }
}

/// A bare name: inside `update { }` an attribute, otherwise a variable or a controller.
final class NameOperand: PreparedOperand {
  private let name: String
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

/// `count(Book where …)`, `fetch Book where …` as a value.
final class RequestOperand: PreparedOperand {
  private let request: PreparedRequest
  private let counts: Bool

  init(
    _ request: RequestSyntax, counts: Bool, _ variables: VariableTable, _ range: Range<Int>
  ) {
    self.request = PreparedRequest(request, variables)
    self.counts = counts
    super.init(range)
  }

  override func value(in evaluator: Evaluator) throws(ScriptError) -> ScriptValue {
    if counts { return .int(try evaluator.requests.count(request)) }
    return .value(
      .list(try evaluator.requests.fetchObjects(request).map { .object($0.objectID) }))
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
