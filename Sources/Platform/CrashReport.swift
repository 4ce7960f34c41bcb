import CLibrary

/// Bytes that are written when an error of the program itself stops it.
///
/// The handler of a signal may do next to nothing. So the bytes are kept, and all that is left to
/// do is to write them.
package enum CrashReport {
  // Only one thread of the program writes these; the handler, which reads them,
  // runs in its place.
  nonisolated(unsafe) private static var bytes: UnsafeMutablePointer<UInt8>?
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var capacity = 0
  nonisolated(unsafe) private static var target: Int32 = 1

  /// Writes the bytes from now on when the program is stopped by a trap or by a
  /// memory error.
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

  /// Gives the calling thread a stack for the handler, which has none left where the thread's own
  /// has overflowed.
  ///
  /// It is never freed: a thread of tests lives as long as the program.
  package static func useOwnStack() {
    let size = 1 << 16
    var stack = stack_t()
    stack.ss_sp = malloc(size)
    stack.ss_size = size
    stack.ss_flags = 0
    sigaltstack(&stack, nil)
  }

  /// Puts a text in place of what there was before.
  package static func begin(with text: String) {
    count = 0
    append(text)
  }

  /// Puts bytes in place of those before.
  package static func begin(with bytes: [UInt8]) {
    count = 0
    append(bytes)
  }

  /// Adds a text.
  package static func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Adds bytes.
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

  /// Writes what there is, as the handler of a crash does: it takes no memory.
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
