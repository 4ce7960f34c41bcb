import Foundation
import RepositoryFiles
import SourceArrows
import Testing

@Suite("C libraries: one target knows each")
struct CLibraryTests {
  private static let sources = Result {
    try SourceTree(RepositoryFiles.url("Sources")).files.map {
      (path: $0.path, imports: $0.imports)
    }
  }

  @Test(
    "no other target imports it",
    arguments: [
      (["Darwin", "Glibc", "Musl"], "CLibrary"),
      (["CLibrary"], "Platform"),
      (["CLibEdit"], "LineEditor"),
      (["_FoundationICU"], "FetchedResults"),
      (["FoundationXML"], "none"),
    ])
  func imports(libraries: [String], target: String) throws {
    let files = try Self.sources.get()
      .filter { !$0.path.hasPrefix(target + "/") }
      .filter { !$0.imports.isDisjoint(with: libraries) }
    #expect(files.map(\.path) == [])
  }
}
