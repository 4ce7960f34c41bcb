import Foundation

/// Starts `frc -e 'print 1'` and a program that does nothing alternately, and prints the medians
/// and their difference.
@main
struct Startup {
  static func main() throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100
    var ours: [Double] = []
    var floor: [Double] = []
    for _ in 0..<rounds {
      floor.append(try time(folder.appendingPathComponent("Nothing"), []))
      ours.append(try time(folder.appendingPathComponent("frc"), ["-e", "print 1"]))
    }
    let (a, b) = (median(ours), median(floor))
    print(String(format: "frc -e 'print 1'  %6.2f ms", a))
    print(String(format: "nothing           %6.2f ms", b))
    print(String(format: "difference        %6.2f ms (at most 8 wanted)", a - b))
    if a - b > 8 { exit(1) }
  }

  /// Returns how long a program takes from start to end, in milliseconds.
  private static func time(_ program: URL, _ arguments: [String]) throws -> Double {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    let clock = ContinuousClock()
    let start = clock.now
    try process.run()
    process.waitUntilExit()
    return (clock.now - start) / .milliseconds(1)
  }

  private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }
}
