import Foundation
import RepositoryFiles
import Testing

/// Files are used through `Platform`, which opens what it uses and follows no link that nobody named.
///
/// A call of Foundation or of the system that takes a path follows links, and some remove folders
/// with everything in them. A script, a store or a checkout may have put the link there.
@Suite("Files: one target opens, changes and removes them")
struct FileCallTests {
  /// The files that call Foundation or the system themselves: on how many lines, and why.
  private static let permitted: [String: (lines: Int, reason: String)] = [
    "ScriptExport/Kit/ConformanceTests.swift": (
      2, "runs on a Mac, in the package that is exported"
    ),
    "ScriptExport/Kit/ScriptWorld.swift": (3, "runs on a Mac, in the package that is exported"),
    "LineEditor/EditLineReader.swift": (1, "/dev/null, for libedit"),
    "frc/Testing/ChangedFiles.swift": (1, "no input for git"),
  ]

  /// The targets that wrap the system.
  private static let wrappers = ["CLibrary/", "Platform/"]

  /// A line that has such a call, outside a comment.
  private static let call = #"""
    (?mx) ^ (?!\ *//) .* (?:
      \bFileManager\b | \bFileHandle\b | \b(?:Data|String)\(\s*contentsOf | \bcontentsOfFile\b
      | \.write\(to:\s*(?:url|URL\() | \bO_(?:RDONLY|WRONLY|RDWR|CREAT|TRUNC)\b
      | (?:^|[^\w.])(?:fopen|openat|unlink|unlinkat|renameat|mkdir|mkdirat|rmdir|opendir|chmod
      |fchmod|chown|fchown|utimes|symlink|readlink|realpath|truncate|ftruncate|mkstemp|lstat)\(
    )
    """#

  private static func places() throws -> [String: Int] {
    let sources = RepositoryFiles.url("Sources").resolvingSymlinksInPath()
    let call = try NSRegularExpression(pattern: call)
    var places: [String: Int] = [:]
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let path = String(file.resolvingSymlinksInPath().path.dropFirst(sources.path.count + 1))
      if wrappers.contains(where: path.hasPrefix) { continue }
      // What frc prints for apps is not its own code.
      if path.hasPrefix("ScriptExport/Files/") { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      let found = call.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
      if found > 0 { places[path] = found }
    }
    return places
  }

  @Test("no other file calls Foundation or the system for a file")
  func calls() throws {
    let found = try Self.places()
    for (path, count) in found.sorted(by: { $0.key < $1.key }) {
      let allowed = Self.permitted[path]?.lines ?? 0
      #expect(
        count <= allowed,
        "\(path) has \(count) calls, and \(allowed) are permitted; use OpenFile or OpenFolder")
    }
    for (path, place) in Self.permitted {
      #expect(
        found[path] == place.lines, "\(path) has \(found[path] ?? 0) calls; correct the list")
    }
  }

  @Test("only a temporary folder is removed with everything in it")
  func removal() throws {
    // Its own folders are the only ones whose contents belong to the program.
    let platform = RepositoryFiles.url("Sources/Platform")
    let names = try FileManager.default.contentsOfDirectory(atPath: platform.path)
    let callers = try names.filter { name in
      try String(contentsOf: platform.appendingPathComponent(name), encoding: .utf8)
        .contains(".empty()")
    }
    #expect(callers.sorted() == ["OpenFolder.swift", "TemporaryFolder.swift"])
  }
}
