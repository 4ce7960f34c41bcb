import ArgumentParser
import LineEditor

/// The prompt, where standard input is a terminal.
struct REPLCommand {
  let options: SessionOptions
  let format: OutputFormat

  func run() -> ExitCode {
    let output = Output()
    defer { output.flush() }
    // Standard output may go to a file; then only what statements print does.
    let isSeen = isTerminal(1) && format == .text
    let place = HistoryPlace.standard
    let isFirstStart = place.map { !$0.exists } ?? false
    let history = place?.open() ?? LineHistory(path: nil)

    let console = PromptConsole(
      output: output, format: format, isSeen: isSeen,
      usesColor: options.color.appliesTo(1), usesColorInErrors: options.color.appliesTo(2))
    let session = PromptSession(console: console, options: options)
    let editor = EditLineReader(
      program: "frc", history: history, completions: session.completions(in:at:))
    console.greet(isFirstStart: isFirstStart)
    loop(editor ?? PlainReader(), history, session, console)
    session.close()
    return .success
  }

  private func loop(
    _ reader: any LineReader, _ history: LineHistory, _ session: PromptSession,
    _ console: PromptConsole
  ) {
    var isFailureTold = false
    while true {
      if let failure = history.failure, !isFailureTold {
        console.acknowledge("# \(failure)")
        isFailureTold = true
      }
      console.flush()
      let result = reader.readStatement(
        prompt: PromptWords.prompt, continuationPrompt: PromptWords.continuationPrompt,
        isComplete: PromptSession.isComplete)
      switch result {
      case .text(let entry):
        guard session.take(entry) else { return }
      case .interrupted: continue
      case .endOfInput: return
      }
    }
  }
}
