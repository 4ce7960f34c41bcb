import Basics
import FetchedResults
import ScriptSyntax
import TableViews

/// Statements that define and change controllers.
struct ControllerCommands: SessionCommand {
  let parts: SessionParts
  private var delegates: DelegateCommands { DelegateCommands(parts: parts) }

  /// `controller books = recent section by publisher cache "Demo"`.
  ///
  /// If the name is already defined, the old controller is removed.
  func define(_ name: Name, as syntax: RequestSyntax) throws(ScriptError) {
    try names.refuseEntity(name)
    let definition = try requests.resolve(syntax)
    try requests.lookup.refuseSavedMembership(of: definition, syntax.range)
    let controller = try frames.locating(syntax.range) {
      try FetchedResultsController(
        fetchRequest: definition.request, managedObjectContext: session.context,
        sectionNameKeyPath: definition.sectionNameKeyPath, cacheName: definition.cacheName)
    }
    controller.keepsFetchLimit = definition.keepsLimit
    controller.tracksRelatedObjects = definition.tracksRelated
    let binding = ControllerBinding(name: name.text, controller: controller)
    turnLog.listen(to: binding)
    session.define(binding)
    session.note(.controller(name.text, controller))
    delegates.set(.changes, of: binding)
  }

  /// `change books where pages > 10`.
  func change(_ name: Name, _ clauses: RequestClauses) throws(ScriptError) {
    let binding = try names.controller(name)
    try requests.lookup.refuseFixed(clauses, of: binding, name.range)
    if let observer = binding.observer {
      return try ObserverCommands(parts: parts).change(binding, observer, clauses, name.range)
    }
    var definition = RequestDefinition(of: binding.controller)
    try requests.apply(clauses, to: &definition)
    try requests.lookup.refuseSavedMembership(of: definition, name.range)
    binding.controller.fetchRequest = definition.request
    binding.controller.keepsFetchLimit = definition.keepsLimit
    binding.controller.tracksRelatedObjects = definition.tracksRelated
    session.note(.change(name.text, binding.controller))
  }
}

/// Statements that define requests and run them.
struct RequestCommands: SessionCommand {
  let parts: SessionParts

  /// `request recent = Book where …`.
  func define(_ name: Name, as syntax: RequestSyntax) throws(ScriptError) {
    try names.refuseEntity(name)
    let definition = try requests.resolve(syntax)
    session.define(definition, as: name.text)
  }

  /// `request recent = stored "Recent"`: a request that is part of a model.
  ///
  /// Its `$x` are the present variables of the script.
  func define(_ name: Name, asStored stored: ExpressionSyntax) throws(ScriptError) {
    try names.refuseEntity(name)
    let wanted = try evaluator.string(stored)
    guard var request = session.storedRequests[wanted] else {
      let candidates = session.storedRequests.keys.sorted()
      throw frames.failure(
        .unknown(.storedRequest, wanted, suggestion: nearestName(to: wanted, among: candidates)),
        stored.range)
    }
    if let predicate = request.predicate {
      var variables: [String: PropertyValue] = [:]
      for name in frames.variableNames {
        if case .value(let value)? = frames.variable(name) { variables[name] = value }
      }
      request.predicate = predicate.withSubstitutionVariables(variables)
      try frames.locating(stored.range) {
        _ = try request.predicate?.compile(
          for: request.entity, environment: session.context.environment, graph: session.context)
      }
    }
    session.define(RequestDefinition(request: request), as: name.text)
  }

  /// `fetch books` calls performFetch; `fetch Book where …` prints the rows.
  ///
  /// - Parameter keepsResult: Whether later statements at the prompt can use the objects as `_`.
  func fetch(_ syntax: RequestSyntax, keepsResult: Bool) throws(ScriptError) {
    if let binding = requests.lookup.fetchedController(syntax) {
      return try requests.performFetch(binding, syntax)
    }
    let definition = try requests.resolve(syntax)
    let request = definition.request
    switch request.resultType {
    case .managedObjects: try showObjects(of: definition, syntax, keepsResult)
    case .managedObjectIDs:
      session.note(.fetch(request))
      let ids = try frames.locating(syntax) { try session.context.fetchObjectIDs(request) }
      events.emit(.list(ShownList(of: request.entity.name, .objectIDs(ids))))
    case .dictionaries:
      let rows = try frames.locating(syntax) { try session.context.fetchDictionaries(request) }
      events.emit(.list(ShownList(of: request.entity.name, .dictionaries(rows))))
    case .count: try count(syntax)
    }
  }

