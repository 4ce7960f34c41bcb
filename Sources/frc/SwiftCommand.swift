import AppExport
import ArgumentParser
import LogReplay

/// `frc swift`: prints a Swift file for an app on an Apple system.
struct SwiftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swift", abstract: "Print a Swift file for an app, or for its tests.",
    discussion: """
      The files need only Core Data.

      --recorder prints a recorder. In your app, it writes the callbacks of a fetched results \
      controller to a file, which 'frc replay' reads.

        frc swift --recorder > FetchedResultsRecorder.swift

      --fuzzer prints a test. It makes random changes with Apple's NSFetchedResultsController, and \
      compares your own list with the controller after each.

        frc swift --fuzzer > ListFuzzer.swift
      """)

  @Flag(help: "Print the file that records the callbacks of a controller.")
  var recorder = false

  @Flag(help: "Print the file that tests a list with random turns.")
  var fuzzer = false

  func validate() throws {
    if fuzzer == recorder { throw ValidationError("name a file: --recorder or --fuzzer") }
  }

  func run() throws {
    let output = Output()
    defer { output.flush() }
    output.write(document: Array((recorder ? AppFiles.recorder : AppFiles.fuzzer).utf8))
  }
}
