package import FetchedResults
import Foundation
package import ScriptSyntax

/// Looks up the names in a script without running anything.
///
/// Names have their meaning in a session. Variables may also come from the text. A name without a
/// meaning is a finding.
package final class NameResolver {
  let session: Session
  let names: NameLookup
  let requests: RequestNames
  let assignments: AssignmentPreparation
  private let frames: FrameStack
  /// The variables of the text by scope, the innermost last.
  private var scopes: [[String: Shape]] = [[:]]
  /// The entity whose attributes bare names refer to, as inside `update { }`.
  private var updated: EntityDescription?
  /// Whether the statements are those of a callback, which may return a value.
  private var isInCallback = false
  private(set) var findings: [Finding] = []
  /// Whether a file with definitions was not read, so that an unknown name may be one of them.
  var isIncomplete = false
  /// Where the names are written.
  var places = NamedPlaces()
  /// The text that is being looked at.
  var source: SourceText { frames.source }

  /// Creates a resolver for the names of a session.
  package convenience init(_ session: Session) { self.init(session, FrameStack(session)) }

  /// Creates a resolver for the names that are visible in frames.
  init(_ session: Session, _ frames: FrameStack) {
    self.session = session
    self.frames = frames
    names = NameLookup(session, frames)
    requests = RequestNames(session, frames)
    assignments = AssignmentPreparation(names, frames)
  }

  // MARK: Findings

  /// Runs a look-up.
  ///
  /// An error becomes a finding.
  @discardableResult
  func find<Result>(_ body: () throws(ScriptError) -> Result) -> Result? {
    do {
      return try body()
    } catch {
      if case .unknown(let name, _, _, _) = error.cause, isIncomplete, name.isDefinedByFiles {
        return nil
      }
      findings.append(Finding(error))
      return nil
    }
  }

  /// Looks up a name that must exist.
  func find(_ name: Name, _ use: StatementPart.NameUse) {
    record(name, use)
    find { () throws(ScriptError) -> Void in
      switch use {
      case .entity: _ = try names.entity(name)
      case .context: _ = try names.context(name)
      case .mergeSource: _ = try names.mergeSource(name)
      case .controller: _ = try names.controller(name)
      case .table: _ = try names.table(name)
      case .controllerOrTable: _ = try names.shown(name)
      case .controllerOrEntity: _ = try names.swiftSubject(name)
      }
    }
  }

  /// Adds other findings.
  func add(_ diagnostics: [Diagnostic], in source: SourceText) {
    findings += diagnostics.map { Finding($0, in: source) }
  }

  func addWarnings(_ warnings: [Diagnostic]) { add(warnings, in: frames.source) }

  /// Removes all findings except the first ones.
  func keepFindings(_ count: Int) { findings.removeSubrange(count...) }

  // MARK: Variables

  /// Whether no loop, callback or other scope is open.
  var isOutermost: Bool { scopes.count == 1 }

  /// The names of the text's variables.
  var variableNames: [String] { scopes.flatMap(\.keys) }

  /// Adds a variable of the text.
  ///
  /// - Parameter name: Its name where the text defines it.
  package func define(_ variable: LocalVariable, at name: Name? = nil) {
    let shape = shape(of: variable.origin)
    places.define(variable.name, name, in: source)
    scopes[scopes.count - 1][variable.name] = shape
  }

  /// Runs a closure with variables of its own.
  func withScope(_ variables: [LocalVariable], _ body: () -> Void) {
    let scope = variables.map { ($0.name, shape(of: $0.origin)) }
    scopes.append(Dictionary(scope) { $1 })
    places.beginScope(variables.map(\.name), in: source)
    body()
    places.endScope()
    scopes.removeLast()
  }

  /// Runs a closure for the statements of a callback, with variables of which only the names are
  /// known.
  func withCallback(_ names: [String], _ body: () -> Void) {
    let outer = isInCallback
    isInCallback = true
    defer { isInCallback = outer }
    scopes.append(Dictionary(names.map { ($0, .unknown) }) { $1 })
    places.beginScope(names, in: source)
    body()
    places.endScope()
    scopes.removeLast()
  }

  /// Runs a closure in which bare names refer to attributes of an entity.
  func withAttributes(of entity: EntityDescription?, _ body: () -> Void) {
    let outer = updated
    updated = entity
    body()
    updated = outer
  }

  /// Makes bare names refer to attributes of an entity from now on.
  package func useAttributes(of entity: EntityDescription?) { updated = entity }

  private func shape(of origin: LocalVariable.Origin) -> Shape {
    switch origin {
    case .value(let value): return shape(of: value)
    case .element(of: let values): return shape(of: values).element
    case .object(ofController: let name):
      return session.controllers[name].map { .object($0.entity) } ?? .unknown
    case .entityObject(let name):
      return session.coordinator.managedObjectModel.entitiesByName[name].map { .object($0) }
        ?? .unknown
    case .string: return .string
    case .list: return .list
    case .number: return .unknown
    }
  }

  /// Returns the shape of a bare name; nil if the name is unknown.
  package func shape(ofName name: String) -> Shape? {
    if let updated, updated.propertyIndex(named: name) != nil {
      return Shape(ofProperty: name, of: updated)
    }
    if let shape = shape(ofVariable: name) { return shape }
    if session.isInExtension { return nil }
    if session.historyObservers[name] != nil { return .unknown }
    return session.controllers[name].map {
      .controller(of: $0.entity, isObserver: $0.observer != nil)
    }
  }

  /// Returns the shape of a variable; nil if there is none.
  package func shape(ofVariable name: String) -> Shape? {
    for scope in scopes.reversed() {
      if let shape = scope[name] { return shape }
    }
    return session.variable(name).map(Shape.init(of:))
  }

  /// Returns the error for an unknown bare name.
  func unknownName(_ name: String, _ range: Range<Int>) -> ScriptError {
    names.unknownName(
      name, among: (updated?.propertyNames ?? []) + variableNames.sorted(), range)
  }

  /// Returns the error for an unknown variable.
  func unknownVariable(_ name: String, _ range: Range<Int>) -> ScriptError {
    let near = session.nearestName(to: name, among: variableNames.sorted())
    return frames.failure(.unknown(.variable, name, suggestion: near), range)
  }
}