  private func showObjects(
    of definition: RequestDefinition, _ syntax: RequestSyntax, _ keepsResult: Bool
  ) throws(ScriptError) {
    let objects = try requests.fetchObjects(of: definition, syntax)
    if keepsResult { session.keepResult(.value(.list(objects.map { .object($0.objectID) }))) }
    var rows: [ShownRow] = []
    rows.reserveCapacity(objects.count)
    var unreadable: [StoreError] = []
    for object in objects {
      // A result that was interrupted is incomplete, so it is dropped.
      if StopCheck.isWanted(after: 16) { return }
      var values: [(String, PropertyValue)] = []
      values.reserveCapacity(object.entity.propertyNames.count)
      for (index, name) in object.entity.propertyNames.enumerated() {
        let value = object.value(at: index)
        if value.isNull, object.entity.isExternal(index),
          let failure = session.coordinator.takeReadFailure()
        {
          unreadable.append(failure)
        } else {
          values.append((name, value))
        }
      }
      rows.append(ShownRow(id: object.objectID, values: values))
    }
    events.emit(.list(ShownList(of: definition.request.entity.name, .rows(rows))))
    for failure in unreadable.prefix(Self.mostUnreadable) {
      events.emit(.note("not shown: \(failure)"))
    }
    if unreadable.count > Self.mostUnreadable {
      events.emit(.note("not shown: \(unreadable.count - Self.mostUnreadable) more values"))
    }
  }

  /// How many values that cannot be read are described.
  private static var mostUnreadable: Int { 3 }

  /// `count Book where …`.
  func count(_ syntax: RequestSyntax) throws(ScriptError) {
    events.emit(.value(PrintedValue(.int(Int64(try requests.count(syntax))))))
  }
}

extension EntityDescription {
  /// Whether a property is data that may be in a file of its own.
  fileprivate func isExternal(_ index: Int) -> Bool {
    index < attributes.count && attributes[index].allowsExternalBinaryDataStorage
  }
}

/// Statements that set the delegates of controllers.
struct DelegateCommands: SessionCommand {
  let parts: SessionParts

  /// `delegate books didChange`.
  func set(_ name: Name, to mode: Statement.DelegateMode) throws(ScriptError) {
    let binding = try names.controller(name)
    try requests.lookup.refuseDelegate(mode, of: binding, name.range)
    warnOfDetachedTable(of: binding, name.range)
    set(mode, of: binding)
  }

  func set(_ mode: Statement.DelegateMode, of binding: ControllerBinding) {
    attach(
      .mode(mode), DelegateRecorder.recorder(for: mode, of: binding, emit: events.emit),
      to: binding)
  }

  /// `delegate books { didChangeObject { … } }`.
  func set(_ name: Name, to callbacks: [CallbackSyntax]) throws(ScriptError) {
    let binding = try names.controller(name)
    try requests.lookup.refuseDelegate(nil, of: binding, name.range)
    warnOfDetachedTable(of: binding, name.range)
    let source = frames.source
    let context = binding.controller.managedObjectContext
    let recorder = ScriptedRecorder(callbacks, of: binding, emit: events.emit) {
      [weak runner = self.callbacks] in
      runner?.run($0, with: $1, in: source, on: context)
    }
    attach(.own(callbacks, source), recorder, to: binding)
  }

  /// Sets a controller's delegate.
  ///
  /// Steps and breaches of the replay law are noticed before it.
  func attach(
    _ delegate: ControllerBinding.Delegate, _ recorder: DelegateRecorder?,
    to binding: ControllerBinding
  ) {
    session.note(
      .delegate(
        binding.name, recorder?.implementedMethods, countsOnly: recorder is CountingRecorder))
    binding.attach(
      delegate, recorder,
      stepper: { [events] in events.stepper },
      onBreach: parts.replayChecker.onBreach(of: binding.name))
  }

  /// Warns if a table no longer receives changes, because a controller has only one delegate.
  ///
  /// As in an app, the table keeps what it shows.
  func warnOfDetachedTable(of binding: ControllerBinding, _ range: Range<Int>) {
    guard let recorder = binding.recorder as? TableRecorder else { return }
    let name = recorder.tableName
    warnings.warn(
      "table '\(name)' is no longer the delegate of '\(binding.name)' and will not "
        + "follow its changes; write 'table \(name) = \(binding.name)' to attach it again", range)
  }
}

/// Statements about section caches.
struct CacheCommands: SessionCommand {
  let parts: SessionParts

