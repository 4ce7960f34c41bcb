import Glibc
import Synchronization

/// The signals that have come and wait for an answer.
///
/// A handler may do almost nothing, so it puts the signal in here and wakes
/// whoever waits at `wakeDescriptor`. All else happens outside of it.
enum SignalInbox {
  /// One bit per signal number.
  private static let pending = Atomic<UInt64>(0)

  private static let wakePipe: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }()

  /// A descriptor that becomes readable when a signal has come.
  ///
  /// -1 where there was no pipe to be had; then a signal is seen because it
  /// interrupts the wait.
  static var wakeDescriptor: Int32 { wakePipe.read }

  /// Collects `signal` from now on.
  ///
  /// - Returns: What was done with the signal before, or nil where it is
  ///   ignored and stays so.
  @discardableResult
  static func accept(_ signal: Int32) -> sigaction? {
    // The handler must not be the first to touch these: it could interrupt
    // their own initialization and wait for ever.
    _ = wakePipe
    _ = pending.load(ordering: .relaxed)

    var previous = sigaction()
    sigaction(signal, nil, &previous)
    let handler = unsafeBitCast(previous.__sigaction_handler.sa_handler, to: Int.self)
    guard handler != 1 else { return nil }

    // No SA_RESTART: a wait must end.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      let savedError = errno
      SignalInbox.put(number)
      errno = savedError
    }
    sigaction(signal, &action, nil)
    return previous
  }

  /// Does with `signal` again what was done before.
  static func restore(_ signal: Int32, to previous: sigaction) {
    var previous = previous
    sigaction(signal, &previous, nil)
  }

  /// Whether `signal` has come.
  static func contains(_ signal: Int32) -> Bool {
    pending.load(ordering: .acquiring) & bit(signal) != 0
  }

  /// Whether one of the signals has come that a mask has a bit for.
  static func containsAny(of mask: UInt64) -> Bool {
    pending.load(ordering: .acquiring) & mask != 0
  }

  /// Takes `signal` out.
  ///
  /// - Returns: Whether it was there.
  static func take(_ signal: Int32) -> Bool {
    pending.bitwiseAnd(~bit(signal), ordering: .acquiringAndReleasing).oldValue & bit(signal) != 0
  }

  /// Makes `wakeDescriptor` unreadable until the next signal.
  static func drainWakePipe() {
    var scrap: UInt64 = 0
    while read(wakePipe.read, &scrap, 8) > 0 {}
  }

  private static func put(_ signal: Int32) {
    pending.bitwiseOr(bit(signal), ordering: .acquiringAndReleasing)
    var byte: UInt8 = 0
    _ = write(wakePipe.write, &byte, 1)
  }

  /// The place of `signal` in a mask.
  static func bit(_ signal: Int32) -> UInt64 {
    1 << UInt64(signal)
  }
}
