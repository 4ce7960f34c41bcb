import Platform
import ScriptRuntime
import ScriptSyntax

/// Standard input, read as a script.
enum StandardInput {
  /// The name that replaces a file's path.
  static let name = "stdin"

  /// Reads all bytes unchanged.
  static func read() throws(UnreadableSource) -> SourceText {
    do throws(SystemError) {
      return SourceText(
        name: name,
        bytes: try FileEnvironment.bytes(of: .standardInput, atMost: Permissions.mostScriptBytes))
    } catch {
      throw UnreadableSource(error)
    }
  }

  /// Reads the script that an argument names; `-` is standard input.
  static func read(orFile path: String) throws(UnreadableSource) -> SourceText {
    path == "-" ? try read() : try FileEnvironment.read(path)
  }
}
