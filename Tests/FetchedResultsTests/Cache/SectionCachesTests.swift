import EngineWorlds
import Testing

@testable import FetchedResults

@Suite("section caches")
struct SectionCachesTests {
  let shelf: Shelf

  init() throws {
    shelf = try Shelf()
    shelf.insert("a1", "A", pages: 1)
    shelf.insert("b1", "B", pages: 2)
    try shelf.context.save()
  }

  private var cache: SectionCache? {
    guard case .cache(let cache) = shelf.coordinator.sectionCaches.reading(of: "Demo") else {
      return nil
    }
    return cache
  }

  private func controller() throws -> FetchedResultsController {
    try shelf.controller(sort: "publisher", section: "publisher", cache: "Demo")
  }

  @Test("performFetch writes a cache, and the next controller reads the same sections from it")
  func hit() throws {
    #expect(cache == nil)
    try controller().performFetch()
    #expect(cache?.numbers == [1, 2])
    #expect(cache?.runs.map(\.name) == ["A", "B"])
    #expect(cache?.staleness(for: shelf.coordinator.store) == nil)

    // A planted order shows whether sections are read from the cache or computed.
    let read = try #require(cache)
    try shelf.coordinator.sectionCaches.keep(
      SectionCache(
        fingerprint: read.fingerprint, basis: read.basis,
        storeIdentifier: read.storeIdentifier, runs: [.init(name: "planted", count: 2)],
        numbers: [2, 1]),
      named: "Demo")
    let second = try controller()
    try second.performFetch()
    #expect(second.shown == ["planted: b1, a1"])
  }

  @Test("a save makes the cache stale; performFetch computes and writes it anew, silently")
  func stale() throws {
    try controller().performFetch()
    shelf.insert("c1", "C")
    try shelf.context.save()
    #expect(cache?.staleness(for: shelf.coordinator.store) == .storeChanged)

    let second = try controller()
    try second.performFetch()

    #expect(second.shown == ["A: a1", "B: b1", "C: c1"])
    #expect(cache?.numbers == [1, 2, 3])
    #expect(cache?.staleness(for: shelf.coordinator.store) == nil)
  }

  @Test("unsaved changes are among the results, and their cache is never used")
  func unsaved() throws {
    shelf.insert("c1", "C")
    let first = try controller()
    try first.performFetch()
    #expect(first.shown == ["A: a1", "B: b1", "C: c1"])
    #expect(cache?.staleness(for: shelf.coordinator.store) == .unsavedChanges)

    shelf.context.rollback()
    let second = try controller()
    try second.performFetch()
    #expect(second.shown == ["A: a1", "B: b1"])
  }

  @Test("a valid cache is passed over while there are unsaved changes")
  func unsavedAfter() throws {
    try controller().performFetch()
    shelf.insert("c1", "C")
    let second = try controller()
    try second.performFetch()
    #expect(second.shown == ["A: a1", "B: b1", "C: c1"])
  }

