import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB

/// Compares fetches by an indexed attribute with GRDB's requests by the same index.
enum LookingUp {
  static func measure(_ path: String, in folder: URL, repetitions: Int) throws {
    let file = folder.appendingPathComponent("indexed.sqlite")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    // The first opening creates the indexes.
    _ = try open(file)
    let queue = try DatabaseQueue(path: file.path)
    for (name, column, values) in [
      ("2000 look-ups of a row by an indexed title", "title", titles(2000)),
      ("20 look-ups of all rows with an indexed number of pages", "pages", pages(20)),
    ] {
      var (ours, theirs): ([Double], [Double]) = ([], [])
      for _ in 0..<repetitions {
        var (found, expected) = (0, 0)
        theirs.append(
          try milliseconds { expected = try rows(where: column, values, in: queue) })
        let context = try open(file)
        ours.append(try milliseconds { found = try objects(where: column, values, in: context) })
        guard found == expected, found > 0 else {
          throw Failure(description: "\(found) objects, and \(expected) rows")
        }
      }
      report(name, ours: ours, theirs: theirs, limit: 1.5, floor: "GRDB")
    }
  }

  private static func titles(_ count: Int) -> [PropertyValue] {
    (1...count).map { number in
      let mixed = (Int64(number) * 2_654_435_761) & 0xffff_ffff
      return .string("title " + String(0x1_0000_0000 + mixed, radix: 16).dropFirst())
    }
  }

  private static func pages(_ count: Int) -> [PropertyValue] { (0..<count).map { .int(Int64($0)) } }

  private static func open(_ file: URL) throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(entities: [
      try EntityDescription(
        name: "Row", attributes: Array(try Rows.model().entities[0].attributes),
        indexes: [
          FetchIndexDescription(attribute: "title"), FetchIndexDescription(attribute: "pages"),
        ])
    ])
    return ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: model, sqliteStoreAt: file, migration: .inferred()))
  }

  private static func objects(
    where key: String, _ values: [PropertyValue], in context: ManagedObjectContext
  ) throws -> Int {
    let entity = try Rows.entity(in: context)
    var sum = 0
    for value in values {
      let request = FetchRequest(
        entity: entity,
        predicate: try FetchPredicate(format: "\(key) == %@", argumentArray: [value]))
      for object in try context.fetch(request) where !object["title"].isNull { sum += 1 }
    }
    return sum
  }

  /// A row as an app with GRDB has it.
  private struct Record: FetchableRecord, TableRecord {
    static let databaseTableName = "ZROW"
    let section: String
    let title: String
    let pages: Int64
    let price: Double
    let date: Double

    init(row: GRDB.Row) {
      section = row["ZSECTION"]
      title = row["ZTITLE"]
      pages = row["ZPAGES"]
      price = row["ZPRICE"]
      date = row["ZDATE"]
    }
  }

  private static func rows(
    where key: String, _ values: [PropertyValue], in queue: DatabaseQueue
  ) throws -> Int {
    let column = Column("Z" + key.uppercased())
    var sum = 0
    for value in values {
      let found =
        switch value {
        case .string(let text):
          try queue.read { try Record.filter(column == text).fetchAll($0) }
        case .int(let number):
          try queue.read { try Record.filter(column == number).fetchAll($0) }
        case .null, .bool, .double, .decimal, .date, .uuid, .uri, .data, .object, .list:
          throw Failure(description: "no value to look up")
        }
      for row in found where !row.title.isEmpty { sum += 1 }
    }
    return sum
  }
}
