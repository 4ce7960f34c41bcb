import Foundation
import GRDB
import Glibc
import Testing

/// `frc schema` as a shell command.
struct SchemaCommandTests {
  private static let library = """
    store sqlite "app.sqlite"
    entity Author {
      name: String
      books: [Book] ordered inverse author
    }
    entity Book {
      title: String
      code: UUID?
      author: Author?
      tags: [Tag] inverse books
      unique (title)
    }
    entity Tag {
      word: String
      books: [Book]
    }
    insert Author(name: "Ann")
    insert Book(title: "Dune", author: Author/1)
    save
    """

  @Test("the statements pass frc check, are formatted, and open the store")
  func library() throws {
    let program = try FRCProgram(["app.frc": Self.library])
    try #require(try program.run("run", "app.frc").status == 0)

    let described = try program.run("schema", "app.sqlite")
    #expect(described.output.contains("  name: String\n"))
    #expect(described.output.contains("  code: UUID?\n"))
    #expect(!described.output.contains("  # "))
    try program.write(described.output, to: "schema.frc")
    try program.expect("run", "--store", "app.sqlite", "schema.frc")
    try removeModel(program)
    let schema = try program.run("schema", "app.sqlite")

    #expect(schema.status == 0)
    #expect(schema.errors == "")
    let lines = schema.output.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0.hasPrefix("#") || $0.isEmpty }
    #expect(
      lines.joined(separator: "\n") == """
        entity Author {
          name: String?                         # perhaps not optional: no nil in 1 row
          books: [Book] ordered inverse author  # the name is made up; there may be no inverse
        }

        entity Book {
          title: String?                 # perhaps not optional: no nil in 1 row
          code: Data?                    # no row has a value; or UUID
          author: Author? inverse books  # perhaps not optional: no nil in 1 row; or to Book
          tags: [Tag] inverse books
          unique (title)
        }

        entity Tag {
          word: String?  # no row has a value
          books: [Book] inverse tags
        }

        """)
    try program.write(schema.output, to: "schema.frc")
    try program.expect("check", "schema.frc")
    try program.expect("fmt", "--check", "schema.frc")
    try program.write(
      schema.output + "fetch Book where author.name == \"Ann\"\n", to: "schema.frc")
    let run = try program.run("run", "--store", "app.sqlite", "schema.frc")
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.output.contains("Book/1 title: \"Dune\""))
  }

  /// Removes the description of the model from the store, as Core Data writes none.
  private func removeModel(_ program: FRCProgram) throws {
    try DatabaseQueue(path: program.folder.appendingPathComponent("app.sqlite").path)
      .write { database in
        let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA")
        let list = try PropertyListSerialization.propertyList(from: data ?? Data(), format: nil)
        var entries = try #require(list as? [String: Any])
        entries["FRCModel"] = nil
        try database.execute(
          sql: "UPDATE Z_METADATA SET Z_PLIST = ?",
          arguments: [
            try PropertyListSerialization.data(
              fromPropertyList: entries, format: .binary, options: 0)
          ])
      }
  }

  @Test("a value that comes after many rows without one says what the column is")
  func laterValue() throws {
    let program = try FRCProgram()
    try program.write(
      """
      store sqlite "app.sqlite"
      entity Book { title: String, code: UUID? }
      insert 300 Book(title: "old")
      insert Book(title: "new", code: uuid("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
      save
      """, to: "app.frc")
    try #require(try program.run("run", "app.frc").status == 0)
    try removeModel(program)

    let schema = try program.run("schema", "app.sqlite")

    #expect(schema.output.contains("  code: UUID?     # or Data\n"), "\(schema.output)")
  }

  @Test("an entity that no script can define is a comment, and so is what leads to it")
  func names() throws {
    let program = try FRCProgram(["app.frc": Self.library])
    _ = try program.run("run", "app.frc")
    try DatabaseQueue(path: program.folder.appendingPathComponent("app.sqlite").path)
      .write { database in
        try database.execute(
          sql: """
            UPDATE Z_PRIMARYKEY SET Z_NAME = 'author' WHERE Z_NAME = 'Author';
            INSERT INTO Z_PRIMARYKEY VALUES (7, 'Bad' || char(10) || 'Name', 0, 0);
            """)
      }

    let schema = try program.run("schema", "app.sqlite")

    #expect(schema.output.contains("\n# entity author {\n"))
    #expect(schema.output.contains("\n#   entity \"Bad\\nName\": not a table"))
    try program.write(schema.output, to: "schema.frc")
    try program.expect("check", "schema.frc")
  }

  @Test("what is no store is an error")
  func noStore() throws {
    let program = try FRCProgram()
    try program.expect(
      "schema", "none.sqlite", status: 1,
      errors:
        "frc: error: cannot use the store 'none.sqlite': there is no such file to read\n")
  }

  /// The mode of a file and when it was last changed, which also shows a changed mode.
  private struct Mark: Equatable {
    let mode: UInt32
    let seconds: [Int]
    let nanoseconds: [Int]

    init(_ path: String) throws {
      var status = stat()
      try #require(stat(path, &status) == 0)
      mode = status.st_mode
      seconds = [status.st_mtim.tv_sec, status.st_ctim.tv_sec]
      nanoseconds = [status.st_mtim.tv_nsec, status.st_ctim.tv_nsec]
    }
  }

  /// A program whose folder has a store with a log, a file for attacks, and its own TMPDIR.
  private func storeWithLog() throws -> (program: FRCProgram, environment: [String: String]) {
    let program = try FRCProgram()
    let folder = program.folder.path
    try program.write(Self.library, to: "app.frc")
    try #require(try program.run("run", "app.frc").status == 0)
    try program.write("secret", to: "victim")
    try FileManager.default.createDirectory(
      atPath: folder + "/temporary", withIntermediateDirectories: false)
    for name in ["app.sqlite", "victim"] { try program.setPermissions(0o644, of: name) }
    return (program, ["TMPDIR": folder + "/temporary"])
  }

  @Test(
    "a store is found through any link, with its log, and nothing changes",
    arguments: [true, false])
  func linked(isRelative: Bool) throws {
    let (program, environment) = try storeWithLog()
    let folder = program.folder.path
    // A row that only the log has.
    let queue = try DatabaseQueue(path: folder + "/app.sqlite")
    try queue.write { try $0.execute(sql: "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Late', 0, 0)") }
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/link.sqlite",
      withDestinationPath: isRelative ? "app.sqlite" : folder + "/app.sqlite")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasPrefix("app.sqlite")
    }
    let before = try names.map { try Mark(folder + "/" + $0) }

    let schema = try program.run(["schema", "link.sqlite"], environment: environment)

    #expect(schema.status == 0)
    #expect(schema.errors == "")
    #expect(schema.output.contains("entity \"Late\""))
    #expect(try names.map { try Mark(folder + "/" + $0) } == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/temporary") == [])
    try queue.close()
  }

  @Test(
    "a link beside a store is refused, and its target stays as it is",
    arguments: ["-wal", "-journal"])
  func linkBeside(ending: String) throws {
    let (program, environment) = try storeWithLog()
    let folder = program.folder.path
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/app.sqlite" + ending, withDestinationPath: "victim")
    let before = try Mark(folder + "/victim")

    let schema = try program.run(["schema", "app.sqlite"], environment: environment)

    #expect(schema.status == 1)
    #expect(schema.output == "")
    #expect(
      schema.errors == "frc: error: cannot use the store 'app.sqlite': the file with the ending "
        + "\(ending) beside it is a link; it must be a regular file\n")
    #expect(try Mark(folder + "/victim") == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/temporary") == [])
  }

  @Test("a folder, a pipe and a link to nothing are named, and leave no file")
  func others() throws {
    let (program, environment) = try storeWithLog()
    let folder = program.folder.path
    try #require(mkfifo(folder + "/pipe", 0o644) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/nowhere", withDestinationPath: "none")
    for (name, reason) in [
      ("temporary", "it is a folder"), ("pipe", "it is not a regular file"),
      ("nowhere", "there is no such file to read"),
    ] {
      let schema = try program.run(["schema", name], environment: environment)
      #expect(schema.status == 1)
      #expect(schema.errors == "frc: error: cannot use the store '\(name)': \(reason)\n")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/temporary") == [])
  }
}
