import FetchedResults
package import ScriptSyntax

/// Looks a script's names up without running it.
///
/// Definitions are taken in the order in which they stand, those of a branch
/// or a loop as if it ran. What depends on values is left to the run.
package final class Checker {
  /// A message and the source that it is about, which an `include` may have
  /// brought.
  package struct Finding {
    package let diagnostic: Diagnostic
    package let source: SourceText

    package init(diagnostic: Diagnostic, source: SourceText) {
      self.diagnostic = diagnostic
      self.source = source
    }
  }

  /// What is known of a variable without running.
  enum Shape {
    case object(EntityDescription)
    case objects(EntityDescription)
    case controller(String)
    case unknown
  }

  /// Hold the definitions: those commands run that define something, such as
  /// `entity`, `model`, `context` and `table`, and no others.
  let commands: CommandSet
  private let environment: any ScriptEnvironment
  var scopes: [[String: Shape]] = [[:]]
  /// The entity whose attributes bare names mean, inside `update { }`.
  var updated: EntityDescription?
  private var source: SourceText { commands.frames.source }
  private var findings: [Finding] = []
  /// The relationships defined so far, which may lead to entities to come.
  private var relationships: [(entity: String, name: String, type: Name, source: SourceText)] = []
  /// The names of the sources whose `include` statements are being checked.
  private var includers: [String] = []

  /// Creates a checker with no names.
  package init(environment: any ScriptEnvironment) {
    self.environment = environment
    commands = CommandSet(
      Session(environment: EvaluationEnvironment()), environment, stepLimit: nil
    ) { _ in }
  }

  /// Returns what is wrong with a script that parses, in order.
  package func check(_ script: ParsedScript) -> [Finding] {
    findings = []
    relationships = []
    walk(script)
    checkRelationships()
    return findings
  }

  private func walk(_ script: ParsedScript) {
    let outer = commands.frames.exchangeSource(script.source)
    commands.session.declareEntities(of: script)
    defer { _ = commands.frames.exchangeSource(outer) }
    walk(script.statements)
  }

  private func walk(_ statements: [Statement]) {
    for statement in statements { walk(statement) }
  }

  func add(_ warnings: [Diagnostic]) {
    findings += warnings.map { Finding(diagnostic: $0, source: source) }
  }

  /// Runs a look-up; what it throws is a finding.
  @discardableResult
  func finding<Result>(_ body: () throws(ScriptError) -> Result) -> Result? {
    do {
      return try body()
    } catch {
      findings.append(Finding(diagnostic: error.diagnostic, source: error.source))
      return nil
    }
  }
}

// MARK: - Statements

extension Checker {
  private func walk(_ statement: Statement) {
    switch statement.kind {
    case .entity(let declaration): define(declaration)
    case .model(let path, let version):
      finding { () throws(ScriptError) in try commands.models.define(path, version: version) }
    case .storeMemory, .process, .refreshAll, .undo, .redo, .deleteCaches, .caches, .stats: break
    case .importRows(let path, let name):
      _ = shape(of: path)
      finding { () throws(ScriptError) in try commands.names.entity(name) }
    case .storeSQLite(let path, _): _ = shape(of: path)
    case .save(let context), .rollback(let context), .reset(let context): check(context)
    case .context(let declaration):
      finding { () throws(ScriptError) in try commands.contexts.define(declaration) }
    case .merge(let source, into: let target):
      check(source)
      check(target)
    case .automerge(let context, _): check(context)
    case .refresh(let target, _): _ = shape(of: target)
    case .insert(let insert): check(insert)
    case .let(let name, let value): scopes[scopes.count - 1][name.text] = shape(of: value)
    case .assign(let target, _, let value):
      _ = shape(of: target)
      _ = shape(of: value)
    case .update(let request, let assignments): check(request, assignments)
    case .delete(let target):
      if case .name(let name) = target.kind, commands.session.requests[name] != nil { return }
      _ = shape(of: target)
    case .deleteMatching(let request), .fetch(let request), .count(let request):
      _ = entity(of: request)
    case .table(let name, of: let controller, _):
      finding { () throws(ScriptError) in
        try commands.tables.define(name, of: controller, as: .template)
      }
    case .suspend(let name), .resume(let name), .reload(let name), .trace(let name, _):
      finding { () throws(ScriptError) in try commands.names.table(name) }
    case .perform(let context, _, let body):
      check(context)
      walk(body)
    case .for(let name, in: let sequence, let body):
      let element = shape(of: sequence).element
      scopes.append([name.text: element])
      walk(body)
      scopes.removeLast()
    case .if(let condition, let then, let otherwise):
      _ = shape(of: condition)
      walk(then)
      walk(otherwise)
    case .repeat(let count, let body):
      _ = shape(of: count)
      scopes.append([:])
      walk(body)
      scopes.removeLast()
    case .include(let path): include(path)
    case .set(_, let value):
      _ = shape(of: value)
    case .expect(let value), .print(let value), .deleteCache(let value): _ = shape(of: value)
    case .try(let statement):
      // What `try` takes may well be wrong on purpose.
      let before = (findings.count, relationships.count)
      walk(statement)
      findings.removeSubrange(before.0...)
      relationships.removeSubrange(before.1...)
    case .request(let name, let request): define(name, request, isController: false)
    case .controller(let name, let request): define(name, request, isController: true)
    case .change(let name, let clauses): check(name, clauses)
    case .ownDelegate(let name, let callbacks):
      finding { () throws(ScriptError) in try commands.names.controller(name) }
      for callback in callbacks { check(callback) }
    case .return(let value): _ = shape(of: value)
    case .storedRequest(let name, let stored):
      // The request takes its variables from the script, whose values nobody
      // knows yet.
      let names = scopes.flatMap(\.keys)
      commands.frames.pushScope(Dictionary(names.map { ($0, .null) }) { first, _ in first })
      defer { commands.frames.popScope() }
      finding { () throws(ScriptError) in
        try commands.requests.define(name, asStored: stored)
      }
    case .showModel: break
    case .show(let name): finding { () throws(ScriptError) in try commands.looking.shown(name) }
    case .delegate(let name, _), .showRequest(let name):
      finding { () throws(ScriptError) in try commands.names.controller(name) }
    case .objects(let name):
      finding { () throws(ScriptError) in try commands.names.entity(name) }
    case .evaluate(let predicate, on: let object):
      check(predicate, on: shape(of: object).entity)
    case .explain(let object):
      if let object { _ = shape(of: object) }
    case .swift(let name):
      finding { () throws(ScriptError) in _ = try commands.swift.subject(name) }
    case .quirk: break
    }
  }

