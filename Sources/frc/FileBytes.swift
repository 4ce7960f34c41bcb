import Glibc
import ScriptRuntime

/// Whole files, and what is none but has a path: a pipe, a terminal, a device.
enum FileBytes {
  /// Returns what a path leads to.
  static func read(_ path: String) throws(UnreadableSource) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw UnreadableSource(errno) }
    defer { close(descriptor) }
    return try read(from: descriptor)
  }

  /// Returns what is left to read, up to the end.
  static func read(from descriptor: Int32) throws(UnreadableSource) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw UnreadableSource(errno) }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  /// Writes all bytes.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(UnwritableFile) {
    if let number = failure(writing: bytes, to: descriptor) { throw UnwritableFile(number) }
  }

  /// Writes all bytes, and returns the system's number for what kept it from
  /// that; nil where nothing did.
  static func failure(writing bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = Glibc.write(
          descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { return errno }
        written += count
      }
      return nil
    }
  }
}

/// A file that cannot be written, and why, in words.
struct UnwritableFile: Error, Equatable {
  let reason: String
}

extension UnwritableFile {
  /// Why the system refused, by its number.
  init(_ number: Int32) { self.init(reason: SystemReason.words(for: number)) }
}

extension UnreadableSource {
  /// Why the system refused, by its number.
  init(_ number: Int32) { self.init(reason: SystemReason.words(for: number)) }
}

/// Why the system refuses what is asked of a file.
enum SystemReason {
  /// The words for one of the system's numbers.
  static func words(for number: Int32) -> String {
    switch number {
    case ENOENT: "no such file"
    case EISDIR: "it is a folder"
    default: String(cString: strerror(number)).lowercased()
    }
  }
}

extension stat {
  var isPlainFile: Bool { st_mode & S_IFMT == S_IFREG }

  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}
