import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `insert Book(title: "Dune")`, `insert 1000 Book(title: "Book \(i)")`.
  ///
  /// - Returns: The object; with a count, a list of the objects.
  func insert(_ insert: InsertSyntax, _ range: Range<Int>) throws(ScriptError) -> ScriptValue {
    let entity = try entity(insert.entity)
    guard !entity.isAbstract else {
      throw failure(.abstractEntity(entity.name), insert.entity.range)
    }
    try locating(insert.entity.range) { try entity.checkRelationships() }
    try refuseRepetition(in: insert.values)
    let values = try prepare(insert.values, of: entity)
    guard let count = insert.count else {
      return .value(.object(try insertObject(entity, values).objectID))
    }
    let total = try integer(count)
    guard 0...Self.largestInsert ~= total else {
      throw failure(
        .needed("a count from 0 to \(Self.largestInsert)", found: "\(total)"), count.range)
    }
    // A statement's value is looked at only behind `let`, but keeping the
    // identities costs little beside the objects.
    var objects: [Value] = []
    session.scopes.append([:])
    defer { session.scopes.removeLast() }
    var number: Int64 = 0
    while number < total {
      number += 1
      try countStep(at: range)
      session.setVariable("i", to: .value(.int(number)))
      objects.append(.object(try insertObject(entity, values).objectID))
    }
    return .value(.list(objects))
  }

  /// The most objects that one statement inserts.
  private static var largestInsert: Int64 { 10_000_000 }

  /// An assignment whose attribute is looked up.
  private struct PreparedAssignment {
    let index: Int
    let syntax: AttributeAssignment
  }

  private func prepare(
    _ assignments: [AttributeAssignment], of entity: EntityDescription
  ) throws(ScriptError) -> [PreparedAssignment] {
    var prepared: [PreparedAssignment] = []
    for assignment in assignments {
      let name = assignment.attribute
      let index = try propertyIndex(name.text, in: entity, name.range)
      prepared.append(PreparedAssignment(index: index, syntax: assignment))
    }
    return prepared
  }

  /// Checks that no attribute of an insert is given twice.
  func refuseRepetition(in assignments: [AttributeAssignment]) throws(ScriptError) {
    var seen: Set<String> = []
    for assignment in assignments where !seen.insert(assignment.attribute.text).inserted {
      throw failure(.givenTwice(assignment.attribute.text), assignment.attribute.range)
    }
  }

  private func insertObject(
    _ entity: EntityDescription, _ assignments: [PreparedAssignment]
  ) throws(ScriptError) -> ManagedObject {
    var snapshot = entity.defaults
    var related: [(index: Int, value: Value, range: Range<Int>)] = []
    for assignment in assignments {
      guard assignment.index < entity.attributes.count else {
        related.append(try relation(assignment, of: entity))
        continue
      }
      let attribute = entity.attributes[assignment.index]
      let expression = assignment.syntax.value
      let value = try scalar(expression, for: attribute.type)
      snapshot[assignment.index] = try fitting(value, attribute, expression.range)
    }
    let object = session.context.insert(entity, snapshot: snapshot)
    for relation in related {
      try locating(relation.range) { try object.setValue(relation.value, at: relation.index) }
    }
    session.tally.noteInsertion(of: object.objectID, entity: entity.name)
    return object
  }

  /// `let dune = insert Book(…)`.
  ///
  /// A variable holds what a controller's objects are now, as the array that
  /// an app gets does.
  func define(_ name: Name, as expression: ExpressionSyntax) throws(ScriptError) {
    var value = try evaluate(expression)
    if case .fetchedObjects = value {
      value = .value(try scalar(Operand(value: value, range: expression.range)))
    }
    session.setVariable(name.text, to: value)
  }

  /// Evaluates a relationship's value, and checks it before anything is
  /// inserted.
  private func relation(
    _ assignment: PreparedAssignment, of entity: EntityDescription
  ) throws(ScriptError) -> (index: Int, value: Value, range: Range<Int>) {
    let expression = assignment.syntax.value
    let value = try scalar(expression)
    try locating(expression.range) {
      _ = try session.context.members(
        of: value, at: assignment.index - entity.attributes.count, in: entity)
    }
    return (assignment.index, value, expression.range)
  }

  /// `dune.title = "Dune Messiah"`, `dune.pages += 10`,
  /// `herbert.books += dune`.
  func assign(
    _ target: ExpressionSyntax, _ sign: Statement.AssignmentOperator, _ value: ExpressionSyntax
  ) throws(ScriptError) {
    guard case .member(let owner, let name) = target.kind else {
      throw failure(.wrongTarget, target.range)
    }
    let object = try object(owner)
    let index = try propertyIndex(name.text, in: object.entity, name.range)
    try set(index, of: object, sign, value)
    session.tally.noteUpdate(entity: object.entity.name)
  }

  /// `update Book where publisher == "Ace" { pages = pages + 1 }`.
  func update(
    _ request: RequestSyntax, _ assignments: [AttributeAssignment]
  ) throws(ScriptError) {
    let definition = try resolve(request)
    let prepared = try prepare(assignments, of: definition.request.entity)
    let objects = try locating(request) { try session.context.fetch(definition.request) }
    let outer = updated
    defer { updated = outer }
    for object in objects {
      try countStep(at: request.range)
      updated = .object(object)
      for assignment in prepared {
        try set(
          assignment.index, of: object, assignment.syntax.operator, assignment.syntax.value)
      }
      session.tally.noteUpdate(entity: object.entity.name)
    }
  }

  private func set(
    _ index: Int, of object: ManagedObject, _ sign: Statement.AssignmentOperator,
    _ expression: ExpressionSyntax
  ) throws(ScriptError) {
    guard index < object.entity.attributes.count else {
      return try relate(index, of: object, sign, expression)
    }
    let attribute = object.entity.attributes[index]
    var value = try scalar(expression, for: attribute.type)
    switch sign {
    case .set: break
    case .add:
      value = try combine(object.snapshot[index], .add, value, expression.range)
    case .subtract:
      value = try combine(object.snapshot[index], .subtract, value, expression.range)
    }
    let fitting = try fitting(value, attribute, expression.range)
    try locating(expression.range) { try object.setValue(fitting, at: index) }
  }

  /// Returns the value as the attribute holds it.
  private func fitting(
    _ value: Value, _ attribute: AttributeDescription, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    guard attribute.expression != nil || attribute.type.value(from: value) != nil else {
      throw failure(
        .wrongType(
          attribute: attribute.name, type: attribute.type.scriptName,
          found: value.excerpt), range)
    }
    return try locating(range) { try attribute.fitting(value) }
  }

  /// Sets a relationship; `+=` and `-=` take one object or a list.
  private func relate(
    _ index: Int, of object: ManagedObject, _ sign: Statement.AssignmentOperator,
    _ expression: ExpressionSyntax
  ) throws(ScriptError) {
    let ordinal = index - object.entity.attributes.count
    let relationship = object.entity.relationships[ordinal]
    let value = try scalar(expression)
    guard sign == .set || relationship.isToMany else {
      throw failure(.notToMany(relationship.name, operator: sign.rawValue), expression.range)
    }
    try locating(expression.range) {
      switch sign {
      case .set: try object.setValue(value, at: index)
      case .add: try object.add(value, to: ordinal)
      case .subtract: try object.remove(value, from: ordinal)
      }
    }
  }

  /// `delete dune`; a list deletes each of its objects, a request's name each
  /// object that matches.
  func delete(_ target: ExpressionSyntax) throws(ScriptError) {
    if case .name(let name) = target.kind, session.variable(name) == nil,
      session.requests[name] != nil
    {
      let source = Name(name, range: target.range)
      return try deleteMatching(
        RequestSyntax(source: source, clauses: RequestClauses(), range: target.range))
    }
    let value = try evaluate(target)
    switch value {
    case .fetchedObjects(let binding):
      guard let objects = binding.controller.fetchedObjects else {
        throw failure(.notFetched(binding.name), target.range)
      }
      for object in Array(objects) { delete(object) }
    case .value(.list(let elements)):
      var objects: [ManagedObject] = []
      for element in elements { objects.append(try liveObject(element, target.range)) }
      for object in objects { delete(object) }
    case .value(let value): delete(try liveObject(value, target.range))
    case .range, .controller, .sections, .section:
      throw failure(.notAnObject(found: value.kind), target.range)
    }
  }

  /// `delete Book where pages < 10`.
  func deleteMatching(_ request: RequestSyntax) throws(ScriptError) {
    let definition = try resolve(request)
    let objects = try locating(request) { try session.context.fetch(definition.request) }
    for object in objects {
      try countStep(at: request.range)
      delete(object)
    }
  }

  private func delete(_ object: ManagedObject) {
    if !object.isDeleted { session.tally.noteDeletion(entity: object.entity.name) }
    session.context.delete(object)
  }

  /// Returns the object that an expression gives.
  func object(_ expression: ExpressionSyntax) throws(ScriptError) -> ManagedObject {
    let value = try evaluate(expression)
    guard case .value(let scalar) = value else {
      throw failure(.notAnObject(found: value.kind), expression.range)
    }
    return try object(scalar, expression.range)
  }

  /// Returns the object of a value; one that is marked for deletion still
  /// shows its values.
  func object(_ value: Value, _ range: Range<Int>) throws(ScriptError) -> ManagedObject {
    guard case .object(let id) = value else {
      throw failure(.notAnObject(found: value.kind), range)
    }
    if let object = session.context.object(id.number, in: id.entity.root) {
      // `Manga/3` must be a Manga, though it shares its numbers with others.
      if object.entity.isKind(of: id.entity) { return object }
      throw failure(.otherEntity("\(id)", actual: "\(object.objectID)"), range)
    }
    if let name = session.contextName(ofUnsaved: id) {
      throw failure(.objectElsewhere("\(id)", context: name), range)
    }
    let wasThere = session.coordinator.store.hasHadObject(id.number, in: id.entity.root)
    throw failure(wasThere ? .deletedObject("\(id)") : .noSuchObject("\(id)"), range)
  }

  private func liveObject(_ value: Value, _ range: Range<Int>) throws(ScriptError) -> ManagedObject
  {
    let object = try object(value, range)
    if object.isDeleted { throw failure(.deletedObject("\(object.objectID)"), range) }
    return object
  }
}
