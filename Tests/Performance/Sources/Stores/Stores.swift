import Foundation

/// Compares a store in a file with SQLite itself in one run, and checks each ratio against a limit.
///
/// Arguments: how many rows the file has (default 1000000). The program runs itself with `resident
/// PATH` and `resident`, to measure a process with a controller and one with nothing.
@main
struct Stores {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "resident" {
      return try Residence.measure(path: arguments.dropFirst().first)
    }
    let count = arguments.compactMap { Int($0) }.first ?? 1_000_000
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-performance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let file = folder.appendingPathComponent("rows.sqlite").path
    try Rows.makeFile(file, count: count)
    print("\(count) rows, 100 sections; medians of the time of a core")
    try Fetching.measure(file, repetitions: 7)
    try Caching.measure(file, in: folder, repetitions: 15)
    try Residence.compare(file)
    try Saving.measure(in: folder, objects: 100_000, repetitions: 5)
    try Batches.measure(file, in: folder, repetitions: 3)
    try LookingUp.measure(file, in: folder, repetitions: 5)
    try Columns.measure(in: folder, objects: 100_000, repetitions: 7)
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}

/// Prints the time of an operation, the time without frc, and the ratio.
///
/// - Parameter floor: The time without frc.
func report(
  _ name: String, ours: [Double], theirs: [Double], limit: Double, floor: String = "SQLite alone"
) {
  let a = median(ours)
  let b = median(theirs)
  let verdict = a <= limit * b ? "within" : "OVER"
  print(
    String(
      format: "  %@: %.0f ms, %@ %.0f ms, ratio %.2f, %@ %.1f", name, a, floor, b, a / b,
      verdict, limit))
}

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

/// Returns the processor time of an operation in milliseconds, on which other programs have little
/// influence.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = coreTime
  try body()
  return coreTime - start
}

private var coreTime: Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
}
