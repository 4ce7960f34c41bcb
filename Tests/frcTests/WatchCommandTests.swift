import Foundation
import GRDB
import Glibc
import PseudoTerminal
import Testing

/// `frc watch` at a terminal, while other processes write.
///
/// The tests wait for expected output as long as the terminal helper does. Other tests measure how
/// soon it arrives.
struct WatchCommandTests {
  private let program: FRCProgram
  private var store: String { program.folder.appendingPathComponent("app.sqlite").path }

  init() throws { program = try FRCProgram() }

  private static let entity = "entity Book { title: String, pages: Int = 0 }\n"

  private static let script =
    entity + "controller books = Book sort by title\nfetch books\ncount books\n"

  /// Runs statements like an app that opens the store, and ends.
  private func app(_ statements: String, history: Bool = false) throws {
    try program.write(
      "store sqlite \"app.sqlite\"" + (history ? " history\n" : "\n") + Self.entity
        + "set author \"app\"\n" + statements + "\n", to: "app.frc")
    let result = try program.run("run", "app.frc")
    try #require(result.status == 0, "\(result.errors)")
  }

  private func watch(
    _ options: String = "", until shown: String = "frc: watching 'app.sqlite'; Ctrl-C ends"
  ) throws -> PseudoTerminal {
    try program.write(Self.script, to: "follow.frc")
    let terminal = try program.terminal("watch app.sqlite follow.frc \(options)", columns: 120)
    try terminal.wait(forText: shown)
    return terminal
  }

  private func end(_ terminal: PseudoTerminal, reported: Int? = nil) throws {
    try terminal.type(Key.control("C"), showing: "frc: stopped watching 'app.sqlite'; ")
    #expect(try terminal.waitForExit() == .code(130))
    if let reported { #expect(terminal.screen.text.contains("; \(reported) change")) }
  }

  private func execute(_ sql: String) throws {
    try DatabaseQueue(path: store).writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  @Test("what another process saves is told, with the transaction of the store's history")
  func history() throws {
    try app("insert Book(title: \"Dune\")\nsave", history: true)
    let terminal = try watch(until: "1\nfrc: watching 'app.sqlite'; Ctrl-C ends")

    try app("insert Book(title: \"Emma\")\nsave")
    try terminal.wait(
      forText: """
        store remoteChange transaction 2
        books willChangeContent
        books didChange object insert Book/2 "Emma" -> [0, 1]
        books didChangeContent
        """)
    try app("Book/1.title = \"Zorba\"\nsave")
    try terminal.wait(
      forText: """
        store remoteChange transaction 3
        books willChangeContent
        books didChange object move Book/1 "Zorba" [0, 0] -> [0, 1]
        books didChangeContent
        """)
    try app("delete Book/2\nsave")
    try terminal.wait(forText: "books didChange object delete Book/2 \"Emma\" [0, 0]")
    // A save that no controller reports.
    try execute("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    try app("insert Book(title: \"Arch\")\nsave")
    try terminal.wait(forText: "books didChange object insert Book/3 \"Arch\" -> [0, 0]")
    try end(terminal, reported: 4)
  }

  @Test(
    "output that cannot be written ends it",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDisk() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    try program.write(Self.script, to: "follow.frc")

    let result = try program.shell("timeout 60 frc watch app.sqlite follow.frc > /dev/full")

    #expect(result.status == 1)
    #expect(
      result.errors.hasSuffix(
        "\nfrc: error: cannot write standard output: no space left on device\n"))
  }

  @Test("a save that no controller reports is told before its notification")
  func notified() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    try program.write(
      Self.entity + "controller long = Book where pages > 9 sort by title\nfetch long\n"
        + "observe main\n", to: "follow.frc")
    let terminal = try program.terminal("watch app.sqlite follow.frc", columns: 120)
    try terminal.wait(forText: "Ctrl-C ends")

    try app("insert Book(title: \"Emma\")\nsave")
    try terminal.wait(forText: "store remoteChange\nmain objectsDidChange")
    try end(terminal, reported: 1)
  }

  @Test("a save of related objects alone is told by controllers that read them")
  func related() throws {
    let shelves =
      "entity Shelf { name: String, books: [Book] inverse shelf }\n"
      + "entity Book { pages: Int, shelf: Shelf }\n"
    func app(_ statements: String) throws {
      try program.write(
        "store sqlite \"app.sqlite\"\n\(shelves)\(statements)\nsave\n", to: "app.frc")
      let result = try program.run("run", "app.frc")
      try #require(result.status == 0, "\(result.errors)")
    }
    try app("insert Shelf(name: \"a\")\ninsert Book(pages: 1, shelf: Shelf/1)")
    try program.write(
      shelves + "controller books = Book where shelf.name == \"a\" sort by pages\nfetch books\n",
      to: "follow.frc")
    let terminal = try program.terminal("watch app.sqlite follow.frc", columns: 120)
    try terminal.wait(forText: "Ctrl-C ends")

    try app("Shelf/1.name = \"b\"")
    try terminal.wait(forText: "books didChange object delete Book/1")
    try app("Shelf/1.name = \"a\"")
    try terminal.wait(forText: "books didChange object insert Book/1")
    try end(terminal, reported: 2)
  }

  @Test("an error of the store points into no script, and is said once")
  func unreadableRow() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    let terminal = try watch(until: "Ctrl-C ends")

    try execute("UPDATE ZBOOK SET ZPAGES = 'abc', Z_OPT = Z_OPT + 1")
    let reason = "ZPAGES of row 1 of ZBOOK has no value of its type"
    try terminal.wait(forText: reason)
    try execute("UPDATE ZBOOK SET ZPAGES = 'abcd', Z_OPT = Z_OPT + 1")
    try terminal.wait(forText: "trying again when")
    try end(terminal)

    let text = terminal.screen.text
    #expect(text.contains("frc: error: cannot use the store 'app.sqlite': \(reason)\n"), "\(text)")
    #expect(!text.contains("app.sqlite:1"), "\(text)")
    #expect(!text.contains("^\n"), "\(text)")
  }

