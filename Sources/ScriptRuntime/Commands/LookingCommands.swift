import FetchedResults
import Foundation
import ScriptSyntax

/// Statements that print something and change nothing.
struct LookingCommands: SessionCommand {
  let parts: SessionParts

  /// `show books`, `show view`.
  func show(_ name: Name) throws(ScriptError) {
    switch try names.shown(name) {
    case .table(let table): events.emit(.showTable(ShownTable(table)))
    case .history(let binding):
      events.emit(
        .eventCounter(observer: binding.name, binding.history?.eventCounter ?? 0))
    case .controller(let binding):
      guard let sections = shownSections(of: binding) else {
        throw frames.failure(.controller(.notFetched(binding.name)), name.range)
      }
      session.note(.show(binding.name))
      events.emit(
        .show(
          controller: binding.name, sections: sections,
          gone: turnLog.goneWithSections(of: binding)))
      noteOrder(of: binding)
    }
  }

  /// Prints once which sort keys an observer adds.
  private func noteOrder(of binding: ControllerBinding) {
    guard let observer = binding.observer, !binding.hasShownOrder else { return }
    binding.hasShownOrder = true
    let keys = observer.fetchRequest.sortDescriptors.map(\.scriptText) + ["objectID"]
    let isPrepended = observer.fetchRequest.sortDescriptors.count > observer.sortDescriptors.count
    events.emit(
      .note(
        "\(binding.name) is sorted by \(keys.joined(separator: ", ")): an observer puts "
          + (isPrepended ? "the section key in front, and " : "")
          + "the identity of the objects at the end"))
  }

  /// Returns the sections of a controller; nil if it has not fetched.
  private func shownSections(of binding: ControllerBinding) -> [ShownSection]? {
    guard let sections = binding.sections else { return nil }
    let sectionKey = binding.controller.sectionNameKeyPath
    var places = ShownPlaces(besides: sectionKey)
    // A list that is no longer needed is not completed.
    var isStopped = false
    var stop = StopCheck.Loop()
    var shown = sections.map { section in
      if events.areReadAtOnce, let unread = section.objectsInMemory {
        return ShownSection(
          name: section.name, indexTitle: section.indexTitle,
          objects: ShownObjects(unread: unread, besides: sectionKey))
      }
      var objects = ShownObjects(capacity: section.numberOfObjects)
      section.objects.forEachObject { object in
        if isStopped { return }
        isStopped = stop.isWanted(after: 16)
        objects.append(object, displaying: places.place(in: object.entity))
      }
      return ShownSection(
        name: section.name, indexTitle: section.indexTitle, objects: objects)
    }
    for (index, marks) in turnLog.marks(of: binding).enumerated() { shown[index].marks = marks }
    return shown
  }

  /// `show books.request`: prints the request as a script would write it.
  func showRequest(_ name: Name) throws(ScriptError) {
    let binding = try names.controller(name)
    let controller = binding.controller
    let query = try frames.locating(name.range) {
      try controller.managedObjectContext.query(
        for: controller.fetchRequest, sectionNameKeyPath: controller.sectionNameKeyPath,
        keepsLimit: controller.keepsFetchLimit)
    }
    let text = binding.observer?.completedText ?? controller.scriptText
    events.emit(.request(controller: binding.name, text: text, query: query))
  }

  /// `objects Book`.
  func showObjects(_ name: Name) throws(ScriptError) {
    let entity = try names.entity(name)
    var places = ShownPlaces(besides: nil)
    let known = try frames.locating(name.range) { try session.context.knownObjects(of: entity) }
    var objects: [ShownState] = []
    objects.reserveCapacity(known.count)
    for object in known {
      if StopCheck.isWanted(after: 16) { break }
      let state =
        switch object {
        // Reading a fault's values would fire it.
        case .object(let object) where object.isFault: fault(object.objectID)
        case .object(let object):
          ShownState(
            object: ShownObject(
              id: object.objectID,
              display: places.place(in: object.entity).map { object.value(at: $0) }),
            state: object.state)
        case .fault(let id): fault(id)
        }
      objects.append(state)
    }
    events.emit(.list(ShownList(of: entity.name, .objects(objects))))
  }

