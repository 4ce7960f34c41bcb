import ArgumentParser
import LineEditor
import Platform

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
