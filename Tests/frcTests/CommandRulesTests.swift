import ArgumentParser
import Foundation
import GRDB
import Glibc
import Platform
import RandomLaws
import RepositoryFiles
import Testing

@testable import frc

/// Every command with files that are not what it expects, and with signals while it waits.
@Suite("The rules of commands")
struct CommandRulesTests {
  @Test("SECURITY.md has the table by which the program acts")
  func table() throws {
    let page = try RepositoryFiles.text("SECURITY.md")
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

  /// A command line that reads a file, and the place of the file.
  struct Reading: CustomTestStringConvertible {
    let line: String
    let place: String
    /// The other files that it needs.
    var files: [String: String] = [:]
    var environment = ""
    var isStandardInput = false
    /// The kinds of files that it does not read, but waits for.
    ///
    /// ``CommandRulesTests/signals(waiting:)`` ends such waits.
    var waits: Set<Kind> = []

    init(
      _ line: String, _ place: String, _ files: [String: String] = [:], environment: String = "",
      waits: Set<Kind> = []
    ) {
      self.line = line
      self.place = place
      self.files = files
      self.environment = environment
      self.waits = waits
    }

    /// A command that reads its standard input.
    init(standardInputOf line: String) {
      // A shell opens the file itself, and waits for a pipe or fails.
      self.init(
        line, "x.frc", waits: [.link, .pipe, .missing, .unreadable, .linkToNothing, .large])
      isStandardInput = true
    }

    var testDescription: String {
      "\(environment)\(line)" + (isStandardInput ? " < " : ", ") + place
    }

    /// The line for a shell.
    var command: String {
      "TMPDIR=../temporary HOME=../home \(environment) \(CommandRulesTests.withoutRootsRights) "
        + "timeout -s KILL 60 frc \(line)" + (isStandardInput ? " < \(place)" : " < /dev/null")
    }
  }

  private static let book = "entity Book { title: String, pages: Int = 0 }\n"
  private static let fetching = book + "controller b = Book sort by title cache \"b\"\nfetch b\n"
  private static let test = ["a.frc": "print 1\n#> 1\n"]

  private static let readings: [Reading] =
    [
      "run x.frc", "test x.frc", "review x.frc", "check x.frc", "fmt x.frc", "fmt --check x.frc",
      "lesson check x.frc", "learn x.frc --list", "play x.frc -o out.html",
      "play --svg x.frc -o out.svg", "export x.frc -o kit", "fuzz x.frc --turns 1", "reduce x.frc",
      "replay x.frc",
      "replay x.frc --script o.frc --html o.html",
    ].map { Reading($0, "x.frc", waits: [.pipe]) }
    + ["run -", "test -", "check -", "fmt -", "reduce -", "replay -", ""].map {
      Reading(standardInputOf: $0)
    }
    + [
      Reading("watch none.sqlite x.frc", "x.frc", waits: [.pipe, .empty]),
      Reading("test x.md", "x.md", waits: [.pipe]),
      Reading("play x.md -o out.html", "x.md", waits: [.pipe]),
      Reading("schema x.sqlite", "x.sqlite"),
      Reading(
        "watch x.sqlite a.frc", "x.sqlite", ["a.frc": fetching],
        waits: [.missing, .empty, .linkToNothing]),
      Reading("run a.frc --store x.sqlite", "x.sqlite", ["a.frc": fetching]),
      Reading("run a.frc", "x.sqlite", ["a.frc": "store sqlite \"x.sqlite\"\n" + fetching]),
      Reading(
        "run a.frc", "x.sqlite", ["a.frc": "store sqlite \"x.sqlite\" readonly\n" + fetching]),
      Reading("schema x.sqlite", "x.sqlite-wal", ["x.sqlite": ""]),
      Reading("run a.frc --store s.sqlite", "s.sqlite-journal", ["a.frc": fetching]),
      Reading("run a.frc --store s.sqlite --cache-dir x", "x", ["a.frc": fetching]),
      Reading("run a.frc", "x.frc", ["a.frc": "include \"x.frc\"\n"]),
      Reading("test a.frc", "x.frc", ["a.frc": "include \"x.frc\"\nprint 1\n#> 1\n"]),
      Reading("run a.frc", "x.csv", ["a.frc": book + "import \"x.csv\" into Book\n"]),
      Reading("run a.frc", "x.json", ["a.frc": book + "import \"x.json\" into Book\n"]),
      Reading("run a.frc", "x.xcdatamodel", ["a.frc": "model \"x.xcdatamodel\"\nfetch Book\n"]),
      Reading(
        "check a.frc", "x.xcdatamodel/contents",
        ["a.frc": "model \"x.xcdatamodel\"\nfetch Book\n"]),
      Reading("run a.frc --allow-read x", "x", ["a.frc": "print 1\n"]),
      Reading("test a.frc", "a.golden", ["a.frc": "print 1\n"]),
      Reading("test a.frc --update", "a.golden", ["a.frc": "print 1\n"]),
      Reading("test a.frc", "frc.toml", test), Reading("test a.frc", ".frc", test),
      Reading("test --failed .", ".frc/last.json", test),
      Reading("review .", ".frc/review.json", test),
      Reading("test --times x.json --shard 1/1 a.frc", "x.json", test, waits: [.pipe]),
      Reading("test a.frc --report json=x.json", "x.json", test, waits: [.pipe]),
      Reading("learn --list", "p.json", environment: "FRC_PROGRESS=p.json"),
      Reading("learn --report json", "p.json", environment: "FRC_PROGRESS=p.json"),
      Reading("learn 1", "p.json", environment: "FRC_PROGRESS=p.json"),
      Reading("learn --reset", "p.json", environment: "FRC_PROGRESS=p.json"),
    ]

  enum Kind: CaseIterable {
    case link, pipe, folder, missing, unreadable, empty, large, bytes, linkToNothing

    /// Makes a file of this kind.
    func make(at path: String) throws {
      let folder = (path as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      switch self {
      case .link: try #require(symlink("\(folder)/../outside/secret.txt", path) == 0)
      case .pipe: try #require(mkfifo(path, 0o644) == 0)
      case .folder: try #require(mkdir(path, 0o755) == 0)
      case .missing: break
      case .unreadable: try write("print 1\n", to: path, mode: 0)
      case .empty: try write("", to: path)
      case .large:
        try write("", to: path)
        try #require(truncate(path, 100 << 20) == 0)
      case .bytes:
        try #require(
          FileManager.default.createFile(atPath: path, contents: Data([0x70, 0xFF, 0xFE, 0x0A])))
      case .linkToNothing: try #require(symlink("none", path) == 0)
      }
    }

    private func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try #require(chmod(path, mode) == 0)
    }
  }