  private func check(_ context: Name?) {
    guard let context else { return }
    finding { () throws(ScriptError) in try commands.names.context(context) }
  }

  private func check(_ callback: CallbackSyntax) {
    var names = callback.callback.variables
    if let parameter = callback.parameter { names.append(parameter.text) }
    scopes.append(Dictionary(names.map { ($0, .unknown) }) { first, _ in first })
    walk(callback.body)
    scopes.removeLast()
  }

  private func define(_ declaration: EntityDeclaration) {
    var declaration = declaration
    for index in declaration.properties.indices {
      guard let value = declaration.properties[index].value, !value.isLiteral,
        !declaration.properties[index].isTransient
      else { continue }
      _ = shape(of: value)
      declaration.properties[index].value = nil
    }
    finding { () throws(ScriptError) in try commands.entities.define(declaration) }
    let outer = updated
    defer { updated = outer }
    updated = commands.session.coordinator.managedObjectModel[declaration.name.text]
    for property in declaration.properties
    where updated?.relationshipOrdinal(named: property.name.text) != nil {
      relationships.append((declaration.name.text, property.name.text, property.type, source))
    }
    for property in declaration.properties where property.isTransient {
      if let value = property.value { _ = shape(of: value) }
    }
  }

  /// Checks that relationships lead somewhere, once all entities are known.
  private func checkRelationships() {
    for relationship in relationships {
      let entity = commands.session.coordinator.managedObjectModel[relationship.entity]
      guard let entity, let ordinal = entity.relationshipOrdinal(named: relationship.name) else {
        continue
      }
      do throws(ModelError) {
        _ = try entity.link(at: ordinal)
      } catch {
        let diagnostic = Diagnostic(message: error.description, range: relationship.type.range)
        findings.append(Finding(diagnostic: diagnostic, source: relationship.source))
      }
    }
  }

  private func include(_ path: ExpressionSyntax) {
    guard case .string(let parts) = path.kind else { return }
    var name = ""
    for part in parts {
      guard case .text(let text) = part else { return }
      name += text
    }
    let text = finding { () throws(ScriptError) in
      do throws(UnreadableSource) {
        return try environment.source(at: name, includedFrom: source.name)
      } catch {
        throw commands.frames.failure(.include(path: name, reason: error.reason), path.range)
      }
    }
    guard let text else { return }
    guard text.name != source.name, !includers.contains(text.name), includers.count < 64 else {
      finding { () throws(ScriptError) in
        throw commands.frames.failure(.includesItself(path: name), path.range)
      }
      return
    }
    includers.append(source.name)
    defer { includers.removeLast() }
    let script = ScriptParser.parse(text)
    findings += script.diagnostics.map { Finding(diagnostic: $0, source: text) }
    if !script.hasErrors { walk(script) }
  }
}

extension CallbackSyntax.Callback {
  /// The variables that the callback's statements can use.
  package var variables: [String] {
    switch self {
    case .didChangeObject: ["type", "object", "indexPath", "newIndexPath"]
    case .didChangeSection: ["type", "index", "name"]
    case .willChangeContent, .didChangeContent, .sectionIndexTitle: []
    }
  }
}

extension ExpressionSyntax {
  /// Whether the value stands here as it is, without a name to look up.
  var isLiteral: Bool {
    switch kind {
    case .null, .boolean, .integer, .real, .date: true
    case .string(let parts):
      parts.allSatisfy { if case .text = $0 { true } else { false } }
    case .object, .list, .range, .name, .variable, .member, .index, .call, .methodCall, .count,
      .insert, .fetch, .negation, .not, .binary:
      false
    }
  }
}

extension Checker.Shape {
  /// The entity of a single object.
  fileprivate var entity: EntityDescription? {
    if case .object(let entity) = self { entity } else { nil }
  }

  /// What a loop's variable is when it walks over this.
  fileprivate var element: Checker.Shape {
    switch self {
    case .objects(let entity): .object(entity)
    case .object, .controller, .unknown: .unknown
    }
  }
}
