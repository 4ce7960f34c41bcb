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
