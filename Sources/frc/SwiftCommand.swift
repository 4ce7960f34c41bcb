import AppleFiles
import ArgumentParser

/// `frc swift --fuzzer`: prints a file of Swift for an app on an Apple system.
struct SwiftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swift", abstract: "Print a file of Swift for an app's test target.",
    discussion: """
      The file needs Core Data and nothing else. With --fuzzer it makes random turns with Apple's \
      NSFetchedResultsController, and compares a list of yours with it after each.

        frc swift --fuzzer > ListFuzzer.swift
      """)

  @Flag(help: "Print the file that tests a list with random turns.")
  var fuzzer = false

  @Flag(help: "Print the file that records what a controller sends.")
  var recorder = false

  func validate() throws {
    if fuzzer == recorder { throw ValidationError("name a file: --recorder or --fuzzer") }
  }

  func run() throws {
    let output = Output()
    defer { output.flush() }
    guard fuzzer else {
      output.writeError("frc: error: this version of frc has no recorder")
      throw ExitCode(2)
    }
    output.write(document: Array(AppleFiles.fuzzer.utf8))
  }
}