  /// Takes the right to read every file from root; empty for other users.
  static let withoutRootsRights =
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
    ? "setpriv --bounding-set=-dac_override,-dac_read_search" : ""

  @Test(
    "an unexpected file is refused or used, and nothing is left or changed", arguments: readings)
  func files(reading: Reading) throws {
    let program = try FRCProgram()
    let folder = program.folder.path
    let kinds = Self.kinds(for: reading)
    var marks: [Kind: [String]] = [:]
    var line = ""
    for kind in kinds {
      try program.write("hunter2 = secret\n", to: "\(kind)/outside/secret.txt")
      for name in ["temporary", "home", "suite"] {
        try program.write("", to: "\(kind)/\(name)/.keep")
      }
      for (name, text) in reading.files { try program.write(text, to: "\(kind)/suite/" + name) }
      try kind.make(at: "\(folder)/\(kind)/suite/\(reading.place)")
      marks[kind] = Self.marks(of: kind, reading, in: folder)
      line += "(cd \(kind)/suite; \(reading.command) "
      line += "> ../output 2> ../errors; echo $? > ../status) & "
    }

    _ = try program.shell(line + "wait")

    for kind in kinds {
      let status = Int(try program.read("\(kind)/status").dropLast()) ?? -1
      let said = try program.read("\(kind)/output") + program.read("\(kind)/errors")
      let what = "\(reading.testDescription), \(kind): status \(status), \(said)"
      #expect(0..<126 ~= status, "\(what)")
      #expect(status == 0 || !said.isEmpty, "\(what)")
      for name in ["out.html", "out.svg", "kit", "o.frc", "o.html"] where status != 0 {
        let isThere = FileManager.default.fileExists(atPath: "\(folder)/\(kind)/suite/\(name)")
        #expect(!isThere, "\(what): \(name)")
      }
      #expect(!said.contains("hunter2"), "\(what)")
      #expect(Self.marks(of: kind, reading, in: folder) == marks[kind], "\(what)")
      try Self.expectNothingLeft(in: "\(folder)/\(kind)", what)
    }
  }

  /// The kinds of files that a command is given: all in the long form, or else a link and two
  /// others, which are not the same for the next command.
  private static func kinds(for reading: Reading) -> [Kind] {
    var kinds = Kind.allCases.filter { !reading.waits.contains($0) }
    // A debug build takes minutes for a large script. FRC_PROGRAM names another one.
    let isScript = [".frc", ".md", ".golden"].contains { reading.place.hasSuffix($0) }
    if isScript, ProcessInfo.processInfo.environment["FRC_PROGRAM"] == nil {
      kinds.removeAll { $0 == .large }
    }
    guard !LawForm.isLong else { return kinds }
    let index = readings.firstIndex { $0.testDescription == reading.testDescription } ?? 0
    let chosen = (0...1).map { kinds[(2 * index + $0) % kinds.count] }
    return kinds.filter { $0 == .link || chosen.contains($0) }
  }

