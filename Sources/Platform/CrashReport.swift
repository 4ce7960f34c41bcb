import CLibrary

/// A text that is printed when an error of the program itself stops it.
///
/// The handler of a signal may do next to nothing. So the text is kept as
/// bytes, and all that is left to do is to write them.
package enum CrashReport {
  // Only the program's one thread writes these; the handler, which reads them,
  // runs in its place.
  nonisolated(unsafe) private static var bytes: UnsafeMutablePointer<UInt8>?
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var capacity = 0

  /// Prints the text from now on when the program is stopped by a trap or by a
  /// memory error.
  package static func install() {
    for crash in Signal.crashes {
      signal(crash.number) { number in
        CrashReport.write()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Puts a text in place of the one before.
  package static func begin(with text: String) {
    count = 0
    append(text)
  }

  /// Adds to the text.
  package static func append(_ text: String) {
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
      let length = SystemCalls.write(1, bytes + written, count - written)
      guard length > 0 else { return }
      written += length
    }
  }
}
