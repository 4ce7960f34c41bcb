import PromptTools
import ScriptRuntime
import ScriptSyntax
import Testing

/// Files and caches, which strings name.
@Suite struct NamedThingsTests {
  private final class Files: ScriptEnvironment {
    private static let folders = [
      ".": ["a.frc", "b.csv", "c.json", "L.xcdatamodeld", "l.sqlite", "sub", ".hidden.frc"],
      "sub": ["d.frc"], "sub/": ["d.frc", "it\"s\\"], "L.xcdatamodeld": [], "sub/d.frc/": [],
      "sub/it\"s\\": ["x\"\\(1).frc"], "sub/it\"s\\/": ["x\"\\(1).frc"],
    ]

    func names(inFolder path: String, from includer: String) -> [String]? {
      Self.folders[path]
    }
  }

  private func offered(_ text: String, _ statements: String = "") throws -> [String] {
    let interpreter = Interpreter(environment: Files()) { _ in }
    try interpreter.run(ScriptParser.parse(SourceText(name: "test", text: statements)))
    return Completions(
      in: text, at: text.utf8.count, session: interpreter.session, environment: Files()
    ).candidates
  }

  @Test(
    "behind the words that name files, those that fit are offered, and folders",
    arguments: [
      ("include \"", ["a.frc\"", "sub/"]), ("include \"sub/", ["d.frc\"", #"it\"s\\/"#]),
      (#"include "sub/it\"s"#, [#"it\"s\\/"#]), (#"include "sub/it\"#, []),
      (#"include "sub/it\"s\\/x\""#, [#"x\"\\(1).frc""#]),
      (#"include "sub/\(a)"#, []), ("include 'sub/", ["d.frc'"]),
      ("include 'a", ["a.frc'"]), ("import \"", ["b.csv\"", "c.json\"", "sub/"]),
      ("model \"", ["L.xcdatamodeld\"", "sub/"]),
      ("store sqlite \"l", ["l.sqlite\""]), ("print \"a", []), ("include \"a.frc\" ", ["alone"]),
      ("include \"none/", []), ("# include \"a", []),
      // Without a typed quote, both quotes are added.
      ("include ", ["\"a.frc\"", "\"sub/"]), ("try  include ", ["\"a.frc\"", "\"sub/"]),
      ("import ", ["\"b.csv\"", "\"c.json\"", "\"sub/"]), ("show model ", []),
      ("include", ["include "]), ("print include ", []), ("include.", []),
    ])
  func files(_ text: String, _ expected: [String]) throws {
    #expect(try offered(text) == expected)
  }

  @Test("behind cache stand the caches that are in use")
  func caches() throws {
    let statements = """
      entity Book { title: String }
      controller books = Book sort by title cache "Demo"
      request old = Book sort by title cache "Older"
      """
    #expect(try offered("delete cache \"", statements) == ["Demo\"", "Older\""])
    #expect(try offered("fetch Book cache \"De", statements) == ["Demo\""])
    #expect(try offered("delete cache ", statements) == ["\"Demo\"", "\"Older\""])
    #expect(try offered("change books cache ", statements) == ["\"Demo\"", "\"Older\""])
    let other = "entity Book { title: String }\nrequest r = Book sort by title cache \"a\\\"b\""
    #expect(try offered("delete cache ", other) == [#""a\"b""#])
    #expect(try offered(#"delete cache "a\""#, other) == [#"a\"b""#])
    #expect(try offered("delete cache 'a", other) == [#"a"b'"#])
  }

  @Test("each candidate says what it is")
  func details() throws {
    let interpreter = Interpreter(environment: Files()) { _ in }
    try interpreter.run(
      ScriptParser.parse(
        SourceText(
          name: "test",
          text: """
            entity Author { name: String, books: [Book] inverse author }
            entity Book { title: String, pages: Int = 0, author: Author? inverse books }
            controller books = Book sort by title
            fetch books
            let dune = insert Book(title: "Dune")
            """)))

    func details(_ text: String) -> [String: String] {
      let found = Completions(
        in: text, at: text.utf8.count, session: interpreter.session, environment: Files())
      return Dictionary(uniqueKeysWithValues: zip(found.candidates, found.details))
    }

    #expect(details("insert Book(")["pages: "] == "Int = 0")
    #expect(details("insert Book(")["author: "] == "Author? inverse books")
    #expect(details("print dune.")["title"] == "String")
    #expect(details("insert ")["Author("] == "entity: name, books")
    #expect(details("show ")["books"] == "controller of Book, 1 result")
    #expect(details("print d")["dune"] == "Book/1")
    #expect(details("cou")["count "]?.hasPrefix("count ENTITY") == true)
    #expect(details("fetch Book whe")["where "] == "a predicate that they match")
    #expect(details("fetch Book where title BE")["BEGINSWITH "] == "the text begins so")
  }
}
