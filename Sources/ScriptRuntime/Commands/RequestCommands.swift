import FetchedResults
import PredicateSyntax
import ScriptSyntax

extension Interpreter {
  /// `request recent = Book where …`.
  func define(request name: Name, as syntax: RequestSyntax) throws(ScriptError) {
    try refuseEntity(name)
    let definition = try resolve(syntax)
    session.define(definition, as: name.text)
  }

  /// Checks that a request or a controller does not take an entity's name; it
  /// may take that of another request or controller, which is then gone.
  func refuseEntity(_ name: Name) throws(ScriptError) {
    if session.coordinator.managedObjectModel[name.text] != nil {
      throw failure(.alreadyDefined(name.text, as: .entity), name.range)
    }
  }

  /// Gives a request's names and values their meaning.
  func resolve(_ syntax: RequestSyntax) throws(ScriptError) -> RequestDefinition {
    var definition = try source(of: syntax)
    try apply(syntax.clauses, to: &definition)
    return definition
  }

  /// What a request stands on before its clauses.
  func source(of syntax: RequestSyntax) throws(ScriptError) -> RequestDefinition {
    let name = syntax.source
    if let entity = session.coordinator.managedObjectModel[name.text] {
      var request = FetchRequest(entity: entity)
      request.includesSubentities = !syntax.isExact
      return RequestDefinition(request: request)
    }
    if syntax.isExact {
      throw failure(.unknownEntity(name.text, suggestion: nil), name.range)
    }
    if let request = session.requests[name.text] { return request }
    if let binding = session.controllers[name.text] {
      return RequestDefinition(
        request: binding.controller.fetchRequest,
        sectionNameKeyPath: binding.controller.sectionNameKeyPath,
        cacheName: binding.controller.cacheName)
    }
    if let meaning = session.anyMeaning(of: name.text) {
      throw failure(.notSource(name.text, is: meaning), name.range)
    }
    let names =
      session.entities.map(\.name) + session.requests.keys.sorted() + session.controllerNames
    throw failure(
      .unknownSource(name.text, suggestion: nearestName(to: name.text, among: names)), name.range)
  }

  /// Lays clauses over a definition; a clause that is not given stays.
  func apply(
    _ clauses: RequestClauses, to definition: inout RequestDefinition
  ) throws(ScriptError) {
    let entity = definition.request.entity
    if let predicate = clauses.predicate {
      definition.request.predicate = try self.predicate(predicate, on: entity)
    }
    if let sort = clauses.sort {
      var descriptors: [FetchSortDescriptor] = []
      for key in sort { descriptors.append(try descriptor(key, of: entity)) }
      definition.request.sortDescriptors = descriptors
    }
    if let section = clauses.section {
      try checkKeyPath(section, of: entity, isSort: false)
      definition.sectionNameKeyPath = section.text
    }
    if let limit = clauses.limit { definition.request.fetchLimit = try size(limit) }
    if let offset = clauses.offset { definition.request.fetchOffset = try size(offset) }
    if let batch = clauses.batch { definition.request.fetchBatchSize = try size(batch) }
    if let cache = clauses.cache { definition.cacheName = try string(cache) }
  }

  private func size(_ expression: ExpressionSyntax) throws(ScriptError) -> Int {
    let number = try integer(expression)
    guard 0...Int64(Int32.max) ~= number else {
      throw failure(
        .needed("a number from 0 to \(Int32.max)", found: "\(number)"), expression.range)
    }
    return Int(number)
  }

  /// Checks a sort's or a section's key path; the nearest name is offered for
  /// the key that is unknown.
  func checkKeyPath(
    _ path: Name, of entity: EntityDescription, isSort: Bool
  ) throws(ScriptError) {
    var owner = entity
    for key in path.text.split(separator: ".").map(String.init) {
      if key.hasPrefix("@") { break }
      let index = try propertyIndex(key, in: owner, path.range)
      guard index >= owner.attributes.count,
        let next = owner.destination(ofRelationship: key)
      else { break }
      owner = next
    }
    try locating(path.range) { try RowOrder.check(path.text, of: entity, isSort: isSort) }
  }

  private func descriptor(
    _ sort: SortSyntax, of entity: EntityDescription
  ) throws(ScriptError) -> FetchSortDescriptor {
    try checkKeyPath(sort.keyPath, of: entity, isSort: true)
    return FetchSortDescriptor(
      key: sort.keyPath.text, ascending: sort.isAscending, selector: .init(sort.selector))
  }

