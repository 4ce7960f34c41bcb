import FetchedResults
import NaiveModel
import Testing

/// Three contexts at once: one, a child of it, and one in the background; each
/// with controllers whose callbacks are replayed.
final class ContextsWorld {
  /// A controller and what its callbacks have made of its sections so far.
  final class Watched {
    let controller: FetchedResultsController
    let delegate = RecordingDelegate(keepsWords: false)
    var sections: [NaiveResults.Section] = []

    init(_ controller: FetchedResultsController) throws {
      self.controller = controller
      controller.delegate = delegate
      try fetch()
    }

    func fetch() throws {
      try controller.performFetch()
      delegate.forget()
      sections = controller.numbers
    }
  }

  /// A context and its controllers.
  final class Place {
    let name: String
    let context: ManagedObjectContext
    var watched: [Watched] = []
    /// Saves of others that were not merged yet.
    var unmerged: [ContextSave] = []
    /// Whether a fresh fetch may show what the controllers cannot know.
    var isBehind = false

    init(_ name: String, _ context: ManagedObjectContext) {
      self.name = name
      self.context = context
    }
  }

  let main, child, background: Place
  let entity: EntityDescription
  private let seed: UInt64
  private var random: SeededGenerator
  private var trail: [String] = []
  private(set) var failure: String?

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    entity = try EntityDescription(
      name: "Thing",
      attributes: [
        AttributeDescription(name: "k", type: .integer64, defaultValue: 0),
        AttributeDescription(name: "t", type: .integer64, defaultValue: 0),
        AttributeDescription(name: "s", type: .string, isOptional: true),
      ])
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [entity]))
    let context = ManagedObjectContext(coordinator: coordinator)
    main = Place("main", context)
    child = Place("child", ManagedObjectContext(parent: context))
    background = Place("background", ManagedObjectContext(coordinator: coordinator))
    for _ in 0..<Int.random(in: 0...12, using: &random) { randomize(context.insert(entity)) }
    try context.save()
    for place in places {
      place.watched = try Self.watchers(of: place.context, entity)
      place.context.undoHistory = UndoHistory(levelsOfUndo: 5)
    }
    observeSaves()
  }

  var places: [Place] { [main, child, background] }

  private static func watchers(
    of context: ManagedObjectContext, _ entity: EntityDescription
  ) throws -> [Watched] {
    let plain = FetchRequest(
      entity: entity, sortDescriptors: ["k", "-t"].map(FetchSortDescriptor.init(_:)))
    let sectioned = FetchRequest(
      entity: entity, predicate: try FetchPredicate(format: "k > 2"),
      sortDescriptors: ["s", "t"].map(FetchSortDescriptor.init(_:)))
    return [
      try Watched(
        try FetchedResultsController(fetchRequest: plain, managedObjectContext: context)),
      try Watched(
        try FetchedResultsController(
          fetchRequest: sectioned, managedObjectContext: context, sectionNameKeyPath: "s")),
    ]
  }

  private func observeSaves() {
    main.context.didSave = { [unowned self] save in
      if !background.context.automaticallyMergesChangesFromParent {
        background.unmerged.append(save)
      }
      background.isBehind = true
    }
    background.context.didSave = { [unowned self] save in
      if !main.context.automaticallyMergesChangesFromParent { main.unmerged.append(save) }
      main.isBehind = true
      // The child reads through to the store what its parent has not read.
      child.isBehind = true
    }
  }
}

// MARK: - Turns

