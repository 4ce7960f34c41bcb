import FetchedResults
import ScriptSyntax

/// Statements that define variables, and change and delete objects.
struct ObjectCommands: SessionCommand {
  let parts: SessionParts

  /// `let dune = insert Book(…)`.
  ///
  /// A controller's objects are copied when the variable is set, as an app's array is.
  ///
  /// - Parameter slot: The slot of the variable's name.
  func define(_ slot: Int, as expression: PreparedExpression) throws(ScriptError) {
    var value = try evaluator.evaluate(expression)
    if case .fetchedObjects = value {
      value = .value(try evaluator.scalar(PlacedValue(value: value, range: expression.range)))
    }
    frames.variables.set(slot, to: value)
  }

  /// `dune.title = "Dune Messiah"`, `dune.pages += 10`,
  /// `herbert.books += dune`.
  func assign(_ target: PreparedTarget) throws(ScriptError) {
    guard let (owner, name) = target.member else {
      throw frames.failure(.wrongTarget, target.range)
    }
    let object = try evaluator.object(owner)
    let index = try names.propertyIndex(name.text, in: object.entity, name.range)
    try frames.refuseWhileReading(index, of: object, target.range)
    try set(index, of: object, target.sign, target.value)
    if object.isDeleted {
      warnings.warn(
        "\(object.objectID) is marked for deletion: the save that deletes it drops this value",
        target.range)
    }
    session.tally.noteUpdate(entity: object.entity.name)
  }

  /// `update Book where publisher == "Ace" { pages = pages + 1 }`.
  func update(
    _ request: RequestSyntax, _ assignments: [AttributeAssignment]
  ) throws(ScriptError) {
    let definition = try requests.resolve(request)
    let prepared = try self.assignments.prepare(assignments, of: definition.request.entity)
    let objects = try requests.fetchObjects(of: definition, request)
    steps.progress.expect(objects.count)
    for object in objects {
      try steps.count(at: request.range)
      try frames.withUpdated(object) { () throws(ScriptError) in
        for assignment in prepared {
          try set(
            assignment.index, of: object, assignment.syntax.operator, assignment.value)
        }
      }
      session.tally.noteUpdate(entity: object.entity.name)
    }
  }

  private func set(
    _ index: Int, of object: ManagedObject, _ sign: Statement.AssignmentOperator,
    _ expression: PreparedExpression
  ) throws(ScriptError) {
    guard index < object.entity.attributes.count else {
      return try relate(index, of: object, sign, expression)
    }
    let attribute = object.entity.attributes[index]
    var value = try evaluator.scalar(expression, for: attribute.type)
    switch sign {
    case .set: break
    case .add:
      value = try evaluator.combine(object.value(at: index), .add, value, expression.range)
    case .subtract:
      value = try evaluator.combine(object.value(at: index), .subtract, value, expression.range)
    }
    let fitting = try assignments.fitting(value, attribute, expression.range)
    session.memory?.note(fitting)
    try frames.locating(expression.range) { try object.setValue(fitting, at: index) }
    session.note(.set(of: object, at: index))
  }

  /// Sets a relationship.
  ///
  /// `+=` and `-=` accept one object or a list.
  private func relate(
    _ index: Int, of object: ManagedObject, _ sign: Statement.AssignmentOperator,
    _ expression: PreparedExpression
  ) throws(ScriptError) {
    let ordinal = index - object.entity.attributes.count
    let relationship = object.entity.relationships[ordinal]
    let value = try evaluator.scalar(expression)
    guard sign == .set || relationship.isToMany else {
      throw frames.failure(.notToMany(relationship.name, operator: sign.rawValue), expression.range)
    }
    try frames.locating(expression.range) {
      switch sign {
      case .set: try object.setValue(value, at: index)
      case .add: try object.add(value, to: ordinal)
      case .subtract: try object.remove(value, from: ordinal)
      }
    }
    session.note(.set(of: object, at: index))
  }

