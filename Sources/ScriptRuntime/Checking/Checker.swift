import FetchedResults
package import ScriptSyntax

/// Checks the names in a script without running it.
///
/// Definitions are applied in their order, also those in a branch or a loop. Errors that depend on
/// values are found only when the script runs.
package final class Checker {
  /// The parts of a session that holds the definitions.
  ///
  /// Only statements that define something run, such as `entity`, `model`, `context` and `table`.
  private let parts: SessionParts
  private let resolver: NameResolver
  private let environment: any ScriptEnvironment
  private var source: SourceText { parts.frames.source }
  /// The relationships and derived attributes so far, which may lead to what is defined later, with
  /// the places of that.
  private var references: [(entity: String, name: String, place: Range<Int>, source: SourceText)] =
    []
  /// The inverses so far, whose entities may be defined later.
  private var inverses: [(name: Name, entity: String, source: SourceText)] = []
  /// The hooks so far, which may name what is defined later.
  private var hooks: [(hook: HookSyntax, entity: String, source: SourceText)] = []
  /// The variables that the script defines outside of loops and callbacks, in order.
  package private(set) var variables: [DefinedVariable] = []
  /// The names of the sources whose `include` statements are being checked.
  private var includers: [String] = []
  /// How many files were left to the run.
  private var leftFiles = 0

  /// The session with the names that the script defines, and without objects.
  package var session: Session { parts.session }

  /// Where the names are written, also in included files, in the order in which they were looked up.
  package var places: [NamedPlace] { resolver.places.places }

  /// A variable of a script.
  package struct DefinedVariable: Sendable {
    package let variable: LocalVariable
    /// The name of the source that defines it.
    package let source: String
    /// The place of its name in the source.
    package let range: Range<Int>
  }

  /// Creates a checker with no names.
  package init(environment: any ScriptEnvironment) {
    self.environment = environment
    parts = SessionParts(
      Session(environment: EvaluationEnvironment()), environment, stepLimit: nil
    ) { _ in }
    resolver = NameResolver(parts.session, parts.frames)
  }

  /// Returns the problems of a script without syntax errors, in order.
  package func check(_ script: ParsedScript) -> [Finding] {
    resolver.keepFindings(0)
    resolver.isIncomplete = false
    references = []
    inverses = []
    hooks = []
    variables = []
    walk(script)
    checkReferences()
    checkHooks()
    return resolver.findings
  }

  private func walk(_ script: ParsedScript) {
    let outer = parts.frames.exchangeSource(script.source)
    parts.session.declareEntities(of: script)
    defer { _ = parts.frames.exchangeSource(outer) }
    walk(script.statements)
  }

  private func walk(_ statements: [Statement]) {
    for statement in statements {
      if case .for(let name, _, _) = statement.kind { resolver.places.nextDefinitions = [name] }
      if case .extension = statement.kind {
        let context = ManagedObjectContext(coordinator: session.coordinator)
        session.inExtension(context) { for part in statement.traits.parts { walk(part) } }
      } else {
        for part in statement.traits.parts { walk(part) }
      }
      resolver.checkRefusals(of: statement)
    }
  }

  private func walk(_ part: StatementPart) {
    switch part {
    case .value(let value): resolver.shape(of: value)
    case .target(let target):
      if case .name(let name) = target.kind, parts.session.requests[name] != nil {
        return resolver.record(.subject(name), target.range)
      }
      resolver.shape(of: target)
    case .name(let name, let use): resolver.find(name, use)
    case .request(let request): resolver.entity(of: request)
    case .clauses(let clauses, of: let name):
      resolver.check(clauses, of: name)
      if clauses.sort != nil, let binding = parts.session.controllers[name.text] {
        binding.controller.fetchRequest.sortDescriptors = [FetchSortDescriptor(key: "")]
      }
    case .update(let request, let assignments): resolver.check(assignments, of: request)
    case .insert(let insert): resolver.check(insert)
    case .predicate(let predicate, on: let object): resolver.check(predicate, on: object)
    case .definition(let definition): define(definition)
    case .file(let path): include(path)
    case .block(let statements): walk(statements)
    case .scope(let statements, let variables):
      resolver.withScope(variables) { walk(statements) }
    case .callback(let callback, of: let name):
      // An error in a callback may be intended, as in a statement under `try`.
      let variables = callback.locals(ofController: name.text)
      resolver.places.nextDefinitions = [callback.parameter].compactMap(\.self)
      resolver.withCallback(variables.map(\.name)) { walk(callback.body) }
    case .hook(let hook, of: let name): hooks.append((hook, name.text, source))
    case .attempt(let statement):
      // An error in a statement under `try` may be intended.
      let before = (resolver.findings.count, references.count, hooks.count)
      let (isIncomplete, left) = (resolver.isIncomplete, leftFiles)
      walk([statement])
      // A file that cannot be read defines nothing here, but one that was left to the run may.
      resolver.isIncomplete = isIncomplete || leftFiles > left
      resolver.keepFindings(before.0)
      references.removeSubrange(before.1...)
      hooks.removeSubrange(before.2...)
    }
  }

  // MARK: Files

  /// Leaves a file to the run, because its name depends on values.
  private func leaveFile(_ name: ExpressionSyntax) {
    resolver.shape(of: name)
    resolver.isIncomplete = true
    leftFiles += 1
  }

  /// Returns the text of a string; nil if it depends on values.
  private static func text(of string: ExpressionSyntax) -> String? {
    guard case .string(let parts) = string.kind else { return nil }
    var result = ""
    for part in parts {
      guard case .text(let text) = part else { return nil }
      result += text
    }
    return result
  }

  private func include(_ path: ExpressionSyntax) {
    guard let name = Self.text(of: path) else { return leaveFile(path) }
    let text = resolver.find { () throws(ScriptError) in
      do throws(UnreadableSource) {
        return try environment.source(at: name, from: source.name)
      } catch {
        throw self.parts.frames.failure(
          .file(.include(path: name, reason: error.reason)), path.range)
      }
    }
    guard let text else {
      resolver.isIncomplete = true
      return
    }
    guard text.name != source.name, !includers.contains(text.name), includers.count < 64 else {
      resolver.find { () throws(ScriptError) in
        throw self.parts.frames.failure(.file(.includesItself(path: name)), path.range)
      }
      return
    }
    includers.append(source.name)
    defer { includers.removeLast() }
    let script = ScriptParser.parse(text)
    if text.isQuotable {
      resolver.add(script.diagnostics, in: text)
    } else if let first = script.diagnostics.first(where: { $0.severity == .error }) {
      let words = FileProblem.includeIsNoScript(path: name).words
      resolver.add([Diagnostic(message: words, range: first.range)], in: text)
    }
    if script.hasErrors { resolver.isIncomplete = true } else { walk(script) }
  }
}

