import FetchedResults
import ScriptRuntime
import ScriptSyntax

/// Records what a run does to its observers, as code for SwiftData.
///
/// It writes the operations of the engine, so loops, computed values and included files need no
/// translation.
final class ObserverRecorder: RunRecorder {
  /// The largest number of rows that are compared one by one.
  private static var mostRows: Int { 40 }

  var line = 1
  private(set) var refusal: ExportRefusal?

  private var steps: [String] = []
  private var usesFile = false
  /// The comment above the code of the running statement, until there is code.
  private var heading: String?
  /// Whether there is code since the last comparison.
  private var hasWork = false
  /// The contexts of the test, with the names of their variables.
  private var contexts: [(context: ManagedObjectContext, name: String)] = []
  /// The variable of each object, by its context.
  private var variables: [Place: String] = [:]
  /// Where each object was made.
  private var homes: [ObjectID: String] = [:]
  /// The objects that were deleted.
  private var deleted: Set<ObjectID> = []
  private var names: Set<String> = [
    "main", "container", "schema", "configuration", "observers", "self", "_",
  ]
  /// The observers that the test has, by their names in the script.
  private var observed: [String: Observed] = [:]
  private var hadObservers = false
  /// The counters of observers of the history, as they were published last.
  private var counts: [String: Int] = [:]
  /// Why the first observer that the test lacks is left out.
  private var firstLeftOut: ExportRefusal?
  /// What was published since the last comparison, in order.
  private var published: [Published] = []
  private var session: (() -> Session?)?
  private var isInCallback: (() -> Bool)?
  /// Whether observers publish after saves of other objects, too.
  private var isQuirky = false
  /// Whether nothing more can be compared.
  private var hasEnded = false

  /// An object in a context.
  private struct Place: Hashable {
    let object: ObjectID
    let context: String
  }

  private struct Observed {
    let variable: String
    /// The observer; nil for one of the history.
    let binding: ControllerBinding?
  }

  private struct Published {
    let name: String
    var text: String
    var old = 0
    var isAtOnce = false
  }

  // MARK: Listening

  func listen(to interpreter: Interpreter) {
    session = { [weak interpreter] in interpreter?.session }
    isInCallback = { [weak interpreter] in interpreter?.isInCallback ?? false }
    contexts = [(interpreter.session.context, "main")]
    interpreter.onStatement = { [unowned self] in take($0) }
    interpreter.session.onOperation = { [unowned self] in take($0) }
  }

  private func refuse(_ reason: ExportRefusal.Reason) {
    guard refusal == nil, !hasEnded else { return }
    refusal = ExportRefusal(line: line, reason: reason)
  }

  /// Begins a top-level statement.
  func begin(_ text: String) {
    let words = text.inOnePlainLine.split(separator: " ").joined(separator: " ")
    heading = "// \(line): " + (words.count > 84 ? words.prefix(83) + "…" : words)
  }

  private func take(_ statement: Statement) {
    if let reason = ExportRefusal.Reason(ofObserving: statement) { refuse(reason) }
    if case .storeSQLite = statement.kind { usesFile = true }
    if case .quirk(.unrelatedSavesFire, let isOn) = statement.kind {
      setQuirk(isOn)
    }
  }

  /// Sets what frc's own observer does, where the test runs with it.
  private func setQuirk(_ isOn: Bool) {
    if !isOn, isQuirky {
      write(["// It cannot be switched off in SwiftData, so the test ends here."])
      hasEnded = true
    }
    guard isOn else { return }
    isQuirky = true
    write(["// Others have measured that Apple's observer does this."])
    for (_, observed) in observed.sorted(by: { $0.key < $1.key }) where observed.binding != nil {
      add("observers.fireOnUnrelatedSaves(\(observed.variable))")
    }
  }

  // MARK: Operations

  private func add(_ lines: String...) {
    write(lines)
    hasWork = true
  }

  /// Adds lines that change nothing.
  private func write(_ lines: [String]) {
    guard !hasEnded else { return }
    guard steps.count < ScriptExporter.mostSteps else { return refuse(.tooLong) }
    if let heading {
      steps += ["", heading]
      self.heading = nil
    }
    steps += lines
  }

