import ArgumentParser
import Foundation
import Platform

/// `frc test-worker`: a process that runs tests for `frc test`, which talks to it by pipes.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test-worker", abstract: "Run tests for 'frc test'; nothing for people.",
    shouldDisplay: false)

  func run() throws {
    // Whoever started it decides when it ends, by the end of its input or by SIGKILL.
    for signal in [Signal.interrupt, .terminate, .hangUp, .brokenPipe] { signal.ignore() }
    let worker = Worker()
    worker.read()
  }
}
