import Basics
import EngineWorlds
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

@testable import FetchedResults

/// Whatever a cache's file contains, the result of a fetch is the same as without a cache.
@Suite("Damaged section caches")
struct DamagedCacheTests {
  @Test("results are those of a fetch without a cache, and can be followed")
  func random() throws {
    let folder = StoreFolder()
    try DamagedStore.sound().write(to: folder.file())
    let file = folder.url.appendingPathComponent("caches/Demo.frccache")
    _ = try CachedBooks(folder).rows(cache: "Demo", settles: true)
    let sound = try Data(contentsOf: file)
    #expect(try CachedBooks(folder).rows(cache: "Demo").isUsed)
    let expected = try CachedBooks(folder).rows(cache: nil).lines
    for seed in LawSeeds(seconds: 0.6, atLeast: 12) {
      var random = SeededGenerator(seed: seed)
      let damaged = Self.damaged(sound, &random)
      // Anyone can compute the checksum. A file with the right checksum is used, although its
      // contents may be wrong.
      let isSigned = seed.isMultiple(of: 3)
      try (isSigned ? Self.signed(damaged) : damaged).write(to: file)

      let books = try CachedBooks(folder)
      do {
        let found = try books.rows(cache: "Demo")
        if !isSigned || !found.isUsed {
          #expect(found.lines == expected, "seed \(seed)")
        }
        try books.change(&random)
      } catch {
        #expect(isSigned && !"\(error)".contains("\n"), "seed \(seed): \(error)")
      }
    }
  }

  private static func damaged(_ sound: Data, _ random: inout SeededGenerator) -> Data {
    var bytes = sound
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))
    case 1: return bytes + Data(repeating: 7, count: Int.random(in: 1..<40, using: &random))
    case 2:
      // Puts a number with an extreme value anywhere.
      let place = Int.random(in: 1..<bytes.count / 8, using: &random) * 8
      let number = [.max, .min, -1, 0, 1, 1 << 32, 1 << 62].randomElement(using: &random) ?? 0
      withUnsafeBytes(of: Int64(number).littleEndian) {
        bytes.replaceSubrange(place..<place + 8, with: $0)
      }
      return bytes
    default:
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      return bytes
    }
  }

  /// Gives a file the checksum of its bytes.
  private static func signed(_ bytes: Data) -> Data {
    guard bytes.count >= 32 else { return bytes }
    var signed = bytes
    let head = XXHash64.hash(Array(bytes.prefix(24)))
    let sum = Array(bytes.dropFirst(32)).withUnsafeBytes { XXHash64.hash($0, seed: head) }
    withUnsafeBytes(of: sum.littleEndian) { signed.replaceSubrange(24..<32, with: $0) }
    return signed
  }
}

/// A process that shows the books by pages.
private final class CachedBooks: FetchedResultsControllerDelegate {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private let context: ManagedObjectContext
  private var controller: FetchedResultsController?

  init(_ folder: StoreFolder) throws {
    context = ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: try Library.model(), sqliteStoreAt: folder.file(),
        sectionCachesIn: folder.url.appendingPathComponent("caches")))
  }

  /// Fetches, and returns what is shown and whether the cache was used.
  func rows(cache: String?, settles: Bool = false) throws -> (lines: [String], isUsed: Bool) {
    let book = try context.entity("Book")
    let controller = try context.controller(
      of: book, by: ["pages", "title"], sections: "pages", cache: cache)
    controller.delegate = self
    self.controller = controller
    try controller.performFetch()
    if settles { try context.persistentStoreCoordinator.writeSectionCaches(of: [controller]) }
    return (shown(controller), controller.cacheFinding?.state == .used)
  }

  private func shown(_ controller: FetchedResultsController) -> [String] {
    (controller.sections.map(Array.init) ?? []).map { section in
      "\(section.name): \(section.objects.map { "\($0.objectID)" }.joined(separator: " "))"
    }
  }

  /// Changes some books without a save, and reads everything that is shown.
  func change(_ random: inout SeededGenerator) throws {
    guard let controller else { return }
    for _ in 0..<3 {
      _ = try context.insert("Book", ["pages": .int(Int64.random(in: 0...6, using: &random))])
      let book = try context.entity("Book")
      let all = try context.fetch(FetchRequest(entity: book))
      if let some = all.randomElement(using: &random) {
        try some.setValue(.int(Int64.random(in: 0...6, using: &random)), forKey: "pages")
      }
      if let some = all.randomElement(using: &random) { context.delete(some) }
      context.processPendingChanges()
      _ = shown(controller)
    }
  }
}
