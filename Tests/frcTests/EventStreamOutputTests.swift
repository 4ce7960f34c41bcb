import Foundation
import Testing

/// Standard output with `--format json`: one object per line, and nothing else.
struct EventStreamOutputTests {
  /// Parses each line, and returns the names of the events.
  private func events(in output: String) throws -> [String] {
    try output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require((object as? [String: Any])?["event"] as? String)
    }
  }

  @Test("every kind of output is an event; console lines go to standard error")
  func purity() throws {
    let program = try FRCProgram()
    try program.write(
      """
      entity Book { title: String, publisher: String? }
      controller books = Book sort by publisher, title section by publisher cache "Demo"
      fetch books
      insert Book(title: "Dune\\n\\"x\\"")
      Book/1.publisher = "Ace"
      delegate books counts
      insert Book(title: "Emma", publisher: "Ace")
      show books; show books.request; objects Book; caches
      fetch Book; count Book; print [1, nil, "a"]
      try print 1 / 0
      """, to: "a.frc")

    let result = try program.run("run", "--format", "json", "a.frc")

    #expect(result.status == 0)
    #expect(
      try events(in: result.output) == [
        "willChangeContent", "didChangeSection", "didChangeObject", "didChangeContent",
        "willChangeContent", "didChangeSection", "didChangeSection", "didChangeObject",
        "didChangeContent", "counts", "show", "request", "objects", "cache", "rows", "value",
        "value", "error",
      ])
    #expect(
      result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("console: CoreData: error: ") }
    )
    #expect(!result.errors.isEmpty)
  }

  @Test("an error that ends the script is an event, and a message on standard error")
  func uncaught() throws {
    let result = try FRCProgram().run("-e", "print 1\n  print nothing", "--format", "json")

    #expect(result.status == 1)
    #expect(
      result.output == """
        {"event":"value","value":1}
        {"event":"error","message":"unknown name 'nothing'","file":"-e","line":2,"column":9}

        """)
    #expect(result.errors.hasPrefix("-e:2:9: error: unknown name 'nothing'\n"))
  }

  @Test("so is each fault in parsing, with status 2")
  func syntax() throws {
    let program = try FRCProgram(["a.frc": "prnt 1\nprint 'a\\q'\nprint ("])

    let result = try program.run("run", "a.frc", "--format", "json")

    #expect(result.status == 2)
    #expect(
      result.output == """
        {"event":"error","message":"unknown statement 'prnt'; did you mean 'print'?","file":"a.frc","line":1,"column":1}
        {"event":"error","message":"expected a value, but the text ends here","file":"a.frc","line":3,"column":8}

        """)
    #expect(result.errors.contains("a.frc:2:9: warning: unknown escape '\\q'"))
  }

  @Test("on a store in a file, statements, requests and what they cost are events, too")
  func statements() throws {
    let program = try FRCProgram()
    try program.write(
      """
      entity Book { title: String, cover: Data? }
      set sql on
      insert Book(title: "Dune", cover: data("AQID"))
      save
      reset
      controller books = Book where title == "Dune" sort by title batch 5
      show books.request
      fetch books
      set sql off
      print books[0, 0].title
      stats
      """, to: "a.frc")

    let result = try program.run(
      "run", "a.frc", "--format", "json", "--store", "a.sqlite")

    #expect(result.status == 0)
    #expect(result.errors == "")
    let lines = result.output.replacing(/"seconds":[0-9]+\.[0-9]{4}/, with: #""seconds":0"#)
      .replacing(/"memory":[0-9]+/, with: #""memory":0"#).split(separator: "\n")
    let query =
      #""sql":"SELECT t0.Z_PK FROM \"ZBOOK\" t0 WHERE t0.\"ZTITLE\" = ? ORDER BY t0.\"ZTITLE\", t0.Z_PK","binds":["Dune"]"#
    #expect(
      lines.suffix(4) == [
        #"{"event":"request","controller":"books","text":"Book where title == \"Dune\" sort by title batch 5",\#(query),"isWhole":true}"#,
        #"{"event":"sql",\#(query),"rows":1,"seconds":0}"#,
        #"{"event":"value","value":"Dune"}"#,
        #"{"event":"stats","store":"a.sqlite","statements":9,"rowsRead":5,"faultsFired":1,"memory":0}"#,
      ])
    #expect(
      lines.contains(#"{"event":"sql","sql":"BEGIN IMMEDIATE","binds":[],"seconds":0}"#))
    #expect(
      lines.contains {
        $0.hasPrefix(#"{"event":"sql","sql":"INSERT INTO"#)
          && $0.contains(#""binds":["Dune","AQID",1,1,1],"rows":1"#)
      })
  }

  @Test("output that cannot be written is an error, and not lost in silence", .enabled(if: hasFull))
  func fullDisk() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n"])

    try program.write("books willChangeContent\nbooks didChangeContent\n", to: "a.log")

    // Where 1 is an answer, such as a test that fails, it is not the status of an error.
    let commands: [(String, status: Int32)] = [
      ("-e 'print 1'", 1), ("run a.frc --format json", 1), ("fmt - < a.frc", 1),
      ("--help", 1), ("--version", 1), ("lesson", 1), ("lesson check --help", 1),
      ("test a.frc", 2), ("test a.frc --watch", 2), ("replay a.log", 2), ("fuzz --turns 1", 2),
    ]
    for (command, status) in commands {
      try program.expect(
        shell: "timeout 60 frc \(command) > /dev/full", status: status,
        errors: "frc: error: cannot write standard output: no space left on device\n")
    }
  }

  private static let hasFull = FileManager.default.fileExists(atPath: "/dev/full")

  @Test("so is a file that cannot be read")
  func unreadable() throws {
    let result = try FRCProgram().run("run", "a.frc", "--format", "json")

    #expect(result.status == 2)
    #expect(
      result.output
        == "{\"event\":\"error\",\"message\":\"cannot read 'a.frc': no such file\",\"file\":\"a.frc\"}\n"
    )
  }
}
