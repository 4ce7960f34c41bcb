import CSQLiteLoops
import FetchedResults
import FetchedResultsSQLite
import Foundation

/// The rows of every measurement.
enum Rows {
  static let sections = 100

  static let columns = [
    "ZSECTION", "ZTITLE", "ZPAGES", "ZPRICE", "ZDATE", "Z_PK", "Z_ENT", "Z_OPT",
  ]

  static var insertion: String {
    "INSERT INTO ZROW (\(columns.joined(separator: ", "))) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      try EntityDescription(
        name: "Row",
        attributes: [
          AttributeDescription(name: "section", type: .string),
          AttributeDescription(name: "title", type: .string),
          AttributeDescription(name: "pages", type: .integer64),
          AttributeDescription(name: "price", type: .double),
          AttributeDescription(name: "date", type: .date),
        ])
    ])
  }

  static func open(_ path: String) throws -> ManagedObjectContext {
    ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: model(), sqliteStoreAt: URL(fileURLWithPath: path)))
  }

  static func entity(in context: ManagedObjectContext) throws -> EntityDescription {
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Row"]
    else {
      throw Failure(description: "no entity")
    }
    return entity
  }

  /// Creates a store of frc and fills its table.
  static func makeFile(_ path: String, count: Int) throws {
    _ = try open(path)
    try check(insert_rows(path, insertion, 1, Int64(count), Int64(sections)))
    try check(run_statements(path, "UPDATE Z_PRIMARYKEY SET Z_MAX = \(count)"))
    try check(run_statements(path, "PRAGMA wal_checkpoint(TRUNCATE)"))
  }

  static func check(_ code: Int32) throws {
    if code != 0 { throw Failure(description: "SQLite says \(code)") }
  }

  /// Sets the values of the row with a number, as loops.c computes them.
  static func fill(_ object: ManagedObject, number: Int64) {
    let mixed = (number * 2_654_435_761) & 0xffff_ffff
    object["section"] = .string("section " + String(1000 + mixed % 100).dropFirst())
    object["title"] = .string("title " + String(0x1_0000_0000 + mixed, radix: 16).dropFirst())
    object["pages"] = .int(mixed % 1000)
    object["price"] = .double(Double(mixed % 5000) / 100)
    object["date"] = .date(Date(timeIntervalSinceReferenceDate: Double(number)))
  }
}