  /// Returns a new name for a variable.
  private func variable(_ wanted: String) -> String {
    var name = wanted
    var number = 1
    while !names.insert(name).inserted {
      number += 1
      name = "\(wanted)_\(number)"
    }
    return name.swiftName
  }

  private func name(of context: ManagedObjectContext) -> String {
    guard let known = contexts.first(where: { $0.context === context }) else {
      refuse(.contextInSwiftData)
      return "main"
    }
    return known.name
  }

  private var current: String { (session?()?.context).map(name) ?? "main" }

  /// Returns an object's variable in the current context.
  private func model(_ id: ObjectID) -> String {
    let context = current
    if let known = variables[Place(object: id, context: context)] { return known }
    guard let home = homes[id] else {
      refuse(.earlierObjects)
      return "nil"
    }
    let name = variable(home + "In" + context.prefix(1).uppercased() + context.dropFirst())
    add("let \(name) = try observers.found(\(home), in: \(context))")
    variables[Place(object: id, context: context)] = name
    return name
  }

  private func value(_ value: PropertyValue) -> String {
    switch value {
    case .object(let id): return model(id)
    case .list(let values): return "[\(values.map(self.value).joined(separator: ", "))]"
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data:
      do throws(ExportRefusal.Reason) {
        return try SwiftValue(value).text
      } catch {
        refuse(error)
        return "nil"
      }
    }
  }

  private func take(_ operation: RunOperation) {
    if isInCallback?() == true {
      if case .read = operation { return }
      return refuse(.changesInCallbacks)
    }
    if case .changeObserver = operation {} else { comparePublished() }
    switch operation {
    case .context(let name, let parent):
      guard parent == nil, let context = session?()?.context(named: name) else {
        return refuse(.nestedContexts)
      }
      let variable = variable(name)
      contexts.append((context, variable))
      add("let \(variable) = ModelContext(container)")
    case .extension(let context, let author):
      let variable = variable("process")
      contexts.append((context, variable))
      add(
        "// Another process, which has a container of its own on the same file.",
        "let \(variable) = ModelContext(",
        "  try ModelContainer(for: schema, configurations: configuration))")
      if let author { add("\(variable).author = \(author.swiftLiteral)") }
    case .insert(let id, let values): insert(id, values)
    case .set(let id, let key, let value):
      let model = model(id)
      let text = self.value(value)
      checkNil(value, key, of: id)
      add("\(model).\(key.swiftName) = \(text)")
    case .delete(let id):
      let model = model(id)
      add("\(current).delete(\(model))")
      deleted.insert(id)
    case .save(let context): add("try \(name(of: context)).save()")
    case .saveFailed(let error): takeFailure(error)
    case .rollback(let context):
      deleted = []
      add("\(name(of: context)).rollback()")
    case .author(let author):
      add("\(current).author = \(author.map(\.swiftLiteral) ?? "nil")")
    case .deleteHistory:
      add("try \(current).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())")
    case .observer(let binding): observe(binding)
    case .observedHistory(let binding): observe(binding)
    case .changeObserver(let binding, let filter, let order): change(binding, filter, order)
    case .undo, .redo: refuse(.undoInSwiftData)
    case .reset, .refresh, .refreshAll, .automerge(_, isOn: false): refuse(.refreshInSwiftData)
    case .policy: refuse(.policyInSwiftData)
    case .show(let name):
      // What is shown is compared, if it is an observer's.
      if let known = observed[name], let binding = known.binding { compare(known, binding) }
    case .merge, .automerge(_, isOn: true), .read, .obtainIDs, .observe, .process, .controller,
      .change, .delegate, .performFetch, .fetch, .count:
      // They change nothing that is published: SwiftData's contexts merge by themselves.
      break
    }
  }

  private func insert(_ id: ObjectID, _ values: [(key: String, value: PropertyValue)]) {
    let context = current
    let variable = variable(
      id.entity.name.prefix(1).lowercased() + id.entity.name.dropFirst() + "\(id.number)")
    var arguments: [(order: Int, text: String)] = []
    for (key, value) in values {
      checkNil(value, key, of: id)
      let order = id.entity.attributeIndex(named: key) ?? 0
      arguments.append((order, "\(key.swiftName): \(self.value(value))"))
    }
    let text = arguments.sorted { $0.order < $1.order }.map(\.text).joined(separator: ", ")
    let type = ModelClass.scope + id.entity.name.swiftName
    add("let \(variable) = \(type)(\(text))", "\(context).insert(\(variable))")
    variables[Place(object: id, context: context)] = variable
    homes[id] = variable
  }

