import Foundation
import Testing

@testable import LanguageServer

@Suite("server: messages in, messages out")
struct ServerTests {
  private static let uri = "file:///scripts/a.frc"

  private func client(_ text: String, encoding: String? = "utf-8") -> TestClient {
    let client = TestClient()
    client.start(encoding.map { ["general": ["positionEncodings": [$0]]] } ?? [:])
    client.open(Self.uri, text)
    return client
  }

  @Test("nothing is answered before 'initialize', and nothing but 'exit' after 'shutdown'")
  func lifecycle() {
    let client = TestClient()
    func code(_ answer: [String: Any]) -> Int? {
      (answer["error"] as? [String: Any])?["code"] as? Int
    }

    #expect(code(client.ask("textDocument/hover", client.at("x", 0, 0))) == -32002)
    client.start()
    #expect(code(client.ask("initialize", ["capabilities": [:]])) == -32600)
    #expect(code(client.ask("textDocument/nonsense", [:])) == -32601)
    #expect(code(client.ask("textDocument/hover", ["position": 3])) == -32602)
    #expect(code(client.ask("textDocument/hover", client.at("file:///none", 0, 0))) == -32602)
    _ = client.ask("shutdown", [:])
    #expect(code(client.ask("textDocument/hover", client.at("x", 0, 0))) == -32600)
    #expect(client.server.exitStatus == nil)
    client.note("exit", [:])
    #expect(client.server.exitStatus == 0)
  }

