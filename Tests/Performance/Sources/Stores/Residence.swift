import FetchedResults
import Foundation

/// Measures the memory that a process needs for a tracked controller, above one that does nothing.
enum Residence {
  static func compare(_ path: String) throws {
    let nothing = try run(["resident"])
    let controller = try run(["resident", path])
    let above = (controller.now - nothing.now) / 1_048_576
    let verdict = above <= 64 ? "within" : "OVER"
    print(
      String(
        format: "  tracked controller, batch 20: %.1f MB above an empty process, %@ 64; "
          + "%.1f at its highest",
        above, verdict, (controller.highest - nothing.highest) / 1_048_576))
  }

  /// Creates the controller, changes its results and reads some; then prints the memory in use.
  static func measure(path: String?) throws {
    guard let path else { return try say() }
    let context = try Rows.open(path)
    let controller = try Fetching.controller(in: context)
    let delegate = Counting()
    controller.delegate = delegate
    try controller.performFetch()
    for number in 1...100 {
      let object = context.insert(try Rows.entity(in: context))
      Rows.fill(object, number: Int64(number * 7919))
      context.processPendingChanges()
    }
    guard delegate.changes == 100, let objects = controller.fetchedObjects else {
      throw Failure(description: "the controller told of \(delegate.changes) changes")
    }
    for index in 0..<20 { _ = objects[objects.count / 2 + index]["title"] }
    try say()
    withExtendedLifetime(controller) {}
  }

  private final class Counting: FetchedResultsControllerDelegate {
    let implementedMethods: FetchedResultsDelegateMethods = .changes
    var changes = 0

    func controller(
      _ controller: FetchedResultsController, didChange object: ManagedObject,
      at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
      newIndexPath: ResultsIndexPath?
    ) {
      changes += 1
    }
  }

  private static func say() throws {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    for line in status.split(separator: "\n")
    where line.hasPrefix("VmRSS") || line.hasPrefix("VmHWM") {
      print(line)
    }
  }

  /// Returns the memory that a process used, in bytes.
  private static func run(_ arguments: [String]) throws -> (now: Double, highest: Double) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    func value(_ name: String) -> Double? {
      String(decoding: data, as: UTF8.self).split(separator: "\n")
        .first { $0.hasPrefix(name) }
        .flatMap { line in
          line.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Double($0) }
        }
    }
    guard let now = value("VmRSS"), let highest = value("VmHWM") else {
      throw Failure(description: "a process did not say what it uses")
    }
    return (now * 1024, highest * 1024)
  }
}
