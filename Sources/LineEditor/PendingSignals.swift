import Platform
import Synchronization

/// The signals that have come and wait for an answer.
///
/// A signal handler may do almost nothing. So it only records the signal here and makes
/// `wakeDescriptor` readable. Everything else is done outside of the handler.
enum PendingSignals {
  /// The signals, one bit for each number.
  private static let pending = Atomic<UInt64>(0)

  /// The signals among them that a key sent, one bit each.
  private static let typed = Atomic<UInt64>(0)

  private static let wakePipe = WakePipe()

  /// A descriptor that becomes readable when a signal comes.
  static var wakeDescriptor: FileDescriptor { wakePipe.reader }

  /// Collects `signal` from now on.
  ///
  /// - Parameter endsProgram: Whether the signal ends the program if it is not answered within a
  ///   second.
  /// - Returns: The signal's previous action; nil if it is ignored and stays so.
  @discardableResult
  static func accept(_ signal: Signal, endsProgram: Bool = false) -> Signal.Action? {
    // These are initialized here and not in the handler, which could interrupt the initialization
    // and wait for ever.
    _ = wakePipe
    _ = pending.load(ordering: .relaxed)
    _ = typed.load(ordering: .relaxed)
    guard endsProgram else {
      return signal.handle { number, details, _ in
        PendingSignals.put(Signal(number: number), isKey: !Signal.wasSent(details))
      }
    }
    return signal.handle { number, details, _ in
      PendingSignals.put(Signal(number: number), isKey: !Signal.wasSent(details))
      TerminalRestorer.startDeadline(for: number)
    }
  }

  /// Whether `signal` has come.
  static func contains(_ signal: Signal) -> Bool {
    pending.load(ordering: .acquiring) & bit(signal) != 0
  }

  /// Whether one of the signals in a mask has come.
  static func containsAny(of mask: UInt64) -> Bool {
    pending.load(ordering: .acquiring) & mask != 0
  }

  /// Removes `signal`.
  ///
  /// - Returns: Whether it was there.
  static func take(_ signal: Signal) -> Bool { takeOrigin(of: signal) != nil }

  /// Removes `signal`.
  ///
  /// - Returns: The origin of the signal; nil if it was not there.
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
    if signal == .interrupt { InterruptFlag.notePress() }
    if isKey { typed.bitwiseOr(bit(signal), ordering: .acquiringAndReleasing) }
    pending.bitwiseOr(bit(signal), ordering: .acquiringAndReleasing)
    wakePipe.wake()
  }

  /// Returns the bit of `signal` in a mask.
  static func bit(_ signal: Signal) -> UInt64 {
    1 << UInt64(signal.number)
  }
}

/// The origin of a signal.
enum SignalOrigin {
  /// A key sent it. The system has discarded the unread input from before it.
  case key
  /// Another program sent it, or this one. The input is still to be read.
  case process
}

