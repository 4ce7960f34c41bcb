import ArgumentParser
import LineEditor
import Platform

/// The prompt, where standard input is a terminal.
struct REPLCommand {
  let settings: SessionSettings
  let format: OutputFormat

  func run() -> ExitCode {
    let output = Output(isRaw: settings.isRaw)
    // Ctrl-\ ends a statement that nothing else ends; the runtime would show a debugger.
    if !Signal.quit.isIgnored { Signal.quit.useDefault() }
    defer { output.flush() }
    // Standard output may go to a file; then only what statements print does.
    let isSeen = FileDescriptor.standardOutput.isTerminal && format != .json
    let place = HistoryPlace.standard
    let isFirstStart = place.map { !$0.exists } ?? false
    let history = place?.open() ?? LineHistory(path: nil)

    let theme = PromptTheme(
      usesColor: settings.color.appliesTo(.standardOutput),
      isLight: PromptTheme.isLight { ProcessEnvironment[$0] }
    )
    let console = PromptConsole(
      output: output, mode: format, isSeen: isSeen,
      usesColor: theme.usesColor, usesColorInErrors: settings.color.appliesTo(.standardError),
      isLight: theme.isLight)
    let session = PromptSession(console: console, settings: settings, history: history)
    let editor = EditLineReader(
      program: "frc", history: history,
      assistance: PromptAssistance(theme: theme, session: session).line)
    console.isEditing = editor != nil
    console.greet(isFirstStart: isFirstStart)
    if editor?.isTerminalKnown == false { console.acknowledge(PromptWords.unknownTerminal) }
    loop(editor, history, session, console)
    session.close()
    return .success
  }

  private func loop(
    _ editor: EditLineReader?, _ history: LineHistory, _ session: PromptSession,
    _ console: PromptConsole
  ) {
    let reader: any LineReader = editor ?? PlainReader()
    var isFailureTold = false
    while true {
      if let failure = history.failure, !isFailureTold {
        console.acknowledge("# \(failure)")
        isFailureTold = true
      }
      console.flush()
      if let draft = session.draft {
        session.draft = nil
        // Where nothing can be edited, it is run as it is.
        if editor == nil {
          console.echo(draft)
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
        guard session.take(entry) else { return }
      case .interrupted:
        // The statement that waited is dropped with its prediction.
        _ = session.prediction.takeHeld()
      case .endOfInput: return
      }
    }
  }
}
