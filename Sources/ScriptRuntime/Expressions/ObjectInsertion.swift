import FetchedResults
import ScriptSyntax

/// Inserts objects, as a statement and as an expression.
final class ObjectInsertion {
  private unowned let evaluator: Evaluator
  private let session: Session
  private let frames: FrameStack
  private let steps: StepCounter
  private let assignments: AssignmentPreparation

  /// The largest number of objects that one statement inserts.
  static var largestInsert: Int64 { 10_000_000 }

  init(_ evaluator: Evaluator, _ session: Session, _ frames: FrameStack, _ steps: StepCounter) {
    self.evaluator = evaluator
    self.session = session
    self.frames = frames
    self.steps = steps
    assignments = AssignmentPreparation(NameLookup(session, frames), frames)
  }

  /// `insert Book(title: "Dune")`, `insert 1000 Book(title: "Book \(i)")`.
  ///
  /// - Parameter isWanted: Whether the result is used.
  /// - Returns: The object; with a count, a list of the objects, or nil if it is not used.
  func insert(
    _ insert: PreparedInsert, _ range: Range<Int>, isWanted: Bool = true
  ) throws(ScriptError) -> ScriptValue {
    let syntax = insert.syntax
    let entity = try assignments.names.entity(syntax.entity)
    guard !entity.isAbstract else {
      throw frames.failure(.abstractEntity(entity.name), syntax.entity.range)
    }
    if !entity.relationships.isEmpty || entity.hasExpressions {
      try frames.locating(syntax.entity.range) { try entity.checkReferences() }
    }
    let values = try insert.assignments(of: entity) { () throws(ScriptError) in
      try assignments.refuseRepetition(in: syntax.values)
      return try assignments.prepare(syntax.values, insert.values, of: entity)
    }
    guard let count = insert.count else {
      let object = try insertObject(entity, values)
      session.tally.noteInsertion(of: object.objectID, entity: entity.name)
      return .value(.object(object.objectID))
    }
    let total = try evaluator.integer(count)
    guard 0...Self.largestInsert ~= total else {
      throw frames.failure(
        .needed("a count from 0 to \(Self.largestInsert)", found: "\(total)"), count.range)
    }
    return .value(
      try insertObjects(total, entity, values, insert.number, range, isWanted: isWanted))
  }

  /// Inserts objects, with `i` counting from 1.
  private func insertObjects(
    _ total: Int64, _ entity: EntityDescription, _ values: [PreparedAssignment],
    _ slot: Int, _ range: Range<Int>, isWanted: Bool
  ) throws(ScriptError) -> PropertyValue {
    var objects: [PropertyValue] = []
    var last: ObjectID?
    var number: Int64 = 0
    steps.progress.expect(Int(total))
    frames.pushScope()
    defer {
      frames.popScope()
      if let last {
        session.tally.noteInsertions(Int(number), of: last, entity: entity.name)
      }
    }
    while number < total {
      try steps.count(at: range)
      frames.variables.set(slot, to: .value(.int(number + 1)))
      let id = try insertObject(entity, values).objectID
      number += 1
      last = id
      if isWanted { objects.append(.object(id)) }
    }
    return isWanted ? .list(objects) : .null
  }

  private func insertObject(
    _ entity: EntityDescription, _ assignments: [PreparedAssignment]
  ) throws(ScriptError) -> ManagedObject {
    var snapshot = entity.defaults
    var related: [(index: Int, range: Range<Int>)] = []
    let start = session.heldValues.count
    defer { if !related.isEmpty { session.heldValues.removeSubrange(start...) } }
    for assignment in assignments {
      // Most values fit, without a copy of the attribute's description.
      if let type = assignment.plainType {
        let value = try evaluator.scalar(assignment.value, for: type)
        if let fitting = type.value(from: value) {
          snapshot[assignment.index] = fitting
        } else {
          snapshot[assignment.index] = try self.assignments.fitting(
            value, entity.attributes[assignment.index], assignment.value.range)
        }
        continue
      }
      guard assignment.index < entity.attributes.count else {
        related.append(try relation(assignment, of: entity))
        continue
      }
      let attribute = entity.attributes[assignment.index]
      let value = try evaluator.scalar(assignment.value, for: attribute.type)
      snapshot[assignment.index] = try self.assignments.fitting(
        value, attribute, assignment.value.range)
    }
    session.memory?.noteObject(snapshot.knownValues)
    let object = session.context.insert(entity, snapshot: snapshot)
    session.note(
      .insert(
        object.objectID,
        values: assignments.map(\.index).filter { $0 < entity.attributes.count }
          .map { (entity.attributes[$0].name, snapshot[$0]) }))
    for (relation, value) in zip(related, session.heldValues[start...]) {
      try frames.locating(relation.range) { try object.setValue(value, at: relation.index) }
      session.note(.set(of: object, at: relation.index))
    }
    return object
  }

