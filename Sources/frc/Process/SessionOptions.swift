import ArgumentParser

/// The session's options of all commands that run statements.
struct SessionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store of the objects: memory, or the path of a SQLite file.", valueName: "store"))
  var store = SessionSettings().store

  @Option(help: ArgumentHelp("The folder of the section caches.", valueName: "dir"))
  var cacheDir: String?

  @Option(help: ArgumentHelp("The locale that localized sorts use.", valueName: "id"))
  var locale = SessionSettings().locale

  @Option(help: "Whether to use colours.")
  var color = SessionSettings().color

  @Flag(
    help: "Print control characters unescaped, if the output does not go to a terminal.")
  var raw = false

  @OptionGroup var access: PermissionOptions

  func validate() throws {
    if store.isEmpty { throw ValidationError("--store: 'memory' or a file is needed") }
    if cacheDir?.isEmpty == true { throw ValidationError("--cache-dir: a folder is needed") }
  }

  /// The settings that the options give.
  var settings: SessionSettings {
    SessionSettings(
      store: store, cacheDir: cacheDir, locale: locale, color: color, isRaw: raw,
      access: access.paths)
  }
}
