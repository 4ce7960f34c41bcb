import CoreData

/// Creates Core Data's requests, and fetches.
struct Requests {
  private let world: ScriptWorld
  private let place: String?

  /// - Parameter place: The name of the context; nil for `main`.
  init(_ world: ScriptWorld, in place: String?) {
    self.world = world
    self.place = place
  }

  /// Sets all parts of a request that the script specifies.
  func fill<Result>(_ request: NSFetchRequest<Result>, from script: Request) throws {
    request.entity = world.model.entitiesByName[script.entity]
    request.predicate = try script.format.map { format in
      let arguments = try (script.arguments ?? []).map { argument in
        try world.foundation(argument, for: nil, in: place) ?? NSNull()
      }
      return NSPredicate(format: format, argumentArray: arguments)
    }
    request.sortDescriptors = script.sort.map { sort in
      let isAscending = !(sort.descending ?? false)
      guard let selector = sort.selector else {
        return NSSortDescriptor(key: sort.key, ascending: isAscending)
      }
      return NSSortDescriptor(
        key: sort.key, ascending: isAscending, selector: NSSelectorFromString(selector))
    }
    request.fetchLimit = script.limit ?? 0
    request.fetchOffset = script.offset ?? 0
    request.fetchBatchSize = script.batch ?? 0
    request.includesSubentities = !(script.exact ?? false)
    request.includesPendingChanges = !(script.savedOnly ?? false)
    request.returnsObjectsAsFaults = !(script.noFaults ?? false)
    request.shouldRefreshRefetchedObjects = script.refreshes ?? false
    request.relationshipKeyPathsForPrefetching = script.prefetch
  }

  /// Fetches objects or identities, and reports them if the script prints them.
  func fetch(_ script: Request, prints: Bool) throws {
    let context = try world.context(place)
    if script.ids ?? false {
      let request = NSFetchRequest<NSManagedObjectID>()
      try fill(request, from: script)
      request.resultType = .managedObjectIDResultType
      let found = try context.fetch(request).map(world.names.name)
      if prints { report("objectIDs", script.entity, JSONText.strings(found)) }
    } else {
      let request = NSFetchRequest<NSManagedObject>()
      try fill(request, from: script)
      let found = try context.fetch(request)
      if prints { report("rows", script.entity, JSONText.array(found.map(row))) }
    }
  }

  private func report(_ event: String, _ entity: String, _ objects: String) {
    world.report(
      JSONText.object([
        ("event", JSONText.string(event)), ("entity", JSONText.string(entity)),
        ("objects", objects),
      ]))
  }

  private func row(_ object: NSManagedObject) -> String {
    let keys = world.keys(of: object.entity.name ?? "")
    let values = keys.map { key -> (String, String?) in
      (key, ShownValue(object.value(forKey: key), of: key, entity: object.entity).json(world.names))
    }
    return JSONText.object([
      ("object", JSONText.string(world.names.name(of: object.objectID))),
      ("values", JSONText.object(values)),
    ])
  }

  /// Counts, and reports the number if the script prints it.
  func count(_ script: Request, prints: Bool) throws {
    let request = NSFetchRequest<NSManagedObject>()
    try fill(request, from: script)
    let count = try world.context(place).count(for: request)
    if prints {
      world.report(
        JSONText.object([("event", JSONText.string("value")), ("value", String(count))]))
    }
  }
}

extension ScriptWorld {
  /// Returns the properties of an entity in the order of the script, attributes first.
  func keys(of name: String) -> [String] {
    func lineage(of name: String) -> [Entity] {
      guard let entity = entities.first(where: { $0.name == name }) else { return [] }
      return (entity.parent.map(lineage) ?? []) + [entity]
    }
    let lineage = lineage(of: name)
    return lineage.flatMap { $0.attributes.map(\.name) }
      + lineage.flatMap { $0.relationships.map(\.name) }
  }
}