  /// What a command may not change: the file outside with its times, and the kind and the mode of a
  /// file that it reads.
  private static func marks(of kind: Kind, _ reading: Reading, in folder: String) -> [String] {
    var (outside, file) = (stat(), stat())
    guard lstat("\(folder)/\(kind)/outside/secret.txt", &outside) == 0 else { return [] }
    let isThere = lstat("\(folder)/\(kind)/suite/\(reading.place)", &file) == 0
    // What is missing may be made, and SQLite removes a journal that is of no use.
    let isKept = kind != .missing && !reading.place.hasSuffix("-journal")
    return [
      "\(outside.st_mode) \(outside.st_ctim.tv_sec) \(outside.st_ctim.tv_nsec)",
      isKept && isThere ? "\(file.st_mode)" : "",
    ]
  }

  /// Expects that a command has left no temporary file, and no process in its folder.
  private static func expectNothingLeft(in folder: String, _ what: String) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/temporary")
    #expect(files.filter { $0 != ".keep" } == [], "\(what)")
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
      let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd")
      return place?.hasPrefix(folder) == true
    }
    #expect(processes == [], "\(what)")
  }

  // MARK: Signals

  /// A command that waits, and what it waits for.
  struct Waiting: CustomTestStringConvertible {
    /// What can keep a command waiting.
    enum Reason {
      /// A pipe that nobody opens, and one that somebody keeps open.
      case unopenedPipe, pipe
      case standardInput
      /// Nobody reads what it prints.
      case standardOutput
      /// Another process has locked the folder `.frc`, or the store `locked.sqlite`.
      case folderLock, storeLock
      /// It runs statements, or waits for changes.
      case work

      var isPipe: Bool { self == .pipe || self == .unopenedPipe }
    }

    let line: String
    let reason: Reason

    init(_ line: String, for reason: Reason) {
      self.line = line
      self.reason = reason
    }

    var testDescription: String { "\(line), \(reason)" }

    var words: [String] {
      line.split(separator: " ").map(String.init)
        + (line == "-e" ? ["repeat 9223372036854775807 { print 1 }"] : [])
    }
  }

  private static let waiting: [Waiting] =
    [
      "run pipe", "test pipe", "check pipe", "fmt --check pipe", "fuzz pipe", "reduce pipe",
      "lesson check pipe", "play pipe -o out.html", "export pipe -o kit", "replay pipe",
      "watch none.sqlite pipe", "test script.frc --times pipe --shard 1/1",
    ].flatMap { [Waiting($0, for: .pipe), Waiting($0, for: .unopenedPipe)] }
    + [
      "play script.frc -o pipe", "test script.frc --report json=pipe",
    ].map { Waiting($0, for: .unopenedPipe) }
    + ["run -", "test -", "check -", "fmt -", "reduce -", "replay -", ""].map {
      Waiting($0, for: .standardInput)
    }
    + [
      "run endless.frc", "play endless.frc -o out.html", "test endless.frc", "reduce slow.frc",
      "export endless.frc -o kit", "fuzz --turns 100000000 --seed 4",
      "lesson check endless-lesson.frc", "watch none.sqlite script.frc",
      "watch locked.sqlite script.frc", "test --watch script.frc", "test --watch endless.frc",
    ].map { Waiting($0, for: .work) }
    + ["run printing.frc", "test printing.frc", "-e"].map {
      Waiting($0, for: .standardOutput)
    }
    + [
      Waiting("test script.frc", for: .folderLock),
      Waiting("run writing.frc --store locked.sqlite", for: .storeLock),
    ]

  @Test("a signal ends a command that waits, and leaves no file", arguments: waiting)
  func signals(waiting: Waiting) throws {
    // A process in the background of a shell ignores Ctrl-C, one of nohup ignores the end of its
    // terminal, and so do those that they start.
    let signals = [Signal.terminate, .hangUp, .interrupt].filter { !$0.isIgnored }.map(\.number)
    let runs = try signals.map { try Run(waiting, endedBy: $0) }
    for run in runs {
      try Self.awaitHandler(of: run.signal, in: run.process)
      if waiting.reason.isPipe { Self.awaitPipe(in: run.process) }
    }
    usleep(100_000)
    for run in runs {
      #expect(run.process.isRunning, "\(waiting.testDescription) should wait")
      let start = ContinuousClock.now
      kill(run.process.processIdentifier, run.signal)
      run.process.waitUntilExit()
      let duration = ContinuousClock.now - start

      let errors = try run.program.read("errors")
      let what = "\(waiting.testDescription), signal \(run.signal): \(errors)"
      #expect(run.process.terminationStatus == 128 + run.signal, "\(what)")
      // A busy machine gets more time than the second that SECURITY.md promises.
      #expect(duration < .seconds(4), "\(what) took \(duration) to end")
      if waiting.reason.isPipe {
        #expect(errors.contains("interrupted while waiting for it"), "\(what)")
      }
      try Self.expectNothingLeft(in: run.program.folder.path, what)
    }
  }

  /// A command that waits in a folder of its own.
  private struct Run {
    let program: FRCProgram
    let process: Process
    let signal: Int32
    /// What it waits for, which must live as long.
    private let holders: [Any]

    init(_ waiting: Waiting, endedBy signal: Int32) throws {
      program = try FRCProgram()
      self.signal = signal
      let folder = program.folder.path
      let files = try CommandRulesTests.prepare(waiting, in: program)
      process = program.process(
        waiting.words, environment: ["TMPDIR": folder + "/temporary", "HOME": folder + "/home"])
      let (input, output) = (Pipe(), Pipe())
      holders = files + [input, output]
      process.standardInput = waiting.reason == .standardInput ? input : FileHandle.nullDevice
      process.standardOutput = waiting.reason == .standardOutput ? output : FileHandle.nullDevice
      process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder + "/errors"))
      try FRCProgram.start(process)
    }
  }

  /// Makes the files of a command that is to wait, and what it waits for.
  ///
  /// - Returns: What must live as long as it waits.
  private static func prepare(_ waiting: Waiting, in program: FRCProgram) throws -> [Any] {
    let folder = program.folder.path
    try program.write(fetching, to: "script.frc")
    try program.write(fetching + "insert Book(title: \"x\")\nsave\n", to: "writing.frc")
    try program.write("", to: "errors")
    try program.write("repeat 9223372036854775807 { let a = 1 }\n", to: "endless.frc")
    // 'frc reduce' stops an endless loop by itself, after 200,000 steps.
    try program.write(
      "entity Book { title: String }\n"
        + "repeat 190000 { insert Book(title: \"a\"); fetch Book where title == \"b\" }\n",
      to: "slow.frc")
    try program.write("repeat 9223372036854775807 { print \"a long line\" }\n", to: "printing.frc")
    try program.write(endlessLesson, to: "endless-lesson.frc")
    try program.write("", to: "temporary/.keep")
    try FileManager.default.removeItem(atPath: folder + "/temporary/.keep")
    if waiting.line.contains("locked.sqlite") {
      _ = try program.run("run", "script.frc", "--store", "locked.sqlite")
    }
    switch waiting.reason {
    case .pipe, .unopenedPipe:
      try #require(mkfifo(folder + "/pipe", 0o644) == 0)
      guard waiting.reason == .pipe else { return [] }
      // Another process keeps the pipe open and writes nothing.
      let pipe = open(folder + "/pipe", O_RDWR | O_CLOEXEC)
      return [FileHandle(fileDescriptor: pipe, closeOnDealloc: true)]
    case .folderLock:
      try program.write("", to: ".frc/.gitignore")
      let lock = open(folder + "/.frc", O_RDONLY | O_CLOEXEC)
      try #require(flock(lock, LOCK_EX) == 0)
      return [FileHandle(fileDescriptor: lock, closeOnDealloc: true)]
    case .storeLock:
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let queue = try DatabaseQueue(
        path: folder + "/locked.sqlite", configuration: configuration)
      try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
      return [queue]
    case .standardInput, .standardOutput, .work: return []
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

  /// Waits until a process has opened the file `pipe`, or waits in the system to open it.
  ///
  /// On a busy machine, that is long after it handles signals.
  private static func awaitPipe(in process: Process) {
    let folder = "/proc/\(process.processIdentifier)/"
    let files = FileManager.default
    func names(_ name: String) -> [String] {
      let found = try? files.contentsOfDirectory(atPath: folder + name)
      return (found ?? []).map { "\(folder)\(name)/\($0)" }
    }
    let deadline = ContinuousClock.now + .seconds(20)
    while process.isRunning, ContinuousClock.now < deadline {
      let isOpen = names("fd").contains { file in
        (try? files.destinationOfSymbolicLink(atPath: file))?.hasSuffix("/pipe") ?? false
      }
      let waits = names("task").contains { thread in
        (try? String(contentsOfFile: thread + "/wchan", encoding: .utf8)) == "wait_for_partner"
      }
      if isOpen || waits { return }
      usleep(5_000)
    }
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