  /// `delete dune`.
  ///
  /// For a list, deletes each of its objects; for the name of a request, deletes each matching
  /// object.
  func delete(_ target: ExpressionSyntax) throws(ScriptError) {
    if case .name(let name) = target.kind, frames.variable(name) == nil,
      session.requests[name] != nil
    {
      let source = Name(name, range: target.range)
      return try deleteMatching(
        RequestSyntax(source: source, clauses: RequestClauses(), range: target.range))
    }
    let value = try evaluator.evaluate(target)
    switch value {
    case .fetchedObjects(let binding):
      guard let objects = binding.fetchedObjects else {
        throw frames.failure(.controller(.notFetched(binding.name)), target.range)
      }
      let all = Array(objects)
      steps.progress.expect(all.count)
      for object in all {
        try steps.count(at: target.range)
        delete(object)
      }
    case .value(.list(let elements)):
      var objects: [ManagedObject] = []
      for element in elements { objects.append(try liveObject(element, target.range)) }
      steps.progress.expect(objects.count)
      for object in objects {
        try steps.count(at: target.range)
        delete(object)
      }
    case .value(let value): delete(try liveObject(value, target.range))
    case .range, .controller, .history, .sections, .section:
      throw frames.notAnObject(value.kind, target.range)
    }
  }

  /// `delete Book where pages < 10`.
  func deleteMatching(_ request: RequestSyntax) throws(ScriptError) {
    let definition = try requests.resolve(request)
    let objects = try requests.fetchObjects(of: definition, request)
    steps.progress.expect(objects.count)
    for object in objects {
      try steps.count(at: request.range)
      delete(object)
    }
  }

  private func delete(_ object: ManagedObject) {
    if !object.isDeleted { session.tally.noteDeletion(entity: object.entity.name) }
    session.context.delete(object)
    session.note(.delete(object.objectID))
  }

  /// `obtain permanent ids`: for the named objects, or else for every new object of the context.
  func obtainIDs(of target: ExpressionSyntax?, _ range: Range<Int>) throws(ScriptError) {
    var objects = session.context.insertedObjects
    if let target {
      let value = try evaluator.scalar(target)
      objects = []
      if case .list(let elements) = value {
        for element in elements { objects.append(try liveObject(element, target.range)) }
      } else {
        objects.append(try liveObject(value, target.range))
      }
    }
    try frames.locating(range) { try session.context.obtainPermanentIDs(for: objects) }
    session.note(.obtainIDs(objects.map(\.objectID)))
  }

  private func liveObject(_ value: PropertyValue, _ range: Range<Int>) throws(ScriptError)
    -> ManagedObject
  {
    let object = try names.object(value, range)
    if object.isDeleted { throw frames.failure(.deletedObject("\(object.objectID)"), range) }
    return object
  }
}

/// Batch requests, which change only the store.
struct BatchCommands: SessionCommand {
  let parts: SessionParts

  /// `batch delete Book where pages < 10`.
  func run(_ batch: BatchSyntax, _ range: Range<Int>) throws(ScriptError) {
    let last = session.lastBatch
    // If the request fails, there is nothing to merge.
    session.lastBatch = nil
    let result: BatchResult
    do {
      // What is printed must not name a new object by the number of another process's.
      session.renumberBeforeReading()
      let request = try request(batch, range)
      result = try locating(batch, range) { try request.execute(in: session.context) }
      let count = request.objectCount
      releaseInBackground(consume request, count: count)
    } catch {
      if error.kind == .interrupted || StopCheck.isStopped { session.lastBatch = last }
      throw error
    }
    session.lastBatch = result
    session.tally.batches += 1
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
        BatchDeleteRequest(fetchRequest: try definition(of: rows).request, resultType: type))
    }
  }

  private func definition(of rows: RequestSyntax) throws(ScriptError) -> RequestDefinition {
    let definition = try requests.resolve(rows)
    try requests.lookup.refuseDictionaries(of: definition, rows.source)
    return definition
  }

  // MARK: Inserting

  private func insertion(
    _ inserts: [InsertSyntax], _ type: BatchResultType, _ range: Range<Int>
  ) throws(ScriptError) -> BatchInsertRequest {
    guard let first = inserts.first else { preconditionFailure("the parser reads at least one") }
    let entity = try assignments.names.entity(first.entity)
    try frames.locating(first.entity.range) { try entity.checkReferences() }
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
    let definition = try definition(of: syntax)
    if definition.request.fetchLimit > 0 || definition.request.fetchOffset > 0 {
      let clause = syntax.clauses.limit ?? syntax.clauses.offset
      throw frames.failure(.limitedBatchUpdate, clause?.range ?? syntax.source.range)
    }
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
