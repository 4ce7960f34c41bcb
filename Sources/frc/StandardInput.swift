import Glibc
import ScriptSyntax

/// Standard input as a script.
enum StandardInput {
  /// Reads all of it, every byte as it is.
  static func read() -> SourceText {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(0, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return SourceText(name: "stdin", bytes: bytes)
  }
}
