import FetchedResults
package import ScriptSyntax

extension NameResolver {
  /// Looks up the names in an expression, and returns the known shape of its value.
  @discardableResult
  package func shape(of expression: ExpressionSyntax) -> Shape {
    switch expression.kind {
    case .null, .boolean, .integer, .real, .date: return .unknown
    case .string(let parts):
      for case .interpolation(let part) in parts { shape(of: part) }
      return .string
    case .object(let entity, _): return object(of: Name(entity, range: expression.range))
    case .list(let elements):
      for element in elements { shape(of: element) }
      return .list
    case .range(let low, let high, _):
      shape(of: low)
      shape(of: high)
      return .range
    case .binary(let left, _, let right):
      shape(of: left)
      shape(of: right)
      return .unknown
    case .name(let name): return shape(ofName: name, expression.range)
    case .variable(let name): return shape(ofVariable: name, expression.range)
    case .member(let owner, let name): return shape(ofMember: name, of: shape(of: owner))
    case .index(let owner, let indices):
      for index in indices { shape(of: index) }
      return shape(of: owner).element
    case .call(let name, let arguments):
      for argument in arguments { shape(of: argument.value) }
      find { () throws(ScriptError) in try names.checkFunction(name) }
      return .result(ofFunction: name.text)
    case .methodCall(let owner, let name, let arguments):
      let owner = shape(of: owner)
      for argument in arguments { shape(of: argument.value) }
      return owner.result(ofMethod: name.text)
    case .count(let request):
      entity(of: request)
      return .unknown
    case .insert(let insert): return shape(of: insert)
    case .fetch(let request): return entity(of: request).map(Shape.objects) ?? .unknown
    case .negation(let operand), .not(let operand):
      shape(of: operand)
      return .unknown
    }
  }

  private func object(of name: Name) -> Shape {
    find { () throws(ScriptError) in try names.entity(name) }.map(Shape.object) ?? .unknown
  }

  private func shape(ofName name: String, _ range: Range<Int>) -> Shape {
    if let shape = shape(ofName: name) { return shape }
    find { () throws(ScriptError) in throw unknownName(name, range) }
    return .unknown
  }

  func shape(ofVariable name: String, _ range: Range<Int>) -> Shape {
    if let shape = shape(ofVariable: name) { return shape }
    find { () throws(ScriptError) in throw unknownVariable(name, range) }
    return .unknown
  }

  private func shape(ofMember name: Name, of owner: Shape) -> Shape {
    if case .object(let entity) = owner, name.text != "objectID" {
      find { () throws(ScriptError) in
        try names.propertyIndex(name.text, in: entity, name.range)
      }
    }
    return owner.member(name.text)
  }

  private func shape(of insert: InsertSyntax) -> Shape {
    check(insert)
    guard let entity = session.coordinator.managedObjectModel.entitiesByName[insert.entity.text]
    else {
      return .unknown
    }
    return insert.count == nil ? .object(entity) : .objects(entity)
  }
}