// MARK: - Definitions

extension Checker {
  private func define(_ definition: StatementPart.Definition) {
    record(definition)
    switch definition {
    case .entity(let entity): define(entity)
    case .model(let path, let version):
      if let value = [path, version].compactMap(\.self).first(where: { !$0.isLiteral }) {
        return leaveFile(value)
      }
      let model: Void? = resolver.find { () throws(ScriptError) in
        try parts.models.define(path, version: version)
      }
      if model == nil { resolver.isIncomplete = true }
    case .context(let context):
      resolver.find { () throws(ScriptError) in try ContextCommands(parts: parts).define(context) }
    case .variable(let name, let value):
      let variable = LocalVariable(name.text, .value(value))
      resolver.define(variable, at: name)
      guard resolver.isOutermost else { return }
      variables.append(DefinedVariable(variable: variable, source: source.name, range: name.range))
    case .request(let name, let request): define(name, request, isController: false)
    case .controller(let name, let request): define(name, request, isController: true)
    case .observer(let name, let observed): define(name, observed)
    case .storedRequest(let name, let stored): define(name, asStored: stored)
    case .table(let name, of: let controller):
      resolver.find { () throws(ScriptError) in
        try TableCommands(parts: parts).define(name, of: controller, as: .template)
      }
    }
  }