extension NameResolver {
  /// Looks up the names in an expression, and returns the known shape of its value.
  @discardableResult
  package func shape(of expression: ExpressionSyntax) -> Shape {
    switch expression.kind {
    case .null, .boolean, .integer, .real, .date: return .unknown
    case .string(let parts):
      for case .interpolation(let part) in parts { shape(of: part) }
      return .string
    case .object(let entity, _):
      let start = expression.range.lowerBound
      record(.entity(entity), start..<(start + entity.utf8.count))
      return object(of: Name(entity, range: expression.range))
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
    case .member(let owner, let name):
      let shape = shape(ofMember: name, of: shape(of: owner))
      check(name, isMethod: false, of: owner)
      return shape
    case .index(let owner, let indices):
      for index in indices { shape(of: index) }
      return shape(of: owner).element
    case .call(let name, let arguments):
      for argument in arguments { shape(of: argument.value) }
      find { () throws(ScriptError) in try names.checkFunction(name) }
      return .result(ofFunction: name.text)
    case .methodCall(let owner, let name, let arguments):
      let shape = shape(of: owner)
      for argument in arguments { self.shape(of: argument.value) }
      check(name, isMethod: true, of: owner)
      return shape.result(ofMethod: name.text)
    case .count(let request):
      if let name = request.nameOfList, session.meaning(of: name.text) == nil,
        shape(ofName: name.text) != nil
      {
        shape(of: ExpressionSyntax(.name(name.text), range: name.range))
      } else {
        entity(of: request)
        checkDictionaries(of: request)
      }
      return .unknown
    case .insert(let insert): return shape(of: insert)
    case .fetch(let request):
      guard let entity = entity(of: request) else { return .unknown }
      if requests.fetchedController(request) == nil,
        let type = request.clauses.resultType
          ?? (try? requests.source(of: request))?.request.resultType,
        type == .dictionaries || type == .count
      {
        find { () throws(ScriptError) in
          try frames.locating(request) { throw FetchError.otherResultType(type.rawValue) }
        }
      } else {
        checkFetch(request)
      }
      return .objects(entity)
    case .negation(let operand), .not(let operand):
      shape(of: operand)
      return .unknown
    }
  }

  private func object(of name: Name) -> Shape {
    find { () throws(ScriptError) in try names.entity(name) }.map(Shape.object) ?? .unknown
  }

  private func shape(ofName name: String, _ range: Range<Int>) -> Shape {
    record(
      updated?.thing(ofProperty: name) ?? places.variable(name)
        ?? (session.controllers[name] == nil ? nil : .subject(name)), range)
    if let shape = shape(ofName: name) { return shape }
    find { () throws(ScriptError) in throw unknownName(name, range) }
    return .unknown
  }

  func shape(ofVariable name: String, _ range: Range<Int>) -> Shape {
    record(places.variable(name), range)
    if let shape = shape(ofVariable: name) { return shape }
    find { () throws(ScriptError) in throw unknownVariable(name, range) }
    return .unknown
  }

