import CLibrary

/// A signal that the system sends to a process.
package struct Signal: Hashable, Sendable {
  /// The system's number.
  package let number: Int32

  /// Creates a signal from the system's number.
  package init(number: Int32) { self.number = number }

  /// Ctrl-C.
  package static let interrupt = Signal(number: SIGINT)
  /// A request to end the program.
  package static let terminate = Signal(number: SIGTERM)
  /// The terminal was closed.
  package static let hangUp = Signal(number: SIGHUP)
  /// Ctrl-\.
  package static let quit = Signal(number: SIGQUIT)
  /// The reader of a pipe has closed it.
  package static let brokenPipe = Signal(number: SIGPIPE)
  /// Ctrl-Z.
  package static let stop = Signal(number: SIGTSTP)
  /// The program continues after a stop.
  package static let resume = Signal(number: SIGCONT)
  /// The size of the terminal window changed.
  package static let resize = Signal(number: SIGWINCH)
  /// A file would exceed its size limit.
  package static let fileTooLarge = Signal(number: SIGXFSZ)

  /// Ends a process that ignores other signals.
  package static let kill = Signal(number: SIGKILL)
  /// The program aborts itself.
  package static let abort = Signal(number: SIGABRT)

  /// The signal's name and meaning, such as `SIGSEGV, Segmentation fault`.
  package var words: String {
    let meaning = strsignal(number).map { String(cString: $0) }
    let names = [
      SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGSEGV: "SIGSEGV",
      SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM",
      SIGXCPU: "SIGXCPU",
    ]
    return (names[number] ?? "signal \(number)") + (meaning.map { ", \($0)" } ?? "")
  }

  /// The signals that end a program because of its own error.
  package static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE].map {
    Signal(number: $0)
  }

  /// A function that is called when a signal arrives.
  ///
  /// It may do almost nothing except set atomics and write to a descriptor.
  package typealias Handler = @convention(c) (Int32) -> Void

  /// A handler that also receives the source of the signal; see ``wasSent(_:)``.
  package typealias DetailedHandler =
    @convention(c) (Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

  /// Returns whether a process sent the signal.
  ///
  /// Otherwise the terminal did, because of a key.
  ///
  /// - Parameter details: The handler's second argument, while the handler runs.
  package static func wasSent(_ details: UnsafeMutableRawPointer?) -> Bool {
    details?.assumingMemoryBound(to: siginfo_t.self).pointee.wasSent ?? false
  }

  /// Nanoseconds since some moment in the past; a signal handler may ask for it.
  package static var time: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// The previous reaction of a process to a signal.
  package struct Action {
    fileprivate var action: sigaction
  }

  /// Installs a handler for the signal, which also interrupts waits.
  ///
  /// It unblocks the signal for the calling thread, because the parent process may have blocked it,
  /// and a blocked signal would stay pending forever.
  ///
  /// - Returns: The previous action; nil if the signal is ignored and stays so, like Ctrl-C in a
  ///   background job.
  package func handle(with handler: DetailedHandler) -> Action? {
    guard !isIgnored else { return nil }
    var previous = sigaction()
    sigaction(number, nil, &previous)
    // There is no SA_RESTART, because a wait must end.
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

  /// Restores a previous action for the signal.
  package func restore(_ previous: Action) {
    var previous = previous.action
    sigaction(number, &previous, nil)
  }

  /// Whether the process ignores the signal, like Ctrl-C in a background job.
  package var isIgnored: Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.handlerBits == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Restores the system's default action for the signal.
  package func useDefault() { signal(number, SIG_DFL) }

  /// Ignores the signal from now on.
  package func ignore() { signal(number, SIG_IGN) }

  /// Blocks the signal for the calling thread.
  ///
  /// A write to a pipe without a reader then only fails.
  package func block() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Sends the signal to this process.
  package func send() { raise(number) }
}

/// A pipe that a signal handler uses to wake a waiting thread.
package struct WakePipe: Sendable {
  /// Readable after a call of ``wake()``.
  ///
  /// -1 if the pipe could not be created. Then a signal is noticed because it interrupts the wait.
  package let reader: FileDescriptor
  private let writer: FileDescriptor

  /// Creates a pipe.
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
  /// A signal handler may call it, because it does not change `errno`.
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

/// Bytes to write if an error stops the program.
///
/// A signal handler may do almost nothing. So the bytes are prepared in advance, and the handler
/// only writes them.
package enum CrashReport {
  // Only one thread writes these. The handler, which reads them, runs on that same thread.
  nonisolated(unsafe) private static var bytes: UnsafeMutablePointer<UInt8>?
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var capacity = 0
  nonisolated(unsafe) private static var target: Int32 = 1

  /// Installs the handler, which writes the bytes if a trap or a memory error stops the program.
  ///
  /// - Parameter descriptor: Where to write.
  package static func install(writingTo descriptor: FileDescriptor = .standardOutput) {
    target = descriptor.number
    for crash in Signal.crashes {
      var action = sigaction()
      action.setHandler { number in
        CrashReport.write()
        signal(number, SIG_DFL)
        raise(number)
      }
      action.sa_flags = SA_ONSTACK
      sigaction(crash.number, &action, nil)
    }
  }

  /// Gives the calling thread a separate stack for the handler, which is needed if the thread's own
  /// stack overflows.
  ///
  /// It is never freed, because a thread of tests lives as long as the program.
  package static func useOwnStack() {
    let size = 1 << 16
    var stack = stack_t()
    stack.ss_sp = malloc(size)
    stack.ss_size = size
    stack.ss_flags = 0
    sigaltstack(&stack, nil)
  }

  /// Replaces the bytes with a text.
  package static func begin(with text: String) {
    count = 0
    append(text)
  }

  /// Replaces the bytes.
  package static func begin(with bytes: [UInt8]) {
    count = 0
    append(bytes)
  }

  /// Appends a text.
  package static func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Appends bytes.
  package static func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  private static func append(_ added: UnsafeBufferPointer<UInt8>) {
    if count + added.count > capacity {
      capacity = 2 * (count + added.count)
      bytes = realloc(bytes, capacity)?.assumingMemoryBound(to: UInt8.self)
    }
    guard let bytes, let start = added.baseAddress else { return }
    memcpy(bytes + count, start, added.count)
    count += added.count
  }

  /// Writes the bytes.
  ///
  /// A crash handler may call it, because it allocates no memory.
  package static func write() {
    guard let bytes else { return }
    var written = 0
    while written < count {
      let length = SystemCalls.write(target, bytes + written, count - written)
      guard length > 0 else { return }
      written += length
    }
  }
}