extension ContextsWorld {
  /// Makes one random turn and checks what was heard.
  func turn() throws {
    let place = places.randomElement(using: &random) ?? main
    var hearing = [place]
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8: try edit(place)
    case 8..<11:
      try save(place)
      if place === child { hearing.append(main) }
    case 11..<14: merge(place)
    case 14: refresh(place)
    case 15: note("rollback", place) { $0.rollback() }
    case 16: note("undo", place) { $0.undo() }
    case 17: note("redo", place) { $0.redo() }
    case 18: try renew(place)
    default: try toggle(place)
    }
    if place === main { child.isBehind = true }
    if hearing.contains(where: { $0 === main }) { main.context.processPendingChanges() }
    place.context.processPendingChanges()
    if place.context.automaticallyMergesChangesFromParent { place.isBehind = false }
    try check(hearing)
  }

  private func note(
    _ what: String, _ place: Place, _ body: (ManagedObjectContext) -> Void = { _ in }
  ) {
    trail.append("\(place.name): \(what)")
    body(place.context)
  }

  private func randomize(_ object: ManagedObject) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: object["k"] = .int(Int64.random(in: 0..<6, using: &random))
    case 1: object["t"] = .int(Int64.random(in: 0..<6, using: &random))
    case 2: object["s"] = [nil, "A", "B", "C"].randomElement(using: &random) ?? nil
    default:
      object["k"] = .int(Int64.random(in: 0..<6, using: &random))
      object["s"] = ["A", "B", "C"].randomElement(using: &random) ?? nil
    }
  }

  private func edit(_ place: Place) throws {
    note("edit", place)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let objects = try place.context.fetch(FetchRequest(entity: entity))
      let object = objects.randomElement(using: &random)
      switch (Int.random(in: 0..<6, using: &random), object) {
      case (0, _), (_, nil): randomize(place.context.insert(entity))
      case (1, let object?): place.context.delete(object)
      case (_, let object?):
        trail.append("  change \(object.objectID)")
        randomize(object)
      }
    }
  }

  private func save(_ place: Place) throws {
    let policies = MergePolicy.allCases.filter { $0 != .error }
    place.context.mergePolicy = policies.randomElement(using: &random) ?? .overwrite
    note("save \(place.context.mergePolicy)", place)
    try place.context.save()
  }

  private func merge(_ place: Place) {
    note("merge \(place.unmerged.count)", place) { context in
      for save in place.unmerged { context.mergeChanges(fromContextDidSave: save) }
    }
    place.unmerged = []
    if place !== child { place.isBehind = false }
  }

  private func refresh(_ place: Place) {
    let merges = random.chance(2)
    if random.chance(3) { return note("refresh all", place) { $0.refreshAllObjects() } }
    note("refresh some", place) { context in
      for number in 1...12 where random.chance(3) {
        guard let object = context.object(entity: entity, number: Int64(number)) else { continue }
        context.refresh(object, mergeChanges: merges)
      }
    }
  }

  /// Fetches anew, sometimes after a reset.
  private func renew(_ place: Place) throws {
    if random.chance(2) {
      note("reset", place) { $0.reset() }
      place.unmerged = []
      place.isBehind = false
      if place === main { child.isBehind = true }
    }
    note("fetch", place)
    place.context.processPendingChanges()
    try check([place])
    for watched in place.watched { try watched.fetch() }
  }

  private func toggle(_ place: Place) throws {
    guard place !== child else { return }
    let isOn = !place.context.automaticallyMergesChangesFromParent
    note("automerge \(isOn)", place)
    place.context.processPendingChanges()
    merge(place)
    place.context.automaticallyMergesChangesFromParent = isOn
  }
}

// MARK: - Laws

extension ContextsWorld {
  private func check(_ hearing: [Place]) throws {
    for place in places {
      for watched in place.watched {
        try check(watched, of: place, mayHear: hearing.contains { $0 === place })
      }
    }
  }

  private func check(_ watched: Watched, of place: Place, mayHear: Bool) throws {
    let callbacks = watched.delegate.callbacks
    watched.delegate.forget()
    guard watched.controller.fetchedObjects != nil else { return }
    if !mayHear, !callbacks.isEmpty { fail("heard \(callbacks) of another context", place) }
    do {
      for batch in callbacks.split(separator: .didChange) {
        watched.sections = try TableReplay.apply(Array(batch), to: watched.sections)
      }
    } catch { fail("a replay fails: \(error)", place) }
    let shown = watched.controller.numbers
    if shown != watched.sections {
      fail("shows \(shown), the replay gives \(watched.sections)", place)
    }
    watched.controller.checkInvariants()
    guard !place.isBehind else { return }
    let fresh = try FetchedResultsController(
      fetchRequest: watched.controller.fetchRequest, managedObjectContext: place.context,
      sectionNameKeyPath: watched.controller.sectionNameKeyPath)
    try fresh.performFetch()
    if fresh.numbers != shown { fail("shows \(shown), a fresh fetch \(fresh.numbers)", place) }
  }

  private func fail(_ reason: String, _ place: Place) {
    guard failure == nil else { return }
    failure = "seed \(seed), \(place.name)\n\(trail.suffix(40).joined(separator: "\n"))\n\(reason)"
  }
}

extension FetchedResultsController {
  /// The sections by the numbers of their objects.
  var numbers: [NaiveResults.Section] {
    (sections.map(Array.init) ?? []).map {
      NaiveResults.Section(name: $0.name, numbers: $0.objects.numbers)
    }
  }
}
