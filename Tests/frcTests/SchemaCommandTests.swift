import Foundation
import GRDB
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
    let program = try FRCProgram()
    try program.write(Self.library, to: "app.frc")
    try #require(try program.run("run", "app.frc").status == 0)

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
    #expect(
      try program.run("check", "schema.frc") == .init(status: 0, output: "", errors: ""))
    #expect(
      try program.run("fmt", "--check", "schema.frc") == .init(status: 0, output: "", errors: ""))
    try program.write(
      schema.output + "fetch Book where author.name == \"Ann\"\n", to: "schema.frc")
    let run = try program.run("run", "--store", "app.sqlite", "schema.frc")
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.output.contains("Book/1 title: \"Dune\""))
  }

  @Test("an entity that no script can define is a comment, and so is what leads to it")
  func names() throws {
    let program = try FRCProgram()
    try program.write(Self.library, to: "app.frc")
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
    #expect(
      try program.run("check", "schema.frc") == .init(status: 0, output: "", errors: ""))
  }

  @Test("what is no store is an error")
  func noStore() throws {
    let program = try FRCProgram()
    #expect(
      try program.run("schema", "none.sqlite")
        == .init(
          status: 1, output: "",
          errors: "frc: error: cannot use the store 'none.sqlite': there is no such file, and one "
            + "that is only read is not made\n"))
  }
}
