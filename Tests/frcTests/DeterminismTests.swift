import Foundation
import RepositoryFiles
import Testing

/// The output depends only on the script.
///
/// Swift seeds its hashes differently in each process, so the order of a set differs.
@Suite("The same in every process")
struct DeterminismTests {
  @Test("every golden prints the same in two processes, on both stores")
  func goldens() throws {
    let frc = try FRCProgram()
    try copyWithoutExpectations(to: frc)

    let runs = try (0..<2).map { _ in
      try lines(of: frc.run("test", "--json", "--stores", "memory,sqlite", "goldens").output)
    }

    #expect(runs[0].count > 1000)
    let differing = zip(runs[0], runs[1]).filter { $0 != $1 }.prefix(3)
    #expect(differing.isEmpty, "\(differing.map { "\($0)\n\($1)" }.joined(separator: "\n"))")
    #expect(runs[0].count == runs[1].count)
  }

  /// Writes the goldens and examples without expected output, so that everything they print is
  /// shown.
  private func copyWithoutExpectations(to frc: FRCProgram) throws {
    for (folder, name) in [
      ("Tests/GoldenTests/Goldens", "goldens"), ("Examples", "goldens/examples"),
    ] {
      let source = RepositoryFiles.url(folder)
      let inner = try FileManager.default.subpathsOfDirectory(atPath: source.path)
      for path in inner where !path.hasSuffix(".golden") {
        let file = source.appendingPathComponent(path)
        guard !file.hasDirectoryPath, let bytes = FileManager.default.contents(atPath: file.path)
        else { continue }
        let lines = String(decoding: bytes, as: UTF8.self).split(
          separator: "\n", omittingEmptySubsequences: false)
        let kept = path.hasSuffix(".frc") ? lines.filter { !$0.hasPrefix("#>") } : lines
        try frc.write(kept.joined(separator: "\n"), to: "\(name)/\(path)")
      }
    }
  }

  /// Returns the events of a run in a fixed order, because tests are reported when they end.
  ///
  /// A store has its own UUID, and the moment of a timeout depends on the machine.
  private func lines(of output: String) -> [String] {
    output.split(separator: "\n").map(String.init).filter { !$0.contains("\"kind\":\"timeout\"") }
      .map { $0.replacing(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "UUID") }
      .sorted()
  }
}
