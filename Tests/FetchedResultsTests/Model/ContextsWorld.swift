import Basics
import EngineWorlds
import FetchedResults
import Foundation
import NaiveModel
import Testing

/// Three contexts at once: one, a child of it, and one in the background.
///
/// Each has controllers whose callbacks are replayed, and the objects have all kinds of
/// relationships.
final class ContextsWorld {
  /// A controller, and its sections according to the callbacks so far.
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
    /// Saves of others that are not merged yet.
    var unmerged: [ContextSave] = []
    /// Whether a new fetch may show changes that the controllers cannot know.
    var isBehind = false

    init(_ name: String, _ context: ManagedObjectContext) {
      self.name = name
      self.context = context
    }
  }

  let main, child, background: Place
  let thing, group: EntityDescription
  /// The delete rule of a group's things.
  let rule: RelationshipDescription.DeleteRule
  let coordinator: PersistentStoreCoordinator
  private let seed: UInt64
  /// The store, in a world where attempts fail; nil in others.
  let failing: FailingStore?
  var random: SeededGenerator
  var trail: [String] = []
  private(set) var failure: String?

  /// - Parameter fails: Whether each operation is first attempted in vain now and then.
  init(seed: UInt64, levelsOfUndo: Int = 5, fails: Bool = false) throws {
    self.seed = seed
    failing = fails ? FailingStore(InMemoryStore(identifier: "failing")) : nil
    random = SeededGenerator(seed: seed)
    rule = [.nullify, .cascade, .deny, .noAction][Int(seed % 4)]
    group = try Self.groupEntity(rule: rule, isOrdered: seed.isMultiple(of: 2))
    thing = try Self.thingEntity(peersAreOrdered: seed.isMultiple(of: 5))
    let model = try ManagedObjectModel(entities: [thing, group])
    coordinator =
      failing.map { PersistentStoreCoordinator(managedObjectModel: model, store: $0) }
      ?? PersistentStoreCoordinator(managedObjectModel: model)
    let context = ManagedObjectContext(coordinator: coordinator)
    main = Place("main", context)
    child = Place("child", ManagedObjectContext(parent: context))
    background = Place("background", ManagedObjectContext(coordinator: coordinator))
    for _ in 0..<Int.random(in: 0...3, using: &random) { context.insert(group) }
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      try change(context.insert(thing), in: main)
    }
    try context.save()
    for place in places {
      // Some worlds merge so much at once that a context compares everything.
      if seed.isMultiple(of: 3) { place.context.leastUnmergedObjects = 2 }
      place.watched = try Self.watchers(of: place.context, thing)
      place.context.undoManager = UndoHistory(levelsOfUndo: levelsOfUndo)
    }
    observeSaves()
  }

  var places: [Place] { [main, child, background] }

  private static func thingEntity(peersAreOrdered: Bool) throws -> EntityDescription {
    try EntityDescription(
      name: "Thing",
      attributes: [
        .init("k", .integer64, default: 0), .init("t", .integer64, default: 0),
        .optional("s", .string),
      ],
      relationships: [
        .toOne("group", "Group", inverse: "things"),
        .toMany("peers", "Thing", inverse: "peers", isOrdered: peersAreOrdered),
        .toOne("next", "Thing", inverse: "previous"), .toOne("previous", "Thing", inverse: "next"),
        .toOne("mark", "Thing"),
      ])
  }

  private static func groupEntity(
    rule: RelationshipDescription.DeleteRule, isOrdered: Bool
  ) throws -> EntityDescription {
    try EntityDescription(
      name: "Group", attributes: [.optional("name", .string)],
      relationships: [
        .toMany("things", "Thing", inverse: "group", isOrdered: isOrdered, deleteRule: rule)
      ])
  }

  private static func watchers(
    of context: ManagedObjectContext, _ entity: EntityDescription
  ) throws -> [Watched] {
    func watched(
      _ format: String?, _ sort: [String], section: String? = nil, keptLimit: Int = 0,
      tracksRelated: Bool = false
    ) throws -> Watched {
      let request = FetchRequest(
        entity: entity, predicate: try format.map { try FetchPredicate(format: $0) },
        sortDescriptors: sort.map(FetchSortDescriptor.init(_:)), fetchLimit: keptLimit,
        fetchOffset: keptLimit / 3)
      let controller = try FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
      controller.keepsFetchLimit = keptLimit > 0
      controller.tracksRelatedObjects = tracksRelated
      return try Watched(controller)
    }
    return [
      try watched(nil, ["k", "-t"]),
      try watched("k > 2", ["s", "t"], section: "s"),
      try watched("group != nil AND peers.@count < 3", ["group", "k"]),
      try watched("t < 9", ["k", "t"], keptLimit: 2),
      try watched(nil, ["s", "-k"], section: "s", keptLimit: 4),
      try watched(nil, ["group.name", "k"], section: "group.name", tracksRelated: true),
      try watched("ANY peers.k > 3", ["next.group.name", "t"], tracksRelated: true),
      try watched(
        "mark.k > 1 OR group.things.@count > 2", ["-mark.t", "k"], keptLimit: 3,
        tracksRelated: true),
    ]
  }

  private var observations: [ContextObservation] = []

  private func observeSaves() {
    let ofMain = main.context.observeSaves { [unowned self] save in
      if !background.context.automaticallyMergesChangesFromParent {
        background.unmerged.append(save)
      }
      background.isBehind = true
      checkStore()
    }
    let ofBackground = background.context.observeSaves { [unowned self] save in
      if !main.context.automaticallyMergesChangesFromParent { main.unmerged.append(save) }
      main.isBehind = true
      // The child reads values from the store that its parent has not read.
      child.isBehind = true
      checkStore()
    }
    observations = [ofMain, ofBackground]
  }

  /// Attempts something in vain: some reads or writes of the store fail.
  ///
  /// Nothing may be different afterwards than without the attempt.
  func attempt(_ what: String, _ place: Place, _ body: () throws -> Void) {
    guard let failing, random.chance(3) else { return }
    let most = [1, 4, 20].randomElement(using: &random) ?? 1
    let successes = Int.random(in: 0...most, using: &random)
    let times = Int.random(in: 1...3, using: &random)
    trail.append("\(place.name): \(what), where call \(successes + 1) of the store fails")
    let control = ProcessInfo.processInfo.environment["FRC_CONTROL"] != nil
    failing.failing(after: control ? 1_000_000 : successes, times: times) {
      do { try body() } catch { trail.append("  \(error)") }
    }
    if failing.hasFailed { trail.append("  (failed)") }
    // An access to an object cannot throw, so the next fetch or save does.
    _ = coordinator.takeReadFailure()
  }

  func note(
    _ what: String, _ place: Place, _ body: (ManagedObjectContext) -> Void = { _ in }
  ) {
    trail.append("\(place.name): \(what)")
    body(place.context)
  }

  func fail(_ reason: String, _ place: Place) {
    guard failure == nil else { return }
    failure = "seed \(seed), \(place.name)\n\(trail.suffix(60).joined(separator: "\n"))\n\(reason)"
  }
}
