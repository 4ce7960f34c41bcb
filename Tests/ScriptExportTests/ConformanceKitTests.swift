import Conformance
import Foundation
import ScriptExport
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

struct ConformanceKitTests {
  private func export(_ text: String, named name: String = "script.frc") throws -> ExportedScript {
    guard case .coreData(let script) = try exported(text, named: name) else { throw NoCoreData() }
    return script
  }

  private struct NoCoreData: Error {}

  private func exported(_ text: String, named name: String = "list.frc") throws -> Export {
    try ScriptExporter(environment: FolderEnvironment(keepsCaches: false)).export(
      ScriptParser.parse(SourceText(name: name, text: text)), named: name)
  }

  private func reason(_ text: String) -> ExportRefusal? {
    do {
      _ = try exported(text)
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

  @Test(
    "a model with a property that would not compile is left out", arguments: ["init", "self", "_"])
  func unusableNames(name: String) {
    let script = "observer list = Book sort by title\ninsert Book(title: \"A\")\nsave"
    for property in ["\(name): Int = 0", "\(name): Book?"] {
      #expect(
        reason("entity Book { title: String, \(property) }\n" + script)
          == ExportRefusal(line: nil, reason: .nameInSwiftData))
    }
  }

  @Test(
    "a model with a property that every managed object has is left out",
    arguments: ["hash: Int = 0", "isDeleted: Bool = false", "objectID: String?", "entity: Book?"])
  func propertiesOfManagedObjects(_ property: String) {
    for list in ["controller list = Book sort by title\nfetch list", "observer list = Book"] {
      let script = "entity Book { title: String, \(property) }\n\(list)\n"
      #expect(
        reason(script + "insert Book(title: \"A\")\nsave")
          == ExportRefusal(line: nil, reason: .nameInCoreData))
    }
  }

