import Foundation

/// Measures a store in a file against what SQLite itself takes for the same, in
/// one run, and says what each ratio may be.
///
/// Arguments: how many rows the file has (default 1000000). `resident PATH` and
/// `resident` are what it runs itself with, to see what a process of its own
/// needs for a controller and for nothing.
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
    try Columns.measure(in: folder, objects: 100_000, repetitions: 7)
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}

/// Prints what something took, what the same took without us, and the ratio.
///
/// - Parameter floor: What took the other time.
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

/// How long the process has a core for something, in milliseconds, so that a
/// busy machine changes little.
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
