import Basics
import FetchedResults
import ScriptSyntax

/// Statements that print something and change nothing.
struct LookingCommands {
  let session: Session
  let frames: FrameStack
  let names: NameLookup
  let evaluator: Evaluator
  let events: EventEmitter
  let turnLog: TurnLog

  /// `show books`, `show view`.
  func show(_ name: Name) throws(ScriptError) {
    switch try names.shown(name) {
    case .table(let table): events.emit(.showTable(ShownTable(table)))
    case .controller(let binding):
      guard let sections = shownSections(of: binding) else {
        throw frames.failure(.controller(.notFetched(binding.name)), name.range)
      }
      session.note(.show(binding.name))
      events.emit(.show(controller: binding.name, sections: sections))
    }
  }

  /// Returns the sections of a controller; nil if it has not fetched.
  private func shownSections(of binding: ControllerBinding) -> [ShownSection]? {
    guard let sections = binding.controller.sections else { return nil }
    let sectionKey = binding.controller.sectionNameKeyPath
    // The entity of the last object, and the index of its display attribute.
    var known: (entity: EntityDescription, index: Int?)?
    // A list that is no longer needed is not completed.
    var isStopped = false
    var stop = StopCheck.Loop()
    var shown = sections.map { section in
      var objects = ShownObjects(capacity: section.numberOfObjects)
      section.objects.forEachObject { object in
        if isStopped { return }
        isStopped = stop.isWanted(after: 16)
        if known?.entity !== object.entity {
          known = (
            object.entity,
            object.entity.shownAttribute(besides: sectionKey)
              .flatMap { object.entity.propertyIndex(named: $0) }
          )
        }
        objects.append(object, displaying: known?.index)
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
    events.emit(.request(controller: binding.name, text: controller.scriptText, query: query))
  }

  /// `objects Book`.
  func showObjects(_ name: Name) throws(ScriptError) {
    let entity = try names.entity(name)
    let attribute = entity.shownAttribute(besides: nil)
    let known = try frames.locating(name.range) { try session.context.knownObjects(of: entity) }
    let objects = known.prefix(while: { _ in !StopCheck.isWanted(after: 16) }).map { object in
      switch object {
      // Reading a fault's values would fire it.
      case .object(let object) where object.isFault: fault(object.objectID)
      case .object(let object):
        ShownState(object: ShownObject(object, attribute: attribute), state: object.state)
      case .fault(let id): fault(id)
      }
    }
    events.emit(.objects(entity: entity.name, objects: objects))
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
      events.emit(.show(controller: controller.name, sections: sections))
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
      case .controller, .sections, .section: break
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
