import Foundation
import LineEditor
import Platform
import Synchronization

/// Answers Ctrl-C at once, because a statement may take some time to stop.
final class InterruptHandler: Sendable {
  /// How long a statement may take to stop before a message is shown, in seconds.
  private static let patience = 0.06
  /// The time between two checks, in seconds.
  private static let pause = 0.02

  private let condition = NSCondition()
  private struct State {
    var isRunning = false
    /// Whether the terminal's row contains an answer, which what follows must erase.
    var isInRow = false
    /// What is undone after the statement was stopped; nil as long as it was not.
    var undoing: String?
  }

  private let state = Mutex(State())
  private let answer: @Sendable (_ seconds: Int) -> String
  /// Whether a later answer takes the place of an earlier one.
  private let isReplaced: Bool

  /// Creates a handler that writes one answer.
  ///
  /// - Parameter answer: What is written to standard error.
  convenience init(once answer: String) {
    self.init(isReplaced: false) { _ in answer }
  }

  /// - Parameters:
  ///   - isReplaced: Whether a later answer takes the place of an earlier one.
  ///   - answer: Returns what is written to standard error, after so many seconds. It is written
  ///     again whenever it has changed.
  init(isReplaced: Bool = true, answer: @escaping @Sendable (_ seconds: Int) -> String) {
    self.answer = answer
    self.isReplaced = isReplaced
    guard FileDescriptor.standardError.isTerminal else { return }
    ProcessCalls.startThread(stackSize: 1 << 18) { [weak self] in
      while let watch = self { watch.watchOnce() }
    }
  }

  /// Records that a statement begins to run.
  func noteStart() {
    state.withLock { $0 = State(isRunning: true) }
    condition.lock()
    condition.signal()
    condition.unlock()
  }

  /// Records that the statement has ended, after which nothing more is written for it.
  ///
  /// It must come before anything is shown of how the statement ended. Another call does nothing.
  ///
  /// - Returns: Whether the terminal's row contains an answer, which must be erased.
  @discardableResult
  func noteEnd() -> Bool {
    state.withLock { state in
      defer { state = State() }
      return state.isInRow
    }
  }

  /// Says at once that the statement has stopped, because undoing it may take some time.
  ///
  /// If no answer is replaced, the end of the undoing is the first one.
  ///
  /// - Parameter words: What is undone.
  func noteStop(_ words: String) {
    guard isReplaced, FileDescriptor.standardError.isTerminal else { return }
    state.withLock { state in
      guard state.isRunning, state.undoing == nil else { return }
      state.undoing = words
      state.isInRow = true
      EndingSignals.writing { try? FileDescriptor.standardError.write(words.utf8) }
    }
  }

  private var runs: Bool { state.withLock { $0.isRunning } }

  /// Waits for a statement, and then until it ends or is interrupted.
  private func watchOnce() {
    condition.lock()
    // From time to time, this checks whether the watch is still in use.
    if !runs { _ = condition.wait(until: Date(timeIntervalSinceNow: 1)) }
    condition.unlock()
    while runs {
      Thread.sleep(forTimeInterval: Self.pause)
      guard InterruptFlag.isRaised else { continue }
      Thread.sleep(forTimeInterval: Self.patience)
      let start = ContinuousClock.now
      var told = ""
      while runs, InterruptFlag.isRaised {
        let seconds = Int((ContinuousClock.now - start).components.seconds)
        tell { undoing in
          let words = undoing.map { seconds > 0 ? "\($0) \(seconds) s" : $0 } ?? answer(seconds)
          // What is undone was written when the statement stopped.
          guard words != told, words != undoing else { return nil }
          told = words
          return words
        }
        Thread.sleep(forTimeInterval: Self.pause)
      }
    }
  }

  /// Writes while the lock is held, so that nothing can follow what ends the statement.
  ///
  /// The next statement may run by now, and it was not interrupted.
  ///
  /// - Parameter words: Returns the words, or nil for none. It receives what is undone, if the
  ///   statement has stopped.
  private func tell(_ words: (_ undoing: String?) -> String?) {
    state.withLock { state in
      guard state.isRunning, InterruptFlag.isRaised, let words = words(state.undoing) else {
        return
      }
      state.isInRow = isReplaced
      EndingSignals.writing { try? FileDescriptor.standardError.write(words.utf8) }
    }
  }
}

/// Ends the program shortly after a signal asked it to, if it has not ended by itself.
///
/// Some running code may not check whether to stop.
enum KillTimer {
  /// How long the program may take to end by itself, in seconds.
  private static let patience = 0.8
  /// How long it may take once it writes reports, in seconds.
  private static let longPatience = 30.0
  private static let isPatient = Atomic(false)
  /// The time between two checks, in seconds.
  private static let pause = 0.05

  /// Gives the program more time, to write reports.
  static func bePatient() { isPatient.store(true, ordering: .relaxed) }

  private static let hasBegun = Atomic(false)

  /// Removes temporary files before SIGTERM, SIGHUP, SIGQUIT or a second Ctrl-C ends a prompt.
  ///
  /// - Parameter farewell: What a terminal shows after the second Ctrl-C.
  static func beginPrompt(farewell: String) {
    EndingSignals.install()
    InterruptFlag.beginWork()
    ProcessCalls.startThread(stackSize: 1 << 18) {
      EndingSignals.endWhenAsked(farewell: "\n" + farewell + "\n")
    }
  }

  /// Lets signals raise ``InterruptFlag``, and starts to watch on a thread of its own.
  ///
  /// Another call does nothing.
  ///
  /// - Parameter needsReader: Whether the program ends at once, without a word, when the reader of
  ///   its output goes away.
  static func begin(needsReader: Bool = true) {
    guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
    InterruptFlag.install(endsProgram: true)
    if needsReader { Signal.brokenPipe.useDefault() }
    ProcessCalls.startThread(stackSize: 1 << 18) {
      while InterruptFlag.exitStatus == nil { Thread.sleep(forTimeInterval: pause) }
      Thread.sleep(forTimeInterval: patience)
      // The program may have started its reports in the meantime, which should be complete.
      if isPatient.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: longPatience) }
      endAtOnce()
    }
  }

  /// Ends the program as a signal has asked, with nothing left to do but to remove its temporary
  /// files.
  static func endAtOnce() -> Never {
    TemporaryFolder.removeAll()
    ProcessCalls.endAtOnce(status: InterruptFlag.exitStatus ?? 1)
  }
}
