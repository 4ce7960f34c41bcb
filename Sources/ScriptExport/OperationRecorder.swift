import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax

/// Records the operations and events of a run.
final class OperationRecorder: RunRecorder {
  /// The largest number of results that are compared after a fetch.
  private static var mostRows: Int { 500 }

  /// The line of the running statement, counted from 1.
  var line = 1
  /// The first reason why the script cannot be exported.
  private(set) var refusal: ExportRefusal?

  private var steps: [Step] = []
  private var events: [(line: Int, event: JSON)] = []
  /// The numbers of the inserted objects, by root entity: identities of many entities that have
  /// the same number share a hash.
  private var inserted: [EntityDescription: Set<Int64>] = [:]
  /// The controllers that the current statement fetched, and those that the whole script fetched.
  private var fetched: [String] = []
  private var everFetched: [String] = []
  /// The controllers whose fetch succeeded.
  private var succeeded: Set<String> = []
  private var usesUndo = false
  private var usesFile = false
  /// The innermost statement that is running.
  private var statement: Statement?
  private var session: (() -> Session?)?
  private var isInCallback: (() -> Bool)?

  /// An operation.
  ///
  /// Its fields are encoded at the end.
  private struct Step {
    let line: Int
    var name: String
    var fields: [(String, JSON?)]
    /// The name of the event that it prints; nil if it prints nothing.
    var prints: String?
    /// The value that it reads, so that a `print` of the same value can follow.
    var read: (object: ObjectID, key: String)?
    /// The contexts whose turn ends.
    var contexts: [String]?
    /// The controller whose results it prints.
    var shown: String?
  }

  /// Records what an interpreter does.
  func listen(to interpreter: Interpreter) {
    session = { [weak interpreter] in interpreter?.session }
    isInCallback = { [weak interpreter] in interpreter?.isInCallback ?? false }
    interpreter.onStatement = { [unowned self] in take($0) }
    interpreter.session.onOperation = { [unowned self] in take($0) }
  }

  func begin(_ text: String) {}

  private func refuse(_ reason: ExportRefusal.Reason) {
    if refusal == nil { refusal = ExportRefusal(line: line, reason: reason) }
  }

  private func take(_ statement: Statement) {
    self.statement = statement
    if let reason = ExportRefusal.Reason(of: statement) { refuse(reason) }
    if case .storeSQLite = statement.kind { usesFile = true }
  }

  // MARK: Operations

  private func add(_ name: String, _ fields: [(String, JSON?)] = []) {
    if isInCallback?() == true {
      if name == "read" { return }
      return refuse(.changesInCallbacks)
    }
    guard steps.count < ScriptExporter.mostSteps else { return refuse(.tooLong) }
    let context = session?().map { self.name(of: $0.context, in: $0) }
    steps.append(
      Step(
        line: line, name: name,
        fields: fields + [("in", context == "main" ? nil : context.map(JSON.string))]))
  }

  private func name(of context: ManagedObjectContext, in session: Session) -> String {
    session.contexts.first { $0.context === context }?.name ?? "main"
  }

  private func named(_ context: ManagedObjectContext) -> JSON {
    .string(session?().map { name(of: context, in: $0) } ?? "main")
  }

  private func object(_ id: ObjectID) -> JSON {
    if inserted[id.entity.root]?.contains(id.number) != true { refuse(.earlierObjects) }
    return .string(id.description)
  }

