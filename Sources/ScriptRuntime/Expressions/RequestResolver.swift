import FetchedResults
import ScriptSyntax

/// Resolves requests, and fetches them.
final class RequestResolver {
  private unowned let evaluator: Evaluator
  private let session: Session
  private let frames: FrameStack
  private let warnings: WarningLog
  private let names: NameLookup
  let lookup: RequestNames

  init(
    _ evaluator: Evaluator, _ session: Session, _ frames: FrameStack, _ warnings: WarningLog
  ) {
    self.evaluator = evaluator
    self.session = session
    self.frames = frames
    self.warnings = warnings
    names = NameLookup(session, frames)
    lookup = RequestNames(session, frames)
  }

  /// Resolves the names and values in a request.
  func resolve(_ syntax: RequestSyntax) throws(ScriptError) -> RequestDefinition {
    try resolve(PreparedRequest(syntax, frames.variables))
  }

  /// Resolves the names and values in a prepared request.
  func resolve(_ request: PreparedRequest) throws(ScriptError) -> RequestDefinition {
    var definition = try lookup.source(of: request.syntax)
    if let predicate = request.predicate {
      definition.request.predicate = try self.predicate(predicate, on: definition.request.entity)
    }
    if request.hasOtherClauses { try applyOthers(request.syntax.clauses, to: &definition) }
    return definition
  }

  /// Applies clauses to a definition.
  ///
  /// What the clauses do not contain is unchanged.
  func apply(
    _ clauses: RequestClauses, to definition: inout RequestDefinition
  ) throws(ScriptError) {
    if let predicate = clauses.predicate {
      definition.request.predicate = try self.predicate(
        predicate, on: definition.request.entity)
    }
    try applyOthers(clauses, to: &definition)
  }

  /// Applies all clauses except the predicate to a definition.
  private func applyOthers(
    _ clauses: RequestClauses, to definition: inout RequestDefinition
  ) throws(ScriptError) {
    let entity = definition.request.entity
    try applyResults(clauses, to: &definition.request)
    if let sort = clauses.sort {
      var descriptors: [FetchSortDescriptor] = []
      let names = definition.request.propertiesToFetch.map(\.name)
      for key in sort { descriptors.append(try descriptor(key, of: entity, besides: names)) }
      definition.request.sortDescriptors = descriptors
    }
    if let section = clauses.section {
      try lookup.checkKeyPath(section, of: entity, isSort: false)
      definition.sectionNameKeyPath = section.text
    }
    if let limit = clauses.limit { definition.request.fetchLimit = try size(limit) }
    if let offset = clauses.offset { definition.request.fetchOffset = try size(offset) }
    if let batch = clauses.batch { definition.request.fetchBatchSize = try size(batch) }
    if let paths = clauses.prefetch {
      for path in paths { try lookup.checkRelationships(path, of: entity) }
      definition.request.relationshipKeyPathsForPrefetching = paths.map(\.text)
    }
    for option in clauses.options {
      switch option.option {
      case .includesPendingChanges: definition.request.includesPendingChanges = option.isOn
      case .returnsObjectsAsFaults: definition.request.returnsObjectsAsFaults = option.isOn
      case .shouldRefreshRefetchedObjects:
        definition.request.shouldRefreshRefetchedObjects = option.isOn
      }
    }
    for option in clauses.controllerOptions {
      switch option.option {
      case .keepLimit: definition.keepsLimit = option.isOn
      case .trackRelated: definition.tracksRelated = option.isOn
      }
    }
    if let cache = clauses.cache { definition.cacheName = try evaluator.string(cache) }
  }

  private func size(_ expression: ExpressionSyntax) throws(ScriptError) -> Int {
    let number = try evaluator.integer(expression)
    guard 0...Int64(Int32.max) ~= number else {
      throw frames.failure(
        .needed("a number from 0 to \(Int32.max)", found: "\(number)"), expression.range)
    }
    return Int(number)
  }

