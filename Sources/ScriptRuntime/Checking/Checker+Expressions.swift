import FetchedResults
import NearNames
import ScriptSyntax

extension Checker {
  /// Checks the names of an expression and returns what is known of its value.
  func shape(of expression: ExpressionSyntax) -> Shape {
    switch expression.kind {
    case .null, .boolean, .integer, .real, .date: return .unknown
    case .string(let parts):
      for case .interpolation(let part) in parts { _ = shape(of: part) }
      return .unknown
    case .object(let entity, _):
      let name = Name(entity, range: expression.range)
      return finding { () throws(ScriptError) in try commands.names.entity(name) }.map(Shape.object)
        ?? .unknown
    case .list(let elements):
      for element in elements { _ = shape(of: element) }
      return .unknown
    case .range(let low, let high, _), .binary(let low, _, let high):
      _ = shape(of: low)
      _ = shape(of: high)
      return .unknown
    case .name(let name): return shape(ofName: name, expression.range)
    case .variable(let name): return shape(ofVariable: name, expression.range)
    case .member(let owner, let name): return shape(ofMember: name, of: shape(of: owner))
    case .index(let owner, let indices):
      for index in indices { _ = shape(of: index) }
      return element(of: shape(of: owner))
    case .call(let name, let arguments):
      for argument in arguments { _ = shape(of: argument.value) }
      finding { () throws(ScriptError) in try commands.names.checkFunction(name) }
      return .unknown
    case .methodCall(let owner, _, let arguments):
      _ = shape(of: owner)
      for argument in arguments { _ = shape(of: argument.value) }
      return .unknown
    case .count(let request):
      _ = entity(of: request)
      return .unknown
    case .insert(let insert):
      check(insert)
      let entity = commands.session.coordinator.managedObjectModel[insert.entity.text]
      return entity.map { insert.count == nil ? .object($0) : .objects($0) } ?? .unknown
    case .fetch(let request): return entity(of: request).map(Shape.objects) ?? .unknown
    case .negation(let operand), .not(let operand):
      _ = shape(of: operand)
      return .unknown
    }
  }

  private func shape(ofName name: String, _ range: Range<Int>) -> Shape {
    if let updated, updated.propertyIndex(named: name) != nil {
      return shape(ofProperty: name, of: updated)
    }
    for scope in scopes.reversed() {
      if let shape = scope[name] { return shape }
    }
    if commands.session.controllers[name] != nil { return .controller(name) }
    let names = (updated?.propertyNames ?? []) + scopes.flatMap(\.keys).sorted()
    finding { () throws(ScriptError) in
      throw commands.names.unknownName(name, among: names, range)
    }
    return .unknown
  }

  func shape(ofVariable name: String, _ range: Range<Int>) -> Shape {
    for scope in scopes.reversed() {
      if let shape = scope[name] { return shape }
    }
    let names = scopes.flatMap(\.keys).sorted()
    finding { () throws(ScriptError) in
      throw commands.frames.failure(
        .unknownVariable(name, suggestion: nearestName(to: name, among: names)), range)
    }
    return .unknown
  }

  private func shape(ofMember name: Name, of owner: Shape) -> Shape {
    switch owner {
    case .object(let entity):
      if name.text == "objectID" { return .unknown }
      finding { () throws(ScriptError) in
        try commands.names.propertyIndex(name.text, in: entity, name.range)
      }
      return shape(ofProperty: name.text, of: entity)
    case .controller(let controller) where name.text == "fetchedObjects":
      let binding = commands.session.controllers[controller]
      return binding.map { .objects($0.controller.fetchRequest.entity) } ?? .unknown
    case .objects(let entity) where name.text == "first" || name.text == "last":
      return .object(entity)
    case .objects, .controller, .unknown: return .unknown
    }
  }

  /// What is known of a property: where a relationship leads to.
  private func shape(ofProperty name: String, of entity: EntityDescription) -> Shape {
    guard let ordinal = entity.relationshipOrdinal(named: name),
      let destination = entity.destination(ofRelationship: name)
    else { return .unknown }
    return entity.relationships[ordinal].isToMany ? .objects(destination) : .object(destination)
  }

  private func element(of owner: Shape) -> Shape {
    switch owner {
    case .objects(let entity): return .object(entity)
    case .controller(let name):
      let binding = commands.session.controllers[name]
      return binding.map { .object($0.controller.fetchRequest.entity) } ?? .unknown
    case .object, .unknown: return .unknown
    }
  }
}
