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

/// A file that is written piece by piece.
///
/// A regular file is emptied first. Anything else with a path, such as a pipe or a terminal, is
/// written as it is.
final class FileWriter {
  private let opened: OpenFile?
  private let descriptor: FileDescriptor

  init(_ path: String) throws(UnwritableFile) {
    if let descriptor = FileEnvironment.openDescriptor(path) {
      opened = nil
      self.descriptor = descriptor
      return
    }
    let place = try FileEnvironment.place(of: path)
    do throws(SystemError) {
      let file = try place.open(.emptying)
      descriptor = file.descriptor
      opened = consume file
    } catch {
      throw FileEnvironment.refusal(error, path)
    }
  }

  /// Writes bytes, in one system call if possible.
  func write(_ bytes: [UInt8]) throws(UnwritableFile) {
    do throws(SystemError) {
      try descriptor.write(bytes)
    } catch {
      throw UnwritableFile(error)
    }
  }
}

/// A file that cannot be written, with the reason.
struct UnwritableFile: Error, Equatable {
  let reason: String
}

extension UnwritableFile {
  /// Creates the error from that of the system.
  init(_ error: SystemError) { self.init(reason: error.words) }
}

extension UnreadableSource {
  /// Creates the error from that of the system.
  init(_ error: SystemError) { self.init(reason: error.words) }
}
