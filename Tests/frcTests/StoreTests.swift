import Basics
import Foundation
import GRDB
import Glibc
import RandomLaws
import Testing

@Suite("Scripts on a store in a file")
struct StoreTests {
  private let frc: FRCProgram

  init() throws { frc = try FRCProgram() }

  private static let library = """
    store sqlite "library.sqlite"
    entity Book { title: String, pages: Int = 0 }
    """

  @Test("a second run finds what the first saved, and numbers go on")
  func twice() throws {
    try frc.write(
      """
      \(Self.library)
      insert Book(title: "Book \\(count(Book))")
      insert Book(title: "unsaved")
      delete Book where title == "unsaved"
      save
      fetch Book
      """, to: "scripts/a.frc")

    #expect(
      try frc.run("run", "scripts/a.frc").output == "Book/1 title: \"Book 0\", pages: 0\n")
    #expect(
      try frc.run("run", "scripts/a.frc").output
        == "Book/1 title: \"Book 0\", pages: 0\nBook/3 title: \"Book 1\", pages: 0\n")
    // The file is in the folder of the script.
    #expect(FileManager.default.fileExists(atPath: frc.folder.path + "/scripts/library.sqlite"))
  }

  @Test(
    "a statement with a value that cannot be read writes nothing",
    arguments: [
      "try User/2.photo = User/1.photo",
      "try insert User(name: \"Eve\", photo: User/1.photo)",
      "try if User/1.photo == nil { User/2.photo = nil }",
      "try let photo = User/1.photo",
      "try print User/1.photo",
    ])
  func unreadableValue(_ statement: String) async throws {
    let model = """
      store sqlite "users.sqlite"
      entity User { name: String, photo: Data? external }
      """
    try frc.write(
      """
      \(model)
      insert User(name: "Ann", photo: data("AA=="))
      insert User(name: "Bob", photo: data("AQI="))
      save
      """, to: "make.frc")
    let made = try frc.run("run", "make.frc")
    #expect(made.errors == "")
    // The data of the first user is in a file that is not there.
    let queue = try DatabaseQueue(path: frc.folder.appendingPathComponent("users.sqlite").path)
    try await queue.write { database in
      try database.execute(
        sql: "UPDATE ZUSER SET ZPHOTO = ? WHERE Z_PK = 1",
        arguments: [Data([2] + "6C1B4F7E-3A52-4E0B-9D27-1F0A5B8C9D3E".utf8 + [0])])
    }
    try queue.close()
    try frc.write(
      """
      \(model)
      \(statement)
      save
      count User
      print User/2.photo
      """, to: "use.frc")

    let used = try frc.run("run", "use.frc")

    #expect(used.output.contains("which is missing"))
    #expect(used.output.hasSuffix("\n2\nAQI=\n"))
    #expect(used.output.split(separator: "\n").count == 3)
  }

  @Test("--store is the store of a session, relative to the current folder")
  func option() throws {
    let entity = "entity Book { title: String }"
    let first = try frc.run(
      "-e", entity + "; insert Book(title: \"Emma\"); save", "--store", "a.sqlite")
    #expect(first.errors == "")
    let second = try frc.run("-e", entity + "; fetch Book", "--store", "a.sqlite")
    #expect(second.output == "Book/1 title: \"Emma\"\n")
    #expect(second.status == 0)
  }

  @Test("a test reads the store that lies beside it, and writes to one of its own")
  func storeOfATest() throws {
    _ = try frc.run("-e", Self.library + "\ninsert Book(title: \"Emma\"); save")
    let book = "entity Book { title: String, pages: Int = 0 }"
    try frc.write(
      "store sqlite \"library.sqlite\" readonly\n\(book)\nprint count(Book)\n#> 1\n",
      to: "t/read.frc")
    try frc.write("", to: "t/x")
    _ = try frc.shell("cp library.sqlite t/")
    try frc.write(
      "store sqlite \"library.sqlite\"\n\(book)\ninsert Book(title: \"Persuasion\")\nsave\n"
        + "print count(Book)\n#> 1\n", to: "t/write.frc")

    try frc.expect("test", "t", output: "2 passed, 0 failed\n")
    let count = try frc.run(
      "-e", "\(book)\ncount Book", "--store", "t/library.sqlite")
    #expect(count.output == "1\n")
  }

  @Test("an object that was deleted before the file was opened is not known to have existed")
  func goneBefore() throws {
    _ = try frc.run(
      "-e",
      Self.library + "\nfor i in 1...3 { insert Book(title: \"a\") }; save; delete Book/3; save")
    let result = try frc.run(
      "-e",
      "\(Self.library)\ntry print Book/3\ntry print Book/9\ndelete Book/2; save\ntry print Book/2\n"
        + "insert Book(title: \"b\"); delete Book/4; save; try print Book/4")
    #expect(
      result.output == """
        error: there is no Book/3; there are Book/1 and Book/2
        error: there is no Book/9; there are Book/1 and Book/2
        error: Book/2 is deleted
        error: Book/4 is deleted

        """)
  }

  @Test("each run of a matrix and each session of a page has its own stores")
  func ownStores() throws {
    try frc.write(
      "#@ matrix store=memory,sqlite\n\(Self.library)\ninsert Book(title: \"a\")\nsave\n"
        + "print count(Book)\n#> 1\n", to: "matrix.frc")
    let session =
      "```frc\n\(Self.library)\ninsert Book(title: \"a\")\nsave\n"
      + "print count(Book)\n#> 1\n```\n"
    try frc.write("# One\n\n\(session)\n# Two\n\n\(session)", to: "page.md")
    try frc.expect("test", "matrix.frc", "page.md", output: "2 passed, 0 failed\n")
  }

  @Test("a file of another version is migrated; where it may not be, the error names the version")
  func versions() throws {
    func version(_ attributes: [String]) -> String {
      let lines = attributes.map { name in
        "<attribute name=\"\(name)\" attributeType=\"String\" optional=\"YES\"/>"
      }
      return "<model><entity name=\"Book\">\(lines.joined())</entity></model>"
    }
    for (name, attributes) in [
      ("L 1", ["a"]), ("L 2", ["a", "b"]), ("L 3", ["a", "b", "c"]), ("L 4", ["d"]),
    ] {
      try frc.write(version(attributes), to: "L.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    func count(_ version: String, _ mode: String = "") throws -> FRCProgram.Result {
      try frc.run(
        "-e",
        "store sqlite \"a.sqlite\"\(mode)\nmodel \"L.xcdatamodeld\" version \"\(version)\"\n"
          + "print count(Book)")
    }
    #expect(try count("L 2").output == "0\n")
    #expect(
      try count("L 3", " readonly").errors.hasPrefix(
        "-e:1:14: error: cannot migrate the store 'a.sqlite': it does not fit the model "
          + "(ZBOOK has no column ZC), and a file that is open for reading only stays as it is; "
          + "version 'L 2' fits\n"))
    #expect(try count("L 3").output == "note: migrated: Book.c added\n0\n")
    // If no version fits, or if something else is wrong, no version is named.
    _ = try frc.run("-e", "store sqlite \"b.sqlite\"; entity Other { a: Int }; count Other")
    _ = try frc.shell("mv b.sqlite a.sqlite")
    #expect(try !count("L 3").errors.contains("fits\n"))
    try frc.write("no database, only text; but long enough to be a header of one", to: "a.sqlite")
    #expect(try !count("L 3").errors.contains("version"))
  }

  @Test("of a store that is read only no copy is left behind, however the program ends")
  func privateCopy() throws {
    _ = try frc.run("-e", Self.library + "\ninsert Book(title: \"Emma\"); save")
    try frc.write(
      """
      store sqlite "library.sqlite" readonly
      entity Book { title: String, pages: Int = 0 }
      print count(Book where title CONTAINS[cd] "emma")
      for i in 1...100000 { print (fetch Book sort by title)[0].title }
      """, to: "a.frc")
    try frc.write("", to: "tmp/x")

    // The parent process may block the signal that ends the program here.
    try frc.expect(
      shell: "env --default-signal=PIPE frc run a.frc | head -n 2; ls tmp",
      environment: ["TMPDIR": frc.folder.appendingPathComponent("tmp").path], output: "1\nEmma\nx\n"
    )
  }

  @Test("what cannot be opened is said once, where it is named")
  func located() throws {
    try frc.write("no database, only text; but long enough to be a header of one", to: "a.sqlite")
    let result = try frc.run(
      "-e", "store sqlite \"a.sqlite\"\nentity Book { title: String }\nlet x = 1\ncount Book")
    #expect(
      result.errors == """
        -e:1:14: error: cannot use the store 'a.sqlite': it is not an SQLite database
        store sqlite "a.sqlite"
                     ^~~~~~~~~~

        """)
    #expect(result.status == 1)
  }

  @Test("what cannot be read is the error, and try takes it, whatever follows from it")
  func unreadable() throws {
    _ = try frc.run(
      "-e", "\(Self.library)\ninsert Book(title: \"Emma\")\ninsert Book(title: \"Dune\")\nsave")
    try DatabaseQueue(path: frc.folder.appendingPathComponent("library.sqlite").path).write {
      try $0.execute(sql: "UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 2")
    }

    let result = try frc.run(
      "-e", "\(Self.library)\ntry print Book/2.title\nprint Book/1.title\nprint Book/2.title")

    let error =
      "cannot use the store 'library.sqlite': ZPAGES of row 2 of ZBOOK has no value of its type"
    #expect(result.output == "error: \(error)\nEmma\n")
    #expect(result.errors.hasPrefix("-e:5:7: error: \(error)\n"))
  }

  @Test(
    "stores and entities come before the first statement that needs them",
    arguments: [
      "entity Late { name: String }", "store sqlite \"other.sqlite\"", "store memory",
    ])
  func late(statement: String) throws {
    let result = try frc.run("-e", "\(Self.library)\ncount Book\n\(statement)")
    #expect(result.output == "0\n")
    #expect(
      result.errors.contains(
        "the store 'library.sqlite' is open; stores and entities come before the first statement"))
    let inMemory = try frc.run(
      "-e", "entity Book { title: String }; insert Book(title: \"a\"); store sqlite \"a.sqlite\"")
    #expect(inMemory.errors.contains("there are objects in memory already"))
  }

  @Test("a killed script leaves a file with exactly the turns that it saved")
  func killed() throws {
    try frc.write(
      """
      store sqlite "library.sqlite"
      entity Book { turn: Int, tags: [Tag] inverse books }
      entity Tag { turn: Int, books: [Book] inverse tags }
      let before = count(Tag)
      for i in 1...1_000_000 {
        perform {
          let tag = insert Tag(turn: i + before)
          tag.books += insert Book(turn: i + before)
          tag.books += insert Book(turn: i + before)
        }
        save
      }
      """, to: "a.frc")
    let file = frc.folder.appendingPathComponent("library.sqlite").path
    /// Whether the script has saved something.
    func hasSaved() -> Bool {
      guard FileManager.default.fileExists(atPath: file) else { return false }
      let count = try? DatabaseQueue(path: file).read { database in
        try Int.fetchOne(database, sql: "SELECT count(*) FROM ZTAG")
      }
      return count ?? 0 > 0
    }
    var saved = 0
    for moment in LawSeeds(seconds: 0.9, atLeast: 4) {
      var random = SeededGenerator(seed: moment)
      let process = frc.process(["run", "a.frc"])
      try process.run()
      // On a busy machine it may take a while until the first save.
      while saved == 0, process.isRunning, !hasSaved() { Thread.sleep(forTimeInterval: 0.01) }
      Thread.sleep(forTimeInterval: .random(in: 0.01...0.25, using: &random))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      // A file that does not exist yet cannot be checked.
      guard FileManager.default.fileExists(atPath: file) else { continue }
      try DatabaseQueue(path: file).read { database in
        func int(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? -1 }
        #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
        guard try database.tableExists("ZTAG") else { return }
        let turns = try int("SELECT count(*) FROM ZTAG")
        #expect(turns >= saved, "moment \(moment)")
        saved = turns
        #expect(try int("SELECT count(DISTINCT ZTURN) FROM ZTAG WHERE ZTURN <= \(turns)") == turns)
        #expect(try int("SELECT count(*) FROM ZBOOK") == 2 * turns)
        #expect(try int("SELECT count(*) FROM Z_1TAGS") == 2 * turns)
        #expect(
          try int(
            "SELECT count(*) FROM ZTAG t JOIN Z_1TAGS j ON j.Z_2TAGS = t.Z_PK "
              + "JOIN ZBOOK b ON b.Z_PK = j.Z_1BOOKS AND b.ZTURN = t.ZTURN") == 2 * turns)
        #expect(try int("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == turns)
      }
    }
    #expect(saved > 0)
  }
}

