import ArgumentParser
import FetchedResults
import ScriptRuntime

/// What every command that runs statements can be told about its session.
struct SessionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Where objects are kept: memory, or a SQLite file.", valueName: "store"))
  var store = "memory"

  @Option(help: ArgumentHelp("Where section caches are kept.", valueName: "dir"))
  var cacheDir: String?

  @Option(help: ArgumentHelp("The locale of localized sorts.", valueName: "id"))
  var locale = "en"

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  func validate() throws {
    if cacheDir != nil {
      throw ValidationError("--cache-dir: caches on disk are not in this version of frc yet")
    }
  }

  /// Tells a session where its objects are kept.
  func nameStore(to interpreter: Interpreter) {
    if store != "memory" { interpreter.useStore(at: store) }
  }

  /// The clock and the locale of a session.
  var evaluation: EvaluationEnvironment { EvaluationEnvironment(locale: locale) }
}
