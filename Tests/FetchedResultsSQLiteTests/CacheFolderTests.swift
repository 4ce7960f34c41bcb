import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// Later processes use a cache file, but only while it is correct.
@Suite("Section caches on disk")
struct CacheFolderTests {
  private let folder = StoreFolder()

  /// One process's use of the store.
  private func open(isReadOnly: Bool = false) throws -> Launch {
    try Launch(folder, isReadOnly: isReadOnly)
  }

  @Test("the next launch uses what the one before computed")
  func hit() throws {
    let first = try open()
    for (title, pages) in [("b", 2), ("a", 2), ("c", 1)] as [(String, Int64)] {
      _ = try first.context.insert("Book", ["title": .string(title), "pages": .int(pages)])
    }
    try first.context.save()
    #expect(try first.fetch() == .nothing)
    try first.close()

    let second = try open()
    #expect(try second.fetch() == .used)
    #expect(second.shown == ["1: 3", "2: 2 1"])
    try second.close()

    let third = try open(isReadOnly: true)
    #expect(try third.fetch() == .used)
    #expect(third.shown == ["1: 3", "2: 2 1"])
  }

  @Test("a save makes the file stale; it is written anew at the end")
  func stale() throws {
    let first = try open()
    _ = try first.context.insert("Book", ["pages": 1])
    try first.context.save()
    _ = try first.fetch()
    try first.close()

    let second = try open()
    #expect(try second.fetch() == .used)
    _ = try second.context.insert("Book", ["pages": 1])
    try second.context.save()
    // A process that ends here leaves a file that the next process ignores.
    let crashed = try open()
    #expect(try crashed.fetch() == .stale(.storeChanged, isOwn: false))
    #expect(crashed.shown == ["1: 1 2"])
    try second.close()

    let third = try open()
    #expect(try third.fetch() == .used)
    #expect(third.shown == ["1: 1 2"])
  }

  @Test("another program's write is noticed, whatever it wrote")
  func foreignWrite() throws {
    let first = try open()
    _ = try first.context.insert("Book", ["pages": 1])
    try first.context.save()
    _ = try first.fetch()
    try first.close()
    try folder.execute("UPDATE ZBOOK SET ZPAGES = 2")

    let second = try open()
    #expect(try second.fetch() == .stale(.storeChanged, isOwn: false))
    #expect(second.shown == ["2: 1"])
  }

  @Test("a store that was put in another's place is another one")
  func otherStore() throws {
    let first = try open()
    _ = try first.fetch()
    try first.close()
    try FileManager.default.removeItem(at: folder.file())

    let second = try open()
    #expect(try second.fetch() == .stale(.otherStore, isOwn: false))
    try second.close()
    #expect(try open().fetch() == .used)
  }

  @Test("a file that cannot be believed is computed anew, and written")
  func damaged() throws {
    let first = try open()
    _ = try first.context.insert("Book", ["pages": 1])
    try first.context.save()
    _ = try first.fetch()
    try first.close()
    let file = folder.url.appendingPathComponent("caches/Demo.frccache")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count - 8] = 2
    try bytes.write(to: file)

    let second = try open()
    #expect(try second.fetch() == .unusable(.damaged))
    #expect(second.shown == ["1: 1"])
    try second.close()
    #expect(try open().fetch() == .used)
  }

  @Test("a file under another's name is not believed")
  func renamed() throws {
    let first = try open()
    _ = try first.fetch(cache: "Other")
    try first.close()
    let caches = folder.url.appendingPathComponent("caches")
    try FileManager.default.moveItem(
      at: caches.appendingPathComponent("Other.frccache"),
      to: caches.appendingPathComponent("Demo.frccache"))
    #expect(try open().fetch() == .unusable(.otherName("Other")))
  }

  @Test("caches are deleted with their files")
  func delete() throws {
    let first = try open()
    _ = try first.fetch()
    _ = try first.fetch(cache: "Other")
    try first.close()
    let second = try open()
    #expect(second.coordinator.sectionCaches.names == ["Demo", "Other"])
    try FetchedResultsController.deleteCache(withName: "Demo", in: second.coordinator)
    #expect(second.coordinator.sectionCaches.names == ["Other"])
    try FetchedResultsController.deleteCache(withName: nil, in: second.coordinator)
    #expect(second.coordinator.sectionCaches.names == [])
    #expect(try open().fetch() == .nothing)
  }

  @Test("a folder that cannot be written costs the cache alone, and is said")
  func unwritable() throws {
    try Data().write(to: folder.url.appendingPathComponent("caches"))
    let launch = try open()
    _ = try launch.context.insert("Book", ["pages": 1])
    try launch.context.save()
    _ = try launch.fetch()
    #expect(launch.shown == ["1: 1"])
    let error = #expect(throws: SectionCacheError.self) { try launch.close() }
    #expect(error?.reason.hasSuffix("it is not a folder") == true)
  }
}