  @Test("an error that Core Data prints as well is said once")
  func unknownEntity() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    let terminal = try watch(until: "Ctrl-C ends")

    try execute("INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) VALUES (7, 99, 1, 0, 'b')")
    try terminal.wait(forText: "is of entity number 99")
    try end(terminal)

    let text = terminal.screen.text
    #expect(text.contains("frc: error: cannot use the store 'app.sqlite': row 7"), "\(text)")
    #expect(text.split(separator: "is of entity number 99").count == 2, "\(text)")
  }

  @Test("without a history, rows are compared; a checkpoint does not change it")
  func comparison() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    let terminal = try watch()

    // A program that knows the layout, and increases the versions of rows.
    let writer = try DatabaseQueue(path: store)
    try writer.write { database in
      try database.execute(
        sql: """
          INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) VALUES (7, 1, 1, 0, 'Emma');
          UPDATE ZBOOK SET ZTITLE = 'Ulysses', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1;
          """)
    }
    try terminal.wait(
      forText: """
        store remoteChange
        books willChangeContent
        books didChange object insert Book/7 "Emma" -> [0, 0]
        books didChange object
        """.split(separator: "\n").dropLast().joined(separator: "\n"))
    try terminal.wait(forText: "books didChangeContent")
    try writer.writeWithoutTransaction { database in
      _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try writer.write { try $0.execute(sql: "DELETE FROM ZBOOK WHERE Z_PK = 7") }
    try terminal.wait(forText: "books didChange object delete Book/7 \"Emma\" [0, 0]")
    try end(terminal, reported: 2)
  }

  @Test("a writer that is killed in the midst of its saves leaves what it has saved")
  func killed() throws {
    try app("insert Book(title: \"Dune\")\nsave", history: true)
    let terminal = try watch()
    for round in 0..<3 {
      try program.write(
        "store sqlite \"app.sqlite\"\n\(Self.entity)"
          + "repeat 100000 { insert 2 Book(title: \"x\"); save }\n", to: "writer.frc")
      let writer = program.process(["run", "writer.frc"])
      try writer.run()
      // The app has saved something, and continues to save.
      try terminal.wait(forText: "didChange object insert")
      kill(writer.processIdentifier, SIGKILL)
      writer.waitUntilExit()
      try app("insert Book(title: \"z last \(round)\")\nsave")
      try terminal.wait(forText: "\"z last \(round)\" -> [0, ")
      // The index path is that of a new fetch: the last of all.
      let count = try DatabaseQueue(path: store).read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM ZBOOK")
      }
      try terminal.wait(forText: "\"z last \(round)\" -> [0, \((count ?? 0) - 1)]")
    }
    try end(terminal)
  }

  @Test("the writer is never locked out, whatever its journal", arguments: ["WAL", "DELETE"])
  func locks(mode: String) throws {
    try app("insert Book(title: \"Dune\")\nsave")
    var configuration = Configuration()
    // An immediate error, instead of waiting.
    configuration.busyMode = .immediateError
    let writer = try DatabaseQueue(path: store, configuration: configuration)
    try writer.writeWithoutTransaction { database in
      _ = try Row.fetchAll(database, sql: "PRAGMA journal_mode = \(mode)")
    }
    let terminal = try watch()

    for number in 100..<400 {
      try writer.inDatabase { database in
        try database.execute(sql: "BEGIN EXCLUSIVE")
        try database.execute(
          sql: "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) VALUES (?, 1, 1, 0, ?)",
          arguments: [number, "title \(number)"])
        try database.execute(sql: "COMMIT")
      }
    }
    try terminal.wait(forText: "Book/399 \"title 399\" -> [0, 300]")
    // No lock on the file prevents another journal mode.
    let journal = try writer.writeWithoutTransaction { database in
      try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
    }
    #expect(journal == "delete")
    try end(terminal)
  }

  @Test("a store that is removed is waited for, and one that takes its place starts the script")
  func replaced() throws {
    let terminal = try watch(until: "frc: waiting for 'app.sqlite', which is not there yet")
    try app("insert Book(title: \"Dune\")\nsave")
    try terminal.wait(forText: "frc: watching 'app.sqlite'; Ctrl-C ends")
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: store + ending)
    }
    try terminal.wait(forText: "frc: 'app.sqlite' was removed; waiting for it")
    try app("insert Book(title: \"Emma\")\nsave")
    try terminal.wait(for: "the script's second start") {
      $0.screen.text.split(separator: "frc: watching").count == 3
    }
    try app("insert Book(title: \"Faust\")\nsave")
    try terminal.wait(forText: "\"Faust\" -> [0, 1]")

    try program.write(
      "store sqlite \"other.sqlite\"\n\(Self.entity)insert 9 Book(title: \"n\")\nsave\n",
      to: "other.frc")
    try #require(try program.run("run", "other.frc").status == 0)
    try #require(
      rename(program.folder.appendingPathComponent("other.sqlite").path, store) == 0)
    try terminal.wait(forText: "frc: 'app.sqlite' is another store now; the script starts again")
    try terminal.wait(forText: "9\nfrc: watching 'app.sqlite'; Ctrl-C ends")
    try end(terminal)
  }

  @Test(
    "a link is followed: to another store, to nothing, and back",
    arguments: [("now", "now/app.sqlite"), ("now.sqlite", "now.sqlite")])
  func links(_ link: String, _ path: String) throws {
    for (folder, title) in [("a", "Dune"), ("b", "Emma")] {
      try program.write(
        "store sqlite \"app.sqlite\"\n\(Self.entity)insert Book(title: \"\(title)\")\nsave\n",
        to: "\(folder)/app.frc")
      try #require(try program.run("run", "\(folder)/app.frc").status == 0)
    }
    let name = link == "now" ? "" : "/app.sqlite"
    func point(to folder: String) throws {
      try #require(try program.shell("ln -sfn \(folder)\(name) \(link)").status == 0)
    }
    try point(to: "a")
    try program.write(Self.script + "show books\n", to: "follow.frc")
    let terminal = try program.terminal("watch \(path) follow.frc", columns: 120)
    try terminal.wait(forText: "Book/1 \"Dune\"\nfrc: watching '\(path)'; Ctrl-C ends")

    try point(to: "b")
    try terminal.wait(forText: "frc: '\(path)' is another store now; the script starts again")
    try terminal.wait(forText: "Book/1 \"Emma\"\nfrc: watching '\(path)'; Ctrl-C ends")
    // The place where the link leads now is watched.
    try program.write(
      "store sqlite \"app.sqlite\"\n\(Self.entity)insert Book(title: \"Faust\")\nsave\n",
      to: "b/more.frc")
    try #require(try program.run("run", "b/more.frc").status == 0)
    try terminal.wait(forText: "\"Faust\" -> [0, 1]")
    try #require(try program.shell("rm \(link)").status == 0)
    try terminal.wait(forText: "frc: '\(path)' was removed; waiting for it")
    try point(to: "a")
    try terminal.wait(for: "the first store again") {
      $0.screen.text.split(separator: "Book/1 \"Dune\"").count == 3
    }
    #expect(try terminal.exit(afterTyping: Key.control("C")) == .code(130))
  }

  @Test("a file that is no store takes its place: that is said once, until it is one")
  func noStore() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    try #require(try program.shell("cp app.sqlite whole.sqlite").status == 0)
    let terminal = try watch()

    for text in ["no store", "still none"] {
      try program.write(text, to: "text")
      try #require(try program.shell("rm -f app.sqlite-*; mv text app.sqlite").status == 0)
      try terminal.wait(
        forText: "frc: warning: 'app.sqlite' is not a store that frc can read; trying again when")
    }
    #expect(!terminal.screen.text.contains("another store"), "\(terminal.screen.text)")
    try #require(try program.shell("mv whole.sqlite app.sqlite").status == 0)
    try terminal.wait(forText: "frc: 'app.sqlite' is another store now; the script starts again")
    try terminal.wait(for: "the script's second start") {
      $0.screen.text.split(separator: "frc: watching").count == 3
    }
    #expect(terminal.screen.text.split(separator: "warning:").count == 2)
    try end(terminal)
  }

  @Test("a store that does not fit takes its place: that is said once, until one fits")
  func otherEntities() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    try #require(try program.shell("cp app.sqlite whole.sqlite").status == 0)
    try program.write(
      "store sqlite \"other.sqlite\"\nentity Pen { x: Int }\ninsert Pen(x: 1)\nsave\n", to: "o.frc")
    try #require(try program.run("run", "o.frc").status == 0)
    try program.write("print \"begin\"\n\(Self.script)", to: "follow.frc")
    let terminal = try program.terminal("watch app.sqlite follow.frc", columns: 120)
    try terminal.wait(forText: "frc: watching 'app.sqlite'; Ctrl-C ends")

    for _ in 1...3 {
      try #require(
        try program.shell("rm -f app.sqlite-*; cp other.sqlite o; mv o app.sqlite").status == 0)
      try terminal.wait(forText: "frc: waiting for the next change of 'app.sqlite'")
      try #require(try program.shell("sleep 0.3").status == 0)
    }
    try #require(try program.shell("mv whole.sqlite app.sqlite").status == 0)
    try terminal.wait(for: "the script's second start") {
      $0.screen.text.split(separator: "frc: watching").count == 3
    }
    let text = terminal.screen.text
    #expect(text.split(separator: "does not fit the model").count == 2)
    // It is printed with the error, and when the script has started.
    #expect(text.components(separatedBy: "\nbegin\n").count == 3, "\(text)")
    try end(terminal)
  }

  @Test("a file that is damaged in the midst is said once, and followed when it is whole again")
  func damaged() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let terminal = try watch()
    let whole = try Data(contentsOf: URL(fileURLWithPath: store))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store))

    try file.write(contentsOf: Data(repeating: 7, count: whole.count))
    try terminal.wait(forText: "frc: warning: cannot use the store 'app.sqlite': ")
    try file.seek(toOffset: 0)
    try file.write(contentsOf: whole)
    try file.close()
    try app("insert Book(title: \"Emma\")\nsave")
    try terminal.wait(forText: "books didChange object insert Book/2 \"Emma\" -> [0, 1]")
    try end(terminal)
  }

  @Test("--format json prints the events of frc run, and nothing else, on standard output")
  func json() throws {
    try app("insert Book(title: \"Dune\")\nsave", history: true)
    let terminal = try watch("--format json 2> notes.txt", until: "{\"event\":\"value\"")
    try app("insert Book(title: \"Emma\")\nsave")
    try terminal.wait(forText: "{\"event\":\"remoteChange\",\"transaction\":2}")
    try terminal.wait(forText: "{\"event\":\"didChangeContent\",\"controller\":\"books\"}")
    #expect(try terminal.exit(afterTyping: Key.control("C")) == .code(130))
    let notes = try program.read("notes.txt")
    #expect(
      notes == """
        frc: watching 'app.sqlite'; Ctrl-C ends
        frc: stopped watching 'app.sqlite'; 1 change reported

        """)
  }

  @Test("a script that cannot begin ends it, as frc run")
  func scripts() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    try program.write("store sqlite \"other.sqlite\"\n" + Self.script, to: "store.frc")
    let named = try program.run("watch", "app.sqlite", "store.frc")
    #expect(named.status == 1)
    #expect(
      named.errors.contains("the script is run on the store 'app.sqlite'; remove this statement"))
    #expect(!FileManager.default.fileExists(atPath: store.replacing("app.", with: "other.")))

    try program.write(Self.entity + "print 1\n", to: "nothing.frc")
    let nothing = try program.run("watch", "app.sqlite", "nothing.frc")
    #expect(nothing.status == 1)
    #expect(nothing.errors.contains("the script looks at nothing in the store"))

    try program.write("entity Book { isbn: String }\nfetch Book\n", to: "other.frc")
    let other = try program.run("watch", "app.sqlite", "other.frc")
    #expect(other.status == 1)
    #expect(other.errors.contains("it does not fit the model: ZBOOK has no column ZISBN"))

    try program.write("entity Book {\n", to: "broken.frc")
    #expect(try program.run("watch", "app.sqlite", "broken.frc").status == 2)
    #expect(try program.run("watch", "app.sqlite", "missing.frc").status == 2)
  }

  @Test(
    "an option for the store is refused, whether an argument is missing or not",
    arguments: [
      ["--store", "app.sqlite", "a.frc"], ["--store=app.sqlite", "a.frc"], ["--store"],
      ["--store", "x", "app.sqlite", "a.frc"], ["app.sqlite", "a.frc", "--store", "x"],
    ])
  func storeOption(arguments: [String]) throws {
    #expect(
      try program.run(["watch"] + arguments)
        == .init(
          status: 2, output: "",
          errors: "frc: error: --store: the first argument names the store; "
            + "write 'frc watch STORE SCRIPT'\n"))
    #expect(!(try program.run("watch", "--help").output.contains("--store")))
  }

  @Test("a script that would write is refused, and the file stays as it is")
  func readOnly() throws {
    try app("insert Book(title: \"Dune\")\nsave")
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    try program.write(Self.script + "insert Book(title: \"Emma\")\nsave\n", to: "write.frc")

    let result = try program.run("watch", "app.sqlite", "write.frc")

    #expect(result.status == 1)
    #expect(result.errors.contains("is open for reading only"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }
}
