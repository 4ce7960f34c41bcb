import Platform
import Synchronization

/// The signals that have come and wait for an answer.
///
/// A handler may do almost nothing, so it puts the signal in here and wakes
/// whoever waits at `wakeDescriptor`. All else happens outside of it.
enum SignalInbox {
  /// One bit per signal number.
  private static let pending = Atomic<UInt64>(0)

  /// Those of them that came of a key, one bit each.
  private static let typed = Atomic<UInt64>(0)

  private static let wakePipe = WakePipe()

  /// A descriptor that becomes readable when a signal has come.
  static var wakeDescriptor: FileDescriptor { wakePipe.reader }

  /// Collects `signal` from now on.
  ///
  /// - Parameter endsProgram: Whether the signal ends the program if it is not
  ///   answered within a second.
  /// - Returns: What was done with the signal before, or nil where it is
  ///   ignored and stays so.
  @discardableResult
  static func accept(_ signal: Signal, endsProgram: Bool = false) -> Signal.Action? {
    // The handler must not be the first to touch these: it could interrupt
    // their own initialization and wait for ever.
    _ = wakePipe
    _ = pending.load(ordering: .relaxed)
    _ = typed.load(ordering: .relaxed)
    guard endsProgram else {
      return signal.handle { number, details, _ in
        SignalInbox.put(Signal(number: number), isKey: !Signal.wasSent(details))
      }
    }
    return signal.handle { number, details, _ in
      SignalInbox.put(Signal(number: number), isKey: !Signal.wasSent(details))
      TerminalRescue.startDeadline(for: number)
    }
  }

  /// Whether `signal` has come.
  static func contains(_ signal: Signal) -> Bool {
    pending.load(ordering: .acquiring) & bit(signal) != 0
  }

  /// Whether one of the signals has come that a mask has a bit for.
  static func containsAny(of mask: UInt64) -> Bool {
    pending.load(ordering: .acquiring) & mask != 0
  }

  /// Takes `signal` out.
  ///
  /// - Returns: Whether it was there.
  static func take(_ signal: Signal) -> Bool { takeOrigin(of: signal) != nil }

  /// Takes `signal` out.
  ///
  /// - Returns: Where it came from; nil where it was not there.
  static func takeOrigin(of signal: Signal) -> SignalOrigin? {
    let bit = bit(signal)
    guard pending.bitwiseAnd(~bit, ordering: .acquiringAndReleasing).oldValue & bit != 0 else {
      return nil
    }
    return typed.bitwiseAnd(~bit, ordering: .acquiringAndReleasing).oldValue & bit != 0
      ? .key : .process
  }

  /// Makes `wakeDescriptor` unreadable until the next signal.
  static func drainWakePipe() { wakePipe.drain() }

  private static func put(_ signal: Signal, isKey: Bool) {
    if isKey { typed.bitwiseOr(bit(signal), ordering: .acquiringAndReleasing) }
    pending.bitwiseOr(bit(signal), ordering: .acquiringAndReleasing)
    wakePipe.wake()
  }

  /// The place of `signal` in a mask.
  static func bit(_ signal: Signal) -> UInt64 {
    1 << UInt64(signal.number)
  }
}

/// Where a signal came from.
enum SignalOrigin {
  /// A key. The system has forgotten what was typed before it and not read.
  case key
  /// Another program, or this one. What was typed is still to be read.
  case process
}
