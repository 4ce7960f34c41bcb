import Platform

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
    try FileEnvironment.refuseForeignLink(path)
    do throws(SystemError) {
      let file = try OpenFile(path, .emptying)
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
