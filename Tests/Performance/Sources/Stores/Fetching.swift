import CSQLiteLoops
import FetchedResults
import Foundation

/// Compares performFetch, sorted and in sections, with a loop in C over the same statement that
/// keeps the keys.
enum Fetching {
  private static let statement =
    "SELECT t0.Z_PK, t0.\"ZSECTION\" FROM \"ZROW\" t0 "
    + "ORDER BY t0.\"ZSECTION\", t0.\"ZTITLE\", t0.Z_PK"

  static func measure(_ path: String, repetitions: Int) throws {
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<repetitions {
      var keys: UnsafeMutablePointer<Int64>?
      var count: Int64 = 0
      theirs.append(try milliseconds { try Rows.check(keep_keys(path, statement, &keys, &count)) })
      defer { free(keys) }

      let controller = try controller(in: Rows.open(path))
      ours.append(try milliseconds { try controller.performFetch() })
      try compare(controller, keys, count)
    }
    report("performFetch", ours: ours, theirs: theirs, limit: 1.3)
  }

  static func controller(
    in context: ManagedObjectContext, batch: Int = 20, cache: String? = nil
  ) throws -> FetchedResultsController {
    try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: Rows.entity(in: context),
        sortDescriptors: [
          FetchSortDescriptor(key: "section"), FetchSortDescriptor(key: "title"),
        ],
        fetchBatchSize: batch),
      managedObjectContext: context, sectionNameKeyPath: "section", cacheName: cache)
  }

  /// Checks that both found the same rows.
  private static func compare(
    _ controller: FetchedResultsController, _ keys: UnsafeMutablePointer<Int64>?, _ count: Int64
  ) throws {
    guard let objects = controller.fetchedObjects, objects.count == count,
      controller.sections?.count == Rows.sections
    else { throw Failure(description: "the controller found other rows") }
    for index in stride(from: 0, to: objects.count, by: max(objects.count / 20, 1))
    where objects[index].objectID.number != keys?[index] {
      throw Failure(description: "the controller has another row at \(index)")
    }
  }
}
