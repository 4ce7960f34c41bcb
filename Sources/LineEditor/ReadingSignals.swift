import Platform

/// The signals that need an answer while a line or a key is read.
///
/// The terminal is in raw mode then, and must be restored before the program stops or ends. At
/// other times these signals have their usual effect.
struct ReadingSignals {
  /// The answer that a signal needs.
  enum Need: Equatable {
    /// Ctrl-C: drop what was typed.
    case drop(SignalOrigin)
    /// Ctrl-Z: restore the terminal and stop.
    case stop(SignalOrigin)
    /// Continue after a stop.
    case resume
    case resize
    /// Restore the terminal and let the signal end the program.
    case end(signal: Signal)
  }

  private static let fatal = [Signal.hangUp, .quit, .terminate]
  private var previous: [(signal: Signal, action: Signal.Action)] = []

  /// Starts to collect signals.
  init() {
    for signal in Self.fatal + [.stop, .resume, .resize] {
      if let action = Self.accept(signal) { previous.append((signal, action)) }
    }
    // A signal that came before must not find the terminal in raw mode.
    EndingSignals.waitForEnd()
  }

  /// A signal that must end the program does so even if it is never answered.
  private static func accept(_ signal: Signal) -> Signal.Action? {
    PendingSignals.accept(signal, endsProgram: fatal.contains(signal))
  }

  /// Takes the most urgent signal out of the inbox.
  ///
  /// - Parameter leavesInterrupt: Whether Ctrl-C stays in the inbox, so that others see it too.
  func next(leavesInterrupt: Bool = false) -> Need? {
    for signal in Self.fatal where PendingSignals.take(signal) {
      return .end(signal: signal)
    }
    if leavesInterrupt {
      if PendingSignals.contains(.interrupt) { return .drop(.key) }
    } else if let origin = PendingSignals.takeOrigin(of: .interrupt) {
      return .drop(origin)
    }
    if let origin = PendingSignals.takeOrigin(of: .stop) { return .stop(origin) }
    if PendingSignals.take(.resume) { return .resume }
    if PendingSignals.take(.resize) { return .resize }
    return nil
  }

  /// Lets `signal` have its usual effect now.
  mutating func perform(_ signal: Signal) {
    guard let index = previous.firstIndex(where: { $0.signal == signal }) else { return }
    signal.restore(previous[index].action)
    signal.send()
    EndingSignals.waitForEnd()
    // The program still runs: the signal had only stopped it, or has another handler.
    TerminalRestorer.stopDeadline()
    if let action = Self.accept(signal) { previous[index].action = action }
  }

  /// Stops collecting.
  ///
  /// A fatal signal that came too late for `next()` takes effect now.
  func finish() {
    for (signal, action) in previous { signal.restore(action) }
    for signal in Self.fatal where PendingSignals.take(signal) {
      signal.send()
      EndingSignals.waitForEnd()
      TerminalRestorer.stopDeadline()
    }
    for signal in [Signal.stop, .resume, .resize] { _ = PendingSignals.take(signal) }
  }
}