  private func fault(_ id: ObjectID) -> ShownState {
    ShownState(object: ShownObject(id: id, display: nil), state: "fault")
  }

  /// Shows the tables of a controller; if it has none, shows the controller itself.
  func showStep(of controller: ControllerBinding) {
    let tables = session.tableNames.compactMap { session.tables[$0] }
      .filter { $0.controller === controller }
    for table in tables { events.emit(.showTable(ShownTable(table))) }
    if tables.isEmpty, let sections = shownSections(of: controller) {
      events.emit(
        .show(
          controller: controller.name, sections: sections,
          gone: turnLog.goneWithSections(of: controller)))
    }
  }

  /// `print dune.title`.
  ///
  /// - Parameter keepsResult: Whether later statements at the prompt can use the value as `_`.
  func show(valueOf expression: PreparedExpression, keepsResult: Bool) throws(ScriptError) {
    let operand = try evaluator.operand(of: expression)
    if keepsResult {
      switch operand.value {
      case .value, .range: session.keepResult(operand.value)
      case .fetchedObjects: session.keepResult(.value(try evaluator.scalar(operand)))
      case .controller, .history, .sections, .section: break
      }
    }
    events.emit(.value(try evaluator.printed(operand)))
  }
}

extension ManagedObject {
  fileprivate var state: String {
    if isDeleted { return "deleted" }
    if isInserted { return "inserted" }
    return isUpdated ? "updated" : "saved"
  }
}

/// `explain`: shows what decided the callbacks of the last turn.
struct ExplainCommands: SessionCommand {
  let parts: SessionParts

  /// `explain`, `explain Book/3`.
  func explain(_ target: ExpressionSyntax?) throws(ScriptError) {
    let ids = try target.map { target throws(ScriptError) in try identities(target) }
    guard !turnLog.entries.isEmpty else {
      return events.emit(
        .note(turnLog.isKept ? "nothing has changed yet" : "explanations were switched off"))
    }
    if let title = turnLog.title { events.emit(.explainedTurn(title)) }
    let explanations = TurnExplainer(turnLog, session).explanations
    guard let ids else {
      for explanation in explanations { events.emit(.explanation(explanation)) }
      return
    }
    for id in ids {
      let found = explanations.filter { $0.concerns(id) }.map { $0.narrowed(to: id) }
      if found.isEmpty { try explainUnchanged(id) }
      for explanation in found { events.emit(.explanation(explanation)) }
    }
  }

  /// Returns the IDs of the objects that an expression names.
  ///
  /// The objects may be deleted.
  private func identities(_ target: ExpressionSyntax) throws(ScriptError) -> [ObjectID] {
    if let id = try unreadIdentity(target) { return [id] }
    let value = try evaluator.scalar(target)
    let values: [PropertyValue]
    if case .list(let elements) = value { values = elements } else { values = [value] }
    var ids: [ObjectID] = []
    for value in values {
      guard case .object(let id) = value else {
        throw frames.notAnObject(value.kind, target.range)
      }
      ids.append(id)
    }
    return ids
  }

  /// Returns the ID that an expression such as `Book/3` names, without reading the object into the
  /// context; nil for other expressions, and if there is no such object.
  private func unreadIdentity(_ target: ExpressionSyntax) throws(ScriptError) -> ObjectID? {
    guard case .object(let name, let number) = target.kind else { return nil }
    let entity = try evaluator.names.entity(Name(name, range: target.range))
    let id = ObjectID(entity: entity, number: number)
    return session.context.shownValues(of: id)?.objectID
  }

  /// Explains why an unchanged object has no callback, and what changed along its key paths.
  private func explainUnchanged(_ id: ObjectID) throws(ScriptError) {
    let bindings = session.controllerNames.compactMap { session.controllers[$0] }
    let holders = bindings.filter {
      $0.indexPath(forObjectID: id) != nil || $0.awaitsSave(of: id)
    }
    guard !holders.isEmpty else {
      let shown = ShownObject(id: id, in: session.context, besides: nil)
      return events.emit(
        .explanation(
          Explanation(subject: .silence(controller: nil, objects: [shown]), rule: .unchanged)))
    }
    for binding in holders {
      if binding.awaitsSave(of: id) {
        explainUnsaved(id, binding)
        continue
      }
      let related = turnLog.changes(relatedTo: id, of: binding)
      let notes = related.map { path, changed in
        Explanation.Evidence.note(
          "\(changed), reached by \(path), changed; that does not move any row")
      }
      events.emit(
        .explanation(
          Explanation(
            subject: .silence(controller: binding.name, objects: [binding.shownNow(id)]),
            rule: related.isEmpty ? .unchanged : .relatedObject,
            evidence: notes + [.note("a row that only shifts has no callback")])))
    }
  }
}