  private func shape(ofMember name: Name, of owner: Shape) -> Shape {
    if case .object(let entity) = owner, name.text != "objectID" {
      record(property: name, of: entity)
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

extension NameResolver {
  /// Looks up the names in a request and returns its entity.
  @discardableResult
  func entity(of request: RequestSyntax) -> EntityDescription? {
    record(source: request.source)
    let definition = find { () throws(ScriptError) in try requests.source(of: request) }
    guard let entity = definition?.request.entity else { return nil }
    check(request.clauses, on: entity)
    return entity
  }

  /// Finds a fetch that the run would refuse.
  func checkFetch(_ request: RequestSyntax) {
    guard let binding = requests.fetchedController(request) else {
      return checkDictionaries(of: request)
    }
    find { () throws(ScriptError) in try requests.refuseFetch(of: binding, request) }
  }

  /// Finds a fetch of dictionaries whose clauses do not fit together.
  ///
  /// Unknown names have findings of their own.
  private func checkDictionaries(of syntax: RequestSyntax) {
    let clauses = syntax.clauses
    let values = clauses.fetchedValues ?? []
    let groups = clauses.groups ?? []
    guard clauses.asksForDictionaries,
      let entity = session.coordinator.managedObjectModel.entitiesByName[syntax.source.text],
      values.allSatisfy({ (try? requests.checkValue($0, of: entity)) != nil }),
      groups.allSatisfy({ (try? requests.checkKeyPath($0, of: entity, isSort: true)) != nil })
    else { return }
    var request = FetchRequest(entity: entity)
    request.propertiesToFetch = values.map { FetchedProperty($0) }
    request.propertiesToGroupBy = groups.map(\.text)
    request.havingPredicate = clauses.having.map { FetchPredicate(tree: $0.tree) }
    request.sortDescriptors = (clauses.sort ?? []).map(\.keyPath).filter {
      (try? requests.checkKeyPath($0, of: entity, isSort: true)) != nil
    }.map { FetchSortDescriptor(key: $0.text) }
    find { () throws(ScriptError) in
      try frames.locating(syntax) { try DictionaryRequestCheck(request).check() }
    }
  }

  /// Looks up the names in clauses for a controller.
  func check(_ clauses: RequestClauses, of name: Name) {
    record(.subject(name.text), name.range)
    let binding = find { () throws(ScriptError) in try names.controller(name) }
    guard let binding else { return }
    check(clauses, on: binding.entity)
    find { () throws(ScriptError) in
      try requests.refuseFixed(clauses, of: binding, name.range)
      guard binding.observer == nil else { return }
      var definition = RequestDefinition(of: binding.controller)
      for option in clauses.options where option.option == .includesPendingChanges {
        definition.request.includesPendingChanges = option.isOn
      }
      try requests.refuseSavedMembership(of: definition, name.range)
    }
  }

  /// Finds what a statement asks for, and what it never gets.
  func checkRefusals(of statement: Statement) {
    if case .fetch(let request) = statement.kind {
      checkFetch(request)
    } else if case .count(let request) = statement.kind {
      checkDictionaries(of: request)
    } else if case .delegate(let name, let mode) = statement.kind {
      checkDelegate(mode, of: name)
    } else if case .ownDelegate(let name, _) = statement.kind {
      checkDelegate(nil, of: name)
    } else if case .return = statement.kind, !isInCallback {
      find { () throws(ScriptError) in
        throw frames.failure(.returnOutsideCallback, statement.range)
      }
    } else if case .merge(let source, into: let target) = statement.kind {
      checkMerge(of: source, into: target)
    } else if case .assign(let target, _, let value) = statement.kind,
      case .member(let owner, let name) = target.kind, case .object(let entity) = known(owner)
    {
      checkIsSettable(name.text, of: entity, value.range)
    } else if case .batch(let batch) = statement.kind {
      checkBatch(batch)
    }
  }

  private func checkMerge(of source: Name, into target: Name) {
    guard case .context(let saver)? = try? names.mergeSource(source),
      (try? names.context(target)) != nil
    else { return }
    find { () throws(ScriptError) in _ = try names.mergeTarget(target, of: saver, source) }
  }

  /// Returns the known shape of an expression that was looked at before.
  private func known(_ expression: ExpressionSyntax) -> Shape {
    switch expression.kind {
    case .object(let name, _):
      session.coordinator.managedObjectModel.entitiesByName[name].map(Shape.object) ?? .unknown
    case .name(let name): shape(ofName: name) ?? .unknown
    case .variable(let name): shape(ofVariable: name) ?? .unknown
    case .member(let owner, let name): known(owner).member(name.text)
    case .index(let owner, _): known(owner).element
    case .null, .boolean, .integer, .real, .string, .date, .list, .range, .call, .methodCall,
      .count, .insert, .fetch, .negation, .not, .binary:
      .unknown
    }
  }

  /// Finds a value for an attribute that is computed.
  private func checkIsSettable(_ name: String, of entity: EntityDescription, _ value: Range<Int>) {
    guard let index = entity.attributeIndex(named: name), entity.attributes[index].expression != nil
    else { return }
    find { () throws(ScriptError) in
      throw frames.failure(.engine("\(ObjectError.computed(name))"), value)
    }
  }

  /// Finds what a batch request cannot set.
  private func checkBatch(_ batch: BatchSyntax) {
    switch batch.action {
    case .insert(let inserts):
      for insert in inserts {
        let entity = session.coordinator.managedObjectModel.entitiesByName[insert.entity.text]
        for value in insert.values { checkIsInBatch(value, of: entity) }
      }
    case .update(let request, let assignments):
      let entity = source(ofBatch: request)?.request.entity
      for assignment in assignments { checkIsInBatch(assignment, of: entity) }
    case .delete(let request): _ = source(ofBatch: request)
    }
  }

  private func source(ofBatch request: RequestSyntax) -> RequestDefinition? {
    guard let source = try? requests.source(of: request) else { return nil }
    find { () throws(ScriptError) in
      try requests.refuseDictionaries(of: source, request.source)
    }
    return source
  }

  private func checkIsInBatch(_ assignment: AttributeAssignment, of entity: EntityDescription?) {
    let name = assignment.attribute
    guard entity?.relationshipOrdinal(named: name.text) != nil else { return }
    find { () throws(ScriptError) in
      throw frames.failure(.engine("\(BatchRequestError.relationship(name.text))"), name.range)
    }
  }

  private func checkDelegate(_ mode: Statement.DelegateMode?, of name: Name) {
    guard !session.isInExtension, let binding = session.controllers[name.text] else { return }
    find { () throws(ScriptError) in try requests.refuseDelegate(mode, of: binding, name.range) }
  }

  /// Finds a member or a method that a controller or an observer does not have.
  private func check(_ member: Name, isMethod: Bool, of owner: ExpressionSyntax) {
    guard !session.isInExtension, case .name(let name) = owner.kind,
      updated?.propertyIndex(named: name) == nil, shape(ofVariable: name) == nil
    else { return }
    let known: [String]
    let kind: String
    if let binding = session.controllers[name] {
      let isObserver = binding.observer != nil
      kind = isObserver ? "observer" : "controller"
      known =
        isMethod
        ? MemberNames.methods(isOfObservers: isObserver).keys.sorted()
        : isObserver ? MemberNames.ofObservers : MemberNames.ofControllers
    } else if session.historyObservers[name] != nil, !isMethod {
      kind = "observer"
      known = MemberNames.ofHistoryObservers
    } else {
      return
    }
    guard !known.contains(member.text) else { return }
    find { () throws(ScriptError) in
      throw names.unknownMember(member, of: "\(kind) '\(name)'", known)
    }
  }

  private func check(_ clauses: RequestClauses, on entity: EntityDescription) {
    if let predicate = clauses.predicate { check(predicate, on: entity) }
    checkResults(clauses, on: entity)
    let names = (clauses.fetchedValues ?? []).map { FetchedProperty($0).name }
    let keyPaths =
      (clauses.sort ?? []).map(\.keyPath) + [clauses.section].compactMap(\.self)
      + (clauses.prefetch ?? []) + (clauses.groups ?? [])
      + (clauses.fetchedValues ?? []).map(\.keyPath)
    for path in keyPaths { record(keyPath: path, of: entity) }
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
      check(predicate, on: entity, isFetched: false)
    } else {
      checkValues(of: predicate)
    }
  }

  private func check(
    _ predicate: EmbeddedPredicate, on entity: EntityDescription, isFetched: Bool = true
  ) {
    record(predicate.tree, on: entity)
    checkValues(of: predicate)
    let warnings = find { () throws(ScriptError) in
      try misfits(predicate, on: entity, isFetched: isFetched)
    }
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
    _ syntax: EmbeddedPredicate, on entity: EntityDescription, isFetched: Bool
  ) throws(ScriptError) -> [Diagnostic] {
    let predicate = FetchPredicate(
      tree: syntax.tree, arguments: syntax.arguments.map(\.knownValue),
      variables: Dictionary(syntax.variables.map { ($0.text, .null) }) { first, _ in first })
    try requests.compile(predicate, on: entity, syntax.range, isFetched: isFetched)
    return predicate.misfits(for: entity).map { $0.diagnostic(in: syntax, on: entity) }
      + syntax.refusalWarnings
  }

  // MARK: Assignments

  /// Looks up the names in an insert.
  func check(_ insert: InsertSyntax) {
    if let count = insert.count { shape(of: count) }
    record(.entity(insert.entity.text), insert.entity.range)
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
        record(property: name, of: entity)
        find { () throws(ScriptError) in
          try names.propertyIndex(name.text, in: entity, name.range)
        }
        checkIsSettable(name.text, of: entity, assignment.value.range)
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