  /// Refuses nil in an attribute that is not optional, which SwiftData cannot have.
  private func checkNil(_ value: PropertyValue, _ key: String, of id: ObjectID) {
    guard value.isNull, let index = id.entity.attributeIndex(named: key),
      !id.entity.attributes[index].isOptional
    else { return }
    refuse(.valueInSwiftData)
  }

  private func takeFailure(_ error: any Error) {
    let isShared =
      if let error = error as? ObjectValidationError {
        error.failures.allSatisfy { $0.rule == .deniedDeletion }
      } else {
        error is MergeConflictError
      }
    guard isShared else { return refuse(.validationInSwiftData) }
    guard let index = steps.lastIndex(where: { $0.hasSuffix(".save()") }) else { return }
    steps[index] = "XCTAssertThrowsError(\(steps[index]))"
  }

  // MARK: Observers

  private func observe(_ binding: ControllerBinding) {
    forget(binding.name)
    if let obstacle = binding.swiftDataObstacle {
      leaveOut(binding.name, obstacle)
      return
    }
    let variable = variable(binding.name)
    guard let observer = binding.observer,
      let lines = binding.swiftDefinition(
        as: variable, descriptor: self.variable(variable.filter { $0 != "`" } + "Request"),
        context: name(of: observer.managedObjectContext), models: ModelClass.scope)
    else { return }
    for line in lines { add(line) }
    add(watching(binding.name, "\(variable).results.count"))
    let known = Observed(variable: variable, binding: binding)
    observed[binding.name] = known
    hadObservers = true
    if isQuirky {
      add("observers.fireOnUnrelatedSaves(\(variable))")
    }
    compare(known, binding)
  }

  private func observe(_ binding: HistoryBinding) {
    forget(binding.name)
    usesFile = true
    let variable = variable(binding.name)
    for line in binding.swiftDefinition(as: variable, models: ModelClass.scope) { add(line) }
    add("observers.count(\(binding.name.swiftLiteral)) { \(variable).eventCounter }")
    observed[binding.name] = Observed(variable: variable, binding: nil)
    counts[binding.name] = 0
    hadObservers = true
  }

  private func watching(_ name: String, _ count: String) -> String {
    "observers.watch(\(name.swiftLiteral)) { \(count) }"
  }

  private func leaveOut(_ name: String, _ reason: String) {
    write(["// '\(name.inOnePlainLine)' is left out: SwiftData has no \(reason.inOnePlainLine)."])
    if firstLeftOut == nil {
      firstLeftOut = ExportRefusal(line: line, reason: .requestInSwiftData)
    }
  }

  /// Stops watching an observer whose name has another meaning now.
  private func forget(_ name: String) {
    guard observed.removeValue(forKey: name) != nil else { return }
    add("observers.forget(\(name.swiftLiteral))")
  }

  /// Forgets the observers that are no longer in the session.
  private func forgetRemoved() {
    guard let session = session?() else { return }
    for (name, known) in observed {
      let isDefined =
        known.binding.map { session.controllers[name] === $0 }
        ?? (session.historyObservers[name] != nil)
      if !isDefined { forget(name) }
    }
  }

  private func change(_ binding: ControllerBinding, _ filter: Bool, _ order: Bool) {
    guard let known = observed[binding.name] else { return comparePublished() }
    if let obstacle = binding.swiftDataObstacle {
      published.removeAll { $0.name == binding.name }
      leaveOut(binding.name, obstacle)
      return forget(binding.name)
    }
    if filter {
      add("\(known.variable).filterBy = \(binding.swiftFilter(models: ModelClass.scope) ?? "nil")")
    }
    if order { add("\(known.variable).sortBy = \(binding.swiftOrder)") }
    comparePublished()
  }

  // MARK: Comparing

  func take(_ event: Event) {
    if case .error = event { statementFailed() }
    // `show` prints the counter, too.
    if case .eventCounter(let name, let count) = event, counts[name, default: 0] != count {
      counts[name] = count
      keep(Published(name: name, text: "\(name) eventCounter grows"))
    }
    guard let callback = event.callback, case .results(let old, let new, let moment) = callback.kind
    else { return }
    let name = callback.controller
    let isAtOnce = if case .atOnce = moment { true } else { false }
    // Several at once are noticed as one.
    let first = published.first { $0.name == name }?.old ?? old
    keep(
      Published(
        name: name, text: "\(name) results \(first) -> \(new)", old: first, isAtOnce: isAtOnce))
  }

