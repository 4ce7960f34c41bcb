package import FetchedResults
import Foundation
package import ScriptSyntax
import Synchronization
package import TableViews

/// What a script's names mean at one moment: its store, its entities, its
/// variables, requests, controllers and tables.
package final class Session {
  package let coordinator: PersistentStoreCoordinator
  /// The context of the running statement: that of the enclosing `perform`, or
  /// `main`.
  package internal(set) var context: ManagedObjectContext
  /// The contexts by name, in order of definition; `main` is the first.
  package private(set) var contexts: [(name: String, context: ManagedObjectContext)]
  package internal(set) var requests: [String: RequestDefinition] = [:]
  /// The requests that the session's models hold.
  var storedRequests: [String: FetchRequest] = [:]
  package internal(set) var controllers: [String: ControllerBinding] = [:]
  /// The names of the controllers in order of their definition.
  package internal(set) var controllerNames: [String] = []
  package internal(set) var tables: [String: TableBinding] = [:]
  /// The names of the tables in order of their definition.
  package internal(set) var tableNames: [String] = []
  /// What `now()` says, also in predicates that were compiled before it was set.
  let clock: SessionClock
  /// How many turns have ended.
  var turn = 0
  /// Shows the steps of the turn that is running; nil where it is not stepped.
  var stepper: Stepper?
  /// Whether Ctrl-C was pressed while the turn was told that is running; then
  /// nothing more of its statement is told.
  var isCutShort = false
  /// The model that was read last.
  var modelBundle: ModelBundle?

  /// What the session's controllers do as older versions of Apple's did.
  package internal(set) var quirks: FetchedResultsQuirks = []
  /// What the session's statements have done so far.
  package internal(set) var tally = SessionTally()
  /// The store in a file that the session uses, as the script calls it.
  package internal(set) var openStore: String?
  /// Whether each statement of the store is printed.
  var showsStatements = false
  /// Variables, the innermost scope last.
  var scopes: [[String: ScriptValue]] = [[:]]

  /// The same in every session, so that two runs of a script print the same.
  private static let storeIdentifier = UUID(
    uuid: (0xF4, 0xC0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

  /// Creates a session on an empty store in memory.
  package init(environment: EvaluationEnvironment) {
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: .empty, storeIdentifier: Session.storeIdentifier)
    context = ManagedObjectContext(coordinator: coordinator)
    contexts = [("main", context)]
    let clock = SessionClock(environment.now)
    self.clock = clock
    context.environment = environment
    context.environment.now = { clock.now }
    context.undoHistory = UndoHistory()
  }

  /// The clock and the locale of every context.
  var environment: EvaluationEnvironment {
    get { context.environment }
    set { for entry in contexts { entry.context.environment = newValue } }
  }

  /// Returns a context by its name, or nil where there is none.
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
    context.undoHistory = UndoHistory()
    contexts.append((name, context))
    return context
  }

  /// The name of the context in which alone an unsaved object is; nil where
  /// there is none.
  func contextName(ofUnsaved id: ObjectID) -> String? {
    contexts.first { $0.context.object(with: id)?.hasTemporaryID == true }?.name
  }

  /// The entities defined so far.
  package var entities: [EntityDescription] { coordinator.managedObjectModel.entities }

  /// The names of all variables in sight.
  package var variableNames: [String] { Array(Set(scopes.flatMap(\.keys))).sorted() }

  /// Returns the value of a variable, the innermost of its name.
  func variable(_ name: String) -> ScriptValue? {
    for scope in scopes.reversed() {
      if let value = scope[name] { return value }
    }
    return nil
  }

  /// What else than a variable a name stands for.
  func meaning(of name: String) -> NameMeaning? {
    if coordinator.managedObjectModel[name] != nil { return .entity }
    if requests[name] != nil { return .request }
    if controllers[name] != nil { return .controller }
    return tables[name] == nil ? nil : .table
  }

  /// What a name stands for; a variable only where it is nothing else.
  func anyMeaning(of name: String) -> NameMeaning? {
    meaning(of: name) ?? (variable(name) == nil ? nil : .variable)
  }

  /// Gives a name to a request; what had it is gone.
  func define(_ request: RequestDefinition, as name: String) {
    remove(name)
    requests[name] = request
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
  }

  private func remove(_ name: String) {
    requests[name] = nil
    if tables.removeValue(forKey: name) != nil { tableNames.removeAll { $0 == name } }
    if controllers.removeValue(forKey: name) != nil { controllerNames.removeAll { $0 == name } }
  }

  func setVariable(_ name: String, to value: ScriptValue) {
    scopes[scopes.count - 1][name] = value
  }
}

/// A clock that a script may set.
final class SessionClock: Sendable {
  private let time: Mutex<@Sendable () -> Date>

  init(_ time: @escaping @Sendable () -> Date) { self.time = Mutex(time) }

  var now: Date { time.withLock { $0 }() }

  func stand(at moment: Date) { time.withLock { $0 = { moment } } }
}

/// What a name stands for; the raw value is the word for it, with its article.
package enum NameMeaning: String, Sendable {
  case entity = "an entity"
  case request = "a request"
  case controller = "a controller"
  case table = "a table"
  case variable = "a variable"
}

/// A request with everything that a controller needs besides.
package struct RequestDefinition {
  package var request: FetchRequest
  package var sectionNameKeyPath: String?
  package var cacheName: String?
}

/// A controller under its name in the session, and what hears it.
package final class ControllerBinding {
  package let name: String
  package let controller: FetchedResultsController
  /// Held here, since a controller holds its delegate weakly.
  package internal(set) var recorder: DelegateRecorder?
  /// What the script says of the delegate.
  package internal(set) var delegate = Delegate.mode(.changes)
  /// Stands before the recorder and tells when a callback is over.
  var steps: StepWitness?
  /// Stands between the controller and its delegate, where the replay law is
  /// watched.
  var witness: ReplayWitness?

  /// A delegate as a script names it.
  package enum Delegate {
    case mode(Statement.DelegateMode)
    /// Callbacks of the script's own, and the source that has them.
    case own([CallbackSyntax], SourceText)
    /// That of a table.
    case table(FetchedResultsTable<CellContent>.Mode)
  }

  init(name: String, controller: FetchedResultsController) {
    self.name = name
    self.controller = controller
  }

  /// Makes of an object what the controller's events show of it.
  var shown: (ManagedObject) -> ShownObject {
    { [sectionKey = controller.sectionNameKeyPath] object in
      ShownObject(object, attribute: object.entity.shownAttribute(besides: sectionKey))
    }
  }
}

extension EntityDescription {
  /// The attribute that objects are shown as: the display attribute, else the
  /// first string that is not the section key.
  func shownAttribute(besides sectionKey: String?) -> String? {
    displayAttribute
      ?? attributes.first { $0.type == .string && $0.name != sectionKey }?.name
  }
}

extension ShownObject {
  init(_ object: ManagedObject, attribute: String?) {
    self.init(
      id: object.objectID, display: attribute.flatMap { try? object.value(forKey: $0) })
  }
}
