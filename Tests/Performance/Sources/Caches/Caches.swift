import FetchedResults
import FetchedResultsSQLite
import Foundation

/// Measures the first performFetch of a process that finds a valid section
/// cache.
///
/// The rows, a million by default, stand in no order of their own, so that
/// their numbers do not come in order. A folder that is given stays, and is used
/// again.
@main
struct Caches {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let rows = arguments.first.flatMap { Int($0) } ?? 1_000_000
    let kept = arguments.dropFirst().first.map { URL(fileURLWithPath: $0) }
    let folder =
      kept
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-caches-\(UUID().uuidString)")
    defer { if kept == nil { try? FileManager.default.removeItem(at: folder) } }
    if !FileManager.default.fileExists(atPath: folder.path) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try fill(folder, rows)
    }
    print("performFetch of \(rows) rows in 100 sections, in milliseconds of a core")
    print("computed: " + text(try fetch(folder, closes: true)))
    var times: [Double] = []
    for _ in 0..<15 { times.append(try fetch(folder)) }
    print("with a valid cache: " + text(times[0]), "first,", text(times.sorted()[7]), "median")
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      try EntityDescription(
        name: "Book",
        attributes: [
          try AttributeDescription(name: "title", type: .string),
          try AttributeDescription(name: "publisher", type: .string),
        ])
    ])
  }

  private static func open(_ folder: URL) throws -> PersistentStoreCoordinator {
    try PersistentStoreCoordinator(
      managedObjectModel: try model(), sqliteStoreAt: folder.appendingPathComponent("a.sqlite"),
      sectionCachesIn: folder.appendingPathComponent("caches"))
  }

  private static func fill(_ folder: URL, _ rows: Int) throws {
    let context = ManagedObjectContext(coordinator: try open(folder))
    guard let book = context.coordinator.managedObjectModel["Book"] else { return }
    var random = UInt64(42)
    for index in 1...rows {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let object = context.insert(book)
      try object.setValue(.string("Book \(random >> 32)"), forKey: "title")
      try object.setValue(.string("Publisher \((random >> 40) % 100)"), forKey: "publisher")
      if index % 100_000 == 0 || index == rows {
        try context.save()
        context.reset()
      }
    }
  }

  private static func fetch(_ folder: URL, closes: Bool = false) throws -> Double {
    let coordinator = try open(folder)
    guard let book = coordinator.managedObjectModel["Book"] else { return .nan }
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: book,
        sortDescriptors: [
          FetchSortDescriptor(key: "publisher"), FetchSortDescriptor(key: "title"),
        ], fetchBatchSize: 20),
      managedObjectContext: ManagedObjectContext(coordinator: coordinator),
      sectionNameKeyPath: "publisher", cacheName: "Books")
    let start = coreTime
    try controller.performFetch()
    let time = coreTime - start
    precondition(controller.sections?.count == 100, "the sections are not as expected")
    if closes { try coordinator.settleSectionCaches(of: [controller]) }
    return time * 1000
  }

  /// The time that this thread has had a core for, so that a busy machine
  /// changes little.
  private static var coreTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func text(_ milliseconds: Double) -> String {
    String(format: "%.1f", milliseconds)
  }
}
