import FetchedResults
import ScriptSyntax

extension Checker {
  func define(_ name: Name, _ request: RequestSyntax, isController: Bool) {
    guard let entity = entity(of: request) else { return }
    finding { () throws(ScriptError) in
      try define(name, of: entity, isController: isController)
    }
  }

  /// Checks a request's clauses and returns its entity.
  func entity(of request: RequestSyntax) -> EntityDescription? {
    let definition = finding { () throws(ScriptError) in
      try commands.requestResolver.source(of: request)
    }
    guard let entity = definition?.request.entity else { return nil }
    check(request.clauses, on: entity)
    return entity
  }

  func check(_ name: Name, _ clauses: RequestClauses) {
    let binding = finding { () throws(ScriptError) in try commands.names.controller(name) }
    guard let entity = binding?.controller.fetchRequest.entity else { return }
    check(clauses, on: entity)
  }

  private func check(_ clauses: RequestClauses, on entity: EntityDescription) {
    if let predicate = clauses.predicate { check(predicate, on: entity) }
    for key in (clauses.sort ?? []).map(\.keyPath) {
      finding { () throws(ScriptError) in
        try commands.requestResolver.checkKeyPath(key, of: entity, isSort: true)
      }
    }
    if let key = clauses.section {
      finding { () throws(ScriptError) in
        try commands.requestResolver.checkKeyPath(key, of: entity, isSort: false)
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
      try misfits(predicate, on: entity)
    }
    add(warnings ?? [])
  }

  func check(_ insert: InsertSyntax) {
    if let count = insert.count { _ = shape(of: count) }
    let entity = finding { () throws(ScriptError) in try commands.names.entity(insert.entity) }
    finding { () throws(ScriptError) in try commands.assignments.refuseRepetition(in: insert.values)
    }
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
          try commands.names.propertyIndex(name.text, in: entity, name.range)
        }
      }
      _ = shape(of: assignment.value)
    }
  }

  // MARK: Definitions without their values

  /// Gives a name to a request or a controller of an entity.
  private func define(
    _ name: Name, of entity: EntityDescription, isController: Bool
  ) throws(ScriptError) {
    try commands.names.refuseEntity(name)
    let request = FetchRequest(
      entity: entity, sortDescriptors: [FetchSortDescriptor(key: "")])
    guard isController else {
      commands.session.define(RequestDefinition(request: request), as: name.text)
      return
    }
    let controller = try commands.frames.locating(name.range) {
      try FetchedResultsController(
        fetchRequest: request, managedObjectContext: commands.session.context)
    }
    commands.session.define(ControllerBinding(name: name.text, controller: controller))
  }

  /// Checks a predicate's keys, whatever values its arguments will have.
  ///
  /// - Returns: Warnings of comparisons that tell nothing.
  private func misfits(
    _ syntax: EmbeddedPredicate, on entity: EntityDescription
  ) throws(ScriptError) -> [Diagnostic] {
    let predicate = FetchPredicate(
      tree: syntax.tree, arguments: syntax.arguments.map(knownValue),
      variables: Dictionary(syntax.variables.map { ($0.text, .null) }) { first, _ in first })
    try commands.requestResolver.compile(predicate, on: entity, syntax.range)
    return predicate.misfits(for: entity).map { $0.diagnostic(in: syntax) }
  }

  /// A value of the kind that an expression will have; nil where only the run
  /// will tell.
  private func knownValue(_ expression: ExpressionSyntax) -> Value {
    switch expression.kind {
    case .date: (try? commands.evaluator.scalar(expression)) ?? .null
    case .string: .string("")
    case .null, .boolean, .integer, .real, .object, .list, .range, .name, .variable, .member,
      .index, .call, .methodCall, .count, .insert, .fetch, .negation, .not, .binary:
      .null
    }
  }
}
