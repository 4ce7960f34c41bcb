import ArgumentParser
import ScriptExport

/// `frc swift`: prints a Swift file for an app on an Apple system.
struct SwiftCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "swift", abstract: "Print a Swift file for an app, or for its tests.",
    discussion: """
      The files need only Core Data, and that of --observer-probe SwiftData of iOS 27 or macOS 27.

      --recorder prints a recorder. In your app, it writes the callbacks of a fetched results \
      controller to a file, which 'frc replay' reads.

        frc swift --recorder > FetchedResultsRecorder.swift

      --fuzzer prints a test. It makes random changes with Apple's NSFetchedResultsController, and \
      compares your own list with the controller after each.

        frc swift --fuzzer > ListFuzzer.swift

      --observer-probe prints tests of what frc assumes about ResultsObserver and HistoryObserver, \
      where Apple's documentation is silent. Run them on an Apple system, and send what differs.

        frc swift --observer-probe > ObserverProbe.swift
      """)

  @Flag(help: "Print the file that records the callbacks of a controller.")
  var recorder = false

  @Flag(help: "Print the file that tests a list with random turns.")
  var fuzzer = false

  @Flag(help: "Print the file that tests what frc assumes about SwiftData's observers.")
  var observerProbe = false

  func validate() throws {
    if [recorder, fuzzer, observerProbe].count(where: { $0 }) != 1 {
      throw ValidationError("name one file: --recorder, --fuzzer or --observer-probe")
    }
  }

  func run(writingTo output: Output) throws {
    let text =
      recorder ? AppFiles.recorder : fuzzer ? AppFiles.fuzzer : AppFiles.observerProbe
    output.write(document: Array(text.utf8))
  }
}
