import FetchedResults
import ScriptSyntax

extension Checker {
  func define(_ name: Name, _ request: RequestSyntax, isController: Bool) {
    guard let entity = entity(of: request) else { return }
    finding { () throws(ScriptError) in
      try interpreter.define(name, of: entity, isController: isController)
    }
  }

  /// Checks a request's clauses and returns its entity.
  func entity(of request: RequestSyntax) -> EntityDescription? {
    let definition = finding { () throws(ScriptError) in try interpreter.source(of: request) }
    guard let entity = definition?.request.entity else { return nil }
    check(request.clauses, on: entity)
    return entity
  }

  func check(_ name: Name, _ clauses: RequestClauses) {
    let binding = finding { () throws(ScriptError) in try interpreter.controller(name) }
    guard let entity = binding?.controller.fetchRequest.entity else { return }
    check(clauses, on: entity)
  }

  private func check(_ clauses: RequestClauses, on entity: EntityDescription) {
    if let predicate = clauses.predicate { check(predicate, on: entity) }
    for key in (clauses.sort ?? []).map(\.keyPath) {
      finding { () throws(ScriptError) in
        try interpreter.checkKeyPath(key, of: entity, isSort: true)
      }
    }
    if let key = clauses.section {
      finding { () throws(ScriptError) in
        try interpreter.checkKeyPath(key, of: entity, isSort: false)
      }
    }
    for value in [clauses.limit, clauses.offset, clauses.batch, clauses.cache] {
      if let value { _ = shape(of: value) }
    }
  }

  func check(_ predicate: EmbeddedPredicate, on entity: EntityDescription?) {
    for argument in predicate.arguments { _ = shape(of: argument) }
    for variable in predicate.variables { _ = shape(ofVariable: variable.text, variable.range) }
    guard let entity else { return }
    let warnings = finding { () throws(ScriptError) in
      try interpreter.checkPredicate(predicate, on: entity)
    }
    add(warnings ?? [])
  }

  func check(_ insert: InsertSyntax) {
    if let count = insert.count { _ = shape(of: count) }
    let entity = finding { () throws(ScriptError) in try interpreter.entity(insert.entity) }
    finding { () throws(ScriptError) in try interpreter.refuseRepetition(in: insert.values) }
    scopes.append(insert.count == nil ? [:] : ["i": .unknown])
    check(insert.values, of: entity)
    scopes.removeLast()
  }

  func check(_ request: RequestSyntax, _ assignments: [AttributeAssignment]) {
    let entity = entity(of: request)
    let outer = updated
    updated = entity
    check(assignments, of: entity)
    updated = outer
  }

  private func check(_ assignments: [AttributeAssignment], of entity: EntityDescription?) {
    for assignment in assignments {
      if let entity {
        let name = assignment.attribute
        finding { () throws(ScriptError) in
          try interpreter.propertyIndex(name.text, in: entity, name.range)
        }
      }
      _ = shape(of: assignment.value)
    }
  }
}
