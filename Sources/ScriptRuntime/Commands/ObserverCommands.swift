import FetchedResults
import ScriptSyntax

/// Statements that define and change observers.
struct ObserverCommands: SessionCommand {
  let parts: SessionParts

  /// `observer books = Book sort by title`, `observer sync = history of Book by "App"`.
  ///
  /// If the name is already defined, the old observer is removed.
  func define(
    _ name: Name, as syntax: ObserverSyntax, _ range: Range<Int>
  ) throws(ScriptError) {
    try names.refuseEntity(name)
    switch syntax {
    case .results(let request): try define(name, request)
    case .history(of: let entities, by: let authors):
      try define(name, ofHistoryOf: entities, by: authors, range)
    }
  }

  // MARK: Results

  private func define(_ name: Name, _ syntax: RequestSyntax) throws(ScriptError) {
    let source = try requests.lookup.source(of: syntax).request
    try requests.lookup.refuseClauses(ofObserver: syntax, on: source.entity)
    let definition = try requests.resolve(syntax)
    try requests.lookup.refuseSavedMembership(ofObserver: definition, syntax.range)
    let context = session.context
    let observer = try frames.locating(syntax.range) {
      try ObservedResults(
        fetchRequest: definition.request, sectionNameKeyPath: definition.sectionNameKeyPath,
        managedObjectContext: context,
        updates: syntax.clauses.updates == .turns ? .turns : .saves)
    }
    if syntax.clauses.controllerOptions.contains(where: { $0.option == .keepLimit && !$0.isOn }) {
      observer.keepsFetchLimit = false
      observer.refetch()
    }
    if definition.tracksRelated {
      observer.tracksRelatedObjects = true
      observer.refetch()
    }
    noteSection(of: observer)
    let binding = ControllerBinding(name: name.text, observer: observer)
    turnLog.listen(to: binding)
    session.define(binding)
    DelegateCommands(parts: parts).set(.changes, of: binding)
    binding.listen(onBreach: parts.replayChecker.onBreach(of: name.text)) {
      [events, weak turnLog] binding, publication, old, new in
      turnLog?.note(publication, of: binding)
      let moment: ControllerCallback.Moment = binding.isBeingChanged ? .atOnce : .turnEnd
      events.emit(
        .callback(
          ControllerCallback(
            .results(old: publication.oldCount, new: publication.newCount, moment),
            of: binding.name, isPublished: true)))
      binding.recorder?.receive(publication, old, new)
      events.stepper?.callbackDidEnd(of: binding)
    }
    session.note(.observer(binding))
  }

  /// Prints a note if Apple's observer could not have the sections.
  private func noteSection(of observer: ObservedResults) {
    guard let path = observer.sectionNameKeyPath else { return }
    let entity = observer.fetchRequest.entity
    if let index = entity.attributeIndex(named: path), entity.attributes[index].type == .string,
      !entity.attributes[index].isTransient
    {
      return
    }
    events.emit(
      .note(
        "sections by \(path) are an addition of frc; Apple's observer takes only stored attributes "
          + "of type String"))
  }

  /// `change books where pages > 10`: fetches at once.
  func change(
    _ binding: ControllerBinding, _ observer: ObservedResults, _ clauses: RequestClauses,
    _ range: Range<Int>
  ) throws(ScriptError) {
    var definition = RequestDefinition(of: binding.controller)
    try requests.apply(clauses, to: &definition)
    binding.isBeingChanged = true
    defer { binding.isBeingChanged = false }
    if clauses.predicate != nil { observer.setPredicate(definition.request.predicate) }
    if clauses.sort != nil, observer.fetchError == nil {
      observer.setSortDescriptors(definition.request.sortDescriptors)
    }
    session.note(
      .changeObserver(
        binding, predicate: clauses.predicate != nil, order: clauses.sort != nil))
    if let error = observer.fetchError {
      throw frames.failure(.engine("\(error); the results stay as they were"), range)
    }
  }

  // MARK: The history

  private func define(
    _ name: Name, ofHistoryOf entityNames: [Name], by authors: [ExpressionSyntax],
    _ range: Range<Int>
  ) throws(ScriptError) {
    let entities = try entityNames.map(names.entity)
    let texts = Set(try authors.map(evaluator.string))
    let context = session.context
    let history = try frames.locating(range) {
      // SwiftData's observer also makes its store keep a history.
      let coordinator = context.persistentStoreCoordinator
      if !coordinator.tracksPersistentHistory { try coordinator.trackPersistentHistory() }
      return try ObservedHistory(of: entities, authors: texts, in: context)
    }
    let binding = HistoryBinding(name: name.text, history: history)
    session.define(binding)
    session.note(.observedHistory(binding))
  }
}
