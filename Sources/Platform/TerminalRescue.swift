import CLibrary
import Synchronization

/// Puts a terminal back as it was when a signal ends the program, whatever the
/// program is doing then.
///
/// The handler of a signal may do next to nothing. So all that it needs is kept
/// here: the mode, and the bytes to write.
package enum TerminalRescue {
  // Written while `isArmed` is false, so a handler never reads half of them.
  nonisolated(unsafe) private static var mode = termios()
  nonisolated(unsafe) private static var terminal: Int32 = -1
  nonisolated(unsafe) private static var farewell: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var farewellCount = 0
  /// What was done with signals before, by their numbers.
  nonisolated(unsafe) private static var previous: UnsafeMutablePointer<sigaction>?
  /// The handler of a signal that is told where it came.
  private typealias Answer =
    @convention(c) (Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
  private static let isArmed = Atomic(false)
  /// The signal that is to end the program.
  private static let awaited = Atomic<Int32>(0)

  /// Begins to watch over a terminal.
  ///
  /// - Parameters:
  ///   - descriptor: The terminal.
  ///   - mode: The mode in which it was.
  ///   - text: What is written to it, besides.
  static func arm(_ descriptor: FileDescriptor, restoring mode: termios, farewell text: String) {
    disarm()
    install()
    self.mode = mode
    terminal = descriptor.number
    free(farewell)
    farewell = strdup(text)
    farewellCount = text.utf8.count
    isArmed.store(true, ordering: .releasing)
  }

  /// Ends watching: the terminal is as it was.
  static func disarm() { isArmed.store(false, ordering: .releasing) }

  /// Ends the program with a signal in a second, unless it has ended until then or
  /// ``stopDeadline()`` is called.
  ///
  /// The handler of the signal may call it.
  package static func startDeadline(for signal: Int32) {
    awaited.store(signal, ordering: .releasing)
    alarm(1)
  }

  /// Lets the program live on.
  package static func stopDeadline() { alarm(0) }

  /// Puts the terminal back, if it is watched over.
  private static func perform() {
    guard isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
    tcsetattr(terminal, TCSANOW, &mode)
    _ = SystemCalls.write(terminal, farewell, farewellCount)
  }

  /// Answers crashes, and the deadline, from now on.
  private static func install() {
    guard previous == nil else { return }
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    actions.initialize(repeating: sigaction(), count: 65)
    previous = actions
    _ = isArmed.load(ordering: .relaxed)
    _ = awaited.load(ordering: .relaxed)
    let answer: Answer = { number, details, context in
      TerminalRescue.perform()
      // The runtime may have something to say, and returns from a signal that was sent.
      if let bits = TerminalRescue.previous?[Int(number)].handlerBits, bits != 0, bits != 1 {
        unsafeBitCast(bits, to: Answer.self)(number, details, context)
      }
      signal(number, SIG_DFL)
      raise(number)
    }
    for crash in Signal.crashes {
      var action = sigaction()
      action.setHandler(unsafeBitCast(answer, to: Signal.Handler.self))
      action.sa_flags |= SA_ONSTACK | SA_SIGINFO
      sigaction(crash.number, &action, actions + Int(crash.number))
    }
    _ = Signal(number: SIGALRM).handle { _, _, _ in
      TerminalRescue.perform()
      let number = TerminalRescue.awaited.load(ordering: .acquiring)
      signal(number, SIG_DFL)
      raise(number)
    }
  }
}
