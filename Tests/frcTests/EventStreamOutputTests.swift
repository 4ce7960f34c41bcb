import Foundation
import Testing

/// Standard output under `--format json`: one object a line, and nothing else.
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
    let program = try FRCProgram()
    try program.write("prnt 1\nprint 'a\\q'\nprint (", to: "a.frc")

    let result = try program.run("run", "a.frc", "--format", "json")

    #expect(result.status == 2)
    #expect(
      result.output == """
        {"event":"error","message":"unknown statement 'prnt'; did you mean 'print'?","file":"a.frc","line":1,"column":1}
        {"event":"error","message":"expected a value, but the text ends here","file":"a.frc","line":3,"column":8}

        """)
    #expect(result.errors.contains("a.frc:2:9: warning: unknown escape '\\q'"))
  }

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
