import Foundation
import SourceArrows
import Testing

@Suite("C libraries: one target knows each")
struct CLibraryTests {
  @Test(
    "no other target imports it",
    arguments: [
      (["Darwin", "Glibc", "Musl"], "CLibrary"),
      (["CLibrary"], "Platform"),
      (["CLibEdit"], "LineEditor"),
      (["_FoundationICU"], "FetchPredicates"),
      (["FoundationXML"], "none"),
    ])
  func imports(libraries: [String], target: String) throws {
    let sources = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources")

    let files = try SourceTree(sources).files
      .filter { !$0.path.hasPrefix(target + "/") }
      .filter { !$0.imports.isDisjoint(with: libraries) }
    #expect(files.map(\.path) == [])
  }
}
