import CLibrary

/// A signal that the system sends to a process.
package struct Signal: Hashable, Sendable {
  /// The system's number.
  package let number: Int32

  /// Names a signal by the system's number.
  package init(number: Int32) { self.number = number }

  /// Ctrl-C.
  package static let interrupt = Signal(number: SIGINT)
  /// Someone asks the program to end.
  package static let terminate = Signal(number: SIGTERM)
  /// The terminal went away.
  package static let hangUp = Signal(number: SIGHUP)
  /// Ctrl-\.
  package static let quit = Signal(number: SIGQUIT)
  /// The reader of a pipe went away.
  package static let brokenPipe = Signal(number: SIGPIPE)
  /// Ctrl-Z.
  package static let stop = Signal(number: SIGTSTP)
  /// The program goes on after a stop.
  package static let resume = Signal(number: SIGCONT)
  /// The terminal's window has another size.
  package static let resize = Signal(number: SIGWINCH)
  /// A file would grow beyond its limit.
  package static let fileTooLarge = Signal(number: SIGXFSZ)

  /// Ends a process that does not react to anything else.
  package static let kill = Signal(number: SIGKILL)
  /// A program gives itself up.
  package static let abort = Signal(number: SIGABRT)

  /// The signal's name and what it means: `SIGSEGV, Segmentation fault`.
  package var words: String {
    let meaning = strsignal(number).map { String(cString: $0) }
    let names = [
      SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGSEGV: "SIGSEGV",
      SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM",
      SIGXCPU: "SIGXCPU",
    ]
    return (names[number] ?? "signal \(number)") + (meaning.map { ", \($0)" } ?? "")
  }

  /// The signals by which the system ends a program for an error of its own.
  package static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE].map {
    Signal(number: $0)
  }

  /// What a process does when a signal comes.
  ///
  /// It may do next to nothing: set atomics, write to a descriptor.
  package typealias Handler = @convention(c) (Int32) -> Void

  /// A handler that is told also where the signal came from; see ``wasSent(_:)``.
  package typealias DetailedHandler =
    @convention(c) (Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

  /// Whether a process sent the signal, rather than the terminal for a key.
  ///
  /// - Parameter details: The second argument of the handler, while it runs.
  package static func wasSent(_ details: UnsafeMutableRawPointer?) -> Bool {
    details?.assumingMemoryBound(to: siginfo_t.self).pointee.wasSent ?? false
  }

  /// What a process did with a signal before.
  package struct Action {
    fileprivate var action: sigaction
  }

  /// Calls `handler` from now on when the signal comes, and ends waits.
  ///
  /// The calling thread takes the signal also where whoever started the process had blocked it,
  /// which a process inherits. A signal that is only blocked would wait for ever.
  ///
  /// - Returns: What was done before, or nil if the signal is ignored and stays so, as Ctrl-C is in
  ///   a background job.
  package func handle(with handler: DetailedHandler) -> Action? {
    guard !isIgnored else { return nil }
    var previous = sigaction()
    sigaction(number, nil, &previous)
    // No SA_RESTART: a wait must end.
    var action = sigaction()
    action.sa_flags = SA_SIGINFO
    action.setHandler(unsafeBitCast(handler, to: Handler.self))
    sigaction(number, &action, nil)
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, number)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    return Action(action: previous)
  }

  /// Does with the signal again what was done before.
  package func restore(_ previous: Action) {
    var previous = previous.action
    sigaction(number, &previous, nil)
  }

  /// Whether the process ignores the signal, as Ctrl-C in a background job.
  package var isIgnored: Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.handlerBits == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Does what the system does with the signal if nothing else was asked.
  package func useDefault() { signal(number, SIG_DFL) }

  /// Ignores the signal from now on.
  package func ignore() { signal(number, SIG_IGN) }

  /// Keeps the signal from the calling thread: a write to a pipe without a reader then fails, and
  /// nothing else happens.
  package func block() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Sends the signal to this process.
  package func send() { raise(number) }
}

/// A pipe by which the handler of a signal wakes whoever waits.
package struct WakePipe: Sendable {
  /// Becomes readable when the pipe was written to.
  ///
  /// -1 if there was no pipe to be had; then a signal is seen because it interrupts the wait.
  package let reader: FileDescriptor
  private let writer: FileDescriptor

  /// Makes a pipe.
  package init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    } else {
      ends = [-1, -1]
    }
    (reader, writer) = (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
  }

  /// Makes ``reader`` readable.
  ///
  /// The handler of a signal may call it: it leaves the last error's number as
  /// it was.
  package func wake() {
    let savedError = errno
    var byte: UInt8 = 0
    _ = SystemCalls.write(writer.number, &byte, 1)
    errno = savedError
  }

  /// Makes ``reader`` unreadable until the next call of ``wake()``.
  package func drain() {
    var scrap: UInt64 = 0
    while read(reader.number, &scrap, 8) > 0 {}
  }
}
