import Foundation
import RepositoryFiles
import Testing

/// A page that names files which were moved or joined misleads those who are new.
@Suite("ARCHITECTURE.md names files that exist")
struct NamedFilesTests {
  private static func page() throws -> String { try RepositoryFiles.text("ARCHITECTURE.md") }

  @Test("paths of files and folders")
  func paths() throws {
    let paths = try Self.page().matches(of: /`([A-Z][A-Za-z]+\/[A-Za-z+\/.]+)`/).map {
      String($0.output.1)
    }
    #expect(paths.count >= 8)

    let folders = [RepositoryFiles.root, RepositoryFiles.url("Sources")]
    let missing = paths.filter { path in
      !folders.contains {
        FileManager.default.fileExists(atPath: $0.appendingPathComponent(path).path)
      }
    }
    #expect(missing == [])
  }

  @Test("the files that a statement passes through")
  func walk() throws {
    let section = try #require(
      try Self.page().components(separatedBy: "\n## ").first {
        $0.hasPrefix("How a statement runs")
      })
    var files: [String] = []
    for row in section.split(separator: "\n") where row.hasPrefix("|") {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      files += cells[2].matches(of: /`([A-Za-z+]+)`/).map { String($0.output.1) + ".swift" }
    }
    #expect(files.count >= 15)
    #expect(files.count <= 20)

    let sources = RepositoryFiles.url("Sources")
    let known = Set(
      (FileManager.default.subpaths(atPath: sources.path) ?? []).map {
        ($0 as NSString).lastPathComponent
      })
    #expect(files.filter { !known.contains($0) } == [])
  }
}
