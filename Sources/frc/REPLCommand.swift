import ArgumentParser

/// The prompt.
struct REPLCommand {
  let options: SessionOptions
  let format: OutputFormat

  func run() -> ExitCode { ExitCode(0) }
}
