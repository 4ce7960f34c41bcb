import CSQLiteLoops
import FetchedResults
import FetchedResultsSQLite
import Foundation

/// Compares objects with a decimal, which a file holds as a floating-point number, with the same
/// objects with a floating-point number.
enum Columns {
  static func measure(in folder: URL, objects count: Int, repetitions: Int) throws {
    let decimal = try makeFile("decimals", .decimal, in: folder, count)
    let double = try makeFile("doubles", .double, in: folder, count)
    var decimals: [Double] = []
    var doubles: [Double] = []
    for _ in 0..<repetitions {
      doubles.append(try milliseconds { try read(double, .double, count) })
      decimals.append(try milliseconds { try read(decimal, .decimal, count) })
    }
    report(
      "\(count) objects with a decimal", ours: decimals, theirs: doubles, limit: 2,
      floor: "with a floating-point number")
  }

  private static func open(_ path: String, _ type: AttributeType) throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(entities: [
      try EntityDescription(
        name: "Price", attributes: [try AttributeDescription(name: "amount", type: type)])
    ])
    return ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: model, sqliteStoreAt: URL(fileURLWithPath: path)))
  }

  private static func makeFile(
    _ name: String, _ type: AttributeType, in folder: URL, _ count: Int
  ) throws -> String {
    let path = folder.appendingPathComponent("\(name).sqlite").path
    _ = try open(path, type)
    // A third of the numbers has too many digits for the fast conversion.
    try Rows.check(
      run_statements(
        path,
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO ZPRICE (Z_PK, Z_ENT, Z_OPT, ZAMOUNT)
          SELECT i, 1, 1, CASE i % 3 WHEN 0 THEN i / 7.0 ELSE i % 5000 / 100.0 + 0.005 END FROM n;
        UPDATE Z_PRIMARYKEY SET Z_MAX = \(count)
        """))
    return path
  }

  private static func read(_ path: String, _ type: AttributeType, _ count: Int) throws {
    let context = try open(path, type)
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Price"]
    else {
      throw Failure(description: "no entity")
    }
    var found = 0
    for object in try context.fetch(FetchRequest(entity: entity)) where !object["amount"].isNull {
      found += 1
    }
    guard found == count else { throw Failure(description: "\(found) of \(count) prices") }
  }
}
