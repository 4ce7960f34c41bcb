import CSQLiteLoops
import FetchedResults
import FetchedResultsSQLite
import Foundation

/// Compares a batch delete of a tenth of the rows with SQLite's own DELETE.
///
/// Also compares the merge of its result into a tracking controller with deleting the same objects
/// one by one.
enum Batches {
  static func measure(_ path: String, in folder: URL, repetitions: Int) throws {
    var (deletes, merges, theirs, objects): ([Double], [Double], [Double], [Double]) = (
      [], [], [], []
    )
    var told = 0
    for repetition in 0..<repetitions {
      let file = folder.appendingPathComponent("batch\(repetition).sqlite")
      func copy() throws -> String {
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: file)
        return file.path
      }
      theirs.append(try delete(inCopy: copy()))
      deletes.append(try batchDelete(inCopy: copy()))
      merges.append(try merge(inCopy: copy(), &told))
      objects.append(try deleteObjects(inCopy: copy()))
      try FileManager.default.removeItem(at: file)
    }
    report("batch delete of a tenth", ours: deletes, theirs: theirs, limit: 2)
    report(
      "batch delete and its merge into a tracked controller, \(told) callbacks", ours: merges,
      theirs: objects, limit: 1, floor: "the same by objects and a save")
  }

  private static func delete(inCopy path: String) throws -> Double {
    try milliseconds {
      try Rows.check(run_statements(path, "BEGIN; DELETE FROM ZROW WHERE ZPAGES < 100; COMMIT"))
    }
  }

  private static func request(_ context: ManagedObjectContext) throws -> FetchRequest {
    FetchRequest(
      entity: try Rows.entity(in: context), predicate: try FetchPredicate(format: "pages < 100"))
  }

  private static func batchDelete(inCopy path: String) throws -> Double {
    let context = try Rows.open(path)
    let request = BatchDeleteRequest(
      fetchRequest: try request(context), resultType: .objectIDs)
    return try milliseconds { _ = try context.execute(request) }
  }

  private static func tracked(
    _ context: ManagedObjectContext
  ) throws -> (FetchedResultsController, Counter) {
    let controller = try Fetching.controller(in: context, cache: nil)
    let counter = Counter()
    controller.delegate = counter
    try controller.performFetch()
    return (controller, counter)
  }

  private static func merge(inCopy path: String, _ told: inout Int) throws -> Double {
    let context = try Rows.open(path)
    let (controller, counter) = try tracked(context)
    let request = BatchDeleteRequest(
      fetchRequest: try request(context), resultType: .objectIDs)
    let time = try milliseconds {
      let result = try context.execute(request)
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [context])
      context.processPendingChanges()
    }
    told = counter.count
    try check(controller, in: context)
    return time
  }

  private static func deleteObjects(inCopy path: String) throws -> Double {
    let context = try Rows.open(path)
    // A controller does not retain its delegate, and does not track without one.
    let (controller, counter) = try tracked(context)
    let request = try request(context)
    let time = try milliseconds {
      for object in try context.fetch(request) { context.delete(object) }
      context.processPendingChanges()
      try context.save()
    }
    try withExtendedLifetime(counter) { try check(controller, in: context) }
    return time
  }

  private static func check(
    _ controller: FetchedResultsController, in context: ManagedObjectContext
  ) throws {
    let all = try context.count(for: FetchRequest(entity: try Rows.entity(in: context)))
    guard controller.fetchedObjects?.count == all else {
      throw Failure(description: "the controller has other objects than the store")
    }
  }

  private final class Counter: FetchedResultsControllerDelegate {
    var count = 0

    var implementedMethods: FetchedResultsDelegateMethods { .changes }

    func controller(
      _ controller: FetchedResultsController, didChange object: ManagedObject,
      at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
      newIndexPath: ResultsIndexPath?
    ) {
      count += 1
    }
  }
}
