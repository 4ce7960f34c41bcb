import ArgumentParser
import FetchedResults
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// The store's option of all commands that run statements on any store.
struct StoreChoice: ParsableArguments {
  @Option(help: .value("store", "The store of the objects: memory, or the path of a SQLite file."))
  var store = SessionSettings().store

  func validate() throws {
    if store.isEmpty { throw ValidationError("--store: 'memory' or a file is needed") }
  }
}

/// The session's options of all commands that run statements.
struct SessionOptions: ParsableArguments {
  @Option(help: .value("dir", "The folder of the section caches."))
  var cacheDir: String?

  @Option(help: .value("id", "The locale that localized sorts use."))
  var locale = SessionSettings().locale

  @Option(help: "Whether to use colours.")
  var color = SessionSettings().color

  @Flag(
    help: "Print control characters unescaped, if the output does not go to a terminal.")
  var raw = false

  @OptionGroup var access: PermissionOptions

  func validate() throws {
    if cacheDir?.isEmpty == true { throw ValidationError("--cache-dir: a folder is needed") }
  }

  /// Returns the settings that the options give, for a store.
  func settings(for store: String) -> SessionSettings {
    SessionSettings(
      store: store, cacheDir: cacheDir, locale: locale, color: color, isRaw: raw,
      access: access.paths)
  }
}

/// The settings of a session that runs statements.
struct SessionSettings: Equatable {
  /// The store: `memory`, or the path of a SQLite file.
  var store = "memory"
  /// Whether the store is read and never written.
  ///
  /// The script may then name no other store.
  var isReadOnly = false
  /// The folder of section caches; nil for the usual one.
  var cacheDir: String?
  /// The locale of localized sorts.
  var locale = "en"
  var color = ColorChoice.auto
  /// Whether control characters are printed unchanged.
  var isRaw = false
  var access = AllowedPaths()
  /// Whether the prompt says everything in words and redraws nothing, for screen readers.
  var isPlain = false
  /// Whether the prompt starts with the user's configuration.
  var readsConfiguration = true

  /// The folder of section caches: the given one, or that of the XDG base directories.
  private var cacheFolder: String? {
    if let cacheDir { return cacheDir }
    if let base = ProcessEnvironment["XDG_CACHE_HOME"], base.hasPrefix("/") { return base + "/frc" }
    return ProcessEnvironment["HOME"].map { $0 + "/.cache/frc" }
  }

  /// Returns the environment that provides a session's files.
  ///
  /// - Parameter script: The path of the script; nil for statements that are typed.
  func environment(of script: String? = nil) -> FileEnvironment {
    var permissions = access.permissions(of: script)
    if store != "memory" {
      let place = RealPath.ofMissing(store)
      permissions.reads.append(place)
      if !isReadOnly { permissions.writes.append(place) }
    }
    return FileEnvironment(permissions: permissions, cacheFolder: cacheFolder)
  }

  /// Sets the store of a session.
  func nameStore(to interpreter: Interpreter) {
    guard store != "memory" || isReadOnly else { return }
    if isReadOnly { interpreter.useOnlyStore(at: store) } else { interpreter.useStore(at: store) }
  }

  /// The clock and the locale at the start of a session.
  var evaluation: EvaluationEnvironment {
    var evaluation = EvaluationEnvironment(locale: locale)
    evaluation.isCancelled = { InterruptFlag.isRaised }
    return evaluation
  }
}

extension Output {
  /// Warns if ICU does not know a locale.
  ///
  /// - Parameter origin: The option or the key that sets it.
  func warn(ofLocale locale: String, setBy origin: String = "--locale") {
    if let warning = EvaluationEnvironment(locale: locale).localeWarning {
      writeError("frc: warning: \(origin): \(warning)")
    }
  }
}

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

/// The settings for the use of colour.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never

  /// Whether output to a stream is coloured.
  func appliesTo(_ descriptor: FileDescriptor) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      descriptor.isTerminal && ProcessEnvironment["NO_COLOR", default: ""].isEmpty
        && TerminalSettings.obeysSequences
    }
  }
}