  /// Evaluates the value of a relationship, checks it before anything is inserted, and holds it.
  private func relation(
    _ assignment: PreparedAssignment, of entity: EntityDescription
  ) throws(ScriptError) -> (index: Int, range: Range<Int>) {
    let expression = assignment.value
    let value = try evaluator.scalar(expression)
    try frames.locating(expression.range) {
      _ = try MemberCheck(session.context).members(
        of: value, at: assignment.index - entity.attributes.count, in: entity)
    }
    session.heldValues.append(value)
    return (assignment.index, expression.range)
  }
}

/// An `insert` with prepared values.
final class PreparedInsert {
  let syntax: InsertSyntax
  let count: PreparedExpression?
  let values: [PreparedExpression]
  /// The slot of the variable `i`.
  let number: Int
  /// The entity of the last insert, with the assignments for it.
  private var known: (entity: EntityDescription, assignments: [PreparedAssignment])?

  init(_ syntax: InsertSyntax, _ variables: VariableTable) {
    self.syntax = syntax
    count = syntax.count.map { PreparedExpression($0, variables) }
    values = syntax.values.map { PreparedExpression($0.value, variables) }
    number = variables.slot(of: LocalVariable.insertedNumber.name)
  }

  /// Returns the assignments.
  ///
  /// They are prepared again if the entity is another one than before.
  func assignments(
    of entity: EntityDescription, _ prepare: () throws(ScriptError) -> [PreparedAssignment]
  ) throws(ScriptError) -> [PreparedAssignment] {
    if let known, known.entity === entity { return known.assignments }
    let assignments = try prepare()
    known = (entity, assignments)
    return assignments
  }
}

/// An assignment after its attribute was looked up.
final class PreparedAssignment {
  let index: Int
  /// The type of the attribute; nil for a relationship, and for an attribute that has an expression.
  let plainType: AttributeType?
  let syntax: AttributeAssignment
  let value: PreparedExpression

  init(
    index: Int, of entity: EntityDescription, syntax: AttributeAssignment,
    value: PreparedExpression
  ) {
    self.index = index
    let attribute = index < entity.attributes.count ? entity.attributes[index] : nil
    plainType = attribute?.expression == nil ? attribute?.type : nil
    self.syntax = syntax
    self.value = value
  }
}

/// Looks up the attributes of assignments, and converts values to their types.
struct AssignmentPreparation {
  let names: NameLookup
  private let frames: FrameStack

  init(_ names: NameLookup, _ frames: FrameStack) {
    self.names = names
    self.frames = frames
  }

  /// Looks up the attributes and relationships of assignments.
  func prepare(
    _ assignments: [AttributeAssignment], of entity: EntityDescription
  ) throws(ScriptError) -> [PreparedAssignment] {
    try prepare(
      assignments, assignments.map { PreparedExpression($0.value, frames.variables) }, of: entity)
  }

  /// Looks up the attributes and relationships of assignments with prepared values.
  func prepare(
    _ assignments: [AttributeAssignment], _ values: [PreparedExpression],
    of entity: EntityDescription
  ) throws(ScriptError) -> [PreparedAssignment] {
    var prepared: [PreparedAssignment] = []
    for (assignment, value) in zip(assignments, values) {
      let name = assignment.attribute
      let index = try names.propertyIndex(name.text, in: entity, name.range)
      prepared.append(
        PreparedAssignment(index: index, of: entity, syntax: assignment, value: value))
    }
    return prepared
  }

  /// Checks that an insert sets no attribute twice.
  func refuseRepetition(in assignments: [AttributeAssignment]) throws(ScriptError) {
    var seen: Set<String> = []
    for assignment in assignments where !seen.insert(assignment.attribute.text).inserted {
      throw frames.failure(
        .givenTwice(assignment.attribute.text), assignment.attribute.range)
    }
  }

  /// Returns the value converted to the attribute's type.
  func fitting(
    _ value: PropertyValue, _ attribute: AttributeDescription, _ range: Range<Int>
  ) throws(ScriptError) -> PropertyValue {
    if attribute.expression == nil, let fitting = attribute.type.value(from: value) {
      return fitting
    }
    guard attribute.expression != nil || attribute.type.value(from: value) != nil else {
      throw frames.failure(
        .wrongType(
          attribute: attribute.name, type: attribute.type.scriptName, found: value.excerpt), range)
    }
    return try frames.locating(range) { try attribute.fitting(value) }
  }
}