  /// Binds a predicate's arguments and variables to their values of now, and
  /// checks its keys; a comparison that tells nothing is warned of.
  func predicate(
    _ syntax: EmbeddedPredicate, on entity: EntityDescription
  ) throws(ScriptError) -> FetchPredicate {
    var arguments: [Value] = []
    for expression in syntax.arguments { arguments.append(try scalar(expression)) }
    var variables: [String: Value] = [:]
    for variable in syntax.variables {
      let operand = Operand(
        value: try self.variable(variable.text, variable.range), range: variable.range)
      variables[variable.text] = try scalar(operand)
    }
    let predicate = FetchPredicate(
      tree: syntax.tree, arguments: arguments, variables: variables)
    try compile(predicate, on: entity, syntax.range)
    for misfit in predicate.misfits(for: entity) { warn(misfit.diagnostic(in: syntax)) }
    return predicate
  }

  /// Checks a predicate against its entity; an error gets its place here.
  func compile(
    _ predicate: FetchPredicate, on entity: EntityDescription, _ range: Range<Int>
  ) throws(ScriptError) {
    do {
      _ = try predicate.compile(
        for: entity, environment: session.context.environment, graph: session.context)
    } catch {
      let place = error.range.map { $0.isEmpty ? range : $0 } ?? range
      guard let unknown = error.unknownKey else { throw failure(.engine("\(error)"), place) }
      let near = nearestName(to: unknown.key, among: unknown.candidates)
      throw failure(
        .unknownAttribute(unknown.key, entity: unknown.entity, suggestion: near), place)
    }
  }

  /// `fetch books`: performFetch; `fetch Book where …`: prints the rows.
  func fetch(_ syntax: RequestSyntax) throws(ScriptError) {
    if let binding = fetchedController(syntax) { return try performFetch(binding, syntax) }
    let definition = try resolve(syntax)
    let objects = try fetchObjects(of: definition, syntax)
    let rows = objects.map { object in
      ShownRow(
        id: object.objectID,
        values: object.entity.propertyNames.enumerated().map { ($1, object.value(at: $0)) })
    }
    emit(.rows(entity: definition.request.entity.name, objects: rows))
  }

  /// Returns the objects of a request; a controller's after its performFetch, as
  /// the statement does.
  func fetchObjects(_ syntax: RequestSyntax) throws(ScriptError) -> [ManagedObject] {
    guard let binding = fetchedController(syntax) else {
      return try fetchObjects(of: resolve(syntax), syntax)
    }
    try performFetch(binding, syntax)
    return binding.controller.fetchedObjects.map(Array.init) ?? []
  }

  /// The controller that `fetch` names; nil where it names something else.
  private func fetchedController(_ syntax: RequestSyntax) -> ControllerBinding? {
    session.coordinator.managedObjectModel[syntax.source.text] == nil
      ? session.controllers[syntax.source.text] : nil
  }

  private func performFetch(
    _ binding: ControllerBinding, _ syntax: RequestSyntax
  ) throws(ScriptError) {
    guard syntax.clauses.isEmpty else {
      throw failure(.controllerWithClauses(binding.name), syntax.range)
    }
    try locating(syntax) { try binding.controller.performFetch() }
    warnOfCache(of: binding.controller, syntax.source.range)
  }

  private func fetchObjects(
    of definition: RequestDefinition, _ syntax: RequestSyntax
  ) throws(ScriptError) -> [ManagedObject] {
    try locating(syntax) { try session.context.fetch(definition.request) }
  }

  func count(_ syntax: RequestSyntax) throws(ScriptError) -> Int {
    let definition = try resolve(syntax)
    return try locating(syntax) { try session.context.count(for: definition.request) }
  }
}

extension FetchSortDescriptor.Selector {
  init(_ selector: SortSyntax.Selector) {
    self =
      switch selector {
      case .binary: .compare
      case .caseInsensitive: .caseInsensitiveCompare
      case .localized: .localizedCompare
      case .localizedCaseInsensitive: .localizedCaseInsensitiveCompare
      case .localizedStandard: .localizedStandardCompare
      }
  }

  /// The word behind `using`; nil for the default.
  var scriptWord: String? {
    switch self {
    case .compare: nil
    case .caseInsensitiveCompare: SortSyntax.Selector.caseInsensitive.rawValue
    case .localizedCompare: SortSyntax.Selector.localized.rawValue
    case .localizedCaseInsensitiveCompare: SortSyntax.Selector.localizedCaseInsensitive.rawValue
    case .localizedStandardCompare: SortSyntax.Selector.localizedStandard.rawValue
    }
  }
}
