import FetchedResults
import LineEditor
import Platform
import ScriptRuntime

/// What a session that runs statements is told about itself.
struct SessionSettings: Equatable {
  /// Where objects are kept: `memory`, or a SQLite file.
  var store = "memory"
  /// Whether the store is read and never written, and the script may name no other.
  var isReadOnly = false
  /// Where section caches are kept; nil for the usual place.
  var cacheDir: String?
  /// The locale of localized sorts.
  var locale = "en"
  var color = ColorChoice.auto
  /// Whether control characters are printed as they are.
  var isRaw = false
  var access = AllowedPaths()
  /// Whether the prompt says everything in words, and draws nothing again: for screen readers.
  var isPlain = false
  /// Whether the prompt starts with the user's configuration.
  var readsConfiguration = true

  /// The folder of section caches: the one that was named, or that of the XDG
  /// base directories.
  private var cacheFolder: String? {
    if let cacheDir { return cacheDir }
    if let base = ProcessEnvironment["XDG_CACHE_HOME"], base.hasPrefix("/") { return base + "/frc" }
    return ProcessEnvironment["HOME"].map { $0 + "/.cache/frc" }
  }

  /// What brings a session its files.
  ///
  /// - Parameter script: The file of the script; nil for statements that someone types.
  func environment(of script: String? = nil) -> FileEnvironment {
    var permissions = access.permissions(of: script)
    if store != "memory" {
      let place = RealPath.ofMissing(store)
      permissions.reads.append(place)
      if !isReadOnly { permissions.writes.append(place) }
    }
    return FileEnvironment(permissions: permissions, cacheFolder: cacheFolder)
  }

  /// Tells a session where its objects are kept.
  func nameStore(to interpreter: Interpreter) {
    guard store != "memory" || isReadOnly else { return }
    if isReadOnly { interpreter.useOnlyStore(at: store) } else { interpreter.useStore(at: store) }
  }

  /// The clock and the locale that a session begins with.
  var evaluation: EvaluationEnvironment {
    var evaluation = EvaluationEnvironment(locale: locale)
    evaluation.isCancelled = { InterruptFlag.isRaised }
    return evaluation
  }
}

extension Output {
  /// Warns of an option `--locale` that ICU does not know.
  func warn(ofLocale locale: String) {
    if let warning = EvaluationEnvironment(locale: locale).localeWarning {
      writeError("frc: warning: --locale: \(warning)")
    }
  }
}
