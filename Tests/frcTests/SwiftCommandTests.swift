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

  @Test(
    "one file is named, no more and no less",
    arguments: [[], ["--fuzzer", "--recorder"]])
  func files(_ flags: [String]) throws {
    let result = try FRCProgram().run(["swift"] + flags)

    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.contains("name a file: --recorder or --fuzzer"))
  }
}
