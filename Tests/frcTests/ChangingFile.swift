import Foundation
import Glibc

/// A file that says something else each time that somebody has read it.
final class ChangingFile: Sendable {
  private let watch: Int32

  /// Writes the file with the first of the texts.
  ///
  /// The next stands in it once it was read and closed, and the last one stays.
  init(_ file: URL, saying texts: [String]) throws {
    try Data((texts.first ?? "").utf8).write(to: file)
    watch = inotify_init1(Int32(IN_CLOEXEC))
    guard watch >= 0, inotify_add_watch(watch, file.path, UInt32(IN_CLOSE_NOWRITE)) >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    let (watch, rest) = (watch, texts.dropFirst())
    Thread.detachNewThread {
      var rest = rest
      // One event of a watched file has no name behind it.
      var event = inotify_event()
      while let text = rest.first,
        read(watch, &event, MemoryLayout<inotify_event>.size) > 0
      {
        try? Data(text.utf8).write(to: file)
        rest.removeFirst()
      }
    }
  }

  deinit { close(watch) }
}
