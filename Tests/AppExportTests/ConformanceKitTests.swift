import AppExport
import Conformance
import Foundation
import ScriptRuntime
import ScriptSyntax
import Testing

struct ConformanceKitTests {
  private func export(_ text: String, named name: String = "script.frc") throws -> ExportedScript {
    try ScriptExporter(environment: ScriptFiles()).export(
      ScriptParser.parse(SourceText(name: name, text: text)), named: name)
  }

  private func reason(_ text: String) -> ExportRefusal? {
    do {
      _ = try export(text)
      return nil
    } catch {
      return error as? ExportRefusal
    }
  }

  private static let books = """
    entity Book { title: String, pages: Int = 0 }
    controller books = Book sort by title
    fetch books

    """

  @Test("a script that uses what Core Data has not is left out, with the line and the reason")
  func refusals() {
    #expect(
      reason(Self.books + "batch update Book { pages = 1 }")
        == ExportRefusal(line: 4, reason: .batchRequests))
    #expect(
      reason(
        "entity Book { title: String }\ncontroller top = Book sort by title limit 3 keep limit")
        == ExportRefusal(line: 2, reason: .keepLimit))
    #expect(
      reason("entity Book { title: String, on willSave { } }")
        == ExportRefusal(line: 1, reason: .hooks))
    #expect(
      reason(
        Self.books + "delegate books { didChangeContent { insert Book(title: \"A\") } }\n"
          + "if count(Book) == 0 { insert Book(title: \"B\") }")
        == ExportRefusal(line: 5, reason: .changesInCallbacks))
    #expect(reason("print 1 + 1") == ExportRefusal(line: nil, reason: .nothingToCompare))
    #expect(reason("insert (") == ExportRefusal(line: nil, reason: .syntaxErrors))
  }

  @Test("a script with an observer becomes a test for SwiftData")
  func observers() throws {
    func exported(_ text: String) throws -> String {
      let parsed = ScriptParser.parse(SourceText(name: "list.frc", text: text))
      #expect(parsed.hasObservers)
      let observers = [
        try ObserverScript(parsed, named: "list.frc", environment: ScriptFiles())
      ]
      let files = ConformanceKit([], observers: observers).files
      #expect(files.contains { $0.path == "Tests/ConformanceTests/ObserverTestCase.swift" })
      return try #require(files.first { $0.path.hasSuffix("Scripts/list.swift") }).text
    }
    let books = "entity Book { title: String; pages: Int = 3 }\n"
    let text = try exported(
      books + "observer list = Book where pages > 2 sort by title limit 2\n"
        + "insert Book(title: \"Dune\")\nsave\nchange list where pages > 400\n"
        + "context bg\nperform bg { Book/1.pages = 500; save }\nprint list")
    for line in [
      "@Model final class Book {", "var pages: Int = 3",
      "predicate: #Predicate { $0.pages > 2 },", "listRequest.fetchLimit = 2",
      "let list = try ResultsObserver<Models.Book, Never>(",
      "watch(\"list\") { list.results.count }", "books[0].title = \"Dune\"", "try main.save()",
      "try await expect(line: 4, [\"list results 0 -> 1\"])",
      "list.filterBy = #Predicate<Models.Book> { $0.pages > 400 }",
      "try await expect(line: 5, [\"list results 1 -> 0\"])",
      "try found(Models.Book.self, books[0].persistentModelID, in: bg).pages = 500",
      "try await expect(line: 7, [\"list results 0 -> 1\"])",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    for (statement, line) in [("undo", 3), ("update Book { pages = 1 }", 3)] {
      #expect(
        throws: ExportRefusal(line: line, reason: .statementInSwiftData), "\(statement)"
      ) { try exported(books + "observer list = Book\n" + statement) }
    }
  }

  @Test("every event belongs to the line of its statement")
  func lines() throws {
    let script = try export(Self.books + "insert Book(title: \"Dune\")\ncount Book")

    let found = script.events.map { "\($0.line) \($0.event)" }
    #expect(
      found == [
        #"3 {"event":"show","controller":"books","sections":[{"name":"","indexTitle":"","objects":[]}]}"#,
        #"4 {"event":"willChangeContent","controller":"books"}"#,
        #"4 {"event":"didChangeObject","controller":"books","type":"insert","object":"Book/1","#
          + #""newIndexPath":[0,0]}"#,
        #"4 {"event":"didChangeContent","controller":"books"}"#,
        #"5 {"event":"value","value":1}"#,
        #"5 {"event":"show","controller":"books","sections":[{"name":"","indexTitle":"","#
          + #""objects":["Book/1"]}]}"#,
      ])
  }

  @Test("names and texts of scripts lead out of no folder and end no string")
  func harmlessNames() throws {
    let name = "../..//etc/\"a b\"\n#\"\"\"#\\(x)/é.frc"
    let text =
      "# */ \"\"\"#\u{2028}x\n" + Self.books + ####"insert Book(title: "\"\"\"### \\#(x) "####
      + "\u{202E}\")"
    let script = try export(text, named: name)

    let files = ConformanceKit([script, script]).files
    let paths = files.map(\.path)
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./")

    #expect(Set(paths).count == paths.count)
    #expect(paths.allSatisfy { !$0.contains("..") && !$0.hasPrefix("/") })
    #expect(paths.allSatisfy { $0.allSatisfy(allowed.contains) })
    let file = try #require(files.last)
    #expect(file.text.unicodeScalars.allSatisfy { $0 != "\u{202E}" && $0 != "\u{2028}" })
    #expect(file.text.contains("##\"\"\""))
    #expect(try Comparison(Script(script)).report == nil)
  }

  @Test("a difference is found at its first event, with its line")
  func difference() throws {
    let exported = try export(Self.books + "insert Book(title: \"Dune\")")
    let right = Script(exported)
    let wrong = Script(
      name: right.name, entities: right.entities, steps: right.steps,
      events: right.events.replacingOccurrences(of: "\"insert\"", with: "\"move\""))

    let comparison = try Comparison(wrong)

    #expect(comparison.firstDifference == 2)
    #expect(comparison.report?.hasPrefix("line 4 of the script: event 3 differs") == true)
    #expect(comparison.actualLines.contains(#""type":"insert","object":"Book/1""#))
  }
}
