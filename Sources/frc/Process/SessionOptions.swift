import ArgumentParser
import FetchedResults
import Platform
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

  @Flag(
    help: "Print control characters as they are, where the output does not go to a terminal.")
  var raw = false

  @OptionGroup var access: PermissionOptions

  func validate() throws {
    if store.isEmpty { throw ValidationError("--store: 'memory' or a file is needed") }
    if cacheDir?.isEmpty == true { throw ValidationError("--cache-dir: a folder is needed") }
  }

  /// The folder of section caches: the one that was named, or that of the XDG
  /// base directories.
  private var cacheFolder: String? {
    if let cacheDir { return cacheDir }
    if let base = ProcessEnvironment["XDG_CACHE_HOME"], base.hasPrefix("/") { return base + "/frc" }
    return ProcessEnvironment["HOME"].map { $0 + "/.cache/frc" }
  }

  /// What brings a session its files.
  ///
  /// - Parameter script: The file of the script; nil for statements that somebody types.
  func environment(of script: String? = nil) -> FileEnvironment {
    var permissions = access.permissions(of: script)
    if store != "memory" {
      let place = RealPath.ofMissing(store)
      permissions.reads.append(place)
      permissions.writes.append(place)
    }
    return FileEnvironment(permissions: permissions, cacheFolder: cacheFolder)
  }

  /// Tells a session where its objects are kept.
  func nameStore(to interpreter: Interpreter) {
    if store != "memory" { interpreter.useStore(at: store) }
  }

  /// The clock and the locale that a session begins with.
  var evaluation: EvaluationEnvironment { EvaluationEnvironment(locale: locale) }
}

extension Output {
  /// Warns of an option `--locale` that ICU does not know.
  func warn(ofLocale locale: String) {
    if let warning = EvaluationEnvironment(locale: locale).localeWarning {
      writeError("frc: warning: --locale: \(warning)")
    }
  }
}