  private func take(_ operation: RunOperation) {
    switch operation {
    case .context(let name, let parent):
      add("context", [("name", .string(name)), ("parent", parent.map(JSON.string))])
    case .insert(let id, let values):
      inserted[id.entity.root, default: []].insert(id.number)
      add(
        "insert",
        [
          ("object", .string(id.description)), ("entity", .string(id.entity.name)),
          ("values", .object(values.map { ($0.key, JSON(typed: $0.value)) })),
        ])
    case .set(let id, let key, let value):
      add("set", [("object", object(id)), ("key", .string(key)), ("value", JSON(typed: value))])
    case .read(let id, let key):
      add("read", [("object", object(id)), ("key", .string(key))])
      if isInCallback?() != true, !steps.isEmpty { steps[steps.count - 1].read = (id, key) }
    case .delete(let id): add("delete", [("object", object(id))])
    case .obtainIDs(let ids): add("obtainIDs", [("objects", .array(ids.map(object)))])
    case .save(let context): add("save", [("context", named(context))])
    case .saveFailed(let error): takeFailure(error)
    case .rollback(let context): add("rollback", [("context", named(context))])
    case .reset(let context): add("reset", [("context", named(context))])
    case .undo: addUndo("undo")
    case .redo: addUndo("redo")
    case .refresh(let id, let isMerging):
      add("refresh", [("object", object(id)), ("merging", JSON.flag(isMerging))])
    case .refreshAll: add("refreshAll")
    case .merge(let saver, let target):
      add("merge", [("from", named(saver)), ("context", named(target))])
    case .automerge(let context, let isOn):
      add("automerge", [("context", named(context)), ("on", .boolean(isOn))])
    case .observe(let context, let isOn):
      add("observe", [("context", named(context)), ("on", .boolean(isOn))])
    case .policy(let context, let policy):
      add("policy", [("context", named(context)), ("policy", .string(policy.rawValue))])
    case .process(let contexts): addProcess(contexts)
    case .controller(let name, let controller):
      check(controller)
      add(
        "controller",
        [
          ("controller", .string(name)), ("request", JSON(request: controller.fetchRequest)),
          ("section", controller.sectionNameKeyPath.map(JSON.string)),
        ])
    case .change(let name, let controller):
      check(controller)
      add(
        "change",
        [("controller", .string(name)), ("request", JSON(request: controller.fetchRequest))])
    case .delegate(let name, let methods, let countsOnly):
      add(
        "delegate",
        [
          ("controller", .string(name)),
          ("methods", methods.map { .array($0.names.map(JSON.string)) }),
          ("counts", JSON.flag(countsOnly)),
        ])
    case .extension, .author, .deleteHistory, .observer, .observedHistory, .changeObserver:
      // Their statements are refused, or have no effect here.
      break
    case .performFetch(let name):
      add("performFetch", [("controller", .string(name))])
      if !fetched.contains(name) { fetched.append(name) }
      if !everFetched.contains(name) { everFetched.append(name) }
    case .fetch(let request):
      check(request)
      add("fetch", [("request", JSON(request: request))])
    case .count(let request):
      check(request)
      add("count", [("request", JSON(request: request))])
    case .show(let name):
      add("show", [("controller", .string(name))])
      if isInCallback?() != true { steps[steps.count - 1].shown = name }
    }
  }

  private func addUndo(_ name: String) {
    usesUndo = true
    add(name)
  }

  /// Adds the end of a turn.
  ///
  /// A second one in a row has no effect.
  private func addProcess(_ contexts: [ManagedObjectContext]) {
    guard isInCallback?() != true, !steps.isEmpty else { return }
    let names = contexts.map(named)
    if steps.last?.name == "process", steps.last?.contexts == names.map(\.description) { return }
    add("process", [("contexts", .array(names))])
    if steps.last?.name == "process" {
      steps[steps.count - 1].contexts = names.map(\.description)
    }
  }

  private func check(_ controller: FetchedResultsController) {
    if controller.keepsFetchLimit { refuse(.keepLimit) }
    if controller.tracksRelatedObjects { refuse(.trackRelated) }
    check(controller.fetchRequest)
  }

  private func check(_ request: FetchRequest) {
    if request.resultType == .dictionaries { refuse(.dictionaries) }
    if let format = request.predicate?.predicateFormat,
      ["now()", "random(", "randomn("].contains(where: format.contains)
    {
      refuse(.clockInPredicates)
    }
  }

