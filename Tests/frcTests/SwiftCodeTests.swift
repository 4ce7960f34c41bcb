import Foundation
import Testing

/// The output of `swift` is valid Swift.
@Suite("Code for an app")
struct SwiftCodeTests {
  private static let world = """
    entity Author { name: String, books: [Book] ordered inverse author }
    entity Book {
      title: String
      class: Int?
      due: Date = @2026-01-01
      price: Decimal = 0
      key: UUID?
      author: Author? inverse books
      transient initial: String = uppercase(substring(title, 0, 1))
      transient label: String = "\\(title) by \\(class)"
      transient sum: Int = 1 + 2
      derived many: Int = 'author.books.@count'
      derived broken: Int = "author.books\\n.@count"
      derived returned: Int = "author.books\\r.@count"
    }
    entity Manga : Book { volume: Int = 1 }
    insert Author(name: "Herbert")
    let limit = decimal("1.5")
    controller plain = Book sort by title
    controller full = Book.self
      where author == Author/1 AND title != "\\"\\\\x\\u{1}é" AND due < @2030-01-01
        AND price > $limit AND key != uuid("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        AND class IN {1, 2}
      sort by title desc using localizedStandard, author.name using caseInsensitive, class
      section by initial limit 3 offset 1 batch 2 cache "a \\"b\\""
    controller owned = Book sort by title section by author.name

    """