  /// Sets what a request returns in place of objects.
  private func applyResults(
    _ clauses: RequestClauses, to request: inout FetchRequest
  ) throws(ScriptError) {
    if let type = clauses.resultType { request.resultType = type }
    if let values = clauses.fetchedValues {
      request.propertiesToFetch = []
      for value in values {
        try lookup.checkValue(value, of: request.entity)
        request.propertiesToFetch.append(FetchedProperty(value))
      }
    }
    if let groups = clauses.groups {
      for key in groups { try lookup.checkKeyPath(key, of: request.entity, isSort: true) }
      request.propertiesToGroupBy = groups.map(\.text)
    }
    if let having = clauses.having { request.havingPredicate = try bound(having) }
    if clauses.isDistinct { request.returnsDistinctResults = true }
  }

  private func descriptor(
    _ sort: SortSyntax, of entity: EntityDescription, besides names: [String]
  ) throws(ScriptError) -> FetchSortDescriptor {
    if !names.contains(sort.keyPath.text) {
      try lookup.checkKeyPath(sort.keyPath, of: entity, isSort: true)
    }
    return FetchSortDescriptor(
      key: sort.keyPath.text, ascending: sort.isAscending, selector: .init(sort.selector))
  }

  /// Binds the present values of a predicate's arguments and variables, and checks its keys.
  ///
  /// Warns about comparisons that have no meaning.
  ///
  /// - Parameter isFetched: Whether a store evaluates it, which has no transient properties.
  func predicate(
    _ syntax: EmbeddedPredicate, on entity: EntityDescription, isFetched: Bool = true
  ) throws(ScriptError) -> FetchPredicate {
    try predicate(PreparedPredicate(syntax, frames.variables), on: entity, isFetched: isFetched)
  }

  private func predicate(
    _ prepared: PreparedPredicate, on entity: EntityDescription, isFetched: Bool = true
  ) throws(ScriptError) -> FetchPredicate {
    let predicate = try bound(prepared)
    if !prepared.isKnownToFit(predicate, entity) {
      try lookup.compile(predicate, on: entity, prepared.syntax.range, isFetched: isFetched)
      let misfits = predicate.misfits(for: entity)
      for misfit in misfits { warnings.warn(misfit.diagnostic(in: prepared.syntax, on: entity)) }
      if misfits.isEmpty { prepared.noteFit(predicate, entity) }
    }
    for warning in prepared.refusals { warnings.warn(warning) }
    return predicate
  }