  private func keep(_ new: Published) {
    published.removeAll { $0.name == new.name }
    published.append(new)
  }

  /// Compares what was published since the last comparison.
  private func comparePublished() {
    let found = published.filter { observed[$0.name] != nil }
    published = []
    guard !found.isEmpty else { return }
    // A setter's results are current when it returns.
    for event in found where event.isAtOnce { compare(event.name) }
    expect(found.map(\.text.swiftLiteral))
    for event in found where !event.isAtOnce { compare(event.name) }
    hasWork = false
  }

  private func expect(_ lines: [String]) {
    let call = "try await observers.expect(line: \(line), ["
    let text = call + lines.joined(separator: ", ") + "])"
    if lines.count < 2 || text.utf8.count <= 96 {
      add(text)
    } else {
      add(call)
      for text in lines { add("  " + text + ",") }
      add("])")
    }
  }

  private func compare(_ name: String) {
    if let known = observed[name], let binding = known.binding { compare(known, binding) }
  }

  /// Compares the models that an observer lists.
  private func compare(_ known: Observed, _ binding: ControllerBinding) {
    guard let rows = binding.observer?.rows else { return }
    // Nothing is read of a deleted object that is still listed.
    guard rows.count <= Self.mostRows,
      !rows.indices.contains(where: { deleted.contains(rows.objectID(at: $0)) })
    else {
      return write(["XCTAssertEqual(\(known.variable).results.count, \(rows.count))"])
    }
    func list(_ ids: [ObjectID]) -> String {
      let models = ids.map { id -> String in
        if let home = homes[id] { return home }
        refuse(.earlierObjects)
        return "nil"
      }
      return "[\(models.joined(separator: ", "))]"
    }
    let start = "observers.check(\(known.variable), line: \(line), "
    if binding.observer?.sectionNameKeyPath == nil {
      return write([start + "lists: \(list(rows.indices.map(rows.objectID))))"])
    }
    let sections = rows.sectionIdentifiers.map { section in
      "(\(section.identifier.swiftLiteral), \(list(section.itemIdentifiers)))"
    }
    write([start + "sections: [\(sections.joined(separator: ", "))])"])
  }

  func statementFailed() {
    if heading != nil { write(["// frc refuses this statement."]) }
  }

  func statementEnded() {
    forgetRemoved()
    comparePublished()
    if hasWork, !observed.isEmpty { expect([]) }
    hasWork = false
    heading = nil
  }

  // MARK: The result

  /// Returns the recorded script.
  ///
  /// - Throws: The first reason why it cannot be exported.
  func finish(named name: String, summary: String) throws(ExportRefusal) -> ObserverScript {
    if let refusal { throw refusal }
    guard hadObservers else {
      throw firstLeftOut ?? ExportRefusal(line: nil, reason: .nothingToCompare)
    }
    var models: [ModelClass] = []
    for entity in session?()?.entities ?? [] {
      do throws(ExportRefusal.Reason) {
        models.append(try ModelClass(entity))
      } catch {
        throw ExportRefusal(line: nil, reason: error)
      }
    }
    return ObserverScript(
      name: name, summary: summary, models: models, usesFile: usesFile, steps: steps)
  }
}

extension ExportRefusal.Reason {
  /// Finds a part of a statement that no test for SwiftData can have; nil if there is none.
  fileprivate init?(ofObserving statement: Statement) {
    let kind = statement.kind
    if case .entity(let entity) = kind, !entity.hooks.isEmpty {
      self = .modelInSwiftData
    } else if case .batch = kind {
      self = .batchInSwiftData
    } else if case .deleteHistory(before: .some) = kind {
      self = .history
    } else if case .set(.nilRule, _) = kind {
      self = .threeValuedNil
    } else if case .set(.locale, _) = kind {
      self = .locale
    } else if case .storeSQLite(_, let options) = kind, options.isReadOnly || options.migrates {
      self = .storeOptions
    } else {
      return nil
    }
  }
}
