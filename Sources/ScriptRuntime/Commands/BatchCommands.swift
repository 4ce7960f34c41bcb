import FetchedResults
import ScriptSyntax

/// Batch requests, which go to the store alone.
struct BatchCommands {
  let session: Session
  let frames: FrameStack
  let steps: StepCounter
  let evaluator: Evaluator
  let requests: RequestResolver
  let assignments: AssignmentPreparation
  let events: EventEmitter

  /// `batch delete Book where pages < 10`.
  func run(_ batch: BatchSyntax, _ range: Range<Int>) throws(ScriptError) {
    // Of a request that fails there is nothing to merge.
    session.lastBatch = nil
    let type = BatchResultType(batch.result)
    let result =
      switch batch.action {
      case .insert(let inserts): try insert(inserts, type, range)
      case .update(let request, let values): try update(request, values, type)
      case .delete(let request): try delete(request, type)
      }
    session.lastBatch = result
    events.emit(.batch(result))
  }

  // MARK: Inserting

  private func insert(
    _ inserts: [InsertSyntax], _ type: BatchResultType, _ range: Range<Int>
  ) throws(ScriptError) -> BatchResult {
    guard let first = inserts.first else { preconditionFailure("the parser reads at least one") }
    let entity = try assignments.names.entity(first.entity)
    try frames.locating(first.entity.range) { try entity.checkRelationships() }
    var objects: [[String: Value]] = []
    for insert in inserts {
      try assignments.refuseRepetition(in: insert.values)
      let prepared = try assignments.prepare(insert.values, of: entity)
      guard let count = insert.count else {
        objects.append(try values(prepared, of: entity))
        continue
      }
      let total = try evaluator.integer(count)
      guard 0...ObjectInsertion.largestInsert ~= total else {
        throw frames.failure(
          .needed("a count from 0 to \(ObjectInsertion.largestInsert)", found: "\(total)"),
          count.range)
      }
      try repeating(total, range) { () throws(ScriptError) in
        objects.append(try values(prepared, of: entity))
      }
    }
    let request = BatchInsertRequest(entity: entity, objects: objects, resultType: type)
    return try frames.locating(range) { try session.context.execute(request) }
  }

  /// Runs something several times, with `i` counting from 1.
  private func repeating(
    _ count: Int64, _ range: Range<Int>, _ body: () throws(ScriptError) -> Void
  ) throws(ScriptError) {
    frames.pushScope()
    defer { frames.popScope() }
    var number: Int64 = 0
    while number < count {
      number += 1
      try steps.count(at: range)
      frames.setVariable("i", to: .value(.int(number)))
      try body()
    }
  }

  private func values(
    _ prepared: [PreparedAssignment], of entity: EntityDescription
  ) throws(ScriptError) -> [String: Value] {
    var values: [String: Value] = [:]
    for assignment in prepared {
      values[assignment.syntax.attribute.text] = try value(assignment, of: entity)
    }
    return values
  }

  private func value(
    _ assignment: PreparedAssignment, of entity: EntityDescription
  ) throws(ScriptError) -> Value {
    let expression = assignment.syntax.value
    guard assignment.index < entity.attributes.count else {
      throw frames.failure(
        .engine("\(BatchRequestError.relationship(assignment.syntax.attribute.text))"),
        assignment.syntax.attribute.range)
    }
    let attribute = entity.attributes[assignment.index]
    let value = try evaluator.scalar(expression, for: attribute.type)
    return try assignments.fitting(value, attribute, expression.range)
  }

  // MARK: Updating and deleting

  private func update(
    _ syntax: RequestSyntax, _ values: [AttributeAssignment], _ type: BatchResultType
  ) throws(ScriptError) -> BatchResult {
    let definition = try requests.resolve(syntax)
    let entity = definition.request.entity
    try assignments.refuseRepetition(in: values)
    var settings: [String: BatchUpdateRequest.NewValue] = [:]
    for assignment in try assignments.prepare(values, of: entity) {
      settings[assignment.syntax.attribute.text] = try setting(assignment, of: entity)
    }
    var request = BatchUpdateRequest(
      entity: entity, predicate: definition.request.predicate, propertiesToUpdate: settings,
      resultType: type)
    request.includesSubentities = definition.request.includesSubentities
    return try frames.locating(syntax) { try session.context.execute(request) }
  }

  private func setting(
    _ assignment: PreparedAssignment, of entity: EntityDescription
  ) throws(ScriptError) -> BatchUpdateRequest.NewValue {
    let syntax = assignment.syntax
    let asked = entity.propertyNames.first { name in
      frames.variable(name) == nil
        && syntax.value.contains { if case .name(name) = $0 { true } else { false } }
    }
    if let asked { throw frames.failure(.batchReadsAttribute(asked), syntax.value.range) }
    let value = try value(assignment, of: entity)
    switch syntax.operator {
    case .set: return .value(value)
    case .add: return .sum(value)
    case .subtract:
      let negated = try frames.placing(syntax.value.range) { () throws(ScriptError.Kind) in
        try value.negated()
      }
      return .sum(negated)
    }
  }

  private func delete(
    _ syntax: RequestSyntax, _ type: BatchResultType
  ) throws(ScriptError) -> BatchResult {
    let request = BatchDeleteRequest(
      fetchRequest: try requests.resolve(syntax).request, resultType: type)
    return try frames.locating(syntax) { try session.context.execute(request) }
  }
}

extension BatchResultType {
  fileprivate init(_ result: RequestResult) {
    self =
      switch result {
      case .objectIDs: .objectIDs
      case .count: .count
      case .statusOnly: .statusOnly
      }
  }
}
