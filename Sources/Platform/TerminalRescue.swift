import CLibrary
import Synchronization

/// Restores a terminal's mode when a signal ends the program, whatever the program is doing then.
///
/// A signal handler may do almost nothing. So everything that it needs is prepared here: the mode,
/// and the bytes to write.
package enum TerminalRescue {
  // These are written while `isArmed` is false, so a handler never reads incomplete values.
  nonisolated(unsafe) private static var mode = termios()
  nonisolated(unsafe) private static var terminal: Int32 = -1
  nonisolated(unsafe) private static var farewell: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var farewellCount = 0
  /// The previous actions for signals, by their numbers.
  nonisolated(unsafe) private static var previous: UnsafeMutablePointer<sigaction>?
  /// A signal handler that also receives the source of the signal.
  private typealias Answer =
    @convention(c) (Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
  private static let isArmed = Atomic(false)
  /// The signal that will end the program.
  private static let awaited = Atomic<Int32>(0)

  /// Starts to watch over a terminal.
  ///
  /// - Parameters:
  ///   - descriptor: The terminal.
  ///   - mode: The mode to restore.
  ///   - text: A text to write as well.
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

  /// Stops watching, because the terminal is in its original mode again.
  static func disarm() { isArmed.store(false, ordering: .releasing) }

  /// Ends the program with a signal after one second, unless it ends before or ``stopDeadline()``
  /// is called.
  ///
  /// A handler of the signal may call it.
  package static func startDeadline(for signal: Int32) {
    awaited.store(signal, ordering: .releasing)
    alarm(1)
  }

  /// Cancels the deadline.
  package static func stopDeadline() { alarm(0) }

  /// Lets a signal restore the terminal and then end the program, at once.
  ///
  /// For waits that do not look at signals themselves.
  ///
  /// - Returns: The previous action, which the caller restores; nil if the signal is ignored.
  package static func endAtOnce(by signal: Signal) -> Signal.Action? {
    // It is initialized here and not in the handler.
    _ = isArmed.load(ordering: .relaxed)
    return signal.handle { number, _, _ in
      TerminalRescue.perform()
      Signal(number: number).useDefault()
      Signal(number: number).send()
    }
  }

  /// Restores the terminal, if it is watched.
  private static func perform() {
    guard isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
    tcsetattr(terminal, TCSANOW, &mode)
    _ = SystemCalls.write(terminal, farewell, farewellCount)
  }

  /// Installs handlers for crashes and for the deadline.
  private static func install() {
    guard previous == nil else { return }
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    actions.initialize(repeating: sigaction(), count: 65)
    previous = actions
    _ = isArmed.load(ordering: .relaxed)
    _ = awaited.load(ordering: .relaxed)
    let answer: Answer = { number, details, context in
      TerminalRescue.perform()
      // The runtime's handler may print a message. It returns if another process sent the signal.
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
