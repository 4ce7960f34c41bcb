import Platform
import ScriptRuntime
import ScriptSyntax

/// Standard input as a script.
enum StandardInput {
  /// What it is called where a file would have a path.
  static let name = "stdin"

  /// Reads all of it, every byte as it is.
  static func read() throws(UnreadableSource) -> SourceText {
    do throws(SystemError) {
      return SourceText(
        name: name,
        bytes: try FileEnvironment.bytes(of: .standardInput, atMost: Permissions.mostScriptBytes))
    } catch {
      throw UnreadableSource(error)
    }
  }

  /// Reads the script that an argument names, which is this for `-`.
  static func read(orFile path: String) throws(UnreadableSource) -> SourceText {
    path == "-" ? try read() : try FileEnvironment.read(path)
  }
}
