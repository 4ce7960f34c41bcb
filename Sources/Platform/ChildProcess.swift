import CLibrary

/// A process that this one starts, with pipes for its standard input, standard output and standard
/// error.
package struct ChildProcess: ~Copyable {
  /// How a process ended.
  package enum End: Hashable, Sendable {
    case status(Int32)
    case signal(Signal)
  }

  /// The descriptor to write its standard input to.
  package let input: FileDescriptor
  /// The descriptor to read its standard output from.
  package let output: FileDescriptor
  /// The descriptor to read its standard error from.
  package let errors: FileDescriptor
  private let number: pid_t

  /// Starts a program in its own process group, so that it does not receive signals from this
  /// process's terminal.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: The arguments, without the program's name.
  /// - Throws: The system's error.
  package init(_ program: String, _ arguments: [String]) throws(SystemError) {
    let (input, output, errors) = (try Ends(), try Ends(), try Ends())
    var actions = SystemCalls.noSpawnActions
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.reader, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writer, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.writer, 2)
    var attributes = SystemCalls.noSpawnAttributes
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var number = pid_t()
    let code = posix_spawn(&number, program, &actions, &attributes, &words, environ)
    guard code == 0 else { throw SystemError(code: code) }
    self.number = number
    self.input = FileDescriptor(input.takeWriter())
    self.output = FileDescriptor(output.takeReader())
    self.errors = FileDescriptor(errors.takeReader())
  }

  /// The two ends of a pipe.
  ///
  /// Child processes do not inherit them.
  private final class Ends {
    private(set) var reader: Int32 = -1
    private(set) var writer: Int32 = -1

    init() throws(SystemError) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .last }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reader, writer) = (ends[0], ends[1])
    }

    deinit { for end in [reader, writer] where end >= 0 { close(end) } }

    func takeReader() -> Int32 {
      defer { reader = -1 }
      return reader
    }

    func takeWriter() -> Int32 {
      defer { writer = -1 }
      return writer
    }
  }

  /// Sends the process a signal.
  package borrowing func send(_ signal: Signal) { kill(number, signal.number) }

  /// Waits until the process has ended, and closes the pipes.
  package consuming func end() -> End {
    close(input.number)
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
    close(output.number)
    close(errors.number)
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(Signal(number: signal))
  }
}

/// Operations on the current process.
package enum ProcessCalls {
  /// Ends the program with an exit status.
  package static func end(status: Int32) -> Never { exit(status) }

  /// Ends the program immediately with an exit status, without exit handlers.
  package static func endAtOnce(status: Int32) -> Never { _exit(status) }

  /// Starts a thread, which ends by itself.
  ///
  /// Foundation's `Thread` needs some types of Foundation, which makes frc start later.
  ///
  /// - Parameter stackSize: In bytes.
  package static func startThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
    final class Work {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)
    let work = Unmanaged.passRetained(Work(body))
    var thread = SystemCalls.noThread
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        let argument: UnsafeMutableRawPointer? = argument
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    // If the system starts no thread, the work is dropped, as Foundation's `Thread` does.
    if status != 0 { work.release() }
  }

  /// Runs a shell command in this terminal, and waits until it ends.
  ///
  /// - Returns: 0 if the command succeeded.
  package static func runShell(_ command: String) -> Int32 { system(command) }
}

/// The environment variables of the process.
///
/// Foundation's `ProcessInfo.environment` builds a dictionary of all variables each time. That
/// takes a sixth of the time in which frc starts.
package enum ProcessEnvironment {
  /// Returns the value of a variable; nil if it is not set.
  package static subscript(name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Returns the value of a variable, or `fallback` if it is not set.
  package static subscript(name: String, default fallback: String) -> String {
    self[name] ?? fallback
  }

  /// Whether a continuous integration system started the process.
  package static var isContinuousIntegration: Bool { !self["CI", default: ""].isEmpty }
}

/// The memory that belongs to this process alone.
///
/// Pages of files, such as those of the program itself, do not count. The system reads them when
/// they are needed and drops them when it needs memory, and a large program reads many of them
/// while it runs.
package enum OwnMemory {
  /// The number of bytes; nil if the system does not give it.
  ///
  /// - Complexity: O(1), with three system calls.
  package static var bytes: Int? { SystemCalls.ownMemory }
}