  /// Defines an observer, without the values in it.
  private func define(_ name: Name, _ observed: ObserverSyntax) {
    switch observed {
    case .results(let request):
      guard let entity = resolver.entity(of: request) else { return }
      resolver.find { () throws(ScriptError) in
        try parts.names.refuseEntity(name)
        try resolver.requests.refuseClauses(ofObserver: request, on: entity)
        let definition = try definition(of: request, on: entity)
        try resolver.requests.refuseSavedMembership(ofObserver: definition, request.range)
        let observer = try parts.frames.locating(name.range) {
          try ObservedResults(
            fetchRequest: FetchRequest(entity: entity),
            managedObjectContext: parts.session.context)
        }
        let binding = ControllerBinding(name: name.text, observer: observer)
        // An observer fetches at once, which would read the keys. A controller of its request needs
        // only to see that there are some, and a section key is one of them.
        if request.clauses.section != nil || !definition.request.sortDescriptors.isEmpty {
          binding.controller.fetchRequest.sortDescriptors = [FetchSortDescriptor(key: "")]
        }
        parts.session.define(binding)
      }
    case .history(of: let entities, by: let authors):
      for entity in entities { resolver.find(entity, .entity) }
      for author in authors { resolver.shape(of: author) }
      resolver.find { () throws(ScriptError) in
        try parts.names.refuseEntity(name)
        parts.session.define(HistoryBinding(name: name.text, history: nil))
      }
    }
  }

  /// Records the place of a defined name, and of the names that the definition needs.
  private func record(_ definition: StatementPart.Definition) {
    switch definition {
    case .entity(let entity):
      resolver.record(.entity(entity.name.text), entity.name.range, isDefinition: true)
      if let parent = entity.parent { resolver.record(.entity(parent.text), parent.range) }
    case .context(let context):
      resolver.record(.context(context.name.text), context.name.range, isDefinition: true)
      if let parent = context.parent { resolver.record(.context(parent.text), parent.range) }
    case .request(let name, _), .storedRequest(let name, _), .controller(let name, _),
      .observer(let name, _):
      resolver.record(.subject(name.text), name.range, isDefinition: true)
    case .table(let name, let controller):
      resolver.record(.subject(name.text), name.range, isDefinition: true)
      resolver.record(.subject(controller.text), controller.range)
    case .model, .variable: break
    }
  }

  /// Records the names in an entity.
  private func record(_ declaration: EntityDeclaration, _ entity: EntityDescription?) {
    for property in declaration.properties {
      resolver.record(property: property.name, of: entity, isDefinition: true)
      guard !EntityDeclaration.attributeTypes.contains(property.type.text) else { continue }
      resolver.record(.entity(property.type.text), property.type.range)
      guard let inverse = property.inverse else { continue }
      inverses.append((inverse, property.type.text, source))
    }
    let named =
      [declaration.display].compactMap(\.self) + declaration.uniqueness.flatMap(\.self)
      + declaration.indexes.flatMap { $0.keys.map(\.name) }
    for name in named { resolver.record(property: name, of: entity) }
  }

  /// Defines a request or a controller, without the values in it.
  private func define(_ name: Name, _ request: RequestSyntax, isController: Bool) {
    guard let entity = resolver.entity(of: request) else { return }
    resolver.find { () throws(ScriptError) in
      try parts.names.refuseEntity(name)
      let definition = try definition(of: request, on: entity)
      guard isController else {
        parts.session.define(definition, as: name.text)
        return
      }
      let controller = try controller(of: definition, request.range)
      parts.session.define(ControllerBinding(name: name.text, controller: controller))
    }
  }

  /// Returns what a request is, without the values in it.
  ///
  /// A sort order counts, but not its keys.
  private func definition(
    of syntax: RequestSyntax, on entity: EntityDescription
  ) throws(ScriptError) -> RequestDefinition {
    let source = try resolver.requests.source(of: syntax).request
    var request = FetchRequest(
      entity: entity,
      sortDescriptors: syntax.clauses.sort == nil
        ? source.sortDescriptors : [FetchSortDescriptor(key: "")])
    request.resultType = syntax.clauses.resultType ?? source.resultType
    request.includesPendingChanges = source.includesPendingChanges
    for option in syntax.clauses.options where option.option == .includesPendingChanges {
      request.includesPendingChanges = option.isOn
    }
    return RequestDefinition(request: request)
  }

  /// Returns a controller of a request.
  ///
  /// What the run would refuse is found, and the name is defined nevertheless.
  private func controller(
    of definition: RequestDefinition, _ range: Range<Int>
  ) throws(ScriptError) -> FetchedResultsController {
    resolver.find { () throws(ScriptError) in
      try resolver.requests.refuseSavedMembership(of: definition, range)
      _ = try parts.frames.locating(range) {
        try FetchedResultsController(
          fetchRequest: definition.request, managedObjectContext: parts.session.context)
      }
    }
    var request = definition.request
    if request.sortDescriptors.isEmpty { request.sortDescriptors = [FetchSortDescriptor(key: "")] }
    return try parts.frames.locating(range) {
      try FetchedResultsController(
        fetchRequest: request, managedObjectContext: parts.session.context)
    }
  }