extension ExplainCommands {
  /// Explains that a change of an earlier turn still waits for a save.
  private func explainUnsaved(_ id: ObjectID, _ binding: ControllerBinding) {
    events.emit(
      .explanation(
        Explanation(
          subject: .silence(controller: binding.name, objects: [binding.shownNow(id)]),
          rule: .unsaved)))
  }
}

extension ControllerBinding {
  /// Whether an observer will publish a change of an object after a save.
  fileprivate func awaitsSave(of id: ObjectID) -> Bool {
    observer?.unpublishedDifference?.objects.contains { $0.objectID.isSame(as: id) } ?? false
  }
}

extension TurnLog {
  /// Returns the key paths of a controller that lead from an object to one that changed in the
  /// turn.
  fileprivate func changes(
    relatedTo object: ObjectID, of binding: ControllerBinding
  ) -> [(keyPath: String, changed: ObjectID)] {
    let changed = entries.flatMap { entry -> [ObjectID] in
      guard case .processing(_, let batch, _) = entry else { return [] }
      return batch.objects.map(\.objectID)
    }
    let request = binding.controller.fetchedRequest ?? binding.controller.fetchRequest
    let section = binding.controller.sectionNameKeyPath
    let paths = request.sortDescriptors.map(\.key) + [section].compactMap(\.self)
    let context = binding.controller.managedObjectContext
    var found: [(String, ObjectID)] = []
    for path in paths + request.predicateKeyPaths
    where path.contains(".") && !found.contains(where: { $0.0 == path }) {
      for id in context.objects(from: object, by: path) where changed.contains(id) {
        found.append((path, id))
        break
      }
    }
    return found
  }
}

extension ManagedObjectContext {
  /// Returns the objects along a key path of an object, without reading them into the context.
  fileprivate func objects(from object: ObjectID, by keyPath: String) -> [ObjectID] {
    var reached = [shownValues(of: object)].compactMap(\.self)
    var found: [ObjectID] = []
    for key in keyPath.split(separator: ".").map(String.init) {
      let ids = reached.flatMap { values -> [ObjectID] in
        switch values.value(forKey: key) {
        case .object(let id)?: return [id]
        case .list(let values)?: return values.compactMap(\.objectID)
        case nil, .null?, .bool?, .int?, .double?, .string?, .date?, .decimal?, .uuid?, .uri?,
          .data?:
          return []
        }
      }
      found += ids
      reached = ids.compactMap { shownValues(of: $0) }
    }
    return found
  }
}

/// `expect EXPRESSION`: fails if it is false, and shows the values of both sides.
struct ExpectCommand: SessionCommand {
  let parts: SessionParts

  func expect(_ condition: PreparedCondition) throws(ScriptError) {
    switch condition.form {
    case .comparison(let left, let sign, let right):
      let (a, b) = try evaluator.operands(evaluator.scalar(left), right)
      if try evaluator.compare(a, sign, b, condition.range) { return }
      throw frames.failure(
        .unequal(text(of: condition.range), left: a.excerpt, right: b.excerpt), condition.range)
    case .truth(let expression):
      if try evaluator.truth(of: expression) { return }
      throw frames.failure(.untrue(text(of: condition.range)), condition.range)
    }
  }

  /// Returns the text of a part of the source, on one line.
  private func text(of range: Range<Int>) -> String {
    frames.source.formattedText(in: range, after: "expect ").split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ").shortened()
  }
}

/// `stats`: prints what reading objects has cost so far.
struct StatisticsCommands: SessionCommand {
  let parts: SessionParts

  func show() {
    let activity = session.coordinator.sqlStore?.activity ?? StoreActivity()
    events.emit(
      .statistics(
        ShownStatistics(
          store: session.openStore, statements: activity.statements, rows: activity.rows,
          faults: session.coordinator.firedFaults + activity.faults,
          memory: environment.memoryInUse)))
  }
}

