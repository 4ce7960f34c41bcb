import Glibc

/// A text that is printed where a fault of the program's own stops it.
///
/// The handler of a signal may do next to nothing, so the text lies ready as
/// bytes, and all that is left to do is to write them.
enum CrashReport {
  // Only the program's one thread writes these; the handler, which reads them,
  // runs in its place.
  nonisolated(unsafe) private static var bytes: UnsafeMutablePointer<UInt8>?
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var capacity = 0

  /// Prints the text from now on where the program is stopped by a trap or a
  /// fault of memory.
  static func install() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] {
      signal(number) { number in
        CrashReport.write()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Puts a text in place of the one before.
  static func begin(with text: String) {
    count = 0
    append(text)
  }

  static func append(_ text: String) {
    var text = text
    text.withUTF8 { added in
      if count + added.count > capacity {
        capacity = 2 * (count + added.count)
        bytes = realloc(bytes, capacity)?.assumingMemoryBound(to: UInt8.self)
      }
      guard let bytes, let start = added.baseAddress else { return }
      memcpy(bytes + count, start, added.count)
      count += added.count
    }
  }

  private static func write() {
    guard let bytes else { return }
    var written = 0
    while written < count {
      let length = Glibc.write(1, bytes + written, count - written)
      guard length > 0 else { return }
      written += length
    }
  }
}
