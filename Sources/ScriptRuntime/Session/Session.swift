package import FetchedResults
import Foundation
import NearNames
import ScriptSyntax

/// What a script's names mean at one moment: its store, its entities, its
/// variables, requests, controllers and tables.
package final class Session {
  // What every statement asks is read and written whole, never while something else runs. So
  // what Swift would check at each access is left out.

  @exclusivity(unchecked) package private(set) var coordinator: PersistentStoreCoordinator
  /// The context of the running statement: that of the enclosing `perform`, or
  /// `main`.
  @exclusivity(unchecked) package private(set) var context: ManagedObjectContext
  /// The contexts by name, in order of definition; `main` is the first.
  @exclusivity(unchecked) package private(set) var contexts:
    [(name: String, context: ManagedObjectContext)]
  /// What prints the notifications of contexts, by their names.
  private var observations: [String: ContextObservation] = [:]
  /// The hooks of entities as the script wrote them, by the entity's name.
  package private(set) var hooks: [String: [HookText]] = [:]
  /// The hooks of entities, those that they inherit among them, by the entity's name; only of
  /// entities that have one.
  private var allHooks: [String: Set<HookSyntax.Hook>] = [:]
  /// Looks for the names that were probably meant.
  private let nearNames = NearNameSearch()
  package private(set) var requests: [String: RequestDefinition] = [:]
  /// The requests that the session's models hold.
  package private(set) var storedRequests: [String: FetchRequest] = [:]
  package private(set) var controllers: [String: ControllerBinding] = [:]
  /// The names of the controllers in order of their definition.
  package private(set) var controllerNames: [String] = []
  package private(set) var tables: [String: TableBinding] = [:]
  /// The names of the tables in order of their definition.
  package private(set) var tableNames: [String] = []
  /// The tables for which the end of a turn may have something to do.
  let waitingTables = WaitingTables()
  /// The variables, and those of loops and callbacks.
  let variableTable = VariableTable()
  /// What `now()` says, also in predicates that were compiled before it was set.
  let clock: SessionClock
  /// How many turns have ended.
  @exclusivity(unchecked) private(set) var turn = 0
  /// The entities that the running scripts define, now or later.
  private(set) var declaredEntities: Set<String> = []

  /// What the session's contexts and controllers do as older versions of Apple's did.
  package private(set) var quirks: FetchedResultsQuirks = []
  /// What the session's statements have done so far.
  package internal(set) var tally = SessionTally()
  /// Counts the memory that objects and variables take; nil if there is no limit.
  @exclusivity(unchecked) package var memory: MemoryMeter?
  /// What the last batch request did.
  package internal(set) var lastBatch: BatchResult?
  /// The store in a file that the session uses, as the script calls it.
  package private(set) var openStore: String?
  /// Whether each statement of the store is printed.
  @exclusivity(unchecked) private(set) var showsStatements = false

  /// The same in every session, so that two runs of a script print the same.
  private static let storeIdentifier = UUID(
    uuid: (0xF4, 0xC0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

  /// Is told what statements have the engine do, if someone wants to do it elsewhere.
  @exclusivity(unchecked) package var hearOperation: ((RunOperation) -> Void)?

  /// Tells of an operation, which is made only if someone hears it.
  @inline(__always)
  func note(_ operation: @autoclosure () -> RunOperation) {
    if let hearOperation { hearOperation(operation()) }
  }

  /// Creates a session on an empty store in memory.
  package init(environment: EvaluationEnvironment) {
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: .empty, storeIdentifier: Session.storeIdentifier)
    context = ManagedObjectContext(coordinator: coordinator)
    contexts = [("main", context)]
    context.name = "main"
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

  /// Whether the end of a turn has nothing to process in any context.
  var isAtRest: Bool { contexts.allSatisfy { $0.context.isAtRest } }

  /// Ends a turn.
  func endTurn() { turn += 1 }

  // MARK: Entities and the store

  /// The entities defined so far.
  package var entities: [EntityDescription] { coordinator.managedObjectModel.entities }

  /// The hooks that an entity has from those that it inherits from.
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

  /// Takes the names of the entities that a script is about to define, which
  /// relationships may lead to before.
  func declareEntities(of script: ParsedScript) {
    for case .entity(let declaration) in script.statements.map(\.kind) {
      declaredEntities.insert(declaration.name.text)
    }
  }

  /// Puts the session on a store in a file.
  func use(
    _ store: any PersistentStore, named name: String, sectionCaches: (any SectionCaches)?
  ) {
    coordinator.use(store, sectionCaches: sectionCaches)
    openStore = name
    coordinator.sqlStore?.keepsStatements = showsStatements
  }

  /// Prints each statement of the store from now on, or none.
  func showStatements(_ isOn: Bool) {
    showsStatements = isOn
    coordinator.sqlStore?.keepsStatements = isOn
  }

  // MARK: Contexts

  /// Returns a context by its name, or nil if there is none.
  package func context(named name: String) -> ManagedObjectContext? {
    contexts.first { $0.name == name }?.context
  }

  /// Makes a context on the store, or on a parent.
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
    contexts.append((name, context))
    return context
  }

  /// Whether the notifications of a context are printed.
  func isObserved(_ context: String) -> Bool { observations[context] != nil }

  /// Keeps what prints the notifications of a context; with nil nothing does.
  func observe(_ context: String, by observation: ContextObservation?) {
    observations.removeValue(forKey: context)?.cancel()
    observations[context] = observation
  }

  /// Runs something whose statements belong to a context.
  func on<Result, Failure: Error>(
    _ context: ManagedObjectContext, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = self.context
    self.context = context
    defer { self.context = outer }
    return try body()
  }

  /// Whether the running statement is one of another process.
  package private(set) var isInExtension = false

  /// Runs something as another process, whose context is `main` there.
  func inExtension<Result, Failure: Error>(
    _ context: ManagedObjectContext, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = (coordinator, self.context, contexts)
    context.name = "main"
    context.environment = environment
    context.console = self.context.console
    context.didRenumber = self.context.didRenumber
    (coordinator, self.context, contexts) = (
      context.persistentStoreCoordinator, context, [("main", context)]
    )
    isInExtension = true
    defer {
      (coordinator, self.context, contexts) = outer
      isInExtension = false
    }
    return try body()
  }

  /// The name of the context in which alone an unsaved object is; nil if there is none.
  func contextName(ofUnsaved id: ObjectID) -> String? {
    contexts.first { $0.context.findObject(with: id)?.hasTemporaryID == true }?.name
  }

  // MARK: Names

  /// The variables; those of loops and callbacks are not among them.
  ///
  /// - Complexity: O(*n*).
  package var variables: [String: ScriptValue] { variableTable.ownValues }

  /// The names of the variables in the order in which expressions first had them.
  ///
  /// - Complexity: O(*n*).
  package var unsortedVariableNames: [String] { variableTable.ownNames }

  /// Returns the name that was probably meant; none once a text has had so many unknown names
  /// that the search would take long.
  func nearestName<Names: Collection<String>>(
    to name: String, among candidates: @autoclosure () -> Names
  ) -> String? {
    nearNames.nearestName(to: name, among: candidates())
  }

  /// The names of the variables.
  package var variableNames: [String] { variableTable.ownNames.sorted() }

  /// Returns the value of a variable; nil if there is none of this name.
  package func variable(_ name: String) -> ScriptValue? { variableTable.ownValue(named: name) }

  /// What a name means, other than a variable.
  package func meaning(of name: String) -> NameMeaning? {
    if coordinator.managedObjectModel.entitiesByName[name] != nil { return .entity }
    if requests[name] != nil { return .request }
    if controllers[name] != nil { return .controller }
    return tables[name] == nil ? nil : .table
  }

  /// How many values of statements typed at the prompt were kept.
  package private(set) var resultCount = 0

  /// Keeps the value of a statement typed at the prompt as `_`, and under its number, as in `_3`.
  func keepResult(_ value: ScriptValue) {
    resultCount += 1
    variableTable.setOwn("_", to: value)
    variableTable.setOwn("_\(resultCount)", to: value)
  }

  /// Gives a name to a request; what had it is gone.
  func define(_ request: RequestDefinition, as name: String) {
    remove(name)
    requests[name] = request
  }

  /// Takes the requests that a model holds.
  func add(storedRequests: [String: FetchRequest]) {
    self.storedRequests.merge(storedRequests) { _, new in new }
  }

  /// Gives a controller its name; what had it is gone.
  func define(_ binding: ControllerBinding) {
    remove(binding.name)
    controllers[binding.name] = binding
    controllerNames.append(binding.name)
  }

  /// Gives a table its name; what had it is gone.
  func define(_ binding: TableBinding) {
    remove(binding.name)
    tables[binding.name] = binding
    tableNames.append(binding.name)
    waitingTables.add(binding)
  }

  private func remove(_ name: String) {
    requests[name] = nil
    if let table = tables.removeValue(forKey: name) {
      tableNames.removeAll { $0 == name }
      waitingTables.remove(table)
    }
    if controllers.removeValue(forKey: name) != nil { controllerNames.removeAll { $0 == name } }
  }

  /// Lets every context and controller do as an older version of Apple's did, those to
  /// come among them, or no longer.
  func set(_ quirk: FetchedResultsQuirks, isOn: Bool) {
    if isOn { quirks.insert(quirk) } else { quirks.remove(quirk) }
    for entry in contexts { entry.context.quirks = quirks }
    for binding in controllers.values { binding.controller.quirks = quirks }
  }

  // MARK: Renumbering

  /// Lets variables follow objects that got other numbers.
  func renumber(_ ids: [ObjectID: ObjectID]) {
    variableTable.renumber(ids)
    if let last = tally.lastInserted, let new = ids[last] { tally.lastInserted = new }
  }
}
