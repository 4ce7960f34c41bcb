import Foundation
import Glibc

/// A file whose contents change each time it was read.
final class ChangingFile: Sendable {
  private let watch: Int32

  /// Writes the file with the first of the texts.
  ///
  /// Each time the file was read and closed, the next text replaces it. The last one stays.
  init(_ file: URL, saying texts: [String]) throws {
    try Data((texts.first ?? "").utf8).write(to: file)
    watch = inotify_init1(Int32(IN_CLOEXEC))
    guard watch >= 0, inotify_add_watch(watch, file.path, UInt32(IN_CLOSE_NOWRITE)) >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    let (watch, rest) = (watch, texts.dropFirst())
    Thread.detachNewThread {
      var rest = rest
      // An event of a watched file has no name after it.
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
