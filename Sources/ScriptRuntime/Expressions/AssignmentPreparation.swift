import FetchedResults
import ScriptSyntax

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
