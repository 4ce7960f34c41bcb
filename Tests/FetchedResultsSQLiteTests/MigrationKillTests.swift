import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import PseudoTerminal
import RandomLaws
import Testing

/// If a process is killed during a migration, the file is either the old or the new one.
@Suite("A migration that is killed")
struct MigrationKillTests {
  private let folder = StoreFolder()
  private static let books = 3_000

  @Test("at any moment leaves the old file or the new one")
  func killed() throws {
    let original = folder.file("original.sqlite")
    try make(original)
    // Closing the file has written its log into it.
    try FileManager.default.copyItem(at: original, to: folder.file("original-old.sqlite"))
    let names = (0..<Self.books).map { "Book \($0)" }
    let whole = try run(original, killedAfter: nil)
    // The first run may be slow, because its program is read, or other programs are busy. So a kill
    // that came too late makes the next ones sooner.
    var latest = whole * 1.1
    var outcomes = (old: 0, new: 0)
    for round in LawSeeds(seconds: 0.6, atLeast: 10) {
      let file = try copy(round)
      var random = SeededGenerator(seed: round)
      let moment = Double(random.number(0...1_000)) / 1_000 * latest
      _ = try run(file, killedAfter: moment)
      if let found = try? read(file, try Self.newModel(), "title", "authors") {
        outcomes.new += 1
        latest *= 0.8
        #expect(found == names, "round \(round)")
      } else {
        outcomes.old += 1
        latest = min(latest * 1.3, whole * 1.1)
        let found = try read(file, try Self.oldModel(), "name", "author")
        #expect(found == names, "round \(round)")
        #expect(try folder.lines("PRAGMA integrity_check", in: file.lastPathComponent) == ["ok"])
      }
      let others = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(others.allSatisfy { $0.hasPrefix("original") || $0.hasPrefix("copy") }, "\(others)")
    }
    #expect(outcomes.old > 0 || !LawSeeds.areMany, "\(outcomes)")
  }

  /// Returns a copy of the old file, which the first run has migrated.
  private func copy(_ round: UInt64) throws -> URL {
    for old in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where old.hasPrefix("copy") {
      try FileManager.default.removeItem(at: folder.file(old))
    }
    let file = folder.file("copy\(round).sqlite")
    try FileManager.default.copyItem(at: folder.file("original-old.sqlite"), to: file)
    return file
  }

  /// Starts another process that migrates a file.
  ///
  /// - Returns: How long it took, in seconds.
  private func run(_ file: URL, killedAfter moment: Double?) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: PseudoTerminal.builtProgram("MigrationProbe"))
    process.arguments = [file.path]
    let start = ContinuousClock.now
    try process.run()
    if let moment {
      Thread.sleep(forTimeInterval: moment)
      kill(process.processIdentifier, SIGKILL)
    }
    process.waitUntilExit()
    if moment == nil { #expect(process.terminationStatus == 0) }
    return (ContinuousClock.now - start) / .seconds(1)
  }

  private func make(_ file: URL) throws {
    let model = try Self.oldModel()
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: file)
    let context = ManagedObjectContext(coordinator: coordinator)
    let (author, book) = (
      try #require(model.entitiesByName["Author"]), try #require(model.entitiesByName["Book"])
    )
    let authors = try (0..<10).map { number in
      let object = context.insert(author)
      try object.setValue(.string("Author \(number)"), forKey: "name")
      return object.objectID
    }
    for number in 0..<Self.books {
      let object = context.insert(book)
      try object.setValue(.string("Book \(number)"), forKey: "name")
      try object.setValue(.int(Int64(number)), forKey: "pages")
      try object.setValue(.object(authors[number % 10]), forKey: "author")
    }
    try context.save()
  }

  /// Returns the titles of all books that have their author, in order.
  private func read(
    _ file: URL, _ model: ManagedObjectModel, _ name: String, _ author: String
  ) throws -> [String] {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: file)
    let context = ManagedObjectContext(coordinator: coordinator)
    let request = FetchRequest(entity: try #require(model.entitiesByName["Book"]))
    return try context.fetch(request).enumerated().map { number, book in
      guard case .object(let id)? = book[author].first,
        context.findObject(with: id)?["name"] == .string("Author \(number % 10)")
      else { return "no author" }
      return book[name].string ?? ""
    }
  }

  private static func oldModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Author", attributes: [.init("name", .string)],
        relationships: [.toMany("books", "Book", inverse: "author")]),
      EntityDescription(
        name: "Book", attributes: [.init("name", .string), .optional("pages", .integer32)],
        relationships: [.toOne("author", "Author", inverse: "books")]),
    ])
  }

  /// Returns the same model as the process uses.
  private static func newModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Author", attributes: [.init("name", .string)],
        relationships: [.toMany("books", "Book", inverse: "authors")]),
      EntityDescription(
        name: "Book",
        attributes: [.init("title", .string), .init("rating", .integer16, default: .int(3))],
        relationships: [.toMany("authors", "Author", inverse: "books")]),
    ])
  }
}

extension PropertyValue {
  /// The first element of a list, or the only value.
  fileprivate var first: PropertyValue? {
    if case .list(let values) = self { values.first } else { self }
  }
}
