import Foundation
import RandomLaws
import RepositoryFiles
import Testing

/// The state that the program leaves if a system call fails, or if it is killed.
@Suite("Faults of the machine")
struct MachineFaultTests {
  private static let script = RepositoryFiles.url("Scripts/fuzz")

  /// Whether the script can run here.
  ///
  /// It needs Python, and a C compiler for the failing library.
  private static let canRun = ["python3", "cc"].allSatisfy { name in
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }

  @Test(
    "nothing is torn, one message, no stray file, whichever call fails",
    .enabled(if: canRun, "python3 or a C compiler is missing"))
  func faults() throws {
    let frc = try FRCProgram()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["python3", Self.script.path, "--faults", "--program", FRCProgram.program.path]
      + (LawForm.isLong ? [] : ["--short"])
    process.currentDirectoryURL = frc.folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()

    #expect(process.terminationStatus == 0, "\(said)")
    #expect(said.contains(" kills, 0 problems"), "\(said)")
  }
}
