import FetchedResults
import Foundation
import GRDB
import RandomLaws
import Synchronization
import Testing

@testable import FetchedResultsSQLite

/// Changes that other programs make to a store's file while it is open.
@Suite("Other programs at a store's file")
struct ForeignAccessTests {
  private let folder = StoreFolder()

  private func open(isReadOnly: Bool = false) throws -> ManagedObjectContext {
    try folder.context(Library.model(), isReadOnly: isReadOnly)
  }

  // MARK: The file's identity

  @Test(
    "a file that was removed, renamed or replaced while it was open is not written to",
    arguments: ["remove", "rename", "replace", "move"])
  func identity(change: String) throws {
    let context = try open()
    _ = try context.insert("Book", ["title": "before"])
    try context.save()
    let files = FileManager.default
    let other = folder.file("other.sqlite")
    let isGone = change == "remove" || change == "rename"
    switch change {
    case "remove": try files.removeItem(at: folder.file())
    case "rename": try files.moveItem(at: folder.file(), to: other)
    case "replace":
      try files.removeItem(at: folder.file())
      try Data().write(to: folder.file())
    default:
      try files.copyItem(at: folder.file(), to: other)
      #expect(rename(other.path, folder.file().path) == 0)
    }

    _ = try context.insert("Book", ["title": "after"])
    let reason =
      isGone
      ? "the file was removed or renamed while it was open; nothing was saved"
      : "another file took its place while it was open; nothing was saved"
    #expect(throws: SaveError.store(.unusable(store: "library.sqlite", reason: reason))) {
      try context.save()
    }
    #expect(context.hasChanges)
  }

  // MARK: Reading beside a writer

  /// Writes the same number into every row of a table, again and again.
  private final class Writer: Sendable {
    private let isStopped = Mutex(false)
    private let group = DispatchGroup()

    init(_ path: String, mode: String, pages: Int) throws {
      var configuration = Configuration()
      configuration.prepareDatabase { database in
        try database.execute(
          sql: "PRAGMA journal_mode = \(mode); PRAGMA wal_autocheckpoint = \(pages); "
            + "PRAGMA synchronous = OFF")
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      group.enter()
      Thread { [self] in
        defer { group.leave() }
        var number = 0
        while !isStopped.withLock({ $0 }) {
          number += 1
          try? queue.write { try $0.execute(sql: "UPDATE ZBOOK SET ZPAGES = \(number)") }
          Thread.sleep(forTimeInterval: .random(in: 0...0.004))
        }
      }.start()
    }

    func stop() {
      isStopped.withLock { $0 = true }
      group.wait()
    }
  }

  @Test(
    "a store that is only read is read as one save left it, whoever writes meanwhile",
    arguments: [("WAL", 20), ("WAL", 1000), ("DELETE", 0)])
  func torn(mode: String, pages: Int) throws {
    var reads = 0
    do {
      let context = try open()
      for _ in 1...2000 { _ = try context.insert("Book", ["title": "a title of some length"]) }
      try context.save()
    }
    let writer = try Writer(folder.file().path, mode: mode, pages: pages)
    defer { writer.stop() }
    var failures: [String] = []
    for _ in LawSeeds(seconds: 0.4, atLeast: 10) {
      reads += 1
      do {
        let store = try SQLiteStore(
          model: try Library.model(), path: folder.file().path, name: "a", isReadOnly: true)
        let found = try store.queue.read { database in
          try Int.fetchOne(database, sql: "SELECT count(DISTINCT ZPAGES) FROM ZBOOK") ?? 0
        }
        if found > 1 { failures.append("\(found) states in one") }
      } catch {
        failures.append("\(error)")
      }
    }
    #expect(failures.isEmpty, "\(failures.count) of \(reads): \(failures.prefix(3))")
  }

  @Test("of a transaction that a process never ended nothing is read")
  func journal() throws {
    do {
      let context = try open()
      for _ in 1...2000 { _ = try context.insert("Book", ["pages": 1]) }
      try context.save()
    }
    let left = folder.file("left.sqlite").path
    try DatabaseQueue(path: folder.file().path).writeWithoutTransaction { database in
      try database.execute(
        sql: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; PRAGMA cache_spill = 1")
      try database.inTransaction(.immediate) {
        try database.execute(sql: "UPDATE ZBOOK SET ZPAGES = 2")
        for suffix in ["", "-journal"] {
          try FileManager.default.copyItem(
            atPath: folder.file().path + suffix, toPath: left + suffix)
        }
        return .rollback
      }
    }
    let store = try SQLiteStore(
      model: try Library.model(), path: left, name: "a", isReadOnly: true)
    #expect(
      try store.queue.read { try Int.fetchAll($0, sql: "SELECT DISTINCT ZPAGES FROM ZBOOK") } == [1]
    )
  }

  // MARK: Stamps

  @Test("a time without parts of a second tells two states apart only after two seconds")
  func stamp() throws {
    let path = folder.file("a").path
    try Data([1]).write(to: folder.file("a"))
    let second = floor(Date().timeIntervalSince1970)
    func stamp(age: Double) throws -> StoreStamp? {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: second - age)], ofItemAtPath: path)
      Thread.sleep(forTimeInterval: 0.05)
      return StoreStamp(database: path)
    }
    #expect(try stamp(age: 0) == nil)
    #expect(try stamp(age: 0.5) != nil)
    #expect(try stamp(age: 3) != nil)
  }
}