  private func takeFailure(_ error: any Error) {
    let code: Int? =
      (error as? ObjectValidationError)?.code ?? (error as? MergeConflictError)?.code
    guard let code else { return refuse(.failedSave) }
    guard let index = steps.lastIndex(where: { $0.name == "save" }) else { return }
    steps[index].fields.append(("fails", .boolean(true)))
    events.append((line, .object([("event", .string("error")), ("code", .integer(code))])))
  }

  /// Handles a failed statement.
  ///
  /// Its last operation is not repeated on Core Data, which might crash.
  func statementFailed() {
    // A controller whose fetch failed has no results any more.
    if !succeeded.isDisjoint(with: fetched) { refuse(.failedFetch) }
    fetched.removeAll()
    let isTried = { (step: Step) in ["performFetch", "fetch", "count"].contains(step.name) }
    guard let index = steps.lastIndex(where: { $0.name != "process" }), isTried(steps[index]),
      steps[index].line == line
    else { return }
    steps.remove(at: index)
  }
}

// MARK: - Events

extension OperationRecorder {
  /// Records an event, if the exported package can cause the same one.
  func take(_ event: Event) {
    if case .error = event { statementFailed() }
    if event.isCallback { keep(event) }
    if case .notification = event { keep(event) }
    if case .show = event, steps.last?.name == "show" { keep(event) }
    if case .value = event { keepValue(event) }
    switch event.list?.elements {
    case .rows, .objectIDs: keepPrinted(event, after: "fetch")
    case .objects, .dictionaries, nil: break
    }
  }

  /// Adds the results of the controllers that a statement has fetched.
  func statementEnded() {
    for name in fetched { show(name) }
    succeeded.formUnion(fetched)
    fetched.removeAll()
  }

  /// Adds the results of all controllers at the end of the script.
  func scriptEnded() {
    for name in everFetched { show(name) }
  }

  /// Adds results to the comparison although the script does not print them.
  private func show(_ name: String) {
    guard steps.last(where: { $0.name != "process" })?.shown != name,
      let sections = session?()?.controllers[name]?.sections,
      sections.reduce(0, { $0 + $1.numberOfObjects }) <= Self.mostRows
    else { return }
    let shown = sections.map { section in
      JSON.object([
        ("name", .string(section.name)), ("indexTitle", .string(section.indexTitle)),
        ("objects", .array(section.objects.map { .string($0.objectID.description) })),
      ])
    }
    add("show", [("controller", .string(name))])
    let fields: [(String, JSON)] = [
      ("event", .string("show")), ("controller", .string(name)), ("sections", .array(shown)),
    ]
    events.append((line, .object(fields)))
  }

  private func keep(_ event: Event) {
    let form = event.form
    let kept = form.fields.filter { !Self.leftOut.contains($0.0) }
    events.append((line, .object([("event", .string(form.name))] + kept)))
  }

  /// What a snapshot has in addition to Core Data's.
  private static let leftOut: Set<String> = ["reloaded", "temporary"]

  /// Records what the last operation printed, so that the exported one prints the same.
  private func keepPrinted(_ event: Event, after operation: String) {
    guard isInCallback?() != true, let last = steps.last, last.name == operation else { return }
    steps[steps.count - 1].prints = event.form.name
    keep(event)
  }

  private func keepValue(_ event: Event) {
    switch statement?.kind {
    case .count: keepPrinted(event, after: "count")
    case .print(let printed):
      switch printed.kind {
      case .count: keepPrinted(event, after: "count")
      case .member(_, let name) where steps.last?.read?.key == name.text:
        keepPrinted(event, after: "read")
      default: break
      }
    default: break
    }
  }
}

// MARK: - The result