/// `evaluate PREDICATE on OBJECT`: shows the value of each part of the predicate for the object.
struct PredicateCommands: SessionCommand {
  let parts: SessionParts

  func evaluate(
    _ syntax: EmbeddedPredicate, on expression: ExpressionSyntax
  ) throws(ScriptError) {
    let object = try evaluator.object(expression)
    let predicate = try requests.predicate(syntax, on: object.entity, isFetched: false)
    let evidence = try frames.locating(syntax.range) {
      try predicate.evidence(for: object.values, environment: session.context.environment)
    }
    events.emit(
      .evaluation(
        ShownEvaluation(
          object: object.objectID, parts: evidence.map { ShownEvaluation.Part($0, in: syntax) })))
  }
}

extension ShownEvaluation.Part {
  fileprivate init(_ evidence: PredicateEvidence, in syntax: EmbeddedPredicate) {
    depth = evidence.depth
    predicate = syntax.text(of: evidence.part)
    outcome = evidence.outcome.mapError { ShownEvaluation.Failure(message: "\($0)") }
    operands = evidence.operands.map { operand in
      ShownEvaluation.Operand(
        text: syntax.text(of: operand.expression), value: operand.value,
        collection: operand.collection)
    }
    decider = evidence.decider
  }
}

/// `swift`: prints code for an app that does the same as the script.
struct SwiftCommands: SessionCommand {
  let parts: SessionParts
  private var batches: BatchCommands { BatchCommands(parts: parts) }

  /// `swift books`, `swift Book`, `swift main`.
  func show(_ name: Name) throws(ScriptError) {
    let lines =
      switch try names.swiftSubject(name) {
      case .controller(let binding):
        if let observer = binding.observer {
          SwiftObserver(binding.name, of: observer).lines
        } else {
          SwiftController(binding).lines
        }
      case .history(let binding): SwiftObserver(binding).lines
      case .context(let name): SwiftContext(name: name).lines
      case .entity(let entity):
        SwiftEntity(entity: entity, hooks: session.hooks[entity.name] ?? []).lines
      }
    show(lines, of: name.text)
  }

  /// `swift batch delete Book where …`: prints code for the statement, which does not run.
  func show(_ statement: CodedStatement) throws(ScriptError) {
    let text = frames.source.formattedText(in: statement.range)
    switch statement.action {
    case .batch(let batch):
      let request = try batches.request(batch, statement.range)
      show(SwiftBatch(request: request, statement: text).lines, of: statement.words)
    case .fetch(let request):
      if requests.lookup.fetchedController(request) != nil { return try show(request.source) }
      try show(request, isCount: false, statement, text)
    case .count(let request): try show(request, isCount: true, statement, text)
    case .merge(let source, into: let target):
      try names.context(target)
      let lines =
        switch try names.mergeSource(source) {
        case .batch: SwiftStatement.batchMerge(text)
        case .context: SwiftStatement.saves(text)
        }
      show(lines, of: statement.words)
    case .mergeHistory(by: let author, into: let target):
      try names.context(target)
      show(
        SwiftStatement.history(text, by: try string(author), isMerged: true), of: statement.words)
    case .history(by: let author, after: _):
      show(
        SwiftStatement.history(text, by: try string(author), isMerged: false), of: statement.words)
    case .deleteHistory: show(SwiftStatement.historyDeletion(text), of: statement.words)
    case .obtainIDs(let objects):
      show(SwiftStatement.permanentIDs(text, ofSome: objects != nil), of: statement.words)
    }
  }

  private func show(
    _ request: RequestSyntax, isCount: Bool, _ statement: CodedStatement, _ text: String
  ) throws(ScriptError) {
    let request = try requests.resolve(request).request
    show(SwiftFetch(request: request, isCount: isCount, statement: text).lines, of: statement.words)
  }

  private func string(_ value: ExpressionSyntax?) throws(ScriptError) -> String? {
    guard let value else { return nil }
    return try evaluator.string(value)
  }

  private func show(_ lines: [String], of name: String) {
    events.emit(.swift(name: name, text: lines.joined(separator: "\n")))
  }
}
