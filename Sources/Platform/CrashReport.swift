import CLibrary

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
