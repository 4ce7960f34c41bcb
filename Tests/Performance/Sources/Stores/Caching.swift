import FetchedResults
import FetchedResultsSQLite
import Foundation

/// Measures performFetch if an earlier process left a valid section cache.
enum Caching {
  static func measure(_ path: String, in folder: URL, repetitions: Int) throws {
    let caches = folder.appendingPathComponent("caches")
    let first = try controller(path, caches)
    try first.performFetch()
    try first.managedObjectContext.persistentStoreCoordinator.writeSectionCaches(of: [first])
    var times: [Double] = []
    for _ in 0..<repetitions {
      let controller = try controller(path, caches)
      times.append(try milliseconds { try controller.performFetch() })
      guard controller.sections?.count == Rows.sections else {
        throw Failure(description: "the cache gave other sections")
      }
    }
    let time = median(times)
    print(
      String(
        format: "  performFetch with a valid cache: %.1f ms, %@ 30", time,
        time <= 30 ? "within" : "OVER"))
  }

  private static func controller(_ path: String, _ caches: URL) throws -> FetchedResultsController {
    let context = ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: Rows.model(), sqliteStoreAt: URL(fileURLWithPath: path),
        sectionCachesIn: caches))
    return try Fetching.controller(in: context, cache: "Rows")
  }
}