  /// `delete cache "Demo"`.
  func delete(_ name: ExpressionSyntax) throws(ScriptError) {
    let text = try evaluator.string(name)
    try frames.locating(name.range) {
      try session.coordinator.sectionCaches.removeCache(named: text)
    }
  }

  /// `delete caches`.
  func deleteAll(_ range: Range<Int>) throws(ScriptError) {
    try frames.locating(range) { try session.coordinator.sectionCaches.removeAll() }
  }

  /// `caches`.
  func show() {
    let caches = session.coordinator.sectionCaches
    for name in caches.names {
      switch caches.reading(of: name) {
      case .nothing: continue
      case .cache(let cache): events.emit(.cache(shown(cache, name)))
      case .unusable(let problem):
        events.emit(.cache(ShownCache(name: name, contents: nil, staleness: "\(problem)")))
      }
    }
  }

  private func shown(_ cache: SectionCache, _ name: String) -> ShownCache {
    let fingerprint = cache.fingerprint
    let model = session.coordinator.managedObjectModel
    let staleness =
      cache.staleness(for: session.coordinator.store) ?? fingerprint.staleness(in: model)
    return ShownCache(
      name: name,
      contents: ShownCache.Contents(
        entity: fingerprint.entity, objects: cache.numbers.count,
        sections: max(cache.runs.count, fingerprint.sectionNameKeyPath == nil ? 1 : 0)),
      staleness: staleness.map { "\($0)" })
  }
}

/// Statements about tables.
struct TableCommands: SessionCommand {
  let parts: SessionParts
  private var delegates: DelegateCommands { DelegateCommands(parts: parts) }

  /// `table view = books { update configureCell }`.
  ///
  /// The table becomes the controller's delegate. The name may be defined again.
  func define(
    _ name: Name, of controller: Name, as syntax: TableSyntax
  ) throws(ScriptError) {
    try names.refuseEntity(name)
    let binding = try names.controller(controller)
    if let old = session.tables[name.text], old.isDelegate {
      delegates.set(.changes, of: old.controller)
    }
    delegates.warnOfDetachedTable(of: binding, controller.range)
    // An app has no difference of an observer, so its table reloads, unless the script says how the
    // difference of frc is carried out.
    let mode: FetchedResultsTable<CellContent>.Mode =
      binding.observer != nil && syntax == .template ? .reload : FetchedResultsTable.Mode(syntax)
    let table = TableBinding(name: name.text, of: binding, mode: mode, emit: events.emit)
    table.followTurns { [weak session] in session?.turn ?? 0 }
    session.define(table)
    delegates.attach(
      .table(table.table.mode),
      TableRecorder(table.table, named: table.name, of: binding, emit: events.emit), to: binding)
  }

  /// `suspend view`.
  func suspend(_ name: Name) throws(ScriptError) { try names.table(name).table.suspend() }

  /// `resume view`: from the next turn on.
  func resume(_ name: Name) throws(ScriptError) {
    session.waitingTables.resume(try names.table(name))
  }

  /// `reload view`.
  func reload(_ name: Name) throws(ScriptError) { try names.table(name).table.reload() }

  /// `trace view on`.
  func trace(_ name: Name, isOn: Bool) throws(ScriptError) {
    try names.table(name).table.isTraced = isOn
  }
}

extension FetchedResultsTable.Mode {
  fileprivate init(_ syntax: TableSyntax) {
    switch syntax {
    case .template: self = .reactions(TableReactions())
    case .reload: self = .reload
    case .reactions(let lines):
      var reactions = TableReactions()
      for line in lines {
        reactions[TableReactions.Change(line.change)] = line.reactions.map(
          TableReactions.Reaction.init)
      }
      self = .reactions(reactions)
    }
  }
}

extension TableReactions.Change {
  fileprivate init(_ word: TableReactionSyntax.Change) {
    self =
      switch word {
      case .insert: .insert
      case .delete: .delete
      case .update: .update
      case .move: .move
      case .sectionInsert: .sectionInsert
      case .sectionDelete: .sectionDelete
      }
  }
}

extension TableReactions.Reaction {
  fileprivate init(_ word: TableReactionSyntax.Reaction) {
    self =
      switch word {
      case .insertRows: .insertRows
      case .deleteRows: .deleteRows
      case .reloadRows: .reloadRows
      case .moveRow: .moveRow
      case .configureCell: .configureCell
      case .configureCellWithObject: .configureCellWithObject
      case .insertSections: .insertSections
      case .deleteSections: .deleteSections
      case .reloadData: .reloadData
      case .nothing: .nothing
      }
  }
}