  private func define(_ name: Name, asStored stored: ExpressionSyntax) {
    // The request uses variables of the script, whose values are unknown yet.
    let variables = resolver.variableNames.map { ($0, ScriptValue.null) }
    parts.frames.pushScope(Dictionary(variables) { first, _ in first })
    defer { parts.frames.popScope() }
    resolver.find { () throws(ScriptError) in
      try RequestCommands(parts: parts).define(name, asStored: stored)
    }
  }

  private func define(_ declaration: EntityDeclaration) {
    var declaration = declaration
    for index in declaration.properties.indices {
      guard let value = declaration.properties[index].value, !value.isLiteral,
        !declaration.properties[index].isTransient
      else { continue }
      resolver.shape(of: value)
      declaration.properties[index].value = nil
    }
    resolver.find { () throws(ScriptError) in try EntityCommands(parts: parts).define(declaration) }
    let entity = parts.session.coordinator.managedObjectModel.entitiesByName[
      declaration.name.text]
    record(declaration, entity)
    for property in declaration.properties
    where entity?.propertyIndex(named: property.name.text) != nil {
      let place = property.isDerived ? property.value?.range : property.type.range
      references.append(
        (declaration.name.text, property.name.text, place ?? property.name.range, source))
    }
    resolver.withAttributes(of: entity) {
      for property in declaration.properties where property.isTransient {
        if let value = property.value { resolver.shape(of: value) }
      }
    }
  }

  /// Checks the statements of hooks, once all names are defined.
  private func checkHooks() {
    for (hook, entity, source) in hooks {
      let outer = parts.frames.exchangeSource(source)
      // An error in it may be intended, as in a callback.
      resolver.withCallback(HookSyntax.locals(ofEntity: entity).map(\.name)) { walk(hook.body) }
      _ = parts.frames.exchangeSource(outer)
    }
  }

  /// Checks that the destinations of relationships and the keys of derived attributes exist, once
  /// all entities are known.
  private func checkReferences() {
    for (name, entity, source) in inverses {
      let outer = parts.frames.exchangeSource(source)
      resolver.record(
        property: name, of: parts.session.coordinator.managedObjectModel.entitiesByName[entity])
      _ = parts.frames.exchangeSource(outer)
    }
    for reference in references where !resolver.isIncomplete {
      let entity = parts.session.coordinator.managedObjectModel.entitiesByName[reference.entity]
      do throws(ModelError) {
        try entity?.checkReferences(of: reference.name)
      } catch {
        let diagnostic = Diagnostic(message: error.description, range: reference.place)
        resolver.add([diagnostic], in: reference.source)
      }
    }
  }
}

extension Finding {
  /// The finding as JSON for editors: its start and end, and the edits that fix it.
  ///
  /// Lines and columns are counted from 1, and columns in characters. Offsets count UTF-8 bytes
  /// from the start of the file.
  package var json: JSON {
    .object([
      ("file", .string(source.name)), ("severity", .string(diagnostic.severity.rawValue)),
      ("message", .string(diagnostic.message)), ("range", place(of: diagnostic.range)),
      ("fixes", .array(fixes)),
    ])
  }

  /// What the fix of the finding does, in words; nil if there is no fix.
  package var fixTitle: String? {
    diagnostic.replacement.map { text in
      "replace '\(source.text(in: diagnostic.range))' with '\(text)'"
    }
  }

  private var fixes: [JSON] {
    guard let text = diagnostic.replacement, let title = fixTitle else { return [] }
    let edit = JSON.object([("range", place(of: diagnostic.range)), ("text", .string(text))])
    return [.object([("title", .string(title)), ("edits", .array([edit]))])]
  }

  private func place(of range: Range<Int>) -> JSON {
    .object([("start", place(of: range.lowerBound)), ("end", place(of: range.upperBound))])
  }

  private func place(of offset: Int) -> JSON {
    let offset = min(offset, source.bytes.count)
    let position = source.position(of: offset)
    return .object([
      ("line", .number(String(position.line))), ("column", .number(String(position.column))),
      ("offset", .number(String(offset))),
    ])
  }
}
