import ArgumentParser
import Testing

@testable import frc

/// Arguments that are read without the argument parser have the same meaning as with it.
@Suite("Arguments of a session")
struct SessionStartTests {
  private static let lists: [[String]] = [
    [], ["-e", "print 1"], ["-e", "print 1", "-e", "print 2"], ["-e", ""], ["run", "a.frc"],
    ["run", "a.frc", "-", "b c.frc"], ["run", ""], ["run", "run"],
  ]

  @Test("plain ones mean what the parser says", arguments: lists)
  func plain(_ arguments: [String]) throws {
    let start = try #require(SessionStart(plain: arguments))
    let command = try FRC.parseAsRoot(arguments)

    let parsed = (command as? RunCommand)?.start ?? (command as? SessionCommand)?.start

    #expect(parsed == start)
  }

  @Test(
    "all others are the parser's",
    arguments: [
      ["run"], ["run", "--format", "json", "a.frc"], ["run", "a.frc", "--", "b.frc"],
      ["run", "-h"], ["-e"], ["-e", "-e"], ["-e", "--help"], ["-eprint 1"], ["--help"],
      ["--version"], ["test"], ["help"], ["a.frc"], ["-e", "print 1", "a.frc"], [""],
    ])
  func others(_ arguments: [String]) {
    #expect(SessionStart(plain: arguments) == nil)
  }

  @Test("the settings without options are those of the parser")
  func settings() throws {
    let command = try #require(
      try FRC.parseAsRoot(["run", "a.frc", "--store", "x.sqlite", "--locale", "de", "--raw"])
        as? RunCommand)

    #expect(command.start.settings.store == "x.sqlite")
    #expect(command.start.settings.locale == "de")
    #expect(command.start.settings.isRaw)
    #expect(SessionStart(plain: ["run", "a.frc"])?.settings == SessionSettings())
  }
}
