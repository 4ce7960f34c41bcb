import Foundation
import GoldenTesting
import RepositoryFiles
import ScriptSyntax

/// The scripts of the repository with expected output.
enum GoldenFiles {
  /// The pages that contain a script in a code block.
  static let documents = RepositoryFiles.pages.filter { path in
    let text = try? RepositoryFiles.text(path)
    return text?.split(separator: "\n").contains { $0.hasPrefix("```frc") } ?? false
  }

  /// Returns a script as a test.
  ///
  /// Its source has the full path, so that the script finds included files.
  static func test(at path: String) throws -> GoldenTest {
    let file = RepositoryFiles.url(path)
    let golden = file.deletingPathExtension().appendingPathExtension("golden")
    return GoldenTest(
      source: SourceText(name: file.path, bytes: Array(try Data(contentsOf: file))),
      golden: (try? Data(contentsOf: golden)).map {
        SourceText(name: golden.path, bytes: Array($0))
      })
  }
}
