import Foundation
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax
import Testing

@testable import frc

/// Conditions that prevent an update from writing.
struct FileReplacementTests {
  private let program: FRCProgram
  private let path: String

  init() throws {
    program = try FRCProgram()
    try program.write("print 1\n", to: "a.frc")
    path = program.folder.appendingPathComponent("a.frc").path
  }

  private var permissions: Permissions {
    Permissions(roots: [RealPath.ofMissing(program.folder.path)])
  }

  private func update() throws -> GoldenUpdate {
    let source = try FileEnvironment.read(path)
    let outcome = GoldenRunner(environment: FileEnvironment()).run(GoldenTest(source: source))
    return GoldenUpdate(outcome)
  }

  @Test("a file that is as it was tested is replaced")
  func replaces() throws {
    try FileReplacement.perform(try update(), permissions)

    #expect(try program.read("a.frc") == "print 1\n#> 1\n")
  }

  @Test("what a killed process left beside a file is not in the way, and stays")
  func leftBehind() throws {
    try program.write("half", to: "a.frc.\(getpid())")

    try FileReplacement.perform(try update(), permissions)

    #expect(try program.read("a.frc") == "print 1\n#> 1\n")
    #expect(try program.read("a.frc.\(getpid())") == "half")
  }

  @Test("a file that has changed since it was tested is left alone")
  func changed() throws {
    let update = try update()
    try program.write("print 2\n", to: "a.frc")

    #expect(throws: UnwritableFile(reason: "the file has changed meanwhile")) {
      try FileReplacement.perform(update, permissions)
    }
    #expect(try program.read("a.frc") == "print 2\n")
  }

  @Test("what was not written goes on failing, with the reason")
  func refusal() throws {
    let source = try FileEnvironment.read(path)
    let outcome = GoldenRunner(environment: FileEnvironment()).run(GoldenTest(source: source))

    let refused = outcome.refusing(update: "the file has changed meanwhile")

    #expect(refused.verdict == .failed)
    #expect(
      refused.failures.map(\.description) == [
        "output without an expectation", "not updated: the file has changed meanwhile",
      ])
  }
}
