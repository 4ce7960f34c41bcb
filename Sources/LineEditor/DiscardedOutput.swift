import CLibEdit

/// A stream that discards what libedit draws, and notices only the bell.
final class DiscardedOutput {
  let stream: UnsafeMutablePointer<FILE>
  private let bytes: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: UnsafeMutablePointer<Int>

  /// Nil if there is no memory for it.
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

  /// Returns whether the bell rang since the last call.
  func takeBell() -> Bool { takeBytes { $0.contains(0x07) } }

  /// Returns what was written since the last call.
  func takeText() -> String {
    takeBytes { String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
  }

  private func takeBytes<Result>(_ look: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
    fflush(stream)
    let result = look(UnsafeBufferPointer(start: bytes.pointee, count: count.pointee))
    fseek(stream, 0, SEEK_SET)
    return result
  }
}
