import FetchedResults
import ScriptSyntax

/// Batch requests, which change only the store.
struct BatchCommands {
  let session: Session
  let frames: FrameStack
  let steps: StepCounter
  let evaluator: Evaluator
  let requests: RequestResolver
  let assignments: AssignmentPreparation
  let events: EventEmitter
  let turnLog: TurnLog

  /// `batch delete Book where pages < 10`.
  func run(_ batch: BatchSyntax, _ range: Range<Int>) throws(ScriptError) {
    // If the request fails, there is nothing to merge.
    session.lastBatch = nil
    let request = try request(batch, range)
    let result = try locating(batch, range) { try request.execute(in: session.context) }
    session.lastBatch = result
    turnLog.note(result)
    events.emit(.batch(result))
  }

  private func locating(
    _ batch: BatchSyntax, _ range: Range<Int>, _ body: () throws -> BatchResult
  ) throws(ScriptError) -> BatchResult {
    switch batch.action {
    case .insert: try frames.locating(range, body)
    case .update(let rows, _), .delete(let rows): try frames.locating(rows, body)
    }
  }

  /// Returns the request of a statement with its present values.
  func request(_ batch: BatchSyntax, _ range: Range<Int>) throws(ScriptError) -> BatchRequest {
    let type = BatchResultType(batch.result)
    switch batch.action {
    case .insert(let inserts): return .insert(try insertion(inserts, type, range))
    case .update(let rows, let values): return .update(try update(rows, values, type))
    case .delete(let rows):
      return .delete(
        BatchDeleteRequest(fetchRequest: try requests.resolve(rows).request, resultType: type))
    }
  }

  // MARK: Inserting

  private func insertion(
    _ inserts: [InsertSyntax], _ type: BatchResultType, _ range: Range<Int>
  ) throws(ScriptError) -> BatchInsertRequest {
    guard let first = inserts.first else { preconditionFailure("the parser reads at least one") }
    let entity = try assignments.names.entity(first.entity)
    try frames.locating(first.entity.range) { try entity.checkRelationships() }
    var objects: [[String: PropertyValue]] = []
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
    return BatchInsertRequest(entity: entity, objects: objects, resultType: type)
  }

  /// Runs a closure several times, with `i` counting from 1.
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
  ) throws(ScriptError) -> [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for assignment in prepared {
      values[assignment.syntax.attribute.text] = try value(assignment, of: entity)
    }
    session.memory?.noteObject(values.values)
    return values
  }

  private func value(
    _ assignment: PreparedAssignment, of entity: EntityDescription
  ) throws(ScriptError) -> PropertyValue {
    let expression = assignment.value
    guard assignment.index < entity.attributes.count else {
      throw frames.failure(
        .engine("\(BatchRequestError.relationship(assignment.syntax.attribute.text))"),
        assignment.syntax.attribute.range)
    }
    let attribute = entity.attributes[assignment.index]
    let value = try evaluator.scalar(expression, for: attribute.type)
    return try assignments.fitting(value, attribute, expression.range)
  }

  // MARK: Updating

  private func update(
    _ syntax: RequestSyntax, _ values: [AttributeAssignment], _ type: BatchResultType
  ) throws(ScriptError) -> BatchUpdateRequest {
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
    return request
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
