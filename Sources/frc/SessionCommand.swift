import ArgumentParser
import Basics
import LineEditor
import LogReplay
import Platform

/// The command for `frc` without a subcommand: the prompt, `-e`, or standard input.
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "Start the prompt, or run the statements of -e or of standard input.",
    usage: "frc [-e <statements>] [<options>]")

  @Option(
    name: .customShort("e"),
    help: .value("statements", "Run these statements. Repeat -e to run more, in order."))
  var statements: [String] = []

  @OptionGroup var store: StoreChoice

  @OptionGroup var options: SessionOptions

  @Option(help: "How to print events.")
  var format: OutputFormat = .text

  @Flag(
    help: ArgumentHelp(
      "Use plain lines of text, for a screen reader: no colours, no drawing, no line editing."))
  var plain = false

  @Flag(name: .customLong("no-config"), help: "Start the prompt without running config.frc.")
  var skipsConfiguration = false

  /// Accepts arguments without an option, to give a helpful message.
  @Argument(help: .hidden)
  var others: [String] = []

  /// The answer to a crash text that is an argument; nil for other arguments.
  private var crash: CrashAnswer? {
    statements.isEmpty && !others.isEmpty ? CrashAnswer(others.joined(separator: " ")) : nil
  }

  func validate() throws {
    guard let other = others.first, crash == nil else { return }
    let commands = FRC.configuration.subcommands.compactMap { $0.configuration.commandName }
    if commands.contains(other) {
      throw ValidationError("write options after the command: frc \(other) …")
    }
    if let near = nearestName(to: other, among: commands) {
      throw ValidationError("unknown command '\(other)'; did you mean '\(near)'?")
    }
    let isFile = other.hasSuffix(".frc") || (try? FileStatus(other)) != nil
    if statements.isEmpty, !isFile, others.joined(separator: " ").contains(" ") {
      throw ValidationError(
        "this is neither a command nor a crash text that frc knows; statements are run by "
          + "'frc -e STATEMENTS', and a log is read by 'frc replay LOG'")
    }
    let hint = statements.isEmpty ? "; a script is run by 'frc run \(other.asShellWord)'" : ""
    throw ValidationError("unexpected argument '\(other)'" + hint)
  }

  /// The inputs and settings that the arguments ask for.
  var start: SessionStart {
    var settings = options.settings(for: store.store)
    settings.isPlain = plain
    settings.readsConfiguration = !skipsConfiguration
    return SessionStart(statements: statements, settings: settings, format: format)
  }

  func run() throws {
    guard let crash else { throw start.run() }
    let output = Output()
    defer { output.flush() }
    for line in CrashAnswerText(crash, file: nil).lines { output.write(line) }
    throw ExitCode(1)
  }
}

/// The inputs and settings of `frc`, `frc -e` and `frc run`.
struct SessionStart: Equatable {
  /// The scripts; if there are none, the prompt or standard input.
  var inputs: [ScriptRun.Input]
  var settings = SessionSettings()
  var format = OutputFormat.text

  /// Runs the inputs or the prompt.
  ///
  /// - Returns: The exit status.
  func run() -> ExitCode {
    if !inputs.isEmpty { return ScriptRun(settings: settings, format: format).run(inputs) }
    if FileDescriptor.standardInput.isTerminal {
      return REPLCommand(settings: settings, format: format).run()
    }
    return ScriptRun(settings: settings, format: format).run([.standardInput])
  }
}

extension SessionStart {
  /// Parses arguments that contain no option except `-e`; nil for any others.
  ///
  /// The argument parser can read these too. But it asks the runtime for the types of all commands
  /// and options, which takes longer than everything else before the first statement.
  init?(plain arguments: [String]) {
    if arguments.first == "run" {
      let files = arguments.dropFirst()
      guard !files.isEmpty, files.allSatisfy({ $0 == "-" || !$0.hasPrefix("-") }) else {
        return nil
      }
      self.init(inputs: files.map { .file($0) })
      return
    }
    var statements: [String] = []
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard option == "-e", let text = rest.popFirst(), !text.hasPrefix("-") else { return nil }
      statements.append(text)
    }
    self.init(statements: statements)
  }

  /// - Parameter statements: The statements of each `-e`, in order; empty for the prompt.
  init(
    statements: [String], settings: SessionSettings = SessionSettings(),
    format: OutputFormat = .text
  ) {
    if statements.isEmpty {
      inputs = []
    } else {
      // Nothing is joined to a single one, as the runtime would look for a conformance.
      let text = statements.count == 1 ? statements[0] : statements.joined(separator: "\n")
      inputs = [.text(text, name: "-e")]
    }
    self.settings = settings
    self.format = format
  }
}

