import CLibEdit

/// A stream that keeps nothing of what libedit draws, but for the bell.
final class DiscardedOutput {
  let stream: UnsafeMutablePointer<FILE>
  private let bytes: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: UnsafeMutablePointer<Int>

  /// Nil where there is no memory for it.
  init?() {
    bytes = .allocate(capacity: 1)
    count = .allocate(capacity: 1)
    bytes.initialize(to: nil)
    count.initialize(to: 0)
    guard let stream = open_memstream(bytes, count) else {
      bytes.deallocate()
      count.deallocate()
      return nil
    }
    self.stream = stream
  }

  deinit {
    fclose(stream)
    free(bytes.pointee)
    bytes.deallocate()
    count.deallocate()
  }

  /// Whether the bell was rung since this was asked last.
  func takeBell() -> Bool {
    fflush(stream)
    let written = UnsafeBufferPointer(start: bytes.pointee, count: count.pointee)
    let isRung = written.contains(0x07)
    fseek(stream, 0, SEEK_SET)
    return isRung
  }
}
