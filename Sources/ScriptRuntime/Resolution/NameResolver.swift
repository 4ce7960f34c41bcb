package import FetchedResults
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
  private(set) var findings: [Finding] = []

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
      findings.append(Finding(error))
      return nil
    }
  }

  /// Looks up a name that must exist.
  func find(_ name: Name, _ use: StatementPart.NameUse) {
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

  /// The names of the text's variables.
  var variableNames: [String] { scopes.flatMap(\.keys) }

  /// Adds a variable of the text.
  package func define(_ variable: LocalVariable) {
    let shape = shape(of: variable.origin)
    scopes[scopes.count - 1][variable.name] = shape
  }

  /// Runs a closure with variables of its own.
  func withScope(_ variables: [LocalVariable], _ body: () -> Void) {
    let scope = variables.map { ($0.name, shape(of: $0.origin)) }
    scopes.append(Dictionary(scope) { $1 })
    body()
    scopes.removeLast()
  }

  /// Runs a closure with variables of its own of which only the names are known.
  func withUnknown(_ names: [String], _ body: () -> Void) {
    scopes.append(Dictionary(names.map { ($0, .unknown) }) { $1 })
    body()
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
    return shape(ofVariable: name) ?? session.controllers[name].map { .controller(of: $0.entity) }
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
