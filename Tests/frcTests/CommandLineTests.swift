import Testing

struct CommandLineTests {
  @Test("a subcommand's options are its own")
  func options() throws {
    let program = try FRCProgram()
    try program.write("print 1\n", to: "a.frc")

    let result = try program.run("run", "--format", "json", "a.frc")

    #expect(result.output == "{\"event\":\"value\",\"value\":1}\n")
    #expect(result.errors == "")
    #expect(result.status == 0)
  }
}
