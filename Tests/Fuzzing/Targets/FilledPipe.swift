import CLibrary
import Platform

/// A pipe that contains bytes, and whose writing end is closed.
final class FilledPipe {
  let descriptor: FileDescriptor

  init(_ bytes: some Collection<UInt8>) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(code: errno) }
    descriptor = FileDescriptor(ends[0])
    defer { close(ends[1]) }
    try FileDescriptor(ends[1]).write(bytes)
  }

  deinit { close(descriptor.number) }
}
