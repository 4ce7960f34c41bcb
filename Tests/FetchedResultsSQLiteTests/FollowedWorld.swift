import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

/// A file that one coordinator and statements of SQL change, and another coordinator follows.
struct FollowedWorld {
  private var random: SeededGenerator
  private let folder: StoreFolder
  private let path: String
  /// Whether the file is as Core Data writes it.
  private let isOfCoreData: Bool
  private let raw: DatabaseQueue
  private let writer: ManagedObjectContext
  private let coordinator: PersistentStoreCoordinator
  private let store: SQLiteStore
  private let reader: ManagedObjectContext
  private let agenda = PendingContexts()
  private let controllers: [FetchedResultsController]
  private let replays: Replays
  private var before: Dump
  /// How often the pages told what was saved, and how often they could not.
  private(set) var exactLooks = 0
  private(set) var otherLooks = 0

  /// The rows of each entity's table, as text.
  private typealias Dump = [String: [Int64: String]]

  /// What the replay law finds.
  private final class Replays {
    var checkers: [CheckingDelegate] = []
    var breaches: [String] = []
  }

  private final class Listener: FetchedResultsControllerDelegate {}

  /// - Parameters:
  ///   - journal: How SQLite keeps transactions.
  ///   - pageSize: In bytes.
  ///   - hasPointers: Whether pages have pointers to those that lead to them.
  ///   - isOfCoreData: Whether the file is as Core Data writes it.
  init(
    seed: UInt64, journal: String, pageSize: Int, hasPointers: Bool, isOfCoreData: Bool
  ) throws {
    random = SeededGenerator(seed: seed)
    folder = StoreFolder()
    self.isOfCoreData = isOfCoreData
    path = folder.file().path
    let setUp = try DatabaseQueue(path: path)
    try setUp.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA page_size = \(pageSize)")
      try database.execute(sql: "PRAGMA auto_vacuum = \(hasPointers ? 2 : 0)")
      _ = try Row.fetchAll(database, sql: "PRAGMA journal_mode = \(journal)")
      try database.execute(sql: "VACUUM")
    }
    try setUp.close()
    if isOfCoreData {
      do {
        _ = try folder.coordinator(Library.model(hasSiblings: true))
      }
      try CoreDataForm.give(to: folder, seed: seed)
    }
    writer = try folder.context(
      Library.model(hasSiblings: isOfCoreData), migration: CoreDataForm.noMigration)
    writer.mergePolicy = .mergeByPropertyObjectTrump
    for name in Library.names(hasSiblings: isOfCoreData) + ["Book"] {
      _ = try writer.insert(name)
    }
    try writer.save()
    raw = try DatabaseQueue(path: path)
    coordinator = try folder.coordinator(Library.model(hasSiblings: isOfCoreData), isReadOnly: true)
    store = try #require(coordinator.store as? SQLiteStore)
    reader = ManagedObjectContext(coordinator: coordinator)
    agenda.add(reader, at: 0)
    controllers = try Self.controllers(on: reader)
    let replays = Replays()
    for controller in controllers {
      let checker = CheckingDelegate(of: Listener()) { replays.breaches.append("\($0)") }
      replays.checkers.append(checker)
      controller.delegate = checker
      try controller.performFetch()
    }
    self.replays = replays
    before = [:]
    before = try dump()
    guard case .read(let save?) = try store.readAgain(), save.isEmpty else {
      Issue.record("the first look found a change")
      return
    }
  }

  private static func controllers(
    on context: ManagedObjectContext
  ) throws -> [FetchedResultsController] {
    try [
      ("Book", ["title"], nil, nil), ("Book", ["pages", "title"], "pages", "pages > 0"),
      ("Author", ["name"], nil, nil), ("Book", ["author.name", "title"], nil, nil),
      ("Book", ["title"], nil, "ANY tags.name != nil"), ("Tag", ["name"], nil, nil),
      ("Author", ["name"], nil, "books.@count > 1 OR read.@count > 0"),
    ].map { (name: String, keys: [String], section: String?, format: String?) in
      let entity = try context.entity(name)
      return try context.controller(
        of: entity, where: format, by: keys, batch: section == nil ? 0 : 3, sections: section)
    }
  }

  // MARK: Changes

  /// Changes the file some times.
  mutating func change() throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if Bool.random(using: &random) { try changeObjects() } else { try changeRows() }
    }
  }

  /// Changes objects, as an app does.
  private mutating func changeObjects() throws {
    // Statements of SQL leave the versions of rows, so a merge alone finds no friends that are gone.
    // A save beside them would write one row of a pair, which readers cannot agree about.
    writer.refreshAllObjects()
    writer.processPendingChanges()
    let name =
      Library.names(hasSiblings: isOfCoreData).randomElement(using: &random) ?? "Book"
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let objects = try objects(name)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3:
        let object = try writer.insert(name)
        if name != "Tag" { try setText(of: object) }
      case 3:
        if objects.count > 3, let object = objects.randomElement(using: &random) {
          writer.delete(object)
        }
      case 4, 5: if let object = objects.randomElement(using: &random) { try setText(of: object) }
      default:
        guard let object = objects.randomElement(using: &random) else { break }
        let ordinals = object.entity.relationships.indices
        guard let ordinal = ordinals.randomElement(using: &random) else { break }
        let relationship = object.entity.relationships[ordinal]
        guard let other = try self.objects(relationship.destination).randomElement(using: &random)
        else { break }
        let id = PropertyValue.object(other.objectID)
        if !relationship.isToMany {
          try object.setValue(id, forKey: relationship.name)
        } else if object.members(at: ordinal).contains(other.objectID) {
          try object.remove(id, from: ordinal)
        } else {
          try object.add(id, to: ordinal)
        }
      }
    }
    try writer.save()
  }

  private mutating func setText(of object: ManagedObject) throws {
    let key = object.entity.attributeIndex(named: "title") == nil ? "name" : "title"
    let length = [1, 1, 3, 700, 9000].randomElement(using: &random) ?? 1
    let letter = "abcdefgh".randomElement(using: &random) ?? "a"
    let text = "\(letter)\(Int.random(in: 0..<1000, using: &random))"
    if object.entity.name == "Tag" {
      try object.setValue(.string("\(text) \(object.objectID.number)"), forKey: key)
    } else {
      try object.setValue(
        .string(text + String(repeating: "x", count: length)), forKey: key)
    }
  }

  private func objects(_ name: String) throws -> [ManagedObject] {
    let entity = try writer.entity(name)
    return try writer.fetch(FetchRequest(entity: entity))
  }

  /// Changes rows behind everybody's back: versions stay, and rows go without a trace.
  private mutating func changeRows() throws {
    let number = Int.random(in: 0..<1000, using: &random)
    let joins = ["TAGS", "FRIENDS", "READ", "BOOKS"].randomElement(using: &random) ?? ""
    let marker = isOfCoreData ? "x'01'" : "x''"
    let reference = "x'02\(String(repeating: "30", count: 36))00'"
    let ofCoreData = [
      // References to missing objects, and to a missing file. No controller looks for the objects,
      // because a reference to an object that is found missing becomes nil in the context.
      "UPDATE ZAUTHOR SET ZFAVOURITE = 4000000 + Z_PK WHERE Z_PK % 3 = \(number % 3)",
      "MISSING",
      "UPDATE ZBOOK SET ZCOVER = \(reference) WHERE Z_PK % 5 = \(number % 5)",
      "UPDATE ZBOOK SET ZVOLUME = 'raw \(number)' "
        + "WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Comic')",
    ]
    let statements =
      (isOfCoreData ? ofCoreData : []) + [
        "UPDATE ZBOOK SET ZTITLE = 'raw \(number)' WHERE Z_PK % 3 = \(number % 3)",
        "UPDATE ZBOOK SET ZPAGES = \(number % 5) WHERE Z_PK % 4 = \(number % 4)",
        "UPDATE ZAUTHOR SET ZNAME = 'raw \(number)' WHERE Z_PK = \(number % 9)",
        // The same size, far from where the row begins.
        "UPDATE ZBOOK SET ZCOVER = "
          + "CAST(\(marker) || zeroblob(30000) || randomblob(20000) AS BLOB) "
          + "WHERE Z_PK = \(number % 9)",
        "UPDATE ZBOOK SET ZCOVER = CAST(\(marker) || randomblob(\(number * 30)) AS BLOB) "
          + "WHERE Z_PK % 5 = \(number % 5)",
        "UPDATE ZBOOK SET ZCOVER = NULL WHERE Z_PK % 2 = \(number % 2)",
        "INSERT INTO ZBOOK (Z_ENT, Z_OPT, ZTITLE, ZPAGES) "
          + "SELECT Z_ENT, 1, 'copy \(number)', 1 FROM ZBOOK LIMIT 40",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT MAX(Z_PK) FROM ZBOOK) WHERE Z_NAME = 'Book'",
        "CHECKPOINT", "CHECKPOINT", "MEMBERS", "MEMBERS", "MEMBERS", "incremental_vacuum",
        number < 300 ? "VACUUM" : "NOTHING",
      ]
    let statement = statements.randomElement(using: &random) ?? ""
    switch statement {
    case "NOTHING": break
    case "CHECKPOINT":
      let mode = ["PASSIVE", "RESTART", "TRUNCATE"].randomElement(using: &random) ?? "PASSIVE"
      try raw.writeWithoutTransaction { database in
        _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(\(mode))")
      }
    case "incremental_vacuum":
      try raw.writeWithoutTransaction { database in
        _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum(20)")
      }
    case "VACUUM":
      try raw.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    case "MISSING":
      try raw.write { database in
        let tables = try String.fetchAll(
          database,
          sql: "SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'")
        for table in tables {
          let columns = try String.fetchAll(
            database, sql: "SELECT name FROM pragma_table_info('\(table)') LIMIT 2")
          for (one, other) in [(columns[0], columns[1]), (columns[1], columns[0])] {
            try database.execute(
              sql: "INSERT OR IGNORE INTO \(table) (\(one), \(other)) "
                + "SELECT \(one), \(4_000_000 + number) FROM \(table) WHERE \(one) < 4000000 "
                + "LIMIT 1")
          }
        }
      }
    case "MEMBERS":
      try raw.write { database in
        let tables = try String.fetchAll(
          database,
          sql: "SELECT name FROM sqlite_master WHERE name LIKE 'Z\\__%\(joins)' "
            + "ESCAPE '\\' AND type = 'table'")
        for table in tables {
          let columns = try String.fetchAll(
            database, sql: "SELECT name FROM pragma_table_info('\(table)') LIMIT 2")
          // Both rows of two friends go. If one stayed, nobody could say whether they are friends.
          try database.execute(
            sql: "DELETE FROM \"\(table)\" WHERE (\(columns.joined(separator: " + "))) % 3 "
              + "= \(number % 3)")
        }
      }
    default: try raw.write { try $0.execute(sql: statement) }
    }
  }

  // MARK: Following

  /// Follows the file, and compares everything with a coordinator that opens it now.
  ///
  /// - Returns: What differs; nil if nothing does.
  mutating func follow() throws -> String? {
    if Int.random(in: 0..<5, using: &random) == 0 { try lookWhileAway() }
    let isStopped = Int.random(in: 0..<8, using: &random) == 0
    let now = try dump()
    defer { before = now }
    guard
      case .read(let save) = try store.readAgain(willChange: { [coordinator] in
        try coordinator.storeWillChange($0)
        if isStopped { throw CancellationError() }
      })
    else { return "the file was taken for another one" }
    if let save {
      if isStopped && !save.isEmpty { return "a look that was stopped knows what has changed" }
      exactLooks += 1
      if let difference = Self.difference(before, now, save) { return difference }
      _ = try reader.mergeFollowed(save)
    } else {
      if !isStopped { otherLooks += 1 }
      _ = try reader.mergeReread()
    }
    if !reader.isAtRest && agenda.isEmpty { return "what was merged waits for no turn" }
    reader.processPendingChanges()
    agenda.dropResting { [reader] _ in reader }
    if !replays.breaches.isEmpty { return replays.breaches.joined(separator: "\n") }
    return try differenceFromFreshFetch()
  }

  /// Looks while the file is elsewhere, as it is while another program copies a store back.
  private func lookWhileAway() throws {
    let names = [path, path + "-wal", path + "-shm", path + "-journal"].filter(
      FileManager.default.fileExists(atPath:))
    for name in names { try FileManager.default.moveItem(atPath: name, toPath: name + ".away") }
    defer {
      for name in names { try? FileManager.default.moveItem(atPath: name + ".away", toPath: name) }
    }
    guard case .removed = try store.readAgain() else {
      Issue.record("a file that is not there was read")
      return
    }
    reader.processPendingChanges()
  }

  private func differenceFromFreshFetch() throws -> String? {
    let fresh = try folder.context(Library.model(hasSiblings: isOfCoreData), isReadOnly: true)
    for (index, (followed, other)) in zip(controllers, try Self.controllers(on: fresh)).enumerated()
    {
      try other.performFetch()
      let (one, two) = (Self.rows(of: followed), Self.rows(of: other))
      if one != two { return "controller \(index)\nfollowed: \(one)\nfresh:    \(two)" }
    }
    for name in ["Author", "Book", "Tag"] {
      let (one, two) = (try reader.lines(name), try fresh.lines(name))
      // Some external data is missing.
      for context in [reader, fresh] {
        _ = context.persistentStoreCoordinator.takeReadFailure()
      }
      if one != two {
        let pair = zip(one, two).first { $0 != $1 }
        let start = pair.map { zip($0, $1).prefix { $0 == $1 }.count - 40 } ?? 0
        return
          "\(name)\nfollowed: \(pair?.0.dropFirst(start).prefix(300) ?? "")\n"
          + "fresh:    \(pair?.1.dropFirst(start).prefix(300) ?? "")"
      }
    }
    return nil
  }

  private static func rows(of controller: FetchedResultsController) -> [String] {
    (controller.sections.map(Array.init) ?? []).flatMap { section in
      ["section \(section.name)"] + section.objects.map { "\($0.objectID)" }
    }
  }

  private func dump() throws -> Dump {
    try raw.read { database in
      var dump: Dump = [:]
      for (table, name) in [("ZAUTHOR", "Author"), ("ZBOOK", "Book"), ("ZTAG", "Tag")] {
        for row in try Row.fetchAll(database, sql: "SELECT * FROM \(table)") {
          dump[name, default: [:]][row["Z_PK"]] = row.databaseValues.map { "\($0)" }
            .joined(separator: "|")
        }
      }
      return dump
    }
  }

  /// In what a save differs from what the tables say.
  private static func difference(_ before: Dump, _ now: Dump, _ save: ContextSave) -> String? {
    for name in ["Author", "Book", "Tag"] {
      func numbers(_ ids: [ObjectID]) -> Set<Int64> {
        Set(ids.filter { $0.entity.root.name == name }.map(\.number))
      }
      let (old, new) = (before[name] ?? [:], now[name] ?? [:])
      let inserted = Set(new.keys).subtracting(old.keys)
      let deleted = Set(old.keys).subtracting(new.keys)
      let updated = Set(new.keys.filter { old[$0] != nil && old[$0] != new[$0] })
      if numbers(save.insertedObjectIDs) != inserted { return "\(name): inserted \(inserted)" }
      if numbers(save.deletedObjectIDs) != deleted { return "\(name): deleted \(deleted)" }
      // Objects of which only members changed are there, too.
      if !updated.isSubset(of: numbers(save.updatedObjectIDs)) {
        return "\(name): updated \(updated), told \(numbers(save.updatedObjectIDs))"
      }
    }
    return nil
  }
}
