import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite

/// A file of objects with unique values.
///
/// Two coordinators save into it, each from its own context.
struct UniqueFile {
  /// The operations so far.
  private(set) var trail: [String] = []
  private var world: UniqueWorld
  private var places: [Place]
  private var random: SeededGenerator
  private let folder: StoreFolder

  private struct Place {
    let name: String
    var context: ManagedObjectContext
    /// Saves of the other coordinator that are not merged yet.
    var unmerged: [ContextSave] = []
  }

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    folder = StoreFolder()
    world = try UniqueWorld(seed: seed)
    let coordinators = try (0..<2).map { [world, folder] _ in try Self.coordinator(world, folder) }
    places = zip(["one", "other"], coordinators).map { name, coordinator in
      Place(name: name, context: ManagedObjectContext(coordinator: coordinator))
    }
  }

  private static func coordinator(
    _ world: UniqueWorld, _ folder: StoreFolder
  ) throws -> PersistentStoreCoordinator {
    try folder.coordinator(world.coordinator.managedObjectModel)
  }

  /// One coordinator changes objects, and may save, merge or start again.
  ///
  /// - Returns: What is wrong afterwards, or nil.
  mutating func turn() throws -> String? {
    let index = random.number(0...1)
    let name = places[index].name
    let context = places[index].context
    for _ in 0..<random.number(0...3) { trail.append("\(name) \(world.change(context))") }
    if random.chance(3) { context.processPendingChanges() }
    if random.chance(2), let trouble = try save(index) { return trouble }
    if random.chance(3) { trail.append("\(name) \(try merge(index))") }
    // A context keeps what it has read, so it is recreated sometimes.
    if random.chance(15) {
      trail.append("\(name) begins again")
      places[index].context = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
      places[index].unmerged = []
    }
    return nil
  }

  private mutating func save(_ index: Int) throws -> String? {
    let context = places[index].context
    context.mergePolicy = random.one(of: MergePolicy.allCases) ?? .error
    trail.append("\(places[index].name) saves by \(context.mergePolicy)")
    var saves: [ContextSave] = []
    let observation = context.observeSaves { saves.append($0) }
    defer { observation.cancel() }
    do {
      try context.save()
    } catch SaveError.conflict(let error) {
      trail.append("\(error)")
      guard context.mergePolicy == .error else { return "the policy settles conflicts: \(error)" }
      if random.chance(2) {
        trail.append("\(places[index].name) rolls back")
        context.rollback()
      }
    } catch {
      return "\(error)"
    }
    places[1 - index].unmerged += saves
    let rows = world.savedRows(readBy: try Self.coordinator(world, folder))
    if let shared = world.shared(in: rows) { return shared }
    let lines = world.lines(of: rows)
    let own = world.lines(of: world.savedRows(readBy: context.persistentStoreCoordinator))
    return lines == own ? nil : "the file has \(lines), and its writer reads \(own)"
  }

  private mutating func merge(_ index: Int) throws -> String {
    let context = places[index].context
    let saves = places[index].unmerged
    places[index].unmerged = []
    switch random.number(0...3) {
    case 0:
      try context.mergeChangesFromStore()
      return "merges the file"
    case 1:
      context.refreshAllObjects()
      return "refreshes all"
    default:
      for save in saves { context.mergeChanges(fromContextDidSave: save) }
      return "merges \(saves.count) saves"
    }
  }
}