/// A process that has the store and its caches open.
private final class Launch {
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  private var controllers: [FetchedResultsController] = []

  init(_ folder: StoreFolder, isReadOnly: Bool = false) throws {
    coordinator = try PersistentStoreCoordinator(
      managedObjectModel: try Library.model(), sqliteStoreAt: folder.file(),
      isReadOnly: isReadOnly,
      sectionCachesIn: folder.url.appendingPathComponent("caches"))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  /// Fetches books by pages, and returns how much of a cache was used.
  func fetch(
    cache: String? = "Demo", format: String? = nil
  ) throws -> SectionCacheFinding.State? {
    guard let book = coordinator.managedObjectModel.entitiesByName["Book"] else { return nil }
    let controller = try context.controller(
      of: book, where: format, by: ["pages", "title"], sections: "pages", cache: cache)
    try controller.performFetch()
    controllers.append(controller)
    return controller.cacheFinding?.state
  }

  /// The sections of the last fetch, with their numbers of objects.
  var shown: [String] {
    (controllers.last?.sections.map(Array.init) ?? []).map { section in
      section.name + ": "
        + section.objects.map { String($0.objectID.number) }.joined(separator: " ")
    }
  }

  func close() throws { try coordinator.writeSectionCaches(of: controllers) }
}

@Suite("Cached and fetched results")
struct CachedResultsTests {
  @Test("whatever happens between launches, a cache gives what a fetch gives")
  func random() throws {
    var (rounds, uses) = (0, 0)
    for seed in LawSeeds(seconds: 0.6) {
      rounds += 1
      var random = SeededGenerator(seed: seed)
      let folder = StoreFolder()
      for launch in 0..<12 {
        let session = try Launch(folder)
        for step in 0..<Int.random(in: 1..<6, using: &random) {
          try act(session, folder, &random)
          let found = try session.fetch(format: "pages != 3")
          let cached = session.shown
          _ = try session.fetch(cache: nil, format: "pages != 3")
          #expect(session.shown == cached, "seed \(seed), launch \(launch), step \(step)")
          if found == .used { uses += 1 }
        }
        // Every third process ends without closing the store.
        if Int.random(in: 0..<3, using: &random) > 0 { try session.close() }
      }
    }
    #expect(uses > 5 * rounds)
  }

  private func act(
    _ session: Launch, _ folder: StoreFolder, _ random: inout SeededGenerator
  ) throws {
    let context = session.context
    let pages = PropertyValue.int(Int64.random(in: 1...4, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      _ = try context.insert("Book", ["pages": pages, "title": "t"])
    case 2:
      let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Book"]
      guard let entity,
        let object = try context.fetch(FetchRequest(entity: entity)).randomElement(using: &random)
      else { return }
      if Bool.random(using: &random) {
        try object.setValue(pages, forKey: "pages")
      } else {
        context.delete(object)
      }
    case 3, 4: try context.save()
    case 5:
      let other = try Launch(folder)
      _ = try other.context.insert("Book", ["pages": pages])
      try other.context.save()
      if Bool.random(using: &random) { _ = try other.fetch(format: "pages != 3") }
      if Bool.random(using: &random) { try other.close() }
      context.rollback()
      context.reset()
    default: break
    }
  }
}
