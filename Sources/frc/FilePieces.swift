import Foundation
import Glibc
import ScriptRuntime

/// Reads a file by pieces of 64 kB.
final class FilePieces: PieceReader {
  private let handle: FileHandle
  let byteCount: Int?

  init(_ path: String) throws(UnreadableSource) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw UnreadableSource(errno) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var file = stat()
    let isKnown = fstat(descriptor, &file) == 0
    if isKnown, file.isFolder { throw UnreadableSource(EISDIR) }
    // Of a pipe nobody knows how much will come.
    byteCount = isKnown && file.isPlainFile ? Int(file.st_size) : nil
  }

  func read() throws(UnreadableSource) -> [UInt8]? {
    do {
      return try handle.read(upToCount: 1 << 16).flatMap { $0.isEmpty ? nil : Array($0) }
    } catch {
      throw UnreadableSource(reason: "it cannot be read any further")
    }
  }
}
