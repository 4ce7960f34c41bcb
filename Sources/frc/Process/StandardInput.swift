import Platform
import ScriptRuntime
import ScriptSyntax

/// Standard input as a script.
enum StandardInput {
  /// Reads all of it, every byte as it is.
  static func read() throws(UnreadableSource) -> SourceText {
    do throws(SystemError) {
      return SourceText(name: "stdin", bytes: try FileDescriptor.standardInput.readToEnd())
    } catch {
      throw UnreadableSource(error)
    }
  }

  /// Reads the script that an argument names, which is this for `-`.
  static func read(orFile path: String) throws(UnreadableSource) -> SourceText {
    path == "-" ? try read() : try FileEnvironment.read(path)
  }
}