  @Test("a wrong statement is found and its fix is offered, by the messages of frc check")
  func diagnostics() {
    let client = client("entity Book { title: String }\ninser Book(title: \"x\")\n")

    #expect(
      client.diagnostics(of: Self.uri) == ["unknown statement 'inser'; did you mean 'insert'?"])
    let actions = client.result(
      "textDocument/codeAction",
      [
        "textDocument": ["uri": Self.uri], "range": TestClient.range((1, 18), (1, 18)),
        "context": ["diagnostics": [] as [String]],
      ])
    #expect(actions.contains("\"title\":\"replace 'inser' with 'insert'\""), "\(actions)")
    client.change(Self.uri, TestClient.range((1, 0), (1, 5)), "insert")
    #expect(client.diagnostics(of: Self.uri) == [])
    client.change(Self.uri, TestClient.range((1, 12), (1, 17)), "titel")
    #expect(
      client.diagnostics(of: Self.uri).first?.contains("did you mean 'title'?") == true,
      "\(client.diagnostics(of: Self.uri))")
  }

  @Test("a client that asks for diagnostics gets the same, and none that it did not ask for")
  func pulled() {
    let client = TestClient()
    client.start(["textDocument": ["diagnostic": [:] as [String: Any]]])
    client.open(Self.uri, "inser\n")

    #expect(!client.takeMessages().contains { $0["method"] != nil })
    let report = client.result("textDocument/diagnostic", ["textDocument": ["uri": Self.uri]])
    #expect(report.contains("did you mean 'insert'?"), "\(report)")
    #expect(report.contains("\"kind\":\"full\""))
  }

  @Test(
    "places are counted in the negotiated unit",
    arguments: [("utf-8", 18, 20), ("utf-16", 15, 16), ("utf-32", 14, 15)])
  func encodings(_ encoding: String, _ start: Int, _ end: Int) throws {
    // An emoji of two UTF-16 units, and an e with a combining mark.
    let client = client("print \"😀e\u{301}\" + é\r\n\tprint 1", encoding: encoding)

    let report = client.ask("textDocument/diagnostic", ["textDocument": ["uri": Self.uri]])
    let items = (report["result"] as? [String: Any])?["items"] as? [[String: Any]]
    let range = try #require(items?.first?["range"] as? [String: [String: Int]])
    #expect(range["start"] == ["line": 0, "character": start])
    #expect(range["end"] == ["line": 0, "character": end])
  }

  @Test("the first encoding of the client that is known is used")
  func negotiation() {
    func chosen(_ offered: [String]) -> String {
      let client = TestClient()
      let answer = client.ask(
        "initialize", ["capabilities": ["general": ["positionEncodings": offered]]])
      let result = answer["result"] as? [String: Any]
      return (result?["capabilities"] as? [String: Any])?["positionEncoding"] as? String ?? ""
    }
    #expect(chosen(["utf-7", "utf-32", "utf-8"]) == "utf-32")
    #expect(chosen([]) == "utf-16")
  }

  @Test("completion offers what the place allows, with variables of the lines before")
  func completion() throws {
    let client = client(
      "entity Book { title: String, pages: Int = 0 }\nlet dune = insert Book(title: \"Dune\")\n"
        + "controller books = Book sort by \ndune.\nprint d\n#@ ti\n")
    func labels(_ line: Int, _ character: Int) throws -> [String] {
      let answer = client.ask("textDocument/completion", client.at(Self.uri, line, character))
      let items = try #require((answer["result"] as? [String: Any])?["items"] as? [[String: Any]])
      return items.compactMap { $0["label"] as? String }
    }

    #expect(try labels(2, 32) == ["title", "pages"])
    #expect(try labels(3, 5) == ["title", "pages"])
    #expect(try labels(4, 7).first == "dune")
    #expect(try labels(5, 5) == ["timeout"])
    #expect(try labels(1, 23) == ["title", "pages"])
  }

  @Test("hover says what a name is and what a statement does")
  func hover() {
    let client = client("entity Book { title: String }\nlet dune = insert Book(title: \"Dune\")\n")

    func hover(_ line: Int, _ character: Int) -> String {
      client.result("textDocument/hover", client.at(Self.uri, line, character))
    }
    #expect(hover(0, 8).contains("Book is an entity:"))
    #expect(hover(1, 5).contains("dune is a variable, a Book"))
    #expect(hover(1, 12).contains("inserts an object"))
    #expect(hover(1, 24).contains("Book.title is an attribute: String"))
  }

  @Test("formatting is that of frc fmt")
  func formatting() {
    let client = client("entity Book{title:String}\nperform {\ninsert Book(title:\"a\")\n}\n\n\n")

    let edits = client.result(
      "textDocument/formatting",
      ["textDocument": ["uri": Self.uri], "options": [:] as [String: Any]])
    #expect(edits.contains("entity Book { title: String }"), "\(edits)")
    #expect(edits.contains("  insert Book(title: "), "\(edits)")
    let one = client.result(
      "textDocument/rangeFormatting",
      [
        "textDocument": ["uri": Self.uri], "range": TestClient.range((2, 0), (2, 3)),
        "options": [:] as [String: Any],
      ])
    #expect(!one.contains("entity"))
  }

  @Test("a run shows callbacks and differences, and its output can be accepted")
  func live() throws {
    let client = client(
      """
      entity Book { title: String }
      controller books = Book sort by title
      fetch books
      insert Book(title: "Dune")
      #> books willChangeContent
      #> books didChange object insert Book/1 "Dun" -> [0, 0]
      #> books didChangeContent

      """)
    let result = try #require(client.host.finishRun())
    client.server.take(result)
    client.server.idle()

    #expect(client.diagnostics(of: Self.uri).first?.hasPrefix("output differs\n") == true)
    let whole: [String: Any] = [
      "textDocument": ["uri": Self.uri], "range": TestClient.range((0, 0), (9, 0)),
    ]
    #expect(
      client.result("textDocument/inlayHint", whole).contains("\"label\":\"1 callback: insert\""))
    let actions = client.result("textDocument/codeAction", whole)
    let line = #"#> books didChange object insert Book/1 \"Dune\" -> [0, 0]\n"#
    #expect(actions.contains("\"title\":\"accept the output\""), "\(actions)")
    #expect(actions.contains(line), "\(actions)")
    let rule = client.result("textDocument/hover", client.at(Self.uri, 5, 3))
    #expect(rule.contains("rule created"), "\(rule)")
    // A result of an older text is not shown.
    client.change(Self.uri, TestClient.range((0, 0), (0, 0)), "\n")
    client.server.take(result)
    client.server.idle()
    #expect(client.diagnostics(of: Self.uri) == [])
  }

  private static let library = """
    entity Author { name: String, books: [Book] inverse author }
    entity Book { title: String, author: Author? inverse books }

    """

  private func named(_ text: String) -> TestClient {
    let client = TestClient(files: ["/scripts/library.frc": Self.library])
    client.start(["general": ["positionEncodings": ["utf-8"]]])
    client.open(Self.uri, text)
    return client
  }

  @Test("names lead to their definitions and uses, also in included files")
  func names() {
    let client = named(
      "include \"library.frc\"\nlet title = \"x\"\nlet dune = insert Book(title: title)\n"
        + "fetch Book where author.name == $title sort by author.name\nprint dune.title\n")
    #expect(client.diagnostics(of: Self.uri) == [])

    func places(_ line: Int, _ character: Int) -> String {
      client.result("textDocument/references", client.at(Self.uri, line, character))
    }
    // The attribute, and not the variable with the same name.
    let title = places(4, 12)
    #expect(title.contains("library.frc"), "\(title)")
    #expect(title.components(separatedBy: "\"uri\"").count - 1 == 3, "\(title)")
    #expect(places(1, 5).components(separatedBy: "\"uri\"").count - 1 == 3, "\(places(1, 5))")
    #expect(places(3, 25).components(separatedBy: "\"uri\"").count - 1 == 3, "\(places(3, 25))")
    let definition = client.result("textDocument/definition", client.at(Self.uri, 2, 20))
    #expect(definition.contains("library.frc"), "\(definition)")
    #expect(definition.contains(#""start":{"character":7,"line":1}"#), "\(definition)")
    #expect(
      client.result("textDocument/definition", client.at(Self.uri, 0, 12)).contains("library.frc"))
  }

  @Test("a name that would change a meaning is refused")
  func rename() {
    let client = named(
      "entity Book { title: String }\nlet dune = insert Book(title: \"x\")\n"
        + "for b in [dune] { print dune.title; print b }\ncontroller books = Book sort by title\n")

    func rename(_ line: Int, _ character: Int, _ name: String) -> [String: Any] {
      var params = client.at(Self.uri, line, character)
      params["newName"] = name
      return client.ask("textDocument/rename", params)
    }
    func refusal(_ answer: [String: Any]) -> String? {
      (answer["error"] as? [String: Any])?["message"] as? String
    }
    let edits = client.text(rename(1, 5, "sand")["result"] ?? "")
    #expect(edits.components(separatedBy: "newText").count - 1 == 3, "\(edits)")
    #expect(refusal(rename(1, 5, "b"))?.contains("another meaning") == true)
    #expect(refusal(rename(1, 5, "insert"))?.contains("word of the language") == true)
    #expect(refusal(rename(1, 5, "two words"))?.contains("not one word") == true)
    #expect(refusal(rename(0, 8, "book"))?.contains("capital letter") == true)
    #expect(refusal(rename(0, 15, "pages")) == nil)
  }
}
