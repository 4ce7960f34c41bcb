import FetchedResults
import Foundation
import ScriptSyntax

extension NameResolver {
  /// Looks up the names in a request and returns its entity.
  @discardableResult
  func entity(of request: RequestSyntax) -> EntityDescription? {
    let definition = find { () throws(ScriptError) in try requests.source(of: request) }
    guard let entity = definition?.request.entity else { return nil }
    check(request.clauses, on: entity)
    return entity
  }

  /// Looks up the names in clauses for a controller.
  func check(_ clauses: RequestClauses, of name: Name) {
    let binding = find { () throws(ScriptError) in try names.controller(name) }
    if let binding { check(clauses, on: binding.entity) }
  }

  private func check(_ clauses: RequestClauses, on entity: EntityDescription) {
    if let predicate = clauses.predicate { check(predicate, on: entity) }
    checkResults(clauses, on: entity)
    let names = (clauses.fetchedValues ?? []).map { FetchedProperty($0).name }
    for key in (clauses.sort ?? []).map(\.keyPath) where !names.contains(key.text) {
      find { () throws(ScriptError) in
        try requests.checkKeyPath(key, of: entity, isSort: true)
      }
    }
    if let key = clauses.section {
      find { () throws(ScriptError) in
        try requests.checkKeyPath(key, of: entity, isSort: false)
      }
    }
    for path in clauses.prefetch ?? [] {
      find { () throws(ScriptError) in try requests.checkRelationships(path, of: entity) }
    }
    for case let value? in [clauses.limit, clauses.offset, clauses.batch, clauses.cache] {
      shape(of: value)
    }
  }

  /// Looks up the names in results other than objects.
  private func checkResults(_ clauses: RequestClauses, on entity: EntityDescription) {
    for value in clauses.fetchedValues ?? [] {
      find { () throws(ScriptError) in try requests.checkValue(value, of: entity) }
    }
    for key in clauses.groups ?? [] {
      find { () throws(ScriptError) in
        try requests.checkKeyPath(key, of: entity, isSort: true)
      }
    }
    if let having = clauses.having { checkValues(of: having) }
  }

  // MARK: Predicates

  /// Looks up the names in a predicate on an object.
  func check(_ predicate: EmbeddedPredicate, on object: ExpressionSyntax) {
    if case .object(let entity) = shape(of: object) {
      check(predicate, on: entity)
    } else {
      checkValues(of: predicate)
    }
  }

  private func check(_ predicate: EmbeddedPredicate, on entity: EntityDescription) {
    checkValues(of: predicate)
    let warnings = find { () throws(ScriptError) in try misfits(predicate, on: entity) }
    addWarnings(warnings ?? [])
  }

  private func checkValues(of predicate: EmbeddedPredicate) {
    for argument in predicate.arguments { shape(of: argument) }
    for variable in predicate.variables { _ = shape(ofVariable: variable.text, variable.range) }
  }

  /// Checks a predicate's keys, for any values of its arguments.
  ///
  /// - Returns: Warnings about comparisons that have no meaning.
  private func misfits(
    _ syntax: EmbeddedPredicate, on entity: EntityDescription
  ) throws(ScriptError) -> [Diagnostic] {
    let predicate = FetchPredicate(
      tree: syntax.tree, arguments: syntax.arguments.map(\.knownValue),
      variables: Dictionary(syntax.variables.map { ($0.text, .null) }) { first, _ in first })
    try requests.compile(predicate, on: entity, syntax.range)
    return predicate.misfits(for: entity).map { $0.diagnostic(in: syntax, on: entity) }
      + syntax.refusalWarnings
  }

  // MARK: Assignments

  /// Looks up the names in an insert.
  func check(_ insert: InsertSyntax) {
    if let count = insert.count { shape(of: count) }
    let entity = find { () throws(ScriptError) in try names.entity(insert.entity) }
    find { () throws(ScriptError) in try assignments.refuseRepetition(in: insert.values) }
    withScope(insert.count == nil ? [] : [.insertedNumber]) { check(insert.values, of: entity) }
  }

  /// Looks up the names in an update of a request's objects.
  func check(_ assignments: [AttributeAssignment], of request: RequestSyntax) {
    let entity = entity(of: request)
    withAttributes(of: entity) { check(assignments, of: entity) }
  }

  private func check(_ assignments: [AttributeAssignment], of entity: EntityDescription?) {
    for assignment in assignments {
      if let entity {
        let name = assignment.attribute
        find { () throws(ScriptError) in
          try names.propertyIndex(name.text, in: entity, name.range)
        }
      }
      shape(of: assignment.value)
    }
  }
}

extension ExpressionSyntax {
  /// A value of the kind that the expression will have; nil if the kind is known only when it runs.
  fileprivate var knownValue: PropertyValue {
    switch kind {
    case .date(let literal): .date(Date(literal))
    case .string: .string("")
    case .null, .boolean, .integer, .real, .object, .list, .range, .name, .variable, .member,
      .index, .call, .methodCall, .count, .insert, .fetch, .negation, .not, .binary:
      .null
    }
  }
}