/// The prompt, which runs if standard input is a terminal.
struct REPLCommand {
  let settings: SessionSettings
  let format: OutputFormat

  func run() -> ExitCode {
    let output = Output(isRaw: settings.isRaw)
    // Until the first line is read, Ctrl-C must not end the program either.
    InterruptFlag.install()
    // Ctrl-\ ends a statement that cannot be stopped otherwise. Without this line, Swift's runtime
    // would start a debugger.
    KillTimer.beginPrompt(farewell: PromptWords.ended)
    defer { output.flush() }
    // If standard output goes to a file, only statements print there.
    let isSeen = FileDescriptor.standardOutput.isTerminal && format != .json
    let place = HistoryPlace.standard
    let isFirstStart = place.map { !$0.exists } ?? false
    let history = place?.open() ?? LineHistory(path: nil)

    let (theme, background) = chosenTheme
    // It only discards what was typed ahead, as at an empty prompt.
    InterruptFlag.lower()
    let console = PromptConsole(
      output: output, mode: format, isSeen: isSeen, theme: theme,
      usesColorInErrors: !settings.isPlain && settings.color.appliesTo(.standardError),
      isSpoken: settings.isPlain)
    let session = PromptSession(console: console, settings: settings, history: history)
    session.isLight = theme.isLight
    let editor =
      settings.isPlain
      ? nil
      : EditLineReader(
        program: "frc", history: history,
        assistance: PromptAssistance(theme: console.theme, session: session).line,
        typedAhead: background?.typedAhead ?? [])
    console.isEditing = editor != nil
    console.greet(isFirstStart: isFirstStart)
    session.configure()
    if editor?.isTerminalKnown == false { console.acknowledge(PromptWords.unknownTerminal) }
    let status = loop(editor, history, session, console)
    session.close()
    return status
  }

  /// Returns the colours, and the terminal's answer if it was asked.
  private var chosenTheme: (PromptTheme, TerminalBackground?) {
    let usesColor = !settings.isPlain && settings.color.appliesTo(.standardOutput)
    let chosen = PromptTheme.chosen { ProcessEnvironment[$0] }
    var isLight = PromptTheme.isLight { ProcessEnvironment[$0] }
    var background: TerminalBackground?
    if usesColor, isLight == nil, chosen != .mono {
      let answer = TerminalBackground.ask()
      isLight = answer.isLight
      background = answer
    }
    let theme = PromptTheme(usesColor: usesColor, isLight: false)
    return (theme.named(chosen, isLight: isLight ?? false), background)
  }

  private func loop(
    _ editor: EditLineReader?, _ history: LineHistory, _ session: PromptSession,
    _ console: PromptConsole
  ) -> ExitCode {
    let reader: any LineReader = editor ?? PlainReader()
    editor?.isEntry = session.isEntry
    var isFailureTold = false
    while true {
      if let failure = history.failure, !isFailureTold {
        console.acknowledge("# \(failure)")
        isFailureTold = true
      }
      console.flush()
      if let draft = session.draft {
        session.draft = nil
        // If lines cannot be edited, the text is run at once.
        if editor == nil {
          console.echo(draft)
          if session.isEntry(draft) { history.add(draft) }
          _ = session.take(draft)
          continue
        }
        editor?.draft = draft
      }
      let result = reader.readStatement(
        prompt: session.prompt, continuationPrompt: PromptWords.continuationPrompt,
        isComplete: session.isWhole)
      switch result {
      case .text(let entry):
        // The editor adds its entries by itself.
        if editor == nil, session.isEntry(entry) { history.add(entry) }
        guard session.take(entry) else { return .success }
      case .interrupted:
        if InterruptFlag.isPressedAgain {
          console.acknowledge(PromptWords.ended)
          return ExitCode(InterruptFlag.secondPressStatus)
        }
        // The waiting statement is dropped together with its prediction.
        _ = session.prediction.takeHeld(predicted: "")
      case .endOfInput: return .success
      }
    }
  }
}
