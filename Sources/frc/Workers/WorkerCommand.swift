import ArgumentParser
import Foundation
import Platform

/// `frc test-worker`: a process that runs tests for `frc test`, which communicates with it through
/// pipes.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test-worker", abstract: "Run tests for 'frc test'; nothing for people.",
    shouldDisplay: false)

  func run() throws {
    // The parent process decides when this one ends, by the end of the input or by SIGKILL.
    for signal in [Signal.interrupt, .terminate, .hangUp, .brokenPipe] { signal.ignore() }
    let worker = Worker()
    worker.read()
  }
}
