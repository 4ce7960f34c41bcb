import Foundation
import GoldenTesting
import ScriptSyntax

/// The scripts of the repository with expected output.
enum GoldenFiles {
  /// The root folder of the repository.
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The paths of all scripts relative to the root, sorted.
  static let all = ["Examples", "Tests/GoldenTests/Goldens"].flatMap { scripts(in: $0) }

  /// The pages that contain a script in a code block.
  static let documents = MarkdownPage.paths.filter { path in
    let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    return text?.split(separator: "\n").contains { $0.hasPrefix("```frc") } ?? false
  }

  /// Returns a script as a test.
  ///
  /// Its source has the full path, so that the script finds included files.
  static func test(at path: String) throws -> GoldenTest {
    let file = root.appendingPathComponent(path)
    let golden = file.deletingPathExtension().appendingPathExtension("golden")
    return GoldenTest(
      source: SourceText(name: file.path, bytes: Array(try Data(contentsOf: file))),
      golden: (try? Data(contentsOf: golden)).map {
        SourceText(name: golden.path, bytes: Array($0))
      })
  }

  private static func scripts(in folder: String) -> [String] {
    let files = FileManager.default.enumerator(
      atPath: root.appendingPathComponent(folder).path)
    var found: [String] = []
    while let file = files?.nextObject() as? String {
      if file.hasSuffix(".frc") { found.append(folder + "/" + file) }
    }
    return found.sorted()
  }
}