  @Test("no name in the file of a model becomes code")
  func namesInFiles() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-names-\(UUID().uuidString)")
    let model = folder.appendingPathComponent("Names.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let contents = """
      <model>
        <entity name="Book">
          <attribute name="a-b" optional="YES" attributeType="String"/>
          <relationship name="x: Int = f(); var y" optional="YES" destinationEntity="Book"/>
          <relationship name="next" optional="YES" toMany="YES" destinationEntity="Book"/>
        </entity>
      </model>
      """
    try Data(contents.utf8).write(to: model.appendingPathComponent("contents"))
    let name = folder.appendingPathComponent("list.frc").path
    #expect(throws: ExportRefusal(line: nil, reason: .nameInSwiftData)) {
      try exported("model \"Names.xcdatamodel\"\nobserver list = Book", named: name)
    }

    final class Output {
      var lines: [String] = []
    }
    let output = Output()
    let interpreter = Interpreter(environment: FolderEnvironment(keepsCaches: false)) { event in
      output.lines += event.lines
    }
    let text = "model \"Names.xcdatamodel\"\nswift Book"
    try interpreter.run(ScriptParser.parse(SourceText(name: name, text: text)))
    expectLines(
      [
        "\n  // Swift has no property \"a-b\": write value(forKey: \"a-b\").",
        "\n  @NSManaged var next: Set<Book>\n",
      ], in: output.lines.joined(separator: "\n"))
    #expect(!output.lines.contains { $0.contains("var x") })
    #expect(["a-b", "1a", "cost$", "día"].map(\.swiftName) == ["_a_b", "_1a", "cost$", "día"])
  }

  /// Returns the test for SwiftData of a script with observers.
  private func swiftData(_ text: String) throws -> String {
    guard case .swiftData(let script) = try exported(text) else { return "" }
    let files = ConformanceKit([], observers: [script]).files
    #expect(files.contains { $0.path == "Tests/ConformanceTests/ObserverLog.swift" })
    return try #require(files.first { $0.path.hasSuffix("Scripts/list.swift") }).text
  }

  private func expectLines(
    _ lines: [String], in text: String, at place: SourceLocation = #_sourceLocation
  ) {
    for line in lines { #expect(text.contains(line), "\(line)", sourceLocation: place) }
  }

  @Test("a script with an observer becomes a test for SwiftData")
  func observers() throws {
    let text = try swiftData(
      "entity Book { title: String; pages: Int = 3 }\n"
        + "observer list = Book where pages > 2 sort by title limit 2\n"
        + "insert Book(title: \"Dune\")\nsave\nchange list where pages > 400\n"
        + "context bg\nperform bg { Book/1.pages = 100 * 5; save }\nprint list")
    expectLines(
      [
        "@Model final class Book {", "var pages: Int = 3",
        "predicate: #Predicate { $0.pages > 2 },",
        "sortBy: [SortDescriptor(\\.title, comparator: .lexical)])", "listRequest.fetchLimit = 2",
        "let list = try ResultsObserver<Models.Book, Never>(",
        "observers.watch(\"list\") { list.results.count }",
        "let book1 = Models.Book(title: \"Dune\")", "main.insert(book1)", "try main.save()",
        "try await observers.expect(line: 4, [\"list results 0 -> 1\"])",
        "observers.check(list, line: 4, lists: [book1])",
        "list.filterBy = #Predicate<Models.Book> { $0.pages > 400 }",
        "observers.check(list, line: 5, lists: [])",
        "try await observers.expect(line: 5, [\"list results 1 -> 0\"])",
        "let book1InBg = try observers.found(book1, in: bg)", "book1InBg.pages = 500",
        "try await observers.expect(line: 7, [\"list results 0 -> 1\"])",
      ], in: text)
  }

  @Test("relationships, sections and failed saves are written for SwiftData")
  func relations() throws {
    let text = try swiftData(
      """
      entity Author { name: String; books: [Book] inverse author on delete cascade }
      entity Book { title: String; shelf: String?; author: Author? on delete deny }
      observer list = Book where author.name == "A" sort by title desc section by shelf
      for i in 1...2 { insert Book(title: "B\\(i)", author: insert Author(name: "A")); save }
      delete Book/1
      try save
      """)
    expectLines(
      [
        "@Relationship(deleteRule: .cascade, inverse: \\Book.author) var books: [Book] = []",
        "@Relationship(deleteRule: .deny) var author: Author?",
        "#Predicate { $0.author?.name == \"A\" }",
        "[SortDescriptor(\\.title, comparator: .lexical, order: .reverse)]", "sectionBy: \\.shelf,",
        "book2.author = author2",
        "try await observers.expect(line: 4, [\"list results 0 -> 1\"])",
        "try await observers.expect(line: 4, [\"list results 1 -> 2\"])",
        "observers.check(list, line: 4, sections: [(\"\", [book2, book1])])",
        "XCTAssertThrowsError(try main.save())",
      ], in: text)
  }

  @Test("a value of every type has a literal, also as a default")
  func literals() throws {
    let text = try swiftData(
      """
      entity Item {
        price: Decimal = 9.95, id: UUID?, link: URI?, day: Date?, bytes: Data?, big: Bool = true
        ratio: Double = 0.5, in: String?
      }
      observer list = Item where big == true and price < 5 sort by price section by in
      insert Item(
        price: 3.5, id: uuid("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), day: @2001-01-02, in: "a\\n")
      """)
    expectLines(
      [
        "var price: Decimal = Decimal(string: \"9.95\") ?? 0", "var link: URL?", "var bytes: Data?",
        "#Predicate { $0.big == true && $0.price < 5 }", "price: Decimal(string: \"3.5\") ?? 0",
        "id: UUID(uuidString: \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\") ?? UUID()",
        "day: Date(timeIntervalSinceReferenceDate: 86400.0)", "`in`: \"a\\u{a}\"",
      ], in: text)
  }

  @Test("histories are observed in a file, and another process has a container of its own")
  func histories() throws {
    let text = try swiftData(
      """
      store sqlite "a" history
      entity Book { title: String }
      observer sync = history of Book by "Widget"
      extension "Widget" { insert Book(title: "A"); save }
      delete history
      show sync
      """)
    expectLines(
      [
        "let configuration = ModelConfiguration(url: try observers.newStore())",
        "observedModels: [Models.Book.self],", "authors: [\"Widget\"],",
        "observers.count(\"sync\") { sync.eventCounter }", "process.author = \"Widget\"",
        "process.insert(book1)",
        "try await observers.expect(line: 4, [\"sync eventCounter grows\"])",
        "try main.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())",
      ], in: text)
    #expect(!text.contains("line: 6"))
  }

  @Test("what SwiftData does not have is left out, with a comment or the reason")
  func observersLeftOut() throws {
    let book = "entity Book { title: String; pages: Int? }\n"
    let text = try swiftData(
      book + "observer a = Book\nobserver b = Book limit 1 keep limit off\n"
        + "observer c = Book where pages > 3\ninsert Book(title: \"A\")\nsave\ntry fetch a")
    expectLines(
      [
        "// 'b' is left out: SwiftData has no 'keep limit off'.",
        "// 'c' is left out: SwiftData has no #Predicate for pages > 3.",
        "try await observers.expect(line: 6, [\"a results 0 -> 1\"])",
        "// frc refuses this statement.",
      ], in: text)
    for (statements, line, expected) in [
      ("undo", 3, .undoInSwiftData), ("batch delete Book", 3, .batchInSwiftData),
      ("context a parent main", 3, .nestedContexts), ("refresh all", 3, .refreshInSwiftData),
      ("insert Book(pages: 1); try save", 3, .validationInSwiftData),
      ("insert Book(title: nil)", 3, .valueInSwiftData),
    ] as [(String, Int, ExportRefusal.Reason)] {
      #expect(
        reason(book + "observer list = Book\n" + statements)
          == ExportRefusal(line: line, reason: expected), "\(statements)")
    }
    #expect(
      reason(book + "observer list = Book updates turns")
        == ExportRefusal(line: 2, reason: .requestInSwiftData))
    #expect(
      reason("entity Book { title: String; unique title }\nobserver list = Book")
        == ExportRefusal(line: nil, reason: .uniqueInSwiftData))
  }

  @Test("an observer named like the request of another one has a name of its own")
  func requestNames() throws {
    let text = try swiftData(
      """
      entity Order { s: String = "" }
      observer order = Order sort by s
      observer orderRequest = Order sort by s desc
      observer orderRequest_2 = Order
      insert Order(s: "a")
      save
      """)

    let words = text.split(separator: "\n").map { $0.split(separator: " ") }
    let declared = words.filter { $0.first == "let" && $0.count > 1 }.map { $0[1] }
    #expect(declared.contains("order") && declared.contains("orderRequest"))
    #expect(Set(declared).count == declared.count, "\(declared)")
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

  @Test("no script gets the name of a file of the package, with which it would not compile")
  func ownNames() throws {
    let kit = ConformanceKit([
      try export(Self.books, named: "conformanceTests.frc"),
      try export(Self.books, named: "ObserverLog.frc"),
    ])
    guard
      case .swiftData(let observers) = try exported(
        "entity Book { title: String }\nobserver list = Book sort by title\n"
          + "insert Book(title: \"Dune\")\nsave", named: "ObserverLog.frc")
    else { throw NoCoreData() }
    let other = ConformanceKit([], observers: [observers])

    for files in [kit.files, other.files] {
      let tests = files.map(\.path).filter { $0.hasPrefix("Tests/") }
      let names = tests.compactMap { $0.split(separator: "/").last?.lowercased() }
      #expect(Set(names).count == names.count, "\(names)")
    }
    #expect(kit.files.contains { $0.path.hasSuffix("/Scripts/conformanceTests_2.swift") })
    #expect(kit.files.contains { $0.path.hasSuffix("/Scripts/ObserverLog.swift") })
    #expect(other.files.contains { $0.text.contains("final class Observer_ObserverLog_2:") })
  }

  @Test("a key that Apple's parser refuses is an argument of the predicate")
  func keyArguments() throws {
    let script = try export(
      """
      entity Order { s: String = "", größe: Int = 0 }
      controller orders = Order where größe > 3 AND s != "x" sort by s
      fetch orders
      insert Order(größe: 5)
      fetch Order where größe > 4
      """)

    let files = ConformanceKit([script]).files
    #expect(files.contains { $0.text.contains("%K > 3 AND s !=") && $0.text.contains("%K > 4") })
    #expect(!files.contains { $0.text.contains("\"where\":\"größe") })
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