  /// Fetches a prepared request.
  ///
  /// Values of the same kinds as before need no new check. If a value does not fit after all, the
  /// error is the one that the check would have given.
  private func locating<Result>(
    _ request: PreparedRequest, _ definition: RequestDefinition, _ body: () throws -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try frames.locating(request.syntax, body)
    } catch {
      if error.kind != .interrupted, let prepared = request.predicate,
        let predicate = definition.request.predicate
      {
        try lookup.compile(predicate, on: definition.request.entity, prepared.syntax.range)
      }
      throw error
    }
  }

  private func bound(_ syntax: EmbeddedPredicate) throws(ScriptError) -> FetchPredicate {
    try bound(PreparedPredicate(syntax, frames.variables))
  }

  /// Binds the present values of a predicate's arguments and variables.
  private func bound(_ prepared: PreparedPredicate) throws(ScriptError) -> FetchPredicate {
    let count = prepared.arguments.count
    var values = try session.values(count + prepared.variables.count) {
      index throws(ScriptError) in
      if index < count { return try evaluator.scalar(prepared.arguments[index]) }
      let variable = prepared.variables[index - count]
      return try evaluator.scalar(
        PlacedValue(
          value: try names.variable(variable.text, variable.range), range: variable.range))
    }
    // A new object must not be taken for one that another process has saved under its number.
    values = session.renumberBeforeReading(values)
    let arguments = values.prefix(count)
    let variables = zip(prepared.variables.map(\.text), values.dropFirst(arguments.count))
    return FetchPredicate(
      tree: prepared.syntax.tree, arguments: Array(arguments),
      variables: Dictionary(variables) { _, last in last })
  }

  // MARK: Fetching

  /// Returns the objects of a request.
  ///
  /// For a controller, calls performFetch first, as the statement does.
  func fetchObjects(_ request: PreparedRequest) throws(ScriptError) -> [ManagedObject] {
    guard let binding = lookup.fetchedController(request.syntax) else {
      return try fetchObjects(of: resolve(request), request)
    }
    try performFetch(binding, request.syntax)
    return binding.fetchedObjects.map(Array.init) ?? []
  }

  func performFetch(
    _ binding: ControllerBinding, _ syntax: RequestSyntax
  ) throws(ScriptError) {
    try lookup.refuseFetch(of: binding, syntax)
    session.note(.performFetch(binding.name))
    try frames.locating(syntax) { try binding.controller.performFetch() }
    warnOfCache(of: binding.controller, syntax.source.range)
  }

  func fetchObjects(
    of definition: RequestDefinition, _ syntax: RequestSyntax
  ) throws(ScriptError) -> [ManagedObject] {
    try fetchObjects(of: definition, PreparedRequest(syntax, frames.variables))
  }

  private func fetchObjects(
    of definition: RequestDefinition, _ request: PreparedRequest
  ) throws(ScriptError) -> [ManagedObject] {
    try locating(request, definition) {
      let type = definition.request.resultType
      guard type == .managedObjects || type == .managedObjectIDs else {
        throw FetchError.otherResultType(type.rawValue)
      }
      session.note(.fetch(definition.request))
      return try session.context.fetch(definition.request)
    }
  }

  func count(_ syntax: RequestSyntax) throws(ScriptError) -> Int {
    try count(PreparedRequest(syntax, frames.variables))
  }

  func count(_ request: PreparedRequest) throws(ScriptError) -> Int {
    if let observer = lookup.fetchedController(request.syntax)?.observer,
      request.syntax.clauses.isEmpty
    {
      return observer.rows.count
    }
    let definition = try resolve(request)
    return try locating(request, definition) {
      if definition.request.resultType == .dictionaries {
        return try session.context.fetchDictionaries(definition.request).count
      }
      session.note(.count(definition.request))
      return try session.context.count(for: definition.request)
    }
  }

  // MARK: Caches

  /// Warns that a controller's cache could not be used, unless this session's own changes made it
  /// stale.
  private func warnOfCache(of controller: FetchedResultsController, _ range: Range<Int>) {
    guard let name = controller.cacheName, let finding = controller.cacheFinding else { return }
    switch finding.state {
    case .nothing, .used, .stale(_, isOwn: true): break
    case .stale(let staleness, isOwn: false): warnOfCache(name, "\(staleness)", range)
    case .unusable(let problem): warnOfCache(name, "\(problem)", range)
    }
    if let failure = finding.failure { warnings.warn("\(failure)", range) }
  }

  private func warnOfCache(_ name: String, _ reason: String, _ range: Range<Int>) {
    warnings.warn("the section cache '\(name)' was computed again: \(reason)", range)
  }
}

/// The expression in a script that computes a transient attribute.
///
/// The conformance is unchecked because an entity's expressions must be sendable. It is only
/// evaluated for an object, and the object, its context and the evaluator belong to the same
/// thread.
struct TransientExpression: @unchecked Sendable {
  private weak var evaluator: Evaluator?
  private let expression: PreparedExpression
  private let keyPaths: [String]
  private let source: SourceText

  init(_ expression: ExpressionSyntax, in source: SourceText, _ evaluator: Evaluator) {
    self.expression = evaluator.prepare(expression)
    keyPaths = expression.keyPaths
    self.source = source
    self.evaluator = evaluator
  }

  /// The expression in the form in which an attribute keeps it.
  ///
  /// Bare names in it refer to an object's properties.
  var attributeExpression: AttributeExpression {
    let text = source.formattedText(in: expression.range, after: "expect ")
    return AttributeExpression(text, keyPaths: keyPaths) { object in
      evaluator?.value(of: expression, for: object, in: source) ?? .null
    }
  }
}
