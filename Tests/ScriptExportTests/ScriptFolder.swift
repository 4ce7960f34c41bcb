import Foundation
import GoldenTesting
import RepositoryFiles
import ScriptSyntax

/// The goldens and examples of the repository.
enum ScriptFolder {
  /// Returns a script.
  ///
  /// Its source has the full path, so that the script finds included files.
  static func script(at path: String) throws -> ParsedScript {
    let file = RepositoryFiles.url(path)
    let source = SourceText(name: file.path, bytes: Array(try Data(contentsOf: file)))
    return ScriptParser.parse(GoldenTest(source: source).source)
  }
}
