import Basics
import FetchedResults

/// Two contexts of a container and background tasks, whose stores fail now and then.
///
/// What is used again, after whatever it was used for and whatever failed, must be as a new one.
package final class ContainerWorld {
  /// A context with a controller, and what its observer was told.
  private final class Place {
    let context: ManagedObjectContext
    let controller: FetchedResultsController
    var sections: [FetchedResultsSnapshot.Section] = []
    var failure: String?
    private var observation: FetchedResultsObservation?

    init(_ context: ManagedObjectContext, _ book: EntityDescription) throws {
      self.context = context
      context.mergePolicy = .mergeByPropertyObjectTrump
      controller = try BookShelf.controller(in: context, of: book)
      try controller.performFetch()
      observation = controller.observe { [unowned self] difference in
        do { try difference.apply(to: &sections) } catch { failure = failure ?? "\(error)" }
      }
    }

    /// The store, which may be told to fail.
    var store: FailingStore? { context.persistentStoreCoordinator.store as? FailingStore }
  }

  private let container: PersistentContainer
  private let book: EntityDescription
  private let places: [Place]
  private var random: SeededGenerator
  private let seed: UInt64
  private var trail: [String] = []

  package init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let model = try BookShelf.model()
    let memory = SharedMemory()
    container = PersistentContainer(managedObjectModel: model) {
      PersistentStoreCoordinator(
        managedObjectModel: model, store: FailingStore(SharedMemoryStore(memory)))
    }
    let book = try BookShelf.book(of: model)
    self.book = book
    places = try (0..<2).map { [container] _ in
      try Place(try container.newContext(isolation: nil), book)
    }
    for place in places where seed.isMultiple(of: 2) { place.context.leastUnmergedObjects = 3 }
  }

  /// Does something at random.
  ///
  /// - Returns: What is not as in a new context afterwards; nil if everything is.
  package func turn() async throws -> String? {
    if random.chance(3) { try await runTask() } else { try use(places[random.number(0...1)]) }
    return try endTurn()
  }

  private func use(_ place: Place) throws {
    let context = place.context
    switch random.number(0...6) {
    case 0...2:
      note("change")
      try BookShelf.change(in: context, of: book, using: &random)
      attempt("save", place) { try context.save() }
      note("save")
      try context.save()
    case 3:
      note("rollback")
      try BookShelf.change(in: context, of: book, using: &random)
      context.rollback()
    case 4:
      note("reset")
      context.reset()
      attempt("fetch", place) { try place.controller.performFetch() }
      note("fetch")
      try place.controller.performFetch()
    case 5:
      note("merging \(!context.automaticallyMergesChangesFromParent)")
      context.automaticallyMergesChangesFromParent.toggle()
    default:
      attempt("merge", place) { try context.mergeChangesFromStore() }
      note("merge")
      try context.mergeChangesFromStore()
    }
  }

  /// Ends a turn of each context, and compares it with a new one.
  private func endTurn() throws -> String? {
    for place in places {
      attempt("turn", place) { place.context.processPendingChanges() }
      note("turn")
      place.context.processPendingChanges()
      if let difference = try difference(place) {
        return "seed \(seed): \(difference)\n\(trail.suffix(40).joined(separator: "\n"))"
      }
    }
    return nil
  }

  private func note(_ what: String) { trail.append(what) }

  /// Attempts something while calls of the store fail.
  private func attempt(_ what: String, _ place: Place, _ body: () throws -> Void) {
    guard let store = place.store, random.chance(2) else { return }
    let most = [1, 5, 20][random.number(0...2)]
    let successes = random.number(0...most)
    note("\(what), where call \(successes + 1) of the store fails")
    store.failing(after: successes, times: random.number(1...3)) {
      do { try body() } catch { note("  \(error)") }
    }
    if store.hasFailed { note("  (failed)") }
    // An access to an object cannot throw, so the next fetch or save does.
    _ = place.context.persistentStoreCoordinator.takeReadFailure()
  }

  private struct Refusal: Error {}

  /// Runs a task in the background, which may fail at any step.
  private func runTask() async throws {
    note("task")
    let seed = random.next()
    let book = book
    do {
      try await container.performBackgroundTask { context in
        var random = SeededGenerator(seed: seed)
        guard context.mergePolicy == .error, context.progress == nil,
          let store = context.persistentStoreCoordinator.store as? FailingStore
        else { throw Refusal() }
        context.mergePolicy = .overwrite
        for _ in 0..<random.number(1...3) {
          try BookShelf.change(in: context, of: book, using: &random)
          if random.chance(3) {
            try store.failing(after: random.number(0...6), times: random.number(1...3)) {
              try context.save()
            }
          } else {
            try context.save()
          }
        }
        if random.chance(3) { try BookShelf.change(in: context, of: book, using: &random) }
      }
    } catch let error as SaveError {
      note("  \(error)")
    }
  }

  /// What is not as in a new context; nil if everything is.
  private func difference(_ place: Place) throws -> String? {
    let context = place.context
    if let failure = place.failure { return "a difference does not fit: \(failure)" }
    if place.controller.sectionIDs != place.sections {
      return "the observer knows other sections"
    }
    if let error = place.controller.trackingError { return "the controller stopped: \(error)" }
    guard context.automaticallyMergesChangesFromParent, !context.hasChanges else { return nil }
    let fresh = try container.newContext(isolation: nil)
    let controller = try BookShelf.controller(in: fresh, of: book)
    try controller.performFetch()
    if controller.sectionIDs != place.sections {
      return "shows \(place.sections), a new controller \(controller.sectionIDs)"
    }
    let request = FetchRequest(
      entity: book, sortDescriptors: [FetchSortDescriptor(key: "title")])
    let (known, new) = (try context.fetch(request), try fresh.fetch(request))
    let lines = { (objects: [ManagedObject]) in
      objects.map { "\($0.objectID) \($0["title"]) \($0["genre"]) \($0["pages"])" }.sorted()
    }
    return lines(known) == lines(new) ? nil : "has \(lines(known)), a new context \(lines(new))"
  }
}