@Suite("Stores on a disk that fails")
struct FailingDiskTests {
  private let frc: FRCProgram

  init() throws { frc = try FRCProgram() }

  @Test("a file that may grow no further is one located error, and what was saved stays")
  func full() throws {
    try frc.write(
      """
      store sqlite "a.sqlite"
      entity Book { title: String }
      insert Book(title: "first")
      save
      for i in 1...9000 { insert Book(title: "a title that is long enough to fill a disk \\(i)") }
      save
      """, to: "fill.frc")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "ulimit -f 200; exec \"$0\" run fill.frc", FRCProgram.program.path]
    process.currentDirectoryURL = frc.folder
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()

    #expect(process.terminationStatus == 1)
    #expect(text.hasPrefix("fill.frc:6:1: error: cannot use the store 'a.sqlite': "))
    #expect(text.split(separator: "\n").count == 3, "\(text)")
    let after = try frc.run(
      "-e", "store sqlite \"a.sqlite\"; entity Book { title: String }; fetch Book")
    #expect(after.output == "Book/1 title: \"first\"\n")
    #expect(after.errors == "")
  }

  @Test("a folder in which nothing can be made is one located error")
  func unwritable() throws {
    // Even root cannot create a file there.
    let result = try frc.run(
      "-e", "store sqlite \"/proc/a.sqlite\"; entity Book { title: String }; count Book",
      "--allow-write", "/proc")
    #expect(result.status == 1)
    #expect(
      result.errors.hasPrefix(
        "-e:1:14: error: cannot use the store '/proc/a.sqlite': it cannot be opened, or made there\n"
      ) || result.errors.contains("the folder cannot be written"))
  }
}
