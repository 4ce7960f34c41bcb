import AppleFiles
import ArgumentParser
import LogReplay

/// `frc swift`: prints a Swift file for an app on an Apple system.
struct SwiftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swift", abstract: "Print a Swift file for an app, or for its tests.",
    discussion: """
      The files need Core Data and nothing else.

      --recorder prints a recorder: it writes what a fetched results controller tells its delegate \
      to a file, which 'frc replay' reads.

        frc swift --recorder > FetchedResultsRecorder.swift

      --fuzzer prints a test: it makes random turns with Apple's NSFetchedResultsController, and \
      compares a list of yours with it after each.

        frc swift --fuzzer > ListFuzzer.swift
      """)

  @Flag(help: "Print the file that records what a controller sends.")
  var recorder = false

  @Flag(help: "Print the file that tests a list with random turns.")
  var fuzzer = false

  func validate() throws {
    if fuzzer == recorder { throw ValidationError("name a file: --recorder or --fuzzer") }
  }

  func run() throws {
    let output = Output()
    defer { output.flush() }
    output.write(document: Array((recorder ? RecorderSource.text : AppleFiles.fuzzer).utf8))
  }
}
