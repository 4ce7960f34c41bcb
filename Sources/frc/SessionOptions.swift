import ArgumentParser
import FetchedResults

/// What every command that runs statements can be told about its session.
struct SessionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Where objects are kept: memory.", valueName: "store"))
  var store = "memory"

  @Option(help: ArgumentHelp("Where section caches are kept.", valueName: "dir"))
  var cacheDir: String?

  @Option(help: ArgumentHelp("The locale of localized sorts.", valueName: "id"))
  var locale = "en"

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  func validate() throws {
    if store != "memory" {
      throw ValidationError("--store \(store): only 'memory' is in this version of frc yet")
    }
    if cacheDir != nil {
      throw ValidationError("--cache-dir: caches on disk are not in this version of frc yet")
    }
  }

  /// The clock and the locale of a session.
  var evaluation: EvaluationEnvironment { EvaluationEnvironment(locale: locale) }
}
