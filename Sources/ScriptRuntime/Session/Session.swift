import Basics
package import FetchedResults
import Foundation
import ScriptSyntax
import Synchronization
import TableViews

/// The state of a running script: its store, its entities, its variables, requests, controllers and
/// tables.
package final class Session {
  // Swift's exclusivity checks are off for these properties, because every statement reads them.
  // Each access reads or writes a whole value, and no other code runs during it.

  @exclusivity(unchecked) package private(set) var coordinator: PersistentStoreCoordinator
  /// The context of the running statement: that of the enclosing `perform`, or else `main`.
  @exclusivity(unchecked) package private(set) var context: ManagedObjectContext
  /// The contexts by name, in order of definition; `main` is the first.
  @exclusivity(unchecked) package private(set) var contexts:
    [(name: String, context: ManagedObjectContext)]
  /// The contexts for which the end of a turn may have something to do, by their places.
  @exclusivity(unchecked) private(set) var agenda = PendingContexts()
  /// The place of each context, by its name.
  private var contextPlaces = ["main": 0]
  /// The objects that print the notifications of contexts, by context name.
  private var observations: [String: ContextObservation] = [:]
  /// The source text of hooks, by entity name.
  package private(set) var hooks: [String: [HookText]] = [:]
  /// The hooks of entities including inherited ones, by entity name.
  ///
  /// Entities without hooks are left out.
  private var allHooks: [String: Set<HookSyntax.Hook>] = [:]
  /// The search for names that were probably meant.
  private let nearNames = NearNameSearch()
  package private(set) var requests: [String: RequestDefinition] = [:]
  /// The requests of the session's models.
  package private(set) var storedRequests: [String: FetchRequest] = [:]
  package private(set) var controllers: [String: ControllerBinding] = [:]
  /// The names of the controllers in order of their definition.
  package private(set) var controllerNames: [String] = []
  /// The observers of the store's history.
  package private(set) var historyObservers: [String: HistoryBinding] = [:]
  /// The names of the observers of the history in order of their definition.
  private(set) var historyObserverNames: [String] = []
  package private(set) var tables: [String: TableBinding] = [:]
  /// The names of the tables in order of their definition.
  package private(set) var tableNames: [String] = []
  /// The tables that may change at the end of a turn.
  let waitingTables = WaitingTables()
  /// The variables of the session, and those of loops and callbacks.
  let variableTable = VariableTable()
  /// The clock of `now()`, also in predicates that were compiled before it was set.
  let clock: SessionClock
  /// The number of turns that have ended.
  @exclusivity(unchecked) private(set) var turn = 0
  /// The entities that the running scripts define, including later definitions.
  private(set) var declaredEntities: Set<String> = []

  /// The behaviours of older versions of Apple's classes that the session's contexts and
  /// controllers have.
  package private(set) var quirks = FetchedResultsQuirks()
  /// The number of things that the session's statements have done so far.
  package internal(set) var tally = SessionTally()
  /// Counts the memory of objects and variables; nil if there is no limit.
  @exclusivity(unchecked) package var memory: MemoryMeter? {
    didSet { variableTable.memory = memory }
  }
  /// The result of the last batch request.
  package internal(set) var lastBatch: BatchResult?
  /// The name of the session's store in a file; nil for the store in memory.
  package private(set) var openStore: String?
  /// The name of a store in a file that the session, or a script that it ran in a session of its
  /// own, has opened; nil if there is none.
  ///
  /// What was saved there stays when the session is dropped.
  package private(set) var openedFile: String?
  /// Whether the store's statements are printed.
  @exclusivity(unchecked) private(set) var showsStatements = false

  /// The store's identifier, which is the same in every session, so that two runs of a script print
  /// the same.
  private static let storeIdentifier = UUID(
    uuid: (0xF4, 0xC0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

  /// Called with the operations of statements; nil if they are not needed.
  @exclusivity(unchecked) package var onOperation: ((RunOperation) -> Void)?

  /// Reports an operation, which is made only if `onOperation` is set.
  @inline(__always)
  func note(_ operation: @autoclosure () -> RunOperation) {
    if let onOperation { onOperation(operation()) }
  }

  /// Creates a session with an empty store in memory.
  package init(environment: EvaluationEnvironment) {
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: .empty, storeIdentifier: Session.storeIdentifier)
    context = ManagedObjectContext(coordinator: coordinator)
    contexts = [("main", context)]
    context.name = "main"
    agenda.add(context, at: 0)
    let clock = SessionClock(environment.now)
    self.clock = clock
    context.environment = environment
    context.environment.now = { clock.now }
    context.undoManager = UndoHistory()
  }

  /// The clock and the locale of every context.
  var environment: EvaluationEnvironment {
    get { context.environment }
    set { for entry in contexts { entry.context.environment = newValue } }
  }

  /// Ends a turn.
  func endTurn() { turn += 1 }

  /// Whether the last turn of a context was stopped, so that its changes are still unprocessed.
  var hasStoppedTurn: Bool { contexts.contains { $0.context.isTurnStopped } }

  // MARK: Entities and the store

  /// The entities defined so far.
  package var entities: [EntityDescription] { coordinator.managedObjectModel.entities }

  /// Returns the hooks that an entity inherits.
  func hooks(inheritedBy entity: EntityDescription) -> Set<HookSyntax.Hook> {
    entity.superentity.flatMap { allHooks[$0.name] } ?? []
  }

  /// Keeps the texts of an entity's hooks.
  func keepHooks(of declaration: EntityDeclaration, in source: SourceText) {
    let name = declaration.name.text
    hooks[name] = declaration.hooks.map { HookText($0, in: source) }
    let inherited = declaration.parent.flatMap { allHooks[$0.text] } ?? []
    let all = inherited.union(declaration.hooks.map(\.hook))
    allHooks[name] = all.isEmpty ? nil : all
  }

  /// Records the names of the entities that a script defines, because relationships may lead to
  /// them before their definition.
  ///
  /// - Parameter isWhole: Whether no other script may still define entities.
  func declareEntities(of script: ParsedScript, isWhole: Bool = false) {
    if isWhole { declaredEntities = [] }
    for case .entity(let declaration) in script.statements.map(\.kind) {
      declaredEntities.insert(declaration.name.text)
    }
  }

  /// Makes the session use a store in a file.
  func use(
    _ store: any PersistentStore, named name: String, sectionCaches: (any SectionCaches)?
  ) {
    coordinator.use(store, sectionCaches: sectionCaches)
    openStore = name
    openedFile = name
    coordinator.sqlStore?.keepsStatements = showsStatements
  }

  /// Records the file that a session inside this one has opened.
  func noteFile(of other: Session) { openedFile = other.openedFile ?? openedFile }

  /// Starts or stops printing the store's statements.
  func showStatements(_ isOn: Bool) {
    showsStatements = isOn
    coordinator.sqlStore?.keepsStatements = isOn
  }

  // MARK: Contexts

  /// Returns a context by its name; nil if there is none.
  package func context(named name: String) -> ManagedObjectContext? {
    contextPlaces[name].map { contexts[$0].context }
  }

  /// Makes a context on the store or on a parent.
  func define(context name: String, parent: ManagedObjectContext?) -> ManagedObjectContext {
    let context =
      parent.map { ManagedObjectContext(parent: $0) }
      ?? ManagedObjectContext(coordinator: coordinator)
    context.environment = environment
    context.console = self.context.console
    context.didRenumber = self.context.didRenumber
    context.undoManager = UndoHistory()
    context.quirks = quirks
    context.name = name
    agenda.add(context, at: contexts.count)
    contextPlaces[name] = contexts.count
    contexts.append((name, context))
    return context
  }

  /// Whether the notifications of a context are printed.
  func isObserved(_ context: String) -> Bool { observations[context] != nil }

  /// Sets the object that prints the notifications of a context; nil for none.
  func observe(_ context: String, by observation: ContextObservation?) {
    observations.removeValue(forKey: context)?.cancel()
    observations[context] = observation
  }

  /// Runs a closure whose statements belong to a context.
  func on<Result, Failure: Error>(
    _ context: ManagedObjectContext, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = self.context
    self.context = context
    defer { self.context = outer }
    return try body()
  }

  /// Whether the running statement belongs to another process.
  package private(set) var isInExtension = false

  /// Runs a closure as another process, whose context is named `main` there.
  func inExtension<Result, Failure: Error>(
    _ context: ManagedObjectContext, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = (coordinator, self.context, contexts, agenda, contextPlaces)
    context.name = "main"
    context.environment = environment
    context.console = self.context.console
    context.didRenumber = self.context.didRenumber
    (coordinator, self.context, contexts, agenda, contextPlaces) = (
      context.persistentStoreCoordinator, context, [("main", context)], PendingContexts(),
      ["main": 0]
    )
    agenda.add(context, at: 0)
    isInExtension = true
    defer {
      (coordinator, self.context, contexts, agenda, contextPlaces) = outer
      isInExtension = false
    }
    return try body()
  }

  /// Returns the name of the context that has an unsaved object; nil if there is none.
  func contextName(ofUnsaved id: ObjectID) -> String? {
    contexts.first { $0.context.findObject(with: id)?.hasTemporaryID == true }?.name
  }

  // MARK: Names

  /// The names of the variables, in the order in which expressions first used them.
  ///
  /// - Complexity: O(*n*).
  package var unsortedVariableNames: [String] { variableTable.ownNames }

  /// Returns the name that was probably meant.
  ///
  /// After many unknown names in a text it returns nil, because the search would take too long.
  func nearestName<Names: Collection<String>>(
    to name: String, among candidates: @autoclosure () -> Names
  ) -> String? {
    nearNames.nearestName(to: name, among: candidates())
  }

  /// The names of the variables.
  package var variableNames: [String] { variableTable.ownNames.sorted() }

  /// Returns the value of a variable; nil if there is none of this name.
  package func variable(_ name: String) -> ScriptValue? { variableTable.ownValue(named: name) }

  /// Returns what a name stands for, ignoring variables.
  package func meaning(of name: String) -> NameMeaning? {
    if coordinator.managedObjectModel.entitiesByName[name] != nil { return .entity }
    if requests[name] != nil { return .request }
    if let binding = controllers[name] {
      return binding.observer == nil ? .controller : .observer
    }
    if historyObservers[name] != nil { return .observer }
    return tables[name] == nil ? nil : .table
  }

  /// The number of saved results of statements typed at the prompt.
  package private(set) var resultCount = 0

  /// Saves the result of a statement typed at the prompt as `_`, and under its number, as in `_3`.
  func keepResult(_ value: ScriptValue) {
    resultCount += 1
    variableTable.setOwn("_", to: value)
    variableTable.setOwn("_\(resultCount)", to: value)
  }

  /// Defines a request, and removes what had the name before.
  func define(_ request: RequestDefinition, as name: String) {
    remove(name)
    requests[name] = request
  }

  /// Adds the requests of a model.
  func add(storedRequests: [String: FetchRequest]) {
    self.storedRequests.merge(storedRequests) { _, new in new }
  }

  /// Defines a controller, and removes what had the name before.
  func define(_ binding: ControllerBinding) {
    remove(binding.name)
    apply(quirks, to: binding)
    controllers[binding.name] = binding
    controllerNames.append(binding.name)
  }

  /// Defines a table, and removes what had the name before.
  func define(_ binding: TableBinding) {
    remove(binding.name)
    tables[binding.name] = binding
    tableNames.append(binding.name)
    waitingTables.add(binding)
  }

  /// Defines an observer of the history, and removes what had the name before.
  func define(_ binding: HistoryBinding) {
    remove(binding.name)
    historyObservers[binding.name] = binding
    historyObserverNames.append(binding.name)
  }

  private func remove(_ name: String) {
    requests[name] = nil
    if historyObservers.removeValue(forKey: name) != nil {
      historyObserverNames.removeAll { $0 == name }
    }
    if let table = tables.removeValue(forKey: name) {
      tableNames.removeAll { $0 == name }
      waitingTables.remove(table)
    }
    if controllers.removeValue(forKey: name) != nil { controllerNames.removeAll { $0 == name } }
  }

  /// Turns a behaviour of older versions on or off, for all present and later contexts and
  /// controllers.
  func set(_ quirk: FetchedResultsQuirks, isOn: Bool) {
    if isOn { quirks.insert(quirk) } else { quirks.remove(quirk) }
    for entry in contexts { entry.context.quirks = quirks }
    for binding in controllers.values { apply(quirks, to: binding) }
  }

  private func apply(_ quirks: FetchedResultsQuirks, to binding: ControllerBinding) {
    if let observer = binding.observer {
      observer.firesOnUnrelatedSaves = quirks.contains(.unrelatedSavesFire)
    } else {
      binding.controller.quirks = quirks
    }
  }

  // MARK: Renumbering

  /// The values that were computed first, while others are computed.
  var heldValues: [PropertyValue] = []

  /// Returns values in order.
  ///
  /// Computing one may read, which can give new objects of earlier ones other numbers.
  func values(
    _ count: Int, _ value: (Int) throws(ScriptError) -> PropertyValue
  ) throws(ScriptError) -> [PropertyValue] {
    let start = heldValues.count
    defer { heldValues.removeSubrange(start...) }
    for index in 0..<count {
      let value = try value(index)
      heldValues.append(value)
    }
    return Array(heldValues[start...])
  }

  /// Gives new objects other numbers if another process took theirs, before a statement reads.
  func renumberBeforeReading() {
    for entry in contexts { entry.context.renumberBeforeReading() }
  }

  /// Does the same for the new objects in the values of a predicate, which would lead to the other
  /// process's objects, and returns the values afterwards.
  func renumberBeforeReading(_ values: [PropertyValue]) -> [PropertyValue] {
    let ids = values.flatMap(\.objectIDs)
    let start = heldValues.count
    heldValues += values
    defer { heldValues.removeSubrange(start...) }
    // Each context asks the store.
    for entry in contexts where entry.context.hasNewObject(among: ids) {
      entry.context.renumberBeforeReading()
    }
    return Array(heldValues[start...])
  }

  /// Updates variables and named requests after objects got other numbers.
  func renumber(_ ids: [ObjectID: ObjectID]) {
    variableTable.renumber(ids)
    heldValues = heldValues.map { $0.renumbered { ids[$0] } }
    for name in requests.keys { requests[name]?.request.renumber { ids[$0] } }
    if let last = tally.lastInserted, let new = ids[last] { tally.lastInserted = new }
  }
}

/// The tables that wait for the end of a turn: until their controller has fetched, or until they
/// follow changes again.
///
/// The end of a turn visits only these. Visiting all tables would take *n*² steps for *n*
/// statements about *n* tables.
final class WaitingTables {
  /// A table, with its number in the order of definition.
  private typealias Place = (number: Int, table: TableBinding)

  /// The tables whose controller has not fetched, by controller.
  private var unloaded: [ObjectIdentifier: [Place]] = [:]
  /// The tables that follow changes again after this turn.
  private var resuming: [TableBinding] = []
  private var count = 0

  /// Adds a new table.
  func add(_ table: TableBinding) {
    unloaded[ObjectIdentifier(table.controller), default: []].append((count, table))
    count += 1
  }

  /// Removes a table that lost its name.
  func remove(_ table: TableBinding) {
    let controller = ObjectIdentifier(table.controller)
    guard let places = unloaded[controller] else { return }
    let rest = places.filter { $0.table !== table }
    unloaded[controller] = rest.isEmpty ? nil : rest
  }

  /// Makes a table follow changes again when the turn has ended.
  func resume(_ table: TableBinding) {
    table.table.resume()
    resuming.append(table)
  }

  /// Shows the tables whose controllers have fetched, and resumes suspended ones.
  ///
  /// - Parameter isDefined: Returns whether a table still has its name in the session.
  /// - Complexity: O(*k*) in the controllers with tables that have not been shown.
  func endTurn(_ isDefined: (TableBinding) -> Bool) {
    for table in resuming where isDefined(table) { table.table.turnDidEnd() }
    resuming = []
    guard !unloaded.isEmpty else { return }
    var ready: [Place] = []
    for (controller, places) in unloaded {
      guard let first = places.first, first.table.controller.sections != nil else {
        continue
      }
      unloaded[controller] = nil
      ready += places
    }
    for place in ready.ordered(by: { $0.number < $1.number }) where isDefined(place.table) {
      place.table.table.loadIfFetched()
    }
  }
}

/// A clock that a script may set.
final class SessionClock: Sendable {
  /// A struct around the function: a mutex directly around a function would wrap it at each access,
  /// so that each call took longer than the one before.
  private struct Time {
    var read: @Sendable () -> Date
  }

  private let time: Mutex<Time>

  init(_ time: @escaping @Sendable () -> Date) { self.time = Mutex(Time(read: time)) }

  var now: Date { time.withLock(\.read)() }

  func stand(at moment: Date) { time.withLock { $0.read = { moment } } }
}

/// An operation of the engine that a statement causes, reported so that other code can repeat it.
///
/// An operation belongs to the session's current context, unless it names another one.
package enum RunOperation {
  /// A context was made; its parent is nil if that is the store.
  case context(String, parent: String?)
  /// Another process began, with a context and perhaps an author. Its operations follow.
  case `extension`(ManagedObjectContext, author: String?)
  /// An object was inserted, with the given values of its attributes.
  case insert(ObjectID, values: [(key: String, value: PropertyValue)])
  /// A property has a new value. For a to-many relationship, this is the whole list.
  case set(ObjectID, key: String, PropertyValue)
  /// A property was read.
  case read(ObjectID, key: String)
  case delete(ObjectID)
  case obtainIDs([ObjectID])
  /// The author of the context's saves was set; nil for none.
  case author(String?)
  /// The whole history of the store was deleted.
  case deleteHistory

  /// A save is about to begin, or has failed.
  case save(ManagedObjectContext)
  case saveFailed(any Error)
  case rollback(ManagedObjectContext)
  case reset(ManagedObjectContext)
  case undo
  case redo
  case refresh(ObjectID, isMerging: Bool)
  case refreshAll
  case merge(ManagedObjectContext, into: ManagedObjectContext)
  case automerge(ManagedObjectContext, isOn: Bool)
  case observe(ManagedObjectContext, isOn: Bool)
  case policy(ManagedObjectContext, MergePolicy)
  /// The changes of these contexts are about to be processed.
  case process([ManagedObjectContext])

  case controller(String, FetchedResultsController)
  /// A controller's request changed.
  case change(String, FetchedResultsController)
  /// A controller has a delegate with these methods, or none.
  case delegate(String, FetchedResultsDelegateMethods?, countsOnly: Bool)
  /// An observer of results was made, and has fetched.
  case observer(ControllerBinding)
  /// An observer of the history was made.
  case observedHistory(HistoryBinding)
  /// An observer's predicate or sort order was set.
  case changeObserver(ControllerBinding, predicate: Bool, order: Bool)
  case performFetch(String)
  case fetch(FetchRequest)
  case count(FetchRequest)
  case show(String)
}

extension RunOperation {
  /// Returns the operation for a property's new value.
  static func set(of object: ManagedObject, at index: Int) -> Self {
    // This does not use the list of all names, because each call makes the list again.
    let attributes = object.entity.attributes
    let name =
      index < attributes.count
      ? attributes[index].name : object.entity.relationships[index - attributes.count].name
    return .set(object.objectID, key: name, object.value(at: index))
  }

  /// Returns the operation for an inserted object.
  ///
  /// It contains the values that differ from the entity's defaults.
  static func insert(_ object: ManagedObject, with snapshot: ObjectSnapshot) -> Self {
    let entity = object.entity
    return .insert(
      object.objectID,
      values: entity.attributes.indices.filter { snapshot[$0] != entity.defaults[$0] }
        .map { (entity.attributes[$0].name, snapshot[$0]) })
  }
}