extension OperationRecorder {
  /// Returns the recorded script.
  ///
  /// - Throws: The first reason why the script cannot be exported.
  func finish(named name: String, summary: String) throws(ExportRefusal) -> ExportedScript {
    let entities = session?()?.entities ?? []
    if entities.contains(where: { $0.attributes.contains { $0.expression != nil } }) {
      refuse(.computedValues)
    }
    if let refusal { throw refusal }
    if entities.contains(where: \.hasManagedObjectProperty) {
      throw ExportRefusal(line: nil, reason: .nameInCoreData)
    }
    scriptEnded()
    if let refusal { throw refusal }
    guard !events.isEmpty else { throw ExportRefusal(line: nil, reason: .nothingToCompare) }
    return ExportedScript(
      name: name, summary: summary, store: usesFile ? "sqlite" : "memory", usesUndo: usesUndo,
      entities: entities.map { JSON(entity: $0) },
      steps: steps.map { step in
        JSON(
          fields: [("line", .integer(step.line)), ("do", .string(step.name))] + step.fields
            + [("prints", step.prints.map(JSON.string))])
      },
      events: events)
  }
}

extension FetchedResultsDelegateMethods {
  /// The names of the methods.
  fileprivate var names: [String] {
    let all: [(Self, String)] = [
      (.willChangeContent, "willChangeContent"), (.didChangeObject, "didChangeObject"),
      (.didChangeSection, "didChangeSection"), (.didChangeContent, "didChangeContent"),
      (.snapshot, "snapshot"), (.difference, "difference"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension JSON {
  /// Creates an object without the fields that have no value.
  init(fields: [(String, JSON?)]) {
    self = .object(fields.compactMap { key, value in value.map { (key, $0) } })
  }

  /// Returns true, or nil to omit the field, because false is the usual value.
  static func flag(_ isTrue: Bool) -> JSON? { isTrue ? .boolean(true) : nil }

  static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

  /// Encodes a value with its type.
  ///
  /// Strings, Booleans and nil need no type.
  init(typed value: PropertyValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .boolean(value)
    case .string(let text): self = .string(text)
    case .int(let value): self = .object([("int", .string(String(value)))])
    case .double(let value): self = .object([("double", .string(value.description))])
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      self = .object([("date", .string(seconds.description))])
    case .decimal(let value): self = .object([("decimal", .string(value.description))])
    case .uuid(let value): self = .object([("uuid", .string(value.uuidString))])
    case .uri(let value): self = .object([("uri", .string(value.absoluteString))])
    case .data(let value): self = .object([("data", .string(value.base64EncodedString()))])
    case .object(let id): self = .object([("object", .string(id.description))])
    case .list(let values): self = .object([("list", .array(values.map { JSON(typed: $0) }))])
    }
  }

  /// Encodes an entity with the properties that it does not inherit.
  init(entity: EntityDescription) {
    self.init(fields: [
      ("name", .string(entity.name)), ("parent", entity.superentity.map { .string($0.name) }),
      ("abstract", JSON.flag(entity.isAbstract)),
      ("attributes", .array(entity.ownAttributes.map { JSON(attribute: $0) })),
      ("relationships", .array(entity.ownRelationships.map { JSON(relationship: $0, of: entity) })),
      ("unique", JSON.uniqueness(of: entity)), ("indexes", JSON.indexes(of: entity)),
    ])
  }

  /// The constraints that the entity does not inherit; nil for none.
  private static func uniqueness(of entity: EntityDescription) -> JSON? {
    let own = entity.uniquenessConstraints.dropFirst(
      entity.superentity?.uniquenessConstraints.count ?? 0)
    return own.isEmpty ? nil : .array(own.map { .array($0.map(JSON.string)) })
  }

  /// The indexes that the entity does not inherit; nil for none.
  private static func indexes(of entity: EntityDescription) -> JSON? {
    if entity.ownIndexes.isEmpty { return nil }
    return .array(
      entity.ownIndexes.map { index in
        JSON(fields: [
          ("name", .string(index.name)),
          ("properties", .array(index.elements.map { .string($0.propertyName) })),
          ("descending", .array(index.elements.map { .boolean(!$0.isAscending) })),
        ])
      })
  }

  private init(attribute: AttributeDescription) {
    let limits = attribute.limits
    self.init(fields: [
      ("name", .string(attribute.name)), ("type", .string(attribute.type.rawValue)),
      ("optional", JSON.flag(attribute.isOptional)),
      ("default", attribute.defaultValue.isNull ? nil : JSON(typed: attribute.defaultValue)),
      ("transient", JSON.flag(attribute.isTransient)),
      ("external", JSON.flag(attribute.allowsExternalBinaryDataStorage)),
      ("min", limits.minimum.isNull ? nil : JSON(typed: limits.minimum)),
      ("max", limits.maximum.isNull ? nil : JSON(typed: limits.maximum)),
      ("pattern", limits.pattern.map(JSON.string)),
    ])
  }

  private init(relationship: RelationshipDescription, of entity: EntityDescription) {
    // In a script, only one side of a relationship has to name the other.
    var inverse = relationship.inverse
    if let ordinal = entity.relationshipOrdinal(named: relationship.name),
      let link = try? entity.link(at: ordinal), let other = link.inverse
    {
      inverse = link.destination.relationships[other.ordinal].name
    }
    self.init(fields: [
      ("name", .string(relationship.name)), ("to", .string(relationship.destination)),
      ("inverse", inverse.map(JSON.string)), ("many", JSON.flag(relationship.isToMany)),
      ("ordered", JSON.flag(relationship.isOrdered)),
      ("optional", JSON.flag(relationship.isOptional)),
      ("transient", JSON.flag(relationship.isTransient)),
      ("min", relationship.minCount == 0 ? nil : .integer(relationship.minCount)),
      ("max", relationship.maxCount == 0 ? nil : .integer(relationship.maxCount)),
      ("onDelete", .string(relationship.deleteRule.rawValue)),
    ])
  }

  /// Encodes the request of a fetch or of a controller.
  init(request: FetchRequest) {
    let predicate = request.predicate?.format { !$0.isPlain }
    let paths = request.relationshipKeyPathsForPrefetching
    self.init(fields: [
      ("entity", .string(request.entity.name)),
      ("where", predicate.map { .string($0.format) }),
      (
        "arguments",
        predicate.flatMap {
          $0.arguments.isEmpty ? nil : .array($0.arguments.map { JSON(typed: $0) })
        }
      ),
      ("sort", .array(request.sortDescriptors.map { JSON(sort: $0) })),
      ("limit", request.fetchLimit == 0 ? nil : .integer(request.fetchLimit)),
      ("offset", request.fetchOffset == 0 ? nil : .integer(request.fetchOffset)),
      ("batch", request.fetchBatchSize == 0 ? nil : .integer(request.fetchBatchSize)),
      ("exact", JSON.flag(!request.includesSubentities)),
      ("savedOnly", JSON.flag(!request.includesPendingChanges)),
      ("noFaults", JSON.flag(!request.returnsObjectsAsFaults)),
      ("refreshes", JSON.flag(request.shouldRefreshRefetchedObjects)),
      ("prefetch", paths.isEmpty ? nil : .array(paths.map(JSON.string))),
      ("ids", JSON.flag(request.resultType == .managedObjectIDs)),
    ])
  }

  private init(sort: FetchSortDescriptor) {
    self.init(fields: [
      ("key", .string(sort.key)), ("descending", JSON.flag(!sort.ascending)),
      ("selector", sort.selector == .compare ? nil : .string(sort.selector.rawValue)),
    ])
  }
}

extension PropertyValue {
  /// Whether every parser of predicates reads the value's text in the same way.
  fileprivate var isPlain: Bool {
    switch self {
    case .null, .bool, .int, .string: true
    case .double(let number): number.isFinite
    case .list(let values): values.allSatisfy(\.isPlain)
    case .date, .decimal, .uuid, .uri, .data, .object: false
    }
  }
}
