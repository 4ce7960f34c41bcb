import Foundation
import RepositoryFiles
import Testing

@Suite("Programming errors: one function ends the program")
struct TrapTests {
  /// What an app may link.
  static let libraries = [
    "FetchedResults", "FetchedResultsMacros", "FetchedResultsSQLite", "FetchedResultsTesting",
    "TableViews",
  ]

  @Test(
    "a library calls nothing whose message a release build drops, and traps in one place",
    arguments: libraries)
  func calls(library: String) throws {
    let sources = RepositoryFiles.url("Sources/" + library)
    let trap = /\b(precondition|preconditionFailure|assert|assertionFailure|fatalError)\(/
    var found: [String] = []
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      if file.lastPathComponent == "ProgrammingError.swift" { continue }
      let lines = try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated()
      where !line.drop(while: { $0 == " " }).hasPrefix("//") && line.firstMatch(of: trap) != nil {
        found.append("\(file.lastPathComponent):\(index + 1)")
      }
    }
    #expect(found == [], "write programmingError(…) or require(…), or throw")
  }
}
