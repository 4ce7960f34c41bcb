import FetchedResults
import ScriptSyntax

/// Statements that define and change controllers.
struct ControllerCommands {
  let session: Session
  let frames: FrameStack
  let names: NameLookup
  let requests: RequestResolver
  let delegates: DelegateCommands
  let turnLog: TurnLog

  /// `controller books = recent section by publisher cache "Demo"`.
  ///
  /// If the name is already defined, the old controller is removed.
  func define(_ name: Name, as syntax: RequestSyntax) throws(ScriptError) {
    try names.refuseEntity(name)
    let definition = try requests.resolve(syntax)
    try refuseSavedMembership(of: definition, syntax.range)
    let controller = try frames.locating(syntax.range) {
      try FetchedResultsController(
        fetchRequest: definition.request, managedObjectContext: session.context,
        sectionNameKeyPath: definition.sectionNameKeyPath, cacheName: definition.cacheName)
    }
    controller.keepsFetchLimit = definition.keepsLimit
    controller.tracksRelatedObjects = definition.tracksRelated
    let binding = ControllerBinding(name: name.text, controller: controller)
    controller.quirks = session.quirks
    turnLog.listen(to: binding)
    session.define(binding)
    session.note(.controller(name.text, controller))
    delegates.set(.changes, of: binding)
  }

  /// `change books where pages > 10`.
  func change(_ name: Name, _ clauses: RequestClauses) throws(ScriptError) {
    let binding = try names.controller(name)
    if let section = clauses.section {
      throw frames.failure(.controller(.fixedClause("section by")), section.range)
    }
    if let cache = clauses.cache {
      throw frames.failure(.controller(.fixedClause("cache")), cache.range)
    }
    var definition = RequestDefinition(of: binding.controller)
    try requests.apply(clauses, to: &definition)
    try refuseSavedMembership(of: definition, name.range)
    binding.controller.fetchRequest = definition.request
    binding.controller.keepsFetchLimit = definition.keepsLimit
    binding.controller.tracksRelatedObjects = definition.tracksRelated
    session.note(.change(name.text, binding.controller))
  }

  /// Throws an error if a controller could not track the request.
  private func refuseSavedMembership(
    of definition: RequestDefinition, _ range: Range<Int>
  ) throws(ScriptError) {
    guard definition.request.includesPendingChanges else {
      throw frames.failure(.controller(.savedMembership), range)
    }
  }
}
