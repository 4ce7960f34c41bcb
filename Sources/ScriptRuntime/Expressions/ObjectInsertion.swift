import FetchedResults
import ScriptSyntax

/// Inserts objects, as a statement and as an expression.
struct ObjectInsertion {
  private let evaluator: Evaluator
  private let session: Session
  private let frames: FrameStack
  private let steps: StepCounter
  private let assignments: AssignmentPreparation

  /// The most objects that one statement inserts.
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
  /// - Returns: The object; with a count, a list of the objects.
  func insert(_ insert: InsertSyntax, _ range: Range<Int>) throws(ScriptError) -> ScriptValue {
    let entity = try assignments.names.entity(insert.entity)
    guard !entity.isAbstract else {
      throw frames.failure(.abstractEntity(entity.name), insert.entity.range)
    }
    try frames.locating(insert.entity.range) { try entity.checkRelationships() }
    try assignments.refuseRepetition(in: insert.values)
    let values = try assignments.prepare(insert.values, of: entity)
    guard let count = insert.count else {
      return .value(.object(try insertObject(entity, values).objectID))
    }
    let total = try evaluator.integer(count)
    guard 0...Self.largestInsert ~= total else {
      throw frames.failure(
        .needed("a count from 0 to \(Self.largestInsert)", found: "\(total)"), count.range)
    }
    // A statement's value is looked at only behind `let`, but keeping the
    // identities costs little beside the objects.
    var objects: [PropertyValue] = []
    frames.pushScope()
    defer { frames.popScope() }
    var number: Int64 = 0
    steps.progress.expect(Int(total))
    while number < total {
      number += 1
      try steps.count(at: range)
      frames.setVariable("i", to: .value(.int(number)))
      objects.append(.object(try insertObject(entity, values).objectID))
    }
    return .value(.list(objects))
  }

  private func insertObject(
    _ entity: EntityDescription, _ assignments: [PreparedAssignment]
  ) throws(ScriptError) -> ManagedObject {
    var snapshot = entity.defaults
    var related: [(index: Int, value: PropertyValue, range: Range<Int>)] = []
    for assignment in assignments {
      guard assignment.index < entity.attributes.count else {
        related.append(try relation(assignment, of: entity))
        continue
      }
      let attribute = entity.attributes[assignment.index]
      let expression = assignment.syntax.value
      let value = try evaluator.scalar(expression, for: attribute.type)
      snapshot[assignment.index] = try self.assignments.fitting(
        value, attribute, expression.range)
    }
    session.memory?.noteObject(snapshot.knownValues)
    let object = session.context.insert(entity, snapshot: snapshot)
    session.note(
      .insert(
        object.objectID,
        values: assignments.map(\.index).filter { $0 < entity.attributes.count }
          .map { (entity.attributes[$0].name, snapshot[$0]) }))
    for relation in related {
      try frames.locating(relation.range) {
        try object.setValue(relation.value, at: relation.index)
      }
      session.note(.set(of: object, at: relation.index))
    }
    session.tally.noteInsertion(of: object.objectID, entity: entity.name)
    return object
  }

  /// Evaluates a relationship's value, and checks it before anything is
  /// inserted.
  private func relation(
    _ assignment: PreparedAssignment, of entity: EntityDescription
  ) throws(ScriptError) -> (index: Int, value: PropertyValue, range: Range<Int>) {
    let expression = assignment.syntax.value
    let value = try evaluator.scalar(expression)
    try frames.locating(expression.range) {
      _ = try MemberCheck(session.context).members(
        of: value, at: assignment.index - entity.attributes.count, in: entity)
    }
    return (assignment.index, value, expression.range)
  }
}
