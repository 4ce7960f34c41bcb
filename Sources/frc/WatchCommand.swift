import ArgumentParser
import FetchedResults
import FetchedResultsSQLite
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc watch STORE SCRIPT`: prints what a script's controllers report while an app writes to the
/// store.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print the callbacks for each save that an app makes to a store.",
    discussion: """
      The script runs on the store, which is only read. It defines entities and controllers, and \
      fetches. After each save of the app, frc prints the callbacks of the controllers. The app \
      never waits: frc reads copies of the file, and locks nothing.

      The pages of the file that changed say which rows did. The time depends on the change if \
      the store has SQLite's log (WAL); otherwise frc compares the whole file. Several saves in a \
      few milliseconds may be reported as one.

      If the store is removed or replaced, frc says so on standard error. It runs the script again \
      once there is a store. Ctrl-C ends frc with exit status 130.
      """)

  @Argument(
    help: .value("store", "The SQLite store of an app. If it does not exist yet, frc waits."))
  var file: String

  @Argument(help: .value("script", "The script that runs on it."))
  var script: String

  @OptionGroup var options: SessionOptions

  @Option(help: "How to print events.")
  var format: OutputFormat = .text

  func validate() throws {
    if file.isEmpty || script.isEmpty { throw ValidationError("a store and a script are needed") }
  }

  func run() throws {
    var settings = options.settings(for: file)
    settings.isReadOnly = true
    let follower = StoreFollower(script, ScriptRun(settings: settings, format: format))
    // Events reach the follower by a weak reference, so it is kept alive here.
    throw withExtendedLifetime(follower) { follower.run() }
  }
}

/// Runs a script on a store that others write, and updates it after their saves.
final class StoreFollower {
  private let path: String
  private let script: String
  private let runner: ScriptRun
  private let output: Output
  private let renderer: DiagnosticRenderer
  private var files: StoreWatcher
  /// The number of saves that were reported to the controllers.
  private var reported = 0
  /// Whether a merge is running that has printed nothing yet.
  private var isUnreported = false
  private var isMerging = false
  /// Core Data's messages of the running merge, which may repeat the error that ends it.
  private var messages: [String] = []
  /// The error of the store that was printed last, until a save is reported or the script starts.
  private var lastMessage: String?
  /// What the script prints while it starts after an error, which it may have printed before.
  private var heldOutput: [() -> Void]?

  init(_ script: String, _ runner: ScriptRun) {
    path = runner.settings.store
    self.script = script
    self.runner = runner
    output = Output(isRaw: runner.settings.isRaw)
    renderer = DiagnosticRenderer(
      usesColor: runner.settings.color.appliesTo(.standardError),
      columns: TerminalSize(of: .standardError)?.columns)
    files = StoreWatcher(path)
  }

  /// The reason why the work on one store ended.
  private enum End {
    /// The user or a signal ended it, or standard output failed.
    case interrupted
    case removed
    case replaced
    /// The script failed. The reason was printed, now or at an earlier start.
    case failed(ExitCode, isKnown: Bool = false)
  }

  /// Follows the store until the user ends it, or standard output fails.
  ///
  /// - Returns: The exit status: that of the signal, or that of `frc run` if the script could not
  ///   start.
  func run() -> ExitCode {
    defer { output.flush() }
    guard let source = runner.read(script == "-" ? .standardInput : .file(script), output) else {
      return ending ?? ExitCode(2)
    }
    let parsed = ScriptParser.parse(source)
    runner.reportSyntax(of: parsed, renderer, output)
    guard !parsed.hasErrors else { return ExitCode(2) }
    output.warn(ofLocale: runner.settings.locale)
    if let reason = files.unusable {
      output.writeError("frc: error: cannot watch '\(path)': \(reason)")
      return ExitCode(1)
    }
    if !files.isThere {
      say("waiting for '\(path)', which is not there yet")
      guard awaitStore() else { return finish() }
    }
    var isFirst = true
    while true {
      switch follow(parsed) {
      case .interrupted: return finish()
      case .removed: say("'\(path)' was removed; waiting for it")
      case .replaced:
        guard awaitStore() else { return finish() }
        say("'\(path)' is another store now; the script starts again")
      case .failed(let status, let isKnown):
        if isFirst { return ending ?? status }
        if !isKnown { say("waiting for the next change of '\(path)'") }
        guard !Output.hasFailed, files.awaitChange(isSlow: true) else { return finish() }
      }
      isFirst = false
      guard !Output.hasFailed, awaitStore() else { return finish() }
    }
  }

  /// The exit status for a received signal; nil if there was none.
  private var ending: ExitCode? { InterruptFlag.exitStatus.map { ExitCode($0) } }

  private func finish() -> ExitCode {
    let changes = reported == 1 ? "1 change" : "\(reported) changes"
    say("stopped watching '\(path)'; \(changes) reported")
    return ending ?? .success
  }

  /// Prints a message that is not an event.
  private func say(_ text: String) { output.writeError("frc: \(text)") }

  /// Waits until the store exists, and says once if there is a file that is no store.
  private func awaitStore() -> Bool {
    var isSaid = false
    // A file that is being made or replaced may be a store in a moment.
    var patience: ContinuousClock.Instant?
    while !SQLiteStore.isStore(at: path) {
      if !files.isThere {
        patience = nil
      } else if !isSaid {
        let end = patience ?? .now + .seconds(1)
        patience = end
        if end <= .now {
          say("warning: '\(path)' is not a store that frc can read; trying again when it changes")
          output.flush()
          isSaid = true
        }
      }
      guard files.awaitChange(until: isSaid ? nil : patience) else { return false }
    }
    return true
  }

  // MARK: One store

  private func follow(_ script: ParsedScript) -> End {
    let interpreter = runner.interpreter(from: self.script, renderer, output) { [weak self] event in
      self?.receive(event) ?? true
    }
    defer { runner.close(interpreter, output) }
    let warn = interpreter.onWarning
    interpreter.onWarning = { [weak self] warning, source in
      self?.showOrHold { warn(warning, source) }
    }
    heldOutput = lastMessage == nil ? nil : []
    do {
      try interpreter.run(script)
      lastMessage = nil
      showHeldOutput()
    } catch {
      let isKnown = lastMessage == error.diagnostic.message
      lastMessage = error.diagnostic.message
      if isKnown { heldOutput = nil }
      showHeldOutput()
      if !isKnown { runner.report(error.diagnostic, in: error.source, renderer, output) }
      return ending == nil ? .failed(ExitCode(1), isKnown: isKnown) : .interrupted
    }
    guard let store = interpreter.session.coordinator.store as? SQLiteStore else {
      output.writeError(
        "frc: error: the script looks at nothing in the store; define a controller and fetch it")
      return .failed(ExitCode(1))
    }
    return follow(store, by: interpreter)
  }

  private func showOrHold(_ show: @escaping () -> Void) {
    if heldOutput == nil { show() } else { heldOutput?.append(show) }
  }

  private func showHeldOutput() {
    let held = heldOutput ?? []
    heldOutput = nil
    for show in held { show() }
  }

  private func follow(_ store: SQLiteStore, by interpreter: Interpreter) -> End {
    let source = SourceText(name: path, text: "")
    let coordinator = interpreter.session.coordinator
    var isReadable = true
    // The first look prepares the others, and finds what was saved while the script ran.
    var isFirst = true
    repeat {
      let start = ContinuousClock.now
      do throws(StoreError) {
        let found = try store.readAgain(named: path) { try coordinator.storeWillChange($0) }
        isReadable = true
        if isFirst { beginWatching() }
        switch found {
        case .removed: return .removed
        case .replaced: return .replaced
        case .read(let save): merge(save, source, by: interpreter)
        }
      } catch {
        if isFirst { beginWatching() }
        // A file that is being replaced may be complete in a moment.
        if lastMessage == "\(error)" {
          say("trying again when '\(path)' changes")
        } else if isReadable {
          say("warning: \(error); trying again when it changes")
        }
        isReadable = false
      }
      output.flush()
      // If a large file is written all the time, reading takes at most half of the time.
      if !isFirst { StoreWatcher.rest(ContinuousClock.now - start) }
      isFirst = false
    } while !Output.hasFailed && files.awaitChange(isSlow: !isReadable)
    return .interrupted
  }

  private func beginWatching() {
    say("watching '\(path)'; Ctrl-C ends")
    output.flush()
  }

  private func merge(_ save: ContextSave?, _ source: SourceText, by interpreter: Interpreter) {
    (isMerging, isUnreported) = (true, true)
    defer { (isMerging, isUnreported) = (false, false) }
    do {
      try interpreter.mergeSaves(save, in: source)
      printMessages()
    } catch {
      printMessages(besides: error.diagnostic.message)
      if error.kind == .interrupted { return }
      // What was merged is in no line of the script, unless a hook of the script failed.
      guard error.source.bytes.isEmpty else {
        return runner.report(error.diagnostic, in: error.source, renderer, output)
      }
      let message = error.diagnostic.message
      if lastMessage == message {
        say("trying again when '\(path)' changes")
      } else {
        lastMessage = message
        say("error: \(message)")
      }
    }
  }

  /// Prints Core Data's messages of a merge, without those that only repeat its error.
  private func printMessages(besides error: String? = nil) {
    for text in messages where error.map({ !text.hasSuffix($0) }) ?? true {
      runner.print(.console(text), output)
    }
    messages = []
  }

  /// Prints that there was a save, before the first event that it causes.
  ///
  /// - Returns: Whether to print the event.
  private func receive(_ event: Event) -> Bool {
    if heldOutput != nil {
      showOrHold { [runner, output] in runner.print(event, output) }
      return false
    }
    if isMerging, case .console(let text) = event {
      // A merge that Ctrl-C stops reports the stop itself.
      if !InterruptFlag.isRaised { messages.append(text) }
      return false
    }
    // Only the last messages can repeat the error that ends the merge.
    printMessages()
    guard isUnreported, event.isCallback || event.isRemoteChange || event.isNotification else {
      return true
    }
    isUnreported = false
    lastMessage = nil
    reported += 1
    if !event.isRemoteChange { runner.print(.remoteChange(transaction: nil), output) }
    return true
  }
}

extension Event {
  fileprivate var isRemoteChange: Bool { if case .remoteChange = self { true } else { false } }

  fileprivate var isNotification: Bool { if case .notification = self { true } else { false } }
}
