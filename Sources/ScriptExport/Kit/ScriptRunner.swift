import CoreData

/// Performs the operations of a script on Core Data, and reports the events.
public struct ScriptRunner {
  private let script: Script

  /// Creates a runner of a script.
  public init(_ script: Script) { self.script = script }

  /// Runs the script with its own empty store.
  ///
  /// - Returns: The events in order.
  /// - Throws: An error of Core Data that the script does not expect.
  public func run() throws -> [ReportedEvent] {
    let world = try ScriptWorld(script)
    let steps: [Step] = try script.decoded(script.steps)
    for step in steps {
      world.line = step.line
      try perform(step, in: world)
    }
    return world.events
  }

  private func perform(_ step: Step, in world: ScriptWorld) throws {
    if try performOnObjects(step, in: world) { return }
    if try performOnContexts(step, in: world) { return }
    if try performOnControllers(step, in: world) { return }
    throw KitError("line \(step.line): '\(step.name)' is not an operation of this kit")
  }

  private func performOnObjects(_ step: Step, in world: ScriptWorld) throws -> Bool {
    let name = step.object ?? ""
    switch step.name {
    case "insert":
      let object = try world.insert(
        name, entity: step.needed(step.entity, "entity"), in: step.place)
      for (key, value) in step.values ?? [:] {
        object.setValue(
          try world.foundation(value, for: key, of: object, in: step.place), forKey: key)
      }
    case "set":
      _ = try world.changing(step.place)
      let object = try world.object(name, in: step.place)
      let key = try step.needed(step.key, "key")
      let value = step.value ?? .null
      object.setValue(
        try world.foundation(value, for: key, of: object, in: step.place), forKey: key)
    case "read":
      let object = try world.object(name, in: step.place)
      let key = try step.needed(step.key, "key")
      let value = ShownValue(object.value(forKey: key), of: key, entity: object.entity)
      if step.prints != nil {
        world.report(
          JSONText.object([
            ("event", JSONText.string("value")), ("value", value.json(world.names)),
          ]))
      }
    case "delete":
      try world.changing(step.place).delete(world.object(name, in: step.place))
    case "obtainIDs":
      let objects = try (step.objects ?? []).map { try world.object($0, in: step.place) }
      try world.names.keeping(Set(objects)) {
        try world.context(step.place).obtainPermanentIDs(for: objects)
      }
    case "refresh":
      try world.context(step.place).refresh(
        world.object(name, in: step.place), mergeChanges: step.merging ?? false)
    default: return false
    }
    return true
  }

  private func performOnContexts(_ step: Step, in world: ScriptWorld) throws -> Bool {
    let name = step.context ?? "main"
    switch step.name {
    case "context":
      try world.define(step.needed(step.contextName, "name"), parent: step.parent)
    case "process": try world.process(step.contexts ?? [])
    case "save": try world.save(name, mayFail: step.fails ?? false)
    case "rollback": try world.context(name).rollback()
    case "reset": try world.reset(name)
    case "refreshAll": try world.context(step.place).refreshAllObjects()
    case "merge": try world.merge(step.needed(step.from, "from"), into: name)
    case "automerge":
      try world.context(name).automaticallyMergesChangesFromParent = step.on ?? false
    case "observe": try world.observe(name, isOn: step.on ?? false)
    case "policy": try world.context(name).mergePolicy = Self.policy(step.policy)
    case "undo":
      try world.closeUndoGroup(step.place ?? "main")
      try world.context(step.place).undo()
    case "redo":
      try world.closeUndoGroup(step.place ?? "main")
      try world.context(step.place).redo()
    default: return false
    }
    return true
  }

  private static func policy(_ word: String?) -> NSMergePolicy {
    switch word {
    case "storeTrump": return .mergeByPropertyStoreTrump
    case "objectTrump": return .mergeByPropertyObjectTrump
    case "overwrite": return .overwrite
    case "rollback": return .rollback
    default: return .error
    }
  }

  private func performOnControllers(_ step: Step, in world: ScriptWorld) throws -> Bool {
    let name = step.controller ?? ""
    switch step.name {
    case "controller":
      let request = NSFetchRequest<any NSFetchRequestResult>()
      try Requests(world, in: step.place).fill(request, from: step.needed(step.request, "request"))
      world.define(
        name,
        NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: try world.context(step.place),
          sectionNameKeyPath: step.section, cacheName: nil))
    case "change":
      try Requests(world, in: step.place).fill(
        world.controller(name).fetchRequest, from: step.needed(step.request, "request"))
    case "delegate":
      try world.setDelegate(of: name, methods: step.methods, countsOnly: step.counts ?? false)
    case "performFetch": try world.controller(name).performFetch()
    case "show": try show(world.controller(name), name, in: world)
    case "fetch":
      try Requests(world, in: step.place).fetch(
        step.needed(step.request, "request"), prints: step.prints != nil)
    case "count":
      try Requests(world, in: step.place).count(
        step.needed(step.request, "request"), prints: step.prints != nil)
    default: return false
    }
    return true
  }

  private func show(
    _ controller: ControllerRecorder.Controller, _ name: String, in world: ScriptWorld
  ) {
    let sections = (controller.sections ?? []).map { section in
      let objects = (section.objects ?? []).compactMap { $0 as? NSManagedObject }
      return JSONText.object([
        ("name", JSONText.string(section.name)),
        ("indexTitle", JSONText.string(section.indexTitle ?? "")),
        ("objects", JSONText.strings(objects.map { world.names.name(of: $0.objectID) })),
      ])
    }
    world.report(
      JSONText.object([
        ("event", JSONText.string("show")), ("controller", JSONText.string(name)),
        ("sections", JSONText.array(sections)),
      ]))
  }
}