  private static let statements = [
    "swift Author", "swift Book", "swift Manga", "swift plain", "swift full", "swift owned",
    "delegate full didChange; swift full", "delegate full none; swift full",
    "delegate full snapshot; swift full", "delegate plain snapshot; swift plain",
    "delegate plain diff; swift plain", "delegate plain counts; swift plain",
    "table view = full; swift full", "table view = full reload; swift full",
    """
    table view = full {
      insert nothing
      delete insertRows reloadData
      update configureCell reloadRows
      move configureCellWithObject moveRow
      sectionInsert deleteSections reloadData
      sectionDelete nothing
    }
    swift full
    """,
    """
    table view = owned {
      insert deleteRows reloadRows configureCell configureCellWithObject
      delete nothing
      update moveRow insertRows
      move nothing
      sectionInsert nothing
      sectionDelete insertSections
    }
    swift owned
    """,
    """
    delegate owned {
      willChangeContent { print "a" }
      didChangeObject { print "\\($type)" }
      didChangeSection { print "\\($name)" }
      didChangeContent {
        print "done" }
      sectionIndexTitle name { return uppercase(name) }
    }
    swift owned
    """,
    "swift batch insert 5 Book(title: \"x\", price: 1.5), Book(key: uuid(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"))",
    "swift batch update Book.self where author == Author/1 { title = \"x\", class += 2 } returning count",
    "swift batch delete Book where class > 3 limit 10 returning statusOnly",
    "swift fetch Book where author == Author/1 sort by title",
    "swift fetch Book values author.name as writer, sum(price) as total, average(class) "
      + "group by author.name having total > 1 sort by writer distinct",
    "swift fetch Book returning objectIDs", "swift count Book where class > 1",
    "swift fetch plain", "context bg; swift merge bg into main", "swift merge batch into main",
    "swift merge history by \"widget\" into main", "swift history",
    "swift history by \"a\" after 2",
    "swift delete history before 3", "swift obtain permanent ids",
    "swift obtain permanent ids for Author/1",
  ]

  @Test("parses as Swift")
  func parses() throws {
    let program = try FRCProgram()
    var files: [String] = []
    for (index, statement) in Self.statements.enumerated() {
      let run = try program.run("-e", Self.world + statement)
      #expect(run.status == 0, "\(statement): \(run.errors)")
      files.append("Code\(index).swift")
      try program.write(run.output, to: "Code\(index).swift")
    }

    let (status, said) = try Self.parse(files, in: program.folder)

    #expect(status == 0, "\(said)")
  }

  @Test("a property that every managed object has is a comment")
  func propertiesOfManagedObjects() throws {
    let program = try FRCProgram()
    let run = try program.run(
      "-e",
      """
      entity B {
        hash: Int = 0, isDeleted: Bool = false, objectID: String?, description: String?, b: B?
        transient entity: String = "x"
        transient copied: String = uppercase(description)
      }
      controller list = B sort by description
      swift B; swift list
      """)
    #expect(run.status == 0, "\(run.errors)")
    for name in ["hash", "isDeleted", "objectID", "description", "entity"] {
      #expect(run.output.contains("  // Every managed object has '\(name)', so Core Data"))
      #expect(!run.output.contains("var \(name):"))
    }
    #expect(run.output.contains("  @NSManaged var b: B?\n"))
    #expect(!run.output.contains("description.map"))
  }

  @Test("names of the script are other ones than those of the code around them, and valid")
  func names() throws {
    let world = """
      entity Tag {
        _: String = "", init: Int = 0, n: Int = 1, tag: Tag?, word: String = ""
        transient copy: String = _
      }
      insert Tag(init: 1)

      """
    let cases: [(String, [String])] = [
      (
        "swift fetch Tag where tag == Tag/1 "
          + "values count(n) as request, n as context, init as _, n as tag1, n as in",
        [
          "let requestValue = NSExpressionDescription()", "contextValue.name = \"context\"",
          "tag1Value.name = \"tag1\"",
          "[requestValue, contextValue, _Value, tag1Value, `in`]",
          "return try context.fetch(request)",
        ]
      ),
      (
        "controller context = Tag sort by _; swift context",
        [
          "private lazy var contextController: NSFetchedResultsController<Tag> = {",
          "managedObjectContext: context,", "try contextController.performFetch()",
          "configure(cell, with: contextController.object(at: indexPath))",
          "NSSortDescriptor(key: \"_\", ascending: true)",
          "content.text = object.value(forKey: \"_\") as? String",
        ]
      ),
      (
        "controller tag1 = Tag where tag == Tag/1 sort by init; swift tag1",
        ["private let tag1: Tag", "try tag1Controller.performFetch()", "#keyPath(Tag.`init`)"]
      ),
      (
        "controller _ = Tag sort by n; table t = _ { update configureCell }; swift _",
        ["private lazy var _Controller:", "configure(cell, with: _Controller.object(at: "]
      ),
      (
        "observer token = Tag where _ == \"a\" sort by _, init; swift token",
        [
          "private let tokenObserver: ResultsObserver<Tag, Never>",
          "// SwiftData has no property '_'.",
          "// Write as a #Predicate: _ == \"a\"", "sortBy: [SortDescriptor(\\.`init`)])",
          "tokenObserver = try ResultsObserver(",
        ]
      ),
      (
        // A predicate never finds the empty string, which every string of Swift contains.
        "observer words = Tag where word CONTAINS \"\" sort by n; swift words",
        ["// Write as a #Predicate: word CONTAINS \"\""]
      ),
      (
        "swift Tag",
        [
          "// Swift has no property '_': write value(forKey: \"_\").",
          "@NSManaged var `init`: Int64", "fatalError(\"write in Swift: _\")",
        ]
      ),
    ]
    let program = try FRCProgram()
    var files: [String] = []
    for (statement, lines) in cases {
      let run = try program.run("-e", world + statement)
      #expect(run.status == 0, "\(run.errors)")
      for line in lines { #expect(run.output.contains(line), "\(line) in \(run.output)") }
      files.append("Code\(files.count).swift")
      try program.write(run.output, to: files[files.count - 1])
    }

    let (status, said) = try Self.parse(files, in: program.folder)

    #expect(status == 0, "\(said)")
  }

  @Test("a computed property returns its own type, or is to be written by hand")
  func computedTypes() throws {
    let entity = """
      entity Book {
        pages: Int = 0, count: Int?, title: String?
        transient fixed: String = "x"
        transient copy: String = fixed
        transient upper: String = uppercase(fixed)
        transient label: String = "\\(fixed) \\(count)"
        transient same: Int = pages
        transient given: Int? = count
        transient double: Double = pages
        transient maybe: Int? = pages
        transient text: String = pages
        transient short: Int16 = pages
        transient loud: String = uppercase(pages)
      }
      swift Book
      """
    let run = try FRCProgram().run("-e", entity)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map { $0.drop { $0 == " " } }

    let properties = zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("@objc var") }

    func byHand(_ text: String) -> String { "fatalError(\"write in Swift: \(text)\")" }
    let expected: [(String, String)] = [
      ("copy: String?", "fixed"), ("upper: String?", "fixed.uppercased()"),
      ("label: String?", #""\(fixed) \(count.map { "\($0)" } ?? "nil")""#),
      ("same: Int64", "pages"), ("given: NSNumber?", "count"), ("double: Double", byHand("pages")),
      ("maybe: NSNumber?", byHand("pages")), ("text: String?", byHand("pages")),
      ("short: Int16", byHand("pages")), ("loud: String?", byHand("uppercase(pages)")),
    ]
    #expect(properties.map { "\($0) \($1)" } == expected.map { "@objc var \($0) { \($1)" })
  }

  @Test("the compiler finds what is no Swift")
  func finds() throws {
    let program = try FRCProgram(["Code.swift": "final class { var }"])

    #expect(try Self.parse(["Code.swift"], in: program.folder).status != 0)
  }

  /// Parses files with the compiler, and returns its exit status and its messages.
  private static func parse(
    _ files: [String], in folder: URL
  ) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swiftc", "-parse"] + files
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }
}
