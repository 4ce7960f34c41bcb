import ArgumentParser
import Foundation
import Glibc
import Platform
import RandomLaws
import Testing

@testable import frc

/// Every command with files that are not what it expects, and with signals while it waits.
@Suite("The rules of commands")
struct CommandRulesTests {
  @Test("SECURITY.md has the table by which the program acts")
  func table() throws {
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("SECURITY.md"), encoding: .utf8)
    #expect(page.contains("\n\n" + CommandRules.table + "\n"), "\(CommandRules.table)")
  }

  @Test("every command has rules, and no command has two")
  func commands() {
    let commands = FRC.configuration.subcommands + LessonCommand.configuration.subcommands
    for command in commands {
      let count = CommandRules.all.count { rules in rules.types.contains { $0 == command } }
      #expect(count == 1, "\(command)")
    }
  }

  // MARK: Files

  /// A command line, in which FILE is replaced by the name of the file.
  private static let lines = [
    "run FILE", "test FILE", "review FILE", "check FILE", "fmt FILE", "fmt --check FILE",
    "lesson check FILE", "learn FILE --list", "play FILE -o out.html", "export FILE -o kit",
    "fuzz FILE --turns 1", "reduce FILE", "schema FILE", "watch none.sqlite FILE",
    "watch FILE script.frc", "replay FILE",
  ]

  /// Makes a file of each kind, and returns the names.
  private static func makeFiles(in program: FRCProgram) throws -> [String] {
    let folder = program.folder.path
    try program.write("hunter2 = secret\n", to: "outside/secret.txt")
    try program.write("", to: "suite/frc.toml")
    try program.write("print 1\n", to: "suite/script.frc")
    try program.write("", to: "suite/empty.frc")
    try program.write([0x70, 0xFF, 0xFE, 0x0A], to: "suite/bytes.frc")
    try FileManager.default.createDirectory(
      atPath: folder + "/suite/folder.frc", withIntermediateDirectories: false)
    try FileManager.default.createDirectory(
      atPath: folder + "/temporary", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/suite/link.frc", withDestinationPath: "../outside/secret.txt")
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/suite/nowhere.frc", withDestinationPath: "none")
    try program.write("print 1\n", to: "suite/closed.frc")
    try program.setPermissions(0, of: "suite/closed.frc")
    var names = ["empty", "bytes", "folder", "link", "nowhere", "closed", "missing"]
    if LawForm.isLong {
      let large = open(folder + "/suite/large.frc", O_WRONLY | O_CREAT, 0o644)
      ftruncate(large, 100 << 20)
      close(large)
      names.append("large")
    }
    return names.map { $0 + ".frc" }
  }

  /// The modes and the times of all files that a command must not change.
  private static func marks(in program: FRCProgram) throws -> [String] {
    let folder = program.folder.path
    return try ["outside/secret.txt", "suite/empty.frc", "suite/bytes.frc", "suite/closed.frc"]
      .map { name in
        var status = stat()
        try #require(stat(folder + "/" + name, &status) == 0)
        return "\(name) \(status.st_mode) \(status.st_ctim.tv_sec) \(status.st_ctim.tv_nsec)"
      }
  }

  @Test("an unexpected file is refused or used, and nothing is left or changed", arguments: lines)
  func files(line: String) throws {
    let program = try FRCProgram()
    let names = try Self.makeFiles(in: program)
    let folder = program.folder.path
    // Two kinds of files in the short form, another two for each command.
    let first = (Self.lines.firstIndex(of: line) ?? 0) * 2
    let chosen =
      LawForm.isLong
      ? names : [names[first % names.count], names[(first + 1) % names.count], "link.frc"]
    for name in Set(chosen) {
      let before = try Self.marks(in: program)
      // `watch` waits for a store that may still be made.
      let waits = line.hasPrefix("watch")
      let words = line.replacingOccurrences(of: "FILE", with: name)
      let result = try program.shell(
        "cd suite && TMPDIR=../temporary timeout --preserve-status -s TERM \(waits ? "0.4" : "20") "
          + "frc \(words)")

      #expect(result.status < 126 || (waits && result.status == 143), "\(words): \(result)")
      #expect(result.status == 0 || !result.errors.isEmpty || !result.output.isEmpty, "\(words)")
      let isQuoted = (result.output + result.errors).contains("hunter2")
      #expect(!isQuoted, "\(words): \(result)")
      #expect(try Self.marks(in: program) == before, "\(words)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder + "/temporary") == [],
        "\(words)")
    }
  }

  // MARK: Signals

  /// Commands that wait, and what they wait for.
  private static let waiting = [
    ("run pipe", "a script from a pipe"), ("test pipe", "a script from a pipe"),
    ("check pipe", "a script from a pipe"), ("fmt --check pipe", "a script from a pipe"),
    ("fuzz pipe", "a script from a pipe"), ("reduce pipe", "a script from a pipe"),
    ("lesson check pipe", "a lesson from a pipe"), ("play pipe -o out.html", "a pipe"),
    ("export pipe -o kit", "a pipe"), ("replay pipe", "a log from a pipe"),
    ("watch none.sqlite script.frc", "a store"), ("run endless.frc", "a loop"),
    ("play endless.frc -o out.html", "a loop"), ("test endless.frc", "a loop"),
    ("lesson check endless-lesson.frc", "a loop"), ("fuzz --turns 100000000", "its own turns"),
  ]

  @Test("a signal ends a command that waits, and leaves no file", arguments: waiting)
  func signals(line: String, reason: String) throws {
    let program = try FRCProgram()
    let folder = program.folder.path
    try program.write("print 1\n", to: "script.frc")
    try program.write("repeat 9223372036854775807 { let a = 1 }\n", to: "endless.frc")
    try program.write(Self.endlessLesson, to: "endless-lesson.frc")
    try FileManager.default.createDirectory(
      atPath: folder + "/temporary", withIntermediateDirectories: false)
    try #require(mkfifo(folder + "/pipe", 0o644) == 0)
    // Another process keeps the pipe open and writes nothing.
    let pipe = open(folder + "/pipe", O_RDWR | O_CLOEXEC)
    defer { close(pipe) }
    // A process in the background of a shell ignores Ctrl-C, and so do those that it starts.
    let all = [SIGTERM, SIGHUP] + (Signal.interrupt.isIgnored ? [] : [SIGINT])
    let index = Self.waiting.firstIndex { $0.0 == line } ?? 0
    for signal in LawForm.isLong ? all : [all[index % all.count]] {
      let process = program.process(
        line.split(separator: " ").map(String.init),
        environment: ["TMPDIR": folder + "/temporary"])
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try FRCProgram.start(process)
      try Self.awaitHandler(of: signal, in: process)
      usleep(100_000)
      #expect(process.isRunning, "\(line) should wait for \(reason)")
      let start = ContinuousClock.now
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      let duration = ContinuousClock.now - start

      #expect(process.terminationStatus == 128 + signal, "\(line): signal \(signal)")
      #expect(duration < .seconds(4), "\(line) took \(duration) to end")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder + "/temporary") == [], "\(line)")
    }
  }

  /// Waits until a process handles a signal, so that the signal itself does not end it.
  private static func awaitHandler(of signal: Int32, in process: Process) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while process.isRunning, ContinuousClock.now < deadline {
      let path = "/proc/\(process.processIdentifier)/status"
      let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let handled = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        .flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
      if let handled, handled & (1 << UInt64(signal - 1)) != 0 { return }
      usleep(5_000)
    }
    Issue.record("the process does not handle signal \(signal)")
  }

  /// A lesson that is right, except that its world never ends.
  private static let endlessLesson = """
    #@ lesson predict An endless lesson
    # A lesson has a text.
    entity Book { title: String }
    controller books = Book sort by title
    fetch books
    repeat 9223372036854775807 { let a = 1 }
    #@ task What does the controller say?
    insert Book(title: "Dune")
    #> books willChangeContent
    #> books didChange object insert Book/1 "Dune" -> [0, 0]
    #> books didChangeContent
    #@ why The book is new.
    #@ wrong created It is an insert.
    #| update Book/1 [0, 0]
    #@ hint Think.
    #@ hint Look at the row.
    #@ hint Write insert Book/1 and the place [0, 0].

    """
}
