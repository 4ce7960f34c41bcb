import Testing

/// `frc swift` as a shell command.
struct SwiftCommandTests {
  @Test("--fuzzer prints a file that imports Core Data alone")
  func fuzzer() throws {
    let result = try FRCProgram().run("swift", "--fuzzer")

    #expect(result.status == 0)
    #expect(result.errors == "")
    let lines = result.output.split(separator: "\n")
    #expect(lines.filter { $0.contains("import ") && !$0.hasPrefix("/") } == ["import CoreData"])
    #expect(lines.first == "// ListFuzzer.swift, printed by `frc swift --fuzzer`.")
    #expect(result.output.hasSuffix("}\n"))
  }

  @Test("--observer-probe prints as many tests as the pages say")
  func observerProbe() throws {
    let result = try FRCProgram().run("swift", "--observer-probe")

    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "// ObserverProbe.swift, printed by `frc swift --observer-probe`.")
    #expect(lines.count { $0.contains("  func test") } == 25)
    #expect(lines.contains("import SwiftData"))
    #expect(result.output.hasSuffix("}\n"))
  }

  @Test(
    "one file is named, no more and no less",
    arguments: [[], ["--fuzzer", "--recorder"]])
  func files(_ flags: [String]) throws {
    let result = try FRCProgram().run(["swift"] + flags)

    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.contains("name one file: --recorder, --fuzzer or --observer-probe"))
  }
}