  @Test("another sort, section key or entity under the name is fatal")
  func mismatch() throws {
    try controller().performFetch()
    let reason =
      "CoreData: FATAL ERROR: The persistent cache of section information does not match the "
      + "current configuration.  You have illegally mutated the NSFetchedResultsController's "
      + "fetch request, its predicate, or its sort descriptor without either disabling caching "
      + "or using +deleteCacheWithName:"

    let otherSort = try shelf.controller(sort: "-publisher", section: "publisher", cache: "Demo")
    let error = #expect(throws: FetchedResultsError.self) { try otherSort.performFetch() }
    #expect(error?.name == "NSInternalInconsistencyException")
    #expect(error?.reason == reason)
    #expect(otherSort.fetchedObjects == nil)

    let otherSection = try shelf.controller(sort: "publisher", cache: "Demo")
    #expect(throws: FetchedResultsError.cacheMismatch(name: "Demo")) {
      try otherSection.performFetch()
    }
  }

  @Test("a mutated request is fatal until its cache is deleted")
  func mutated() throws {
    let controller = try controller()
    try controller.performFetch()
    controller.fetchRequest.sortDescriptors = [FetchSortDescriptor("-publisher")]
    #expect(throws: FetchedResultsError.cacheMismatch(name: "Demo")) {
      try controller.performFetch()
    }

    try FetchedResultsController.deleteCache(withName: "Demo", in: shelf.coordinator)
    try controller.performFetch()
    #expect(controller.shown == ["B: b1", "A: a1"])
  }

  @Test("another limit or locale is no mismatch: the cache is computed anew")
  func otherLimit() throws {
    try controller().performFetch()
    let second = try controller()
    second.fetchRequest.fetchLimit = 1
    try second.performFetch()
    #expect(second.shown == ["A: a1"])
    #expect(cache?.numbers == [1])

    shelf.context.environment.locale = "ja"
    let third = try controller()
    try third.performFetch()
    #expect(third.shown == ["A: a1", "B: b1"])
  }

  @Test("a cache that cannot be removed is an error")
  func unremovable() throws {
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: shelf.coordinator.managedObjectModel, store: shelf.coordinator.store,
      sectionCaches: FixedCaches())
    for name in ["Demo", nil] {
      #expect(throws: SectionCacheError(name: "Demo", reason: "stays")) {
        try FetchedResultsController.deleteCache(withName: name, in: coordinator)
      }
    }
  }

  @Test("deleting without a name deletes every cache")
  func deleteAll() throws {
    try controller().performFetch()
    try shelf.controller(sort: "title", cache: "Other").performFetch()
    #expect(shelf.coordinator.sectionCaches.names == ["Demo", "Other"])

    try FetchedResultsController.deleteCache(withName: nil, in: shelf.coordinator)
    #expect(shelf.coordinator.sectionCaches.names == [])
  }

  @Test(
    "a cache is of no use where the rows may be others although nothing was saved",
    arguments: [
      ("published < now()", true), ("pages > random()", true), ("title == \"known\"", false),
      ("title == \"now\"", true),
    ])
  func time(format: String, isUnrepeatable: Bool) throws {
    var request = shelf.request(sort: "publisher")
    request.predicate = try FetchPredicate(format: format)
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context, cacheName: "Demo")
    try controller.performFetch()
    try controller.performFetch()
    #expect(
      controller.cacheFinding?.state
        == (isUnrepeatable ? .stale(.unrepeatable, isOwn: true) : .used))
  }

  @Test("nor where sections come from a transient attribute that somebody sets")
  func unstored() throws {
    let entity = try EntityDescription(
      name: "Note",
      attributes: [
        AttributeDescription(name: "text", type: .string),
        AttributeDescription(name: "mood", type: .string, isOptional: true, isTransient: true),
      ])
    let context = try ManagedObjectContext(of: [entity])
    let note = context.insert(entity)
    note["text"] = "a"
    note["mood"] = "dark"
    try context.save()
    func controller(on context: ManagedObjectContext) throws -> FetchedResultsController {
      try context.controller(of: entity, by: ["text"], sections: "mood", cache: "Demo")
    }
    let first = try controller(on: context)
    try first.performFetch()
    #expect(first.sections?.map(\.name) == ["dark"])

    let second = try controller(
      on: ManagedObjectContext(coordinator: context.persistentStoreCoordinator))
    try second.performFetch()
    #expect(second.sections?.map(\.name) == [""])
    #expect(second.cacheFinding?.state == .stale(.unrepeatable, isOwn: true))
  }
}

/// Caches that cannot be removed.
private final class FixedCaches: SectionCaches {
  var names: [String] { ["Demo"] }
  func reading(of name: String) -> SectionCacheReading { .nothing }
  func isOwn(_ name: String) -> Bool { true }
  func keep(_ cache: SectionCache, named name: String) throws(SectionCacheError) {}
  func removeCache(named name: String) throws(SectionCacheError) {
    throw SectionCacheError(name: "Demo", reason: "stays")
  }
  func removeAll() throws(SectionCacheError) { try removeCache(named: "Demo") }
  func writePending() throws(SectionCacheError) {}
}
