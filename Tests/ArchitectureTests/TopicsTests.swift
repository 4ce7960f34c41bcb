import Foundation
import RepositoryFiles
import SourceArrows
import Testing

/// A reader finds a type in a group of its subject, and not in the alphabetical rest of the reference.
@Suite("Every public type is in a topic group of its catalogue")
struct TopicsTests {
  private static let sources = RepositoryFiles.url("Sources")

  @Test(
    "each type is listed once, and nothing else is",
    arguments: [
      ("FetchedResults", 60), ("FetchedResultsSQLite", 3), ("FetchedResultsMacros", 15),
      ("FetchedResultsTesting", 8),
    ])
  func topics(module: String, atLeast: Int) throws {
    let declared = try Self.publicTypes(of: module)
    #expect(declared.count >= atLeast, "these were found: \(declared.sorted())")

    let links = try Self.listedSymbols(of: module)
    let twice = Dictionary(grouping: links) { $0 }.filter { $0.value.count > 1 }.keys
    #expect(twice.sorted() == [], "list a type in one group only")

    let listed = Set(links.map { String($0.prefix { $0 != "(" }) })
    #expect(declared.subtracting(listed).sorted() == [], "list these types in a '## Topics' group")
    let unknown = links.filter { !$0.contains("(") && !declared.contains($0) }
    #expect(unknown == [], "these are not public types of the module")
  }

  /// The names of the public types and macros at the top level of a module's files.
  ///
  /// Names with an underscore are not part of the library's promise.
  private static func publicTypes(of module: String) throws -> Set<String> {
    let declaration =
      /^(?:@\S+ )*(?:public|open) (?:final |indirect |nonisolated )*(?:class|struct|enum|actor|protocol|macro|typealias) ([A-Za-z]\w*)/
    var names: Set<String> = []
    for file in try SourceTree(sources.appendingPathComponent(module)).files {
      for line in file.text.split(separator: "\n") {
        if let match = line.prefixMatch(of: declaration) { names.insert(String(match.1)) }
      }
    }
    return names
  }

  /// The symbols that the topic groups of a catalogue's pages list, as they are written.
  private static func listedSymbols(of module: String) throws -> [String] {
    let catalogue = sources.appendingPathComponent("\(module)/\(module).docc")
    let pages = try FileManager.default.contentsOfDirectory(
      at: catalogue, includingPropertiesForKeys: nil)
    var symbols: [String] = []
    for page in pages where page.pathExtension == "md" {
      let text = try String(contentsOf: page, encoding: .utf8)
      for section in text.components(separatedBy: "\n## ") where section.hasPrefix("Topics\n") {
        symbols += section.matches(of: /\n- ``(.+)``/).map { String($0.1) }
      }
    }
    return symbols
  }
}
