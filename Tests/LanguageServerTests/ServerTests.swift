import Foundation
import GoldenTesting
import RandomLaws
import ScriptSyntax
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

  @Test("options that are no settings do not keep the server from starting")
  func wrongOptions() {
    let wrong: [Any] = [[] as [String], "", ["live": "yes"], NSNull()]
    for options in wrong {
      let client = TestClient()
      let answer = client.ask(
        "initialize", ["capabilities": [:] as [String: Any], "initializationOptions": options])
      #expect(answer["result"] is [String: Any], "\(options)")
    }
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

  @Test("a string without an end changes the colours of its line only, and what hover reads")
  func openString() {
    let block = self.client("perform {\n  print \"a\n  print 1\n}\n")
    let hover = block.result("textDocument/hover", block.at(Self.uri, 2, 3))
    #expect(hover.contains("print"))

    let client = client("print \"a\nprint 1\n")
    let tokens = client.result(
      "textDocument/semanticTokens/full", ["textDocument": ["uri": Self.uri]])
    #expect(tokens == #"{"data":[0,0,5,0,0,0,6,2,4,0,1,0,5,0,0,0,6,1,3,0]}"#)
  }

  @Test("half an emoji is one character of an edit, so that later edits are in the right place")
  func halfPair() {
    let client = client("let  a = 1\nprint  a\n", encoding: nil)
    func send(_ method: String, _ document: String, _ rest: String) {
      let body =
        #"{"jsonrpc":"2.0","method":"textDocument/\#(method)","params":{"textDocument":"#
        + #"{"uri":"\#(Self.uri)","languageId":"frc","version":2\#(document)}\#(rest)}}"#
      client.send(bytes: MessageFrames.framed(Array(body.utf8)))
    }
    func text() -> String? { client.server.documents[Self.uri]?.text.text }
    func change(_ text: String, _ end: String) {
      let range = #"{"start":{"line":0,"character":0},"end":\#(end)}"#
      send("didChange", "", #","contentChanges":[{"range":\#(range),"text":"\#(text)"}]"#)
    }

    change(#"# \ud83d \ud83d\ude00 \\ud83d \udE00\n"#, #"{"line":0,"character":0}"#)
    #expect(text() == "# \u{FFFD} 😀 \\ud83d \u{FFFD}\nlet  a = 1\nprint  a\n")
    change("", #"{"line":1,"character":0}"#)
    #expect(text() == "let  a = 1\nprint  a\n")
    send("didOpen", #","text":"print 1 # \ud83d""#, "")
    #expect(text() == "print 1 # \u{FFFD}")

    _ = client.takeMessages()
    change("", #"{"line":0,"character":9223372036854775808}"#)
    #expect(text() == nil)
    #expect(
      client.takeMessages().contains {
        $0["method"] as? String == "window/showMessage"
          && client.text($0).contains("close the document and open it again")
      })
    let answer = client.ask(
      "textDocument/formatting",
      ["textDocument": ["uri": Self.uri], "options": [:] as [String: Any]])
    #expect(refusal(answer)?.contains("is not open") == true, "\(answer)")
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
    #expect(rule.contains("[Rules.md: created](file:///Rules.md#created)"), "\(rule)")
    // A result of an older text is not shown.
    client.change(Self.uri, TestClient.range((0, 0), (0, 0)), "\n")
    client.server.take(result)
    client.server.idle()
    #expect(client.diagnostics(of: Self.uri) == [])
  }

  @Test("an error that the check and the run find is shown once")
  func foundTwice() throws {
    let client = client("entity Book { title: String }\ncontroller books = Book sort by pages\n")
    client.server.take(try #require(client.host.finishRun()))
    client.server.idle()

    #expect(client.diagnostics(of: Self.uri) == ["Book has no attribute 'pages'; it has title"])
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
      self.rename(client, Self.uri, line, character, name)
    }
    let edits = client.text(rename(1, 5, "sand")["result"] ?? "")
    #expect(edits.components(separatedBy: "newText").count - 1 == 3, "\(edits)")
    #expect(refusal(rename(1, 5, "b"))?.contains("another meaning") == true)
    #expect(refusal(rename(1, 5, "insert"))?.contains("word of the language") == true)
    #expect(refusal(rename(1, 5, "two words"))?.contains("not one word") == true)
    #expect(refusal(rename(0, 8, "book"))?.contains("capital letter") == true)
    #expect(refusal(rename(0, 15, "pages")) == nil)
  }

  // MARK: Several scripts

  /// A library that two scripts include, one of them through another file.
  private static let project = [
    "/scripts/library.frc": library,
    "/scripts/more.frc": "include \"library.frc\"\n",
    "/scripts/a.frc": "",
    "/scripts/b.frc": """
    include "more.frc"
    controller shelf = Book sort by title
    fetch shelf
    insert Book(title: "a Book")
    #> shelf willChangeContent
    #> shelf didChange object insert Book/1 "a Book" -> [0, 0]
    #> shelf didChangeContent
    print Book/1.title
    #> a Book
    fetch Book
    #> Book/1 title: "a Book", author: nil

    """,
    "/scripts/c.frc": "entity Book { title: String }\ninsert Book(title: \"other\")\n",
  ]

  private func project(_ changes: [String: String] = [:]) -> TestClient {
    let client = TestClient(files: Self.project.merging(changes) { $1 })
    client.start(["general": ["positionEncodings": ["utf-8"]]])
    client.open("file:///scripts/library.frc", Self.library)
    return client
  }

  private func rename(
    _ client: TestClient, _ uri: String, _ line: Int, _ character: Int, _ name: String
  ) -> [String: Any] {
    var params = client.at(uri, line, character)
    params["newName"] = name
    return client.ask("textDocument/rename", params)
  }

  private func refusal(_ answer: [String: Any]) -> String? {
    (answer["error"] as? [String: Any])?["message"] as? String
  }

  /// Returns the texts of a project after a rename.
  private func renamed(
    _ files: [String: String], _ answer: [String: Any]
  ) throws -> [String: String] {
    let result = try #require(answer["result"] as? [String: Any], "\(answer)")
    let changes = try #require(result["changes"] as? [String: [[String: Any]]])
    var files = files
    for (uri, edits) in changes {
      let path = try #require(Document.path(of: uri))
      var text = DocumentText(files[path] ?? "", encoding: .utf8)
      for edit in edits.reversed() {
        let data = try JSONSerialization.data(withJSONObject: edit["range"] ?? [:])
        let range = try JSONDecoder().decode(TextRange.self, from: data)
        text.replace(range, with: edit["newText"] as? String ?? "")
      }
      files[path] = text.text
    }
    return files
  }

  @Test("references are found in all scripts of the project that include the open one")
  func includers() {
    let client = project()
    let found = client.result(
      "textDocument/references", client.at("file:///scripts/library.frc", 1, 8))

    #expect(found.contains("scripts/b.frc"), "\(found)")
    #expect(!found.contains("scripts/c.frc"))
    #expect(found.components(separatedBy: "\"uri\"").count - 1 == 6, "\(found)")
  }

  @Test(
    "the places in a file on the disk do not count its byte order mark",
    arguments: ["utf-8", "utf-16"])
  func byteOrderMark(_ encoding: String) {
    let client = TestClient(files: ["/scripts/library.frc": "\u{FEFF}let a = 1\nprint a\n"])
    client.start(["general": ["positionEncodings": [encoding]]])
    client.open(Self.uri, "include \"library.frc\"\nprint a\n")
    let found = client.result("textDocument/references", client.at(Self.uri, 1, 6))
    #expect(found.contains(#""start":{"character":4,"line":0}"#), "\(found)")
    #expect(found.contains(#""start":{"character":6,"line":1}"#), "\(found)")
  }

  @Test("an included file that is created in the editor is found when it is saved")
  func createdFile() {
    let client = client("include \"new.frc\"\nprint a\n")
    #expect(client.diagnostics(of: Self.uri).first?.contains("no such file") == true)
    let new = "file:///scripts/new.frc"
    client.open(new, "let a = 1\n")
    client.host.files["/scripts/new.frc"] = "let a = 1\n"
    client.note("textDocument/didSave", ["textDocument": ["uri": new]])
    #expect(client.diagnostics(of: Self.uri) == [])
  }

  @Test("a file with many places of a name is looked up once")
  func manyPlaces() {
    func lookups(_ count: Int) -> Int {
      let client = TestClient(files: [
        "/scripts/library.frc": "let a = 1\n" + String(repeating: "print a\n", count: count)
      ])
      client.start()
      client.open(Self.uri, "include \"library.frc\"\nprint a\n")
      let before = client.host.lookups
      let found = client.result("textDocument/references", client.at(Self.uri, 1, 6))
      #expect(found.components(separatedBy: "/library.frc\"").count - 1 == count + 1, "\(found)")
      #expect(found.contains(#""start":{"character":6,"line":\#(count)}"#), "\(found)")
      return client.host.lookups - before
    }

    #expect(lookups(100) == lookups(10))
  }

  @Test(
    "a rename changes all scripts and their expected output, which then pass",
    arguments: [(1, 8, "Novel"), (1, 15, "heading"), (0, 8, "Writer")])
  func renameProject(_ line: Int, _ character: Int, _ name: String) throws {
    let client = project()
    let answer = rename(client, "file:///scripts/library.frc", line, character, name)
    let files = try renamed(Self.project, answer)

    #expect(files["/scripts/c.frc"] == Self.project["/scripts/c.frc"])
    #expect(files["/scripts/library.frc"]?.contains(name) == true)
    let source = SourceText(name: "/scripts/b.frc", text: files["/scripts/b.frc"] ?? "")
    let test = PreparedTest(GoldenTest(source: source))
    let outcome = test.outcome(of: GoldenRunner(environment: MemoryFiles(files)).runs(of: test))
    #expect(outcome.verdict == .passed, "\(outcome.failures)\n\(files)")
  }

  @Test("a file that is open through a link is the one that other scripts include")
  func links() throws {
    let client = TestClient(files: Self.project)
    client.host.links = ["/link": "/scripts"]
    client.start(["general": ["positionEncodings": ["utf-8"]]])
    let uri = "file:///link/library.frc"
    let text = Self.library.replacing("Book", with: "Tome")
    client.open("file:///scripts/b.frc", Self.project["/scripts/b.frc"] ?? "")
    #expect(client.diagnostics(of: "file:///scripts/b.frc") == [])
    client.open(uri, text)
    // The text of the editor counts, and not that on the disk.
    #expect(client.diagnostics(of: "file:///scripts/b.frc") != [])
    client.change(uri, nil, Self.library)
    #expect(client.diagnostics(of: "file:///scripts/b.frc") == [])

    let found = client.result("textDocument/references", client.at(uri, 1, 8))
    let answer = rename(client, uri, 1, 8, "Novel")

    #expect(found.components(separatedBy: "\"uri\"").count - 1 == 6, "\(found)")
    let result = try #require(answer["result"] as? [String: Any], "\(answer)")
    let changes = try #require(result["changes"] as? [String: Any])
    #expect(Set(changes.keys).isSuperset(of: [uri, "file:///scripts/b.frc"]))
    #expect(changes["file:///scripts/library.frc"] == nil)
    let definition = client.result(
      "textDocument/definition", client.at("file:///scripts/b.frc", 1, 22))
    #expect(definition.contains(uri), "\(definition)")
  }

  @Test("a controller is renamed in the expected output, and not in texts or other words")
  func renameController() throws {
    let uri = "file:///scripts/b.frc"
    let client = project([
      "/scripts/b.golden": "shelf willChangeContent\n\"shelf\" 'shelf' bookshelf\n"
    ])
    let text = Self.project["/scripts/b.frc"] ?? ""
    client.open(uri, text)
    let answer = rename(client, uri, 1, 13, "rack")
    let files = try renamed(
      Self.project.merging([
        "/scripts/b.golden": "shelf willChangeContent\n\"shelf\" 'shelf' bookshelf\n"
      ]) { $1 }, answer)

    #expect(
      files["/scripts/b.golden"] == "rack willChangeContent\n\"shelf\" 'rack' bookshelf\n")
    #expect(files["/scripts/b.frc"]?.contains("fetch rack") == true)
  }

  @Test("a rename is refused if it cannot change every script")
  func renameRefused() {
    let uri = "file:///scripts/library.frc"
    var client = project(["/scripts/broken.frc": "include \"library.frc\"\ninser Book()\n"])
    #expect(refusal(rename(client, uri, 1, 8, "Novel"))?.contains("has errors") == true)
    client = project(["/scripts/d.frc": "include \"library.frc\"\nentity Novel { x: Int }\n"])
    #expect(refusal(rename(client, uri, 1, 8, "Novel"))?.contains("already") == true)
    client = project([
      "/scripts/e.frc":
        "include \"library.frc\"\nentity X {\n  x: Int = 0\n  on willSave { print self.title }\n}\n"
    ])
    #expect(refusal(rename(client, uri, 1, 15, "heading"))?.contains("line 4 of") == true)
    client = project([
      "/scripts/f.frc": """
      include "library.frc"
      entity Shelf: Book { derived key: String = 'canonical:(title)' }

      """
    ])
    #expect(refusal(rename(client, uri, 1, 15, "heading"))?.contains("f.frc") == true)
    client = project()
    client.host.hasTooManyFiles = true
    #expect(refusal(rename(client, uri, 1, 8, "Novel"))?.contains("too many files") == true)
  }

  @Test(
    "a rename is refused where a string or an unnamed aggregate uses the name when it runs",
    arguments: [
      ("entity A { x: Int = 0\n on willSave { print \"x \\(\"\\(self.x)\")\" } }\n", 0, 11, 2, "x"),
      (
        "entity A { title: String }\ncontroller books = A sort by title\n"
          + "delegate books { didChangeObject { print \"\\(object.title)\" } }\n", 0, 11, 3, "title"
      ),
      (
        "entity A { x: Int = 0, b: A? }\nfetch A values sum(b.x), x group by x having sumBX > 2\n",
        0, 11, 2, "sumBX"
      ),
      (
        "entity A { x: Int = 0 }\nfetch A values sum(x), x group by x sort by sumX\n", 0, 11, 2,
        "sumX"
      ),
    ])
  func renameUnknown(
    _ text: String, _ line: Int, _ character: Int, _ place: Int, _ word: String
  ) throws {
    let client = client(text)
    #expect(client.diagnostics(of: Self.uri) == [])

    let reason = refusal(rename(client, Self.uri, line, character, "other"))

    #expect(reason?.hasPrefix("line \(place) of '/scripts/a.frc' has a '\(word)' whose") == true)
  }

  @Test("a rename is not refused for words of a text, or for an aggregate with another name")
  func renameText() {
    let client = client(
      "entity A { x: Int = 0\n on willSave { print \"x \\(1) x\" + 'x \\(x)' } }\n"
        + "print \"\\(A/1.x)\"\nfetch A values sum(x) as sumX, x group by x having sumX > 2\n")

    #expect(refusal(rename(client, Self.uri, 0, 11, "other")) == nil)
  }

  @Test("a script that includes an unsaved file runs when that file is saved")
  func unsaved() {
    let client = TestClient(files: ["/scripts/library.frc": "entity Book { title: String }\n"])
    client.start()
    client.open(Self.uri, "include \"library.frc\"\nfetch Novel\n")
    let library = "file:///scripts/library.frc"
    client.open(library, "entity Novel { title: String }\n")
    #expect(client.diagnostics(of: Self.uri) == [])
    #expect(!client.host.started.contains { $0.uri == Self.uri })
    let answer = client.ask(
      "workspace/executeCommand", ["command": "frc.runTest", "arguments": [["uri": Self.uri]]])
    #expect(refusal(answer)?.contains("is not saved") == true, "\(answer)")
    client.host.files["/scripts/library.frc"] = "entity Novel { title: String }\n"
    client.note("textDocument/didSave", ["textDocument": ["uri": library]])
    #expect(client.host.started.contains { $0.uri == Self.uri })
  }

  @Test("a page is made of files, so the script and what it includes must be saved")
  func unsavedPage() {
    let client = TestClient(files: ["/scripts/a.frc": "print 1\n"])
    client.start()
    client.open(Self.uri, "print 1\n")
    func play() -> String? {
      let params: [String: Any] = [
        "command": "frc.playAsPage", "arguments": [["uri": Self.uri]],
      ]
      return refusal(client.ask("workspace/executeCommand", params))
    }
    #expect(play() == nil)
    #expect(client.host.pages == ["/scripts/a.frc"])
    let text = "include \"b.frc\"\n"
    client.change(Self.uri, nil, text)
    #expect(play() == "'/scripts/a.frc' is not saved; save it first")
    client.host.files = ["/scripts/a.frc": text, "/scripts/b.frc": "print 1\n"]
    #expect(play() == nil)
    client.open("file:///scripts/b.frc", "print 2\n")
    #expect(play() == "'/scripts/b.frc' is not saved; save it first")
    #expect(client.host.pages.count == 2)
  }

  @Test("an editor may hide the byte order mark and the carriage returns of an included file")
  func hiddenBytes() {
    let client = TestClient(files: ["/scripts/library.frc": "\u{FEFF}let a = 1\r\nlet b = a\r\n"])
    client.start()
    client.open("file:///scripts/library.frc", "let a = 1\nlet b = a\n")
    client.open(Self.uri, "include \"library.frc\"\nprint b\n")
    #expect(client.host.started.contains { $0.uri == Self.uri })
  }

  @Test("an included file that is open has the text and the URI of the client")
  func openIncluded() {
    let client = TestClient(files: ["/scripts/library.frc": "entity Author { name: String }\n"])
    client.start()
    client.open("file:///scripts/sub/../a.frc", "include \"../scripts/library.frc\"\nfetch Book\n")
    client.open("file:///scripts/%6Cibrary.frc", "entity Book { title: String }\n")
    let found = client.result(
      "textDocument/definition", client.at("file:///scripts/sub/../a.frc", 1, 8))

    #expect(found.contains("file:///scripts/%6Cibrary.frc"), "\(found)")
  }

  // MARK: Markdown

  private static let page = "file:///scripts/page.md"

  @Test("the scripts of a Markdown file are checked by sessions, and prose is left alone")
  func markdown() throws {
    let client = client("")
    client.open(
      Self.page,
      """
      # First

      Say inser here.

      ```frc
      entity Book { title: String }
      insert Book(titel: "x")
      ```

      # Second

      ```frc
      entity Book { pages: Int }
      insert Book(p
      ```

      """)
    let messages = client.diagnostics(of: Self.page)
    #expect(messages.count == 2, "\(messages)")
    #expect(messages.first?.contains("did you mean 'title'?") == true)
    func completion(_ line: Int, _ character: Int) -> String {
      client.result("textDocument/completion", client.at(Self.page, line, character))
    }
    #expect(completion(13, 13).contains("\"label\":\"pages\""), "\(completion(13, 13))")
    #expect(!completion(13, 13).contains("title"))
    #expect(completion(2, 9) == "null")
    #expect(completion(3, 0) == "null")
    let hover = client.result("textDocument/hover", client.at(Self.page, 5, 8))
    #expect(hover.contains("Book is an entity:") && hover.contains("title"), "\(hover)")
    #expect(client.result("textDocument/hover", client.at(Self.page, 2, 6)) == "null")
    let tokens = client.result(
      "textDocument/semanticTokens/full", ["textDocument": ["uri": Self.page]])
    #expect(tokens.hasPrefix("{\"data\":[5,0,6,0,0,"), "\(tokens)")
    let edits = client.result(
      "textDocument/formatting",
      ["textDocument": ["uri": Self.page], "options": [:] as [String: Any]])
    #expect(edits == "[]")
  }

  @Test(
    "what one session of a Markdown file leaves open changes nothing in the next one",
    arguments: ["entity Book { title: String", "print \"a"])
  func openSession(_ open: String) {
    let second = "entity Author { name: String }\nperform {\n  insert Author(name: \"x\")\n}"
    func answers(_ first: String) -> [String] {
      let client = client("")
      client.open(Self.page, "```frc\n\(first)\n```\n\n# Second\n\n```frc\n\(second)\n```\n")
      let params: [String: Any] = [
        "textDocument": ["uri": Self.page], "range": TestClient.range((7, 0), (10, 1)),
        "positions": [TestClient.place(9, 4)],
      ]
      return ["documentSymbol", "foldingRange", "selectionRange", "semanticTokens/range"].map {
        client.result("textDocument/" + $0, params)
      }
    }

    let wanted = answers("# A comment.")
    #expect(wanted[0].contains(#""name":"Author""#), "\(wanted[0])")
    #expect(wanted[1] == #"[{"endLine":10,"kind":"region","startLine":8}]"#)
    #expect(answers(open) == wanted)
  }

  @Test("completion does not read the prose before a block of a Markdown file")
  func completionAfterProse() {
    let client = client("")
    let prose = "\n\nSome {prose}, with a \"quote.\n\n"
    client.open(
      Self.page, "```frc\nentity Book { pages: Int }\n```\(prose)```frc\n\n```\n")
    let found = client.result("textDocument/completion", client.at(Self.page, 7, 0))
    #expect(found.contains("\"label\":\"insert Book\""), "\(found)")
  }

  @Test(
    "a rename changes the sessions of a Markdown file that share the name, and no other",
    arguments: [
      ("page.md", 6, true), ("page.md", 13, true), ("a.frc", 1, true), ("a.frc", 1, false),
    ])
  func renameInMarkdown(_ file: String, _ line: Int, _ isPageOpen: Bool) throws {
    let other = "# Third\n\n```frc\nentity Book { name: String }\nfetch Book\n```\n"
    func page(_ name: String) -> String {
      let script = "```frc\ninclude \"model.frc\"\nfetch \(name)\n```\n\n"
      return "# First\n\nA Book.\n\n\(script)# Second\n\n\(script)\(other)"
    }
    let files = [
      "/scripts/model.frc": "entity Book { title: String }\n",
      "/scripts/a.frc": "include \"model.frc\"\nfetch Book\n", "/scripts/page.md": page("Book"),
    ]
    let client = TestClient(files: files)
    client.start(["general": ["positionEncodings": ["utf-8"]]])
    if isPageOpen { client.open(Self.page, page("Book")) }
    client.open(Self.uri, files["/scripts/a.frc"] ?? "")

    let answer = rename(client, "file:///scripts/\(file)", line, 7, "Tome")
    let changed = try renamed(files, answer)
    #expect(changed["/scripts/page.md"] == page("Tome"))
    #expect(changed["/scripts/model.frc"] == "entity Tome { title: String }\n")
    #expect(changed["/scripts/a.frc"] == "include \"model.frc\"\nfetch Tome\n")
  }

  @Test("a name of one session of a Markdown file is renamed in that session only")
  func renameInSession() throws {
    let session =
      "# One\n\nA \"Book\".\n\n```frc\nentity Book { title: String }\nfetch Book\n```\n\n"
    let client = client("")
    client.open(Self.page, session + session)
    let files = try renamed(
      ["/scripts/page.md": session + session], rename(client, Self.page, 14, 8, "Tome"))
    let wanted = session.replacing("entity Book", with: "entity Tome")
      .replacing("fetch Book", with: "fetch Tome")
    #expect(files["/scripts/page.md"] == session + wanted)
  }

  @Test("a problem in a later session of a Markdown file has its place in the file")
  func laterSession() {
    let client = client("")
    client.open(
      Self.page,
      """
      # First

      ```frc
      print 1
      ```

      # Second

      ```frc
      print 2
      print 3
      #> 3
      #@ unordered
      #> 4
      ```

      """)

    #expect(
      client.diagnostics(of: Self.page) == [
        "'unordered' splits the expected output; write it above the statement on line 11"
      ])
    let sent = client.text(client.takeMessages())
    #expect(sent.contains(##""start":{"character":0,"line":12}"##), "\(sent)")
    #expect(sent.contains(##""end":{"character":12,"line":12}"##), "\(sent)")
  }

  @Test("a problem in an included file is shown in the session that includes it")
  func includedInSession() {
    let client = TestClient(files: [
      "/scripts/good.frc": "let a = 1\n", "/scripts/bad.frc": "inser\n",
    ])
    client.start()
    let page = ["good", "bad"].map { "# \($0)\n\n```frc\ninclude \"\($0).frc\"\n```\n\n" }.joined()
    client.open(Self.page, page)
    let report = client.result("textDocument/diagnostic", ["textDocument": ["uri": Self.page]])
    let place = #""range":{"end":{"character":17,"line":9},"start":{"character":0,"line":9}}"#
    #expect(report.contains(place), "\(report)")
  }

  @Test("the diagnostics of a Markdown file take time linear in the number of headings")
  func manyHeadings() {
    let prose = String(repeating: "Some words of prose. ", count: 50)
    func time(_ count: Int) -> Duration {
      let text = (0..<count).map { number in
        "# Heading \(number)\n\n\(prose)\n\n```frc\nprint count(Book)\n```\n\n"
      }.joined()
      let client = client("")
      let time = ThreadClock.measure { client.open(Self.page, text) }
      #expect(client.diagnostics(of: Self.page).count == count)
      return time
    }
    var ratio = 0.0
    // Another program may take the processor's caches, so a slow try is repeated.
    for _ in 0..<5 {
      let short = time(300)
      ratio = time(1200) / short
      // Looking through the text before each heading would take sixteen times as long.
      if ratio < 8 { return }
    }
    Issue.record("four times as many headings take \(ratio) times as long")
  }

  @Test("a Markdown file runs, and its output can be accepted")
  func markdownRun() throws {
    let client = client("")
    client.open(Self.page, "Text.\n\n```frc\nprint 1\n```\n\nMore.\n")
    let result = try #require(client.host.finishRun())
    client.server.take(result)

    let actions = client.result(
      "textDocument/codeAction",
      ["textDocument": ["uri": Self.page], "range": TestClient.range((3, 0), (3, 0))])
    #expect(actions.contains(##""newText":"#> 1\n""##), "\(actions)")
  }

  // MARK: Settings

  @Test("a mistake in frc.toml is shown in that file, once, until it is mended")
  func settingsProblem() {
    let toml = "file:///scripts/frc.toml"
    let client = TestClient()
    client.start()
    client.host.settingsProblem = SettingsProblem(
      path: "/scripts/frc.toml", line: 2, reason: "unknown key 'tmeout'")
    client.open(Self.uri, "print 1\n")
    client.open("file:///scripts/b.frc", "print 1\n")
    func sent() -> Int {
      client.takeMessages().count { ($0["params"] as? [String: Any])?["uri"] as? String == toml }
    }
    #expect(client.diagnostics(of: toml) == ["unknown key 'tmeout'"])
    let said = client.takeMessages().filter { $0["method"] as? String == "window/showMessage" }
    #expect(said.count == 1 && client.text(said).contains("frc.toml:2: unknown key"), "\(said)")
    client.change(Self.uri, nil, "print 2\n")
    client.change(Self.uri, nil, "print 3\n")
    #expect(sent() == 0)
    client.note("textDocument/didClose", ["textDocument": ["uri": Self.uri]])
    #expect(client.diagnostics(of: toml) == ["unknown key 'tmeout'"])
    client.host.settingsProblem = nil
    client.note("workspace/didChangeWatchedFiles", ["changes": [] as [String]])
    #expect(client.diagnostics(of: toml) == [])
    #expect(sent() == 2)
  }

  @Test("settings are sent, or asked for where the client has them")
  func configuration() throws {
    let client = TestClient()
    client.start(
      [
        "workspace": [
          "configuration": true, "didChangeWatchedFiles": ["dynamicRegistration": true],
        ]
      ])
    let asked = client.takeMessages().filter { $0["method"] != nil }
    #expect(
      asked.compactMap { $0["method"] as? String }
        == ["workspace/configuration", "client/registerCapability"])
    let id = try #require(asked.first?["id"])
    client.send(["id": id, "result": [["live": false]]])
    client.open(Self.uri, "print 1\n")
    #expect(client.host.started.isEmpty)
    client.note("workspace/didChangeConfiguration", ["settings": ["frc": ["live": true]]])
    #expect(client.host.started.count == 1)
    client.note("workspace/didChangeConfiguration", ["settings": NSNull()])
    #expect(client.takeMessages().contains { $0["method"] as? String == "workspace/configuration" })
  }

  @Test("a run is shown as progress if the client agrees, until it ends or the text changes")
  func progress() throws {
    let client = TestClient()
    client.start(["window": ["workDoneProgress": true]])
    func kinds() -> [String] {
      client.takeMessages().compactMap { message in
        ((message["params"] as? [String: Any])?["value"] as? [String: Any])?["kind"] as? String
      }
    }
    func agree() throws {
      let create = client.takeMessages().last {
        $0["method"] as? String == "window/workDoneProgress/create"
      }
      client.send(["id": try #require(create?["id"]), "result": NSNull()])
    }
    client.open(Self.uri, "print 1\n")
    try agree()
    #expect(kinds() == ["begin"])
    client.server.take(try #require(client.host.finishRun()))
    #expect(kinds() == ["end"])
    client.change(Self.uri, nil, "print 2\n")
    try agree()
    client.change(Self.uri, nil, "print 3\n", version: 3)
    #expect(kinds() == ["begin", "end"])
  }

  // MARK: Structure

  @Test("selections grow from a word to its statement and the whole script")
  func selections() throws {
    let client = client(
      "entity Book { title: String }\nperform {\n  insert Book(title: \"x\")\n}\n")
    let answer = client.ask(
      "textDocument/selectionRange",
      ["textDocument": ["uri": Self.uri], "positions": [TestClient.place(2, 15)]])
    var range = (answer["result"] as? [[String: Any]])?.first
    var texts: [String] = []
    let text = DocumentText(client.server.documents[Self.uri]?.text.text ?? "", encoding: .utf8)
    while let next = range {
      let data = try JSONSerialization.data(withJSONObject: next["range"] ?? [:])
      let bounds = text.range(of: try JSONDecoder().decode(TextRange.self, from: data))
      texts.append(String(decoding: text.bytes[bounds], as: UTF8.self))
      range = next["parent"] as? [String: Any]
    }
    #expect(texts.first == "title")
    #expect(texts.contains("insert Book(title: \"x\")"), "\(texts)")
    #expect(texts.last == text.text)
  }

  @Test("selections in deeply nested blocks are answered, also with the whole script")
  func deepSelections() {
    let depth = 190
    let client = client(
      String(repeating: "if true { ", count: depth) + "print 1"
        + String(repeating: " }", count: depth) + "\n")
    let answer = client.ask(
      "textDocument/selectionRange",
      ["textDocument": ["uri": Self.uri], "positions": [TestClient.place(0, 10 * depth + 2)]])
    var range = (answer["result"] as? [[String: Any]])?.first
    var ranges: [String] = []
    while let next = range {
      ranges.append(client.text(next["range"] ?? ""))
      range = next["parent"] as? [String: Any]
    }
    #expect(ranges.count > depth)
    #expect(ranges.last?.contains(##""end":{"character":0,"line":1}"##) == true, "\(ranges)")
  }

  @Test("a new line gets the indentation of its block, and the line before it its form")
  func newLine() {
    let client = client("perform{\n\n}\n")
    let edits = client.result(
      "textDocument/onTypeFormatting",
      [
        "textDocument": ["uri": Self.uri], "position": TestClient.place(1, 0), "ch": "\n",
        "options": [:] as [String: Any],
      ])
    #expect(edits.contains("\"newText\":\"perform {"), "\(edits)")
    #expect(edits.contains("\"newText\":\"  \""), "\(edits)")
  }

  @Test("symbols are the names of the script, and a statement folds with its output")
  func outline() {
    let client = client("entity Book { title: String }\nprint 1\n#> 1\nlet x = 2\n")
    let document: [String: Any] = ["textDocument": ["uri": Self.uri]]
    let symbols = client.result("textDocument/documentSymbol", document)
    for name in ["Book", "title", "x"] { #expect(symbols.contains("\"name\":\"\(name)\"")) }
    #expect(
      client.result("textDocument/foldingRange", document)
        == #"[{"endLine":2,"kind":"region","startLine":1}]"#)
    let uses = client.result("textDocument/documentHighlight", client.at(Self.uri, 0, 8))
    #expect(uses.contains("range"))
  }

  @Test("parameters are shown while a call is typed")
  func signature() {
    let client = client("entity Book { title: String, pages: Int }\ninsert Book(title: \"x\", \n")
    let help = client.result("textDocument/signatureHelp", client.at(Self.uri, 1, 24))
    #expect(help.contains("\"activeParameter\":1"), "\(help)")
    #expect(help.contains("Book(title: String, pages: Int)"), "\(help)")
  }

  // MARK: Clients with mistakes

  @Test("what a wrong client sends changes nothing that it does not name")
  func wrongClient() {
    let client = client("print 1\r\n")
    // Opened twice: the last text counts.
    client.open(Self.uri, "print \"a😀b\"\r\nprint 2\r\n")
    func text() -> String? { client.server.documents[Self.uri]?.text.text }
    #expect(text() == "print \"a😀b\"\r\nprint 2\r\n")
    // A change of a document that is not open, one without a version, and one with an old version.
    client.change("file:///scripts/other.frc", nil, "x")
    client.note(
      "textDocument/didChange",
      ["textDocument": ["uri": Self.uri], "contentChanges": [["text": "print \"a😀b\"\r\n"]]])
    client.change(Self.uri, TestClient.range((0, 0), (0, 5)), "print", version: -7)
    #expect(text() == "print \"a😀b\"\r\n")
    // A range from back to front is empty, and one outside of the text ends with it.
    client.change(Self.uri, TestClient.range((0, 6), (0, 2)), "")
    client.change(Self.uri, TestClient.range((7, 0), (9, 5)), "#")
    #expect(text() == "print \"a😀b\"\r\n#")
    // Closed twice.
    for _ in 0..<2 { client.note("textDocument/didClose", ["textDocument": ["uri": Self.uri]]) }
    #expect(client.server.documents.isEmpty)
  }

  @Test("an edit within a surrogate pair keeps the text whole")
  func surrogates() {
    let client = client("print \"😀\"\n", encoding: "utf-16")
    client.change(Self.uri, TestClient.range((0, 8), (0, 8)), "x")

    #expect(client.server.documents[Self.uri]?.text.text == "print \"x😀\"\n")
  }

  // Tests/Editors/protocol.py has 5 MB and a thousand documents, with the optimised program.
  @Test("a line of 100 kB and a hundred documents are answered")
  func large() {
    let client = client("print \"" + String(repeating: "é", count: 50_000) + "\"\n")
    #expect(client.diagnostics(of: Self.uri) == [])
    client.change(Self.uri, TestClient.range((0, 100_000), (0, 100_001)), "")
    let hover = client.ask("textDocument/hover", client.at(Self.uri, 0, 2))
    #expect(hover["result"] != nil)
    for number in 1...100 {
      client.send(
        bytes: TestClient.framed([
          "method": "textDocument/didOpen",
          "params": [
            "textDocument": [
              "uri": "file:///scripts/\(number).frc", "languageId": "frc", "version": 1,
              "text": "inser \(number)\n",
            ]
          ],
        ]), isIdle: false)
    }
    client.server.idle()
    #expect(client.diagnostics(of: "file:///scripts/99.frc").count == 1)
    for number in 1...100 {
      let uri = "file:///scripts/\(number).frc"
      client.note("textDocument/didClose", ["textDocument": ["uri": uri]])
    }
    #expect(client.server.documents.count == 1)
  }

  @Test(
    "places in a long line are those that counting from its start gives",
    arguments: PositionEncoding.allCases)
  func longLine(encoding: PositionEncoding) {
    let line =
      Array(String(repeating: "aé本😀\r\n", count: 3).utf8.dropLast(2))
      + Array(String(repeating: "aé本😀", count: 200).utf8)
    let text = DocumentText(String(decoding: line, as: UTF8.self), encoding: encoding)
    for offset in 0...line.count {
      let start = line[..<offset].lastIndex { $0 == 0x0A }.map { $0 + 1 } ?? 0
      let before = String(
        decoding: line[start..<offset].prefix { $0 != 0x0D }, as: UTF8.self
      ).unicodeScalars.filter { $0 != "\u{FFFD}" }
      let units =
        switch encoding {
        case .utf8: String(before).utf8.count
        case .utf16: String(before).utf16.count
        case .utf32: before.count
        }
      #expect(text.position(of: offset).character == units, "\(offset)")
    }
  }

  @Test("the places of many problems in one line take linear time")
  func crowdedLine() {
    let text = DocumentText(String(repeating: "name1, ", count: 50_000), encoding: .utf16)
    var last = Position(line: 0, character: 0)
    let time = ContinuousClock().measure {
      for offset in stride(from: 0, to: text.bytes.count, by: 7) {
        last = text.position(of: offset)
      }
    }

    #expect(last == Position(line: 0, character: 349_993))
    // Counting each from the start of the line would take minutes.
    #expect(time < .seconds(20))
  }

  @Test("'exit' without 'shutdown' ends with status 1")
  func exit() {
    let client = client("")
    client.note("exit", [:])
    #expect(client.server.exitStatus == 1)
  }
}
