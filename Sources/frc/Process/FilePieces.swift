import Platform
import ScriptRuntime

/// Reads a file by pieces of 64 kB.
final class FilePieces: PieceReader {
  private let file: OpenFile
  let byteCount: Int?

  init(_ path: String) throws(UnreadableSource) {
    do throws(SystemError) {
      let file = try OpenFile(path, .reading)
      let status = try file.status()
      if status.kind == .folder { throw .folder }
      // The length of a pipe is unknown.
      byteCount = status.kind == .regular ? status.size : nil
      self.file = file
    } catch {
      throw UnreadableSource(error)
    }
  }

  func read() throws(UnreadableSource) -> [UInt8]? {
    do throws(SystemError) {
      let piece = try file.descriptor.read(upTo: 1 << 16)
      return piece.isEmpty ? nil : piece
    } catch {
      throw UnreadableSource(reason: "it cannot be read any further")
    }
  }
}
