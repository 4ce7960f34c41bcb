import Foundation
import Testing

/// What `swift` prints is Swift.
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
    }
    entity Manga : Book { volume: Int = 1 }
    insert Author(name: "Herbert")
    controller plain = Book sort by title
    controller full = Book.self
      where author == Author/1 AND title != "\\"\\\\x\\u{1}é" AND due < @2030-01-01
        AND price > decimal("1.5") AND key != uuid("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        AND class IN {1, 2}
      sort by title desc using localizedStandard, author.name using caseInsensitive, class
      section by initial limit 3 offset 1 batch 2 cache "a \\"b\\""
    controller owned = Book sort by title section by author.name

    """

  @Test(
    "parses as Swift",
    arguments: [
      "swift Author", "swift Book", "swift Manga", "swift plain", "swift full", "swift owned",
      "delegate full didChange; swift full", "delegate full none; swift full",
      "delegate full snapshot; swift full", "delegate plain snapshot; swift plain",
      "delegate plain diff; swift plain", "delegate plain counts; swift plain",
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
    ])
  func parses(statements: String) throws {
    let program = try FRCProgram()
    let run = try program.run("-e", Self.world + statements)
    #expect(run.status == 0, "\(run.errors)")
    try program.write(run.output, to: "Code.swift")

    let (status, said) = try Self.parse("Code.swift", in: program.folder)

    #expect(status == 0, "\(said)\n\(run.output)")
  }

  @Test("the compiler finds what is no Swift")
  func finds() throws {
    let program = try FRCProgram()
    try program.write("final class { var }", to: "Code.swift")

    #expect(try Self.parse("Code.swift", in: program.folder).status != 0)
  }

  /// Parses a file with the compiler and returns its exit status and what it
  /// said.
  private static func parse(
    _ file: String, in folder: URL
  ) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swiftc", "-parse", file]
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