/// A flag that says whether Ctrl-C was pressed since it was last lowered.
///
/// It is also raised by another signal that must end the program in good order.
///
/// While a statement runs, Ctrl-C only raises the flag; the statement asks for it from time to time
/// and stops. A `LineReader` lowers it when it begins to read a statement. Signals belong to the
/// whole process, so there are no instances.
package enum InterruptFlag {
  /// Makes SIGINT raise the flag instead of ending the program.
  ///
  /// Waiting system calls are interrupted (`EINTR`). A signal that is ignored, as SIGINT is in a
  /// background job, is still ignored.
  ///
  /// - Parameter endsProgram: Whether the program will end when the flag is raised. If so, SIGTERM,
  ///   SIGHUP and SIGPIPE raise it too.
  package static func install(endsProgram: Bool = false) {
    // These are initialized here and not in the handler.
    _ = isWorking.load(ordering: .relaxed)
    _ = firstPress.load(ordering: .relaxed)
    EndingSignals.prepare()
    let signals = endsProgram ? ending : [.interrupt]
    accepted.store(signals.reduce(0) { $0 | PendingSignals.bit($1) }, ordering: .relaxed)
    for signal in signals { PendingSignals.accept(signal) }
  }

  /// The signals that ask a program to end.
  private static let ending = [Signal.interrupt, .terminate, .hangUp, .brokenPipe]

  /// The signals that raise the flag, one bit each.
  private static let accepted = Atomic(PendingSignals.bit(.interrupt))

  /// Whether Ctrl-C or another accepted signal came and was not answered yet.
  ///
  /// This costs two atomic loads, which is cheap enough for an inner loop.
  package static var isRaised: Bool {
    PendingSignals.containsAny(of: accepted.load(ordering: .relaxed))
  }

  /// The exit status that shells expect of a program ended by the signal; nil if the flag is not
  /// raised.
  package static var exitStatus: Int32? {
    guard isRaised else { return nil }
    return ending.first(where: PendingSignals.contains).map { 128 + $0.number }
  }

  /// Forgets a Ctrl-C.
  package static func lower() {
    _ = PendingSignals.take(.interrupt)
  }

  // MARK: The second Ctrl-C

  /// Whether a prompt works on an entry, and does not read one.
  private static let isWorking = Atomic(false)

  /// When Ctrl-C was pressed during the work on the last entry, in nanoseconds; 0 if it was not.
  private static let firstPress = Atomic<UInt64>(0)

  /// How soon a second Ctrl-C ends a prompt, in nanoseconds.
  private static let patience: UInt64 = 1_000_000_000

  /// The exit status of a prompt that the second Ctrl-C ends.
  package static let secondPressStatus = 128 + Signal.interrupt.number

  /// Whether Ctrl-C has stopped the work on the last entry, less than a second ago.
  ///
  /// If a reader returns `.interrupted` then, the prompt must end.
  package static var isPressedAgain: Bool { isAgain(at: Signal.time) }

  private static func isAgain(at time: UInt64) -> Bool {
    let first = firstPress.load(ordering: .acquiring)
    return first != 0 && time &- first <= patience
  }

  /// Lowers the flag, because a prompt begins to read an entry.
  static func beginReading() {
    isWorking.store(false, ordering: .releasing)
    lower()
  }

  /// From now on, the second Ctrl-C within a second ends the prompt.
  ///
  /// A prompt calls it when it has read an entry, and when it starts; see ``EndingSignals``.
  package static func beginWork() {
    firstPress.store(0, ordering: .releasing)
    isWorking.store(true, ordering: .releasing)
  }

  /// Records the time of a Ctrl-C; for a signal handler.
  static func notePress() {
    guard isWorking.load(ordering: .acquiring) else { return }
    let time = Signal.time
    if isAgain(at: time) { return EndingSignals.end(by: .interrupt) }
    firstPress.store(time, ordering: .releasing)
  }
}

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
  /// Until when the signal that ended a stop may come.
  ///
  /// The system may give it to another thread, a moment after this one continues.
  private var resumeEnd: ContinuousClock.Instant?

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
  mutating func next(leavesInterrupt: Bool = false) -> Need? {
    for signal in Self.fatal where PendingSignals.take(signal) {
      return .end(signal: signal)
    }
    if leavesInterrupt {
      if PendingSignals.contains(.interrupt) { return .drop(.key) }
    } else if let origin = PendingSignals.takeOrigin(of: .interrupt) {
      return .drop(origin)
    }
    if let origin = PendingSignals.takeOrigin(of: .stop) { return .stop(origin) }
    if PendingSignals.take(.resume), !endsStop() { return .resume }
    if PendingSignals.take(.resize) { return .resize }
    return nil
  }

  /// Whether a signal to continue ended the last stop, and so needs no answer of its own.
  private mutating func endsStop() -> Bool {
    defer { resumeEnd = nil }
    return resumeEnd.map { .now < $0 } ?? false
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
    if signal == .stop {
      resumeEnd = PendingSignals.take(.resume) ? nil : .now + .milliseconds(500)
    }
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

/// Removes the program's temporary files before a signal ends it, whatever the program is doing.
///
/// This is for a prompt, which has no answer of its own to these signals while a statement or
/// another program runs.
package enum EndingSignals {
  private static let signals = [Signal.terminate, .hangUp, .quit]
  /// The number of the signal that has come; 0 for none.
  private static let arrived = Atomic<Int32>(0)
  /// Whether someone waits for the signals.
  private static let isInstalled = Atomic(false)
  private static let wakePipe = WakePipe()
  /// Locked while something is written.
  private static let lock = Mutex(())

  /// Lets SIGTERM, SIGHUP and SIGQUIT wake ``endWhenAsked(farewell:)`` instead of ending the
  /// program.
  package static func install() {
    prepare()
    isInstalled.store(true, ordering: .releasing)
    for signal in signals {
      _ = signal.handle { number, _, _ in
        EndingSignals.end(by: Signal(number: number))
      }
    }
  }

  /// Lets a signal end the program, if it has a prompt; for a signal handler.
  static func end(by signal: Signal) {
    guard isInstalled.load(ordering: .acquiring) else { return }
    arrived.store(signal.number, ordering: .releasing)
    wakePipe.wake()
  }

  /// Initializes everything here that a handler uses.
  static func prepare() {
    _ = wakePipe
    _ = arrived.load(ordering: .relaxed)
    _ = isInstalled.load(ordering: .relaxed)
  }

  /// Waits for one of the signals, removes the temporary files, and lets the signal end the program.
  ///
  /// The second Ctrl-C within a second does the same, with the exit status of a program that Ctrl-C
  /// ends. Call it on a thread of its own.
  ///
  /// - Parameter farewell: What a terminal shows after the second Ctrl-C.
  package static func endWhenAsked(farewell: String) {
    while arrived.load(ordering: .acquiring) == 0 {
      _ = FileDescriptor.wait(for: [wakePipe.reader], milliseconds: 1000)
    }
    TemporaryFolder.removeAll()
    let signal = Signal(number: arrived.load(ordering: .acquiring))
    if signal == .interrupt {
      // What is being written ends first, unless the terminal accepts nothing.
      for _ in 0..<50 {
        lock.withLockIfAvailable { _ in endWithFarewell(farewell) }
        _ = FileDescriptor.wait(for: [], milliseconds: 2)
      }
      endWithFarewell(farewell)
    }
    signal.useDefault()
    signal.send()
  }

  private static func endWithFarewell(_ farewell: String) {
    TerminalRestorer.perform()
    if FileDescriptor.standardError.isTerminal {
      try? FileDescriptor.standardError.write(farewell.utf8)
    }
    ProcessCalls.endAtOnce(status: InterruptFlag.secondPressStatus)
  }

  /// Calls `body`, which writes to the terminal.
  ///
  /// If one of the signals has come, it waits for the end of the program instead, so that nothing
  /// follows the farewell.
  package static func writing<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let result = lock.withLock { _ -> Result<Void, Failure>? in
      arrived.load(ordering: .acquiring) == 0 ? Result(catching: body) : nil
    }
    if let result { return try result.get() }
    waitForEnd()
  }

  /// Waits for the end of the program if one of the signals has come.
  ///
  /// The terminal must be in its original mode, and would not be restored after this.
  static func waitForEnd() {
    while arrived.load(ordering: .acquiring) != 0 {
      _ = FileDescriptor.wait(for: [], milliseconds: 1000)
    }
  }
}
