import ArgumentParser
import LineEditor
import Platform

/// The program.
///
/// Without a subcommand, it is the prompt or runs a script from standard input.
///
/// It has no options of its own, because they would hide the options of a subcommand with the same
/// names.
@main
struct FRC: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "frc",
    abstract: "A playground and a test harness for fetched results controllers.",
    usage: """
      frc                      the prompt; runs standard input unless it is a terminal
      frc -e <statements>      runs these statements
      frc "<crash text>"       explains the message of an exception
      frc run <file> ...
      frc test [<path> ...]
      frc review [<path> ...]
      frc check <path> ...
      frc fmt <path> ...
      frc learn [<lesson>]
      frc lesson check <file> ...
      frc lesson handout <file> ... -o <folder>
      frc play <file> -o <page>
      frc export <path> ... -o <folder>
      frc fuzz [<script>]
      frc reduce <file>
      frc schema <store>
      frc swift --fuzzer
      frc watch <store> <script>
      frc replay <log>
      frc swift --recorder
      frc swift --observer-probe
      frc lsp
      frc serve [<folder>]
      """,
    discussion: """
      A script inserts, changes and deletes objects. frc prints each callback that a fetched \
      results controller (Core Data's NSFetchedResultsController) sends to its delegate.

      Type :help at the prompt to learn the language. 'frc help session' lists the options of the \
      prompt and of -e.
      """,
    version: version,
    subcommands: [
      SessionCommand.self, RunCommand.self, TestCommand.self, ReviewCommand.self,
      CheckCommand.self, FormatCommand.self, LearnCommand.self, LessonCommand.self,
      PlayCommand.self, ExportCommand.self, SwiftCommand.self, ReplayCommand.self, FuzzCommand.self,
      ReduceCommand.self, SchemaCommand.self, WatchCommand.self,
      LanguageServerCommand.self, ServeCommand.self, WorkerCommand.self,
      PlaygroundWorkerCommand.self,
    ],
    defaultSubcommand: SessionCommand.self)

  /// Runs the command that the arguments name.
  ///
  /// If they name none, the exit status is 2, as for a script with syntax errors.
  static func main() {
    openStandardStreams()
    // A file size limit becomes an error of the write, and does not end the program.
    Signal.fileTooLarge.ignore()
    // The parent may ignore it, and then output without a reader would have no end.
    Signal.brokenPipe.useDefault()
    var arguments = CommandLine.arguments
    if !arguments.isEmpty { arguments.removeFirst() }
    if let start = SessionStart(plain: arguments) {
      let status = start.run().rawValue
      ProcessCalls.end(status: Output.confirm() ? status : failureStatus(1))
    }
    let isFile = { (try? FileStatus($0, followsLinks: false)) != nil }
    let refusal =
      CommandRules.refusal(of: arguments, isFile: isFile)
      ?? CommandRules.refusal(ofHelp: arguments)
      ?? CommandRules.refusal(ofStoreIn: arguments)
    if let refusal {
      Output().writeError("frc: error: \(refusal)")
      ProcessCalls.end(status: 2)
    }
    var errorStatus: Int32 = 1
    var isRunning = false
    do {
      let arguments = OptionalValues.separated(arguments) {
        (try? FileStatus($0)) != nil
      }
      var command = try parseAsRoot(arguments)
      errorStatus = CommandRules.errorStatus(of: type(of: command))
      CommandRules.begin(type(of: command))
      isRunning = true
      try command.run()
      if !Output.confirm() { ProcessCalls.end(status: failureStatus(errorStatus)) }
    } catch {
      if !Output.confirm() { ProcessCalls.end(status: failureStatus(errorStatus)) }
      switch exitCode(for: error) {
      case .validationFailure:
        // The arguments have the form that the usage shows, once the command runs.
        if isRunning {
          Output().writeError("frc: error: \(message(for: error))")
        } else {
          Output().writeError(lines: OptionalValues.shown(fullMessage(for: error)))
        }
        ProcessCalls.end(status: 2)
      case .success:
        // Help and the version, which the argument parser would lose in silence; else it is empty.
        let text = fullMessage(for: error)
        let output = Output()
        if !text.isEmpty { output.write(document: Array((text + "\n").utf8)) }
        output.flush()
        ProcessCalls.end(status: Output.confirm() ? 0 : failureStatus(errorStatus))
      // What a command could not do because of a signal is not its own failure.
      default:
        if let status = InterruptFlag.exitStatus { ProcessCalls.end(status: status) }
        exit(withError: error)
      }
    }
  }

  /// Opens the standard streams that are closed.
  ///
  /// Otherwise the first files that the program opens would be taken for them: reading its own pipe
  /// would have no end, and messages would be written into a user's file.
  private static func openStandardStreams() {
    // The system gives a new file the smallest free number. Standard output is opened for reading,
    // so that writing to it fails as it did.
    guard keepOpen(.standardInput, .reading), keepOpen(.standardOutput, .reading) else { return }
    _ = keepOpen(.standardError, .appending)
  }

  /// Opens a stream that is closed, and returns whether the stream is open.
  ///
  /// There is no loop over the streams: it would make the runtime look for a conformance of its
  /// array among all of the program's, which takes a twentieth of the start.
  private static func keepOpen(_ stream: FileDescriptor, _ access: OpenFile.Access) -> Bool {
    if (try? FileStatus(of: stream)) != nil { return true }
    guard let file = try? OpenFile("/dev/null", access) else { return false }
    _ = Unmanaged.passRetained(LastingFile(file))
    return true
  }

  /// Keeps a file open up to the end of the program.
  private final class LastingFile {
    private let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }
  }

  /// Returns the status of a command that failed: that of the signal that asked it to end, if one
  /// did, and otherwise its own.
  private static func failureStatus(_ own: Int32) -> Int32 { InterruptFlag.exitStatus ?? own }
}

extension ArgumentHelp {
  /// Returns the help of an argument or an option whose value has a name.
  static func value(_ name: String, _ abstract: String) -> ArgumentHelp {
    ArgumentHelp(abstract, valueName: name)
  }
}
