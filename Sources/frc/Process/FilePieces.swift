import Platform
import ScriptRuntime

/// Reads a regular file in pieces of 64 kB.
final class FilePieces: PieceReader {
  private let file: OpenFile
  let byteCount: Int?
  /// The number of bytes that are left to read.
  ///
  /// Bytes that are appended in the meantime are not read, because then reading might never end.
  private var rest: Int

  init(_ file: consuming OpenFile) throws(UnreadableSource) {
    do throws(SystemError) {
      let size = try file.status().size
      byteCount = size
      // Some file systems do not give the size of files.
      rest = size > 0 ? size : Permissions.mostBytes
      self.file = file
    } catch {
      throw UnreadableSource(error)
    }
  }

  func read() throws(UnreadableSource) -> [UInt8]? {
    do throws(SystemError) {
      let piece = try file.descriptor.read(upTo: min(rest, 1 << 16))
      rest -= piece.count
      return piece.isEmpty ? nil : piece
    } catch {
      throw UnreadableSource(reason: "it cannot be read any further")
    }
  }
}
