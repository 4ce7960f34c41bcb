import Platform

/// The signals that need an answer while a line or a key is read.
///
/// The terminal is in a mode of its own then and must be put in order before
/// the program stops or ends. Outside of reading they do what they always did.
struct ReadingSignals {
  /// An answer to a signal.
  enum Need: Equatable {
    /// Ctrl-C: drop what was typed.
    case drop(SignalOrigin)
    /// Ctrl-Z: leave the terminal in order and stop.
    case stop(SignalOrigin)
    /// The program goes on after having been stopped.
    case resume
    case resize
    /// Leave the terminal in order and let the signal do its work.
    case end(signal: Signal)
  }

  private static let fatal = [Signal.hangUp, .quit, .terminate]
  private var previous: [(signal: Signal, action: Signal.Action)] = []

  /// Begins to collect signals.
  init() {
    for signal in Self.fatal + [.stop, .resume, .resize] {
      if let action = Self.accept(signal) { previous.append((signal, action)) }
    }
  }

  /// A signal that is to end the program does so even if it stays unanswered.
  private static func accept(_ signal: Signal) -> Signal.Action? {
    SignalInbox.accept(signal, endsProgram: fatal.contains(signal))
  }

  /// Takes the most urgent signal out of the inbox.
  ///
  /// - Parameter leavesInterrupt: Whether Ctrl-C stays there, for others
  ///   to see it, too.
  func next(leavesInterrupt: Bool = false) -> Need? {
    for signal in Self.fatal where SignalInbox.take(signal) {
      return .end(signal: signal)
    }
    if leavesInterrupt {
      if SignalInbox.contains(.interrupt) { return .drop(.key) }
    } else if let origin = SignalInbox.takeOrigin(of: .interrupt) {
      return .drop(origin)
    }
    if let origin = SignalInbox.takeOrigin(of: .stop) { return .stop(origin) }
    if SignalInbox.take(.resume) { return .resume }
    if SignalInbox.take(.resize) { return .resize }
    return nil
  }

  /// Lets `signal` do what it would do outside of reading, now.
  mutating func perform(_ signal: Signal) {
    guard let index = previous.firstIndex(where: { $0.signal == signal }) else { return }
    signal.restore(previous[index].action)
    signal.send()
    // Still here: it had stopped us, or it is handled elsewhere.
    TerminalRescue.stopDeadline()
    if let action = Self.accept(signal) { previous[index].action = action }
  }

  /// Ends collecting.
  ///
  /// A fatal signal that came too late for `next()` does its work now.
  func finish() {
    for (signal, action) in previous { signal.restore(action) }
    for signal in Self.fatal where SignalInbox.take(signal) {
      signal.send()
      TerminalRescue.stopDeadline()
    }
    for signal in [Signal.stop, .resume, .resize] { _ = SignalInbox.take(signal) }
  }
}
