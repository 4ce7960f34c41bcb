import Platform

/// A file that is written piece by piece: a regular one is emptied first, and whatever
/// else has a path, such as a pipe or a terminal, stays what it is.
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

  /// Writes bytes in one call of the system, if it takes them all.
  func write(_ bytes: [UInt8]) throws(UnwritableFile) {
    do throws(SystemError) {
      try descriptor.write(bytes)
    } catch {
      throw UnwritableFile(error)
    }
  }
}
