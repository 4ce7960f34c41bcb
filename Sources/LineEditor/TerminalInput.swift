import CLibEdit
package import Platform

/// Characters from a terminal, as they are typed.
///
/// Bytes are read one at a time, so that the next reader of the terminal gets what was typed ahead.
/// Only a paste is read in large pieces.
package final class TerminalInput {
  /// The results of `next(…)`.
  package enum Event: Equatable {
    case scalar(Unicode.Scalar)
    /// A signal is in the inbox.
    case signal
    /// Nothing was typed in time.
    case timeout
    case end
  }

  private let descriptor: FileDescriptor
  private var bytes: [UInt8] = []
  private var position = 0
  /// The end of what was added to the bytes; 0 if all were read.
  private var addedEnd = 0
  /// The bytes of an incomplete character.
  private var partial: [UInt8] = []

  /// Creates an input that reads from a terminal, or from any other descriptor.
  ///
  /// - Parameter typedAhead: Bytes that were read earlier and come first.
  package init(_ descriptor: FileDescriptor, typedAhead: [UInt8] = []) {
    self.descriptor = descriptor
    bytes = typedAhead
  }

  /// Waits for the next character.
  ///
  /// - Parameters:
  ///   - milliseconds: How long to wait; nil waits for ever.
  ///   - bulk: Whether to read more than is needed.
  /// - Returns: The character, or the reason why there is none.
  package func next(within milliseconds: Int32? = nil, bulk: Bool = false) -> Event {
    while true {
      while position < bytes.count {
        let byte = bytes[position]
        guard partial.isEmpty || byte & 0xC0 == 0x80 else {
          // The previous character was incomplete; this byte begins the next one.
          partial.removeAll()
          return .scalar("\u{FFFD}")
        }
        position += 1
        partial.append(byte)
        if partial.count == Self.length(ofLead: partial[0]) {
          let text = String(decoding: partial, as: UTF8.self)
          partial.removeAll()
          let scalars = text.unicodeScalars
          return .scalar(scalars.count == 1 ? scalars.first ?? "\u{FFFD}" : "\u{FFFD}")
        }
      }
      if let event = fill(within: milliseconds, bulk: bulk) { return event }
      // These bytes were typed after the signal. They stay until it is answered.
      if Self.isDiscarding { return .signal }
    }
  }

  /// Whether Ctrl-C or Ctrl-Z was typed, at which the system discards what was typed before.
  private static var isDiscarding: Bool {
    PendingSignals.contains(.interrupt) || PendingSignals.contains(.stop)
  }

  /// Adds a text that comes before all other input.
  ///
  /// - Returns: Whether there was room for it: a text that types itself again has no end.
  func typeAhead(_ text: String) -> Bool {
    let rest = bytes[position...]
    guard text.utf8.count + rest.count <= Self.mostTypedAhead else { return false }
    addedEnd = text.utf8.count + max(0, addedEnd - position)
    bytes = Array(text.utf8) + rest
    position = 0
    return true
  }

  /// Discards what `typeAhead(_:)` has added.
  func dropTypedAhead() { position = max(position, addedEnd) }

  private static var mostTypedAhead: Int { 1 << 16 }

  /// Whether there is input that has not been returned yet.
  var isReady: Bool {
    position < bytes.count || descriptor.isReady
  }

  /// Whether only a part of a character has been read.
  var isWithinCharacter: Bool { !partial.isEmpty }

  /// Discards what was read and not used.
  func flush() {
    bytes.removeAll()
    position = 0
    addedEnd = 0
    dropPartial()
  }

  /// Discards an incomplete character.
  func dropPartial() { partial.removeAll() }

  /// Reads at least one byte.
  ///
  /// - Returns: The reason why there is none; nil if there is one.
  private func fill(within milliseconds: Int32?, bulk: Bool) -> Event? {
    let waited = FileDescriptor.wait(
      for: [descriptor, PendingSignals.wakeDescriptor], milliseconds: milliseconds)
    switch waited {
    case .ready(let places):
      if places.contains(1) {
        PendingSignals.drainWakePipe()
        return .signal
      }
      // What is ready was typed after the signal. It is not read before the signal is answered,
      // because a paste that the signal ends is discarded with all that was read.
      if Self.isDiscarding { return .signal }
    case .timeout: return .timeout
    case .interrupted: return .signal
    case .failed: return .end
    }

    position = 0
    addedEnd = 0
    do throws(SystemError) {
      bytes = try descriptor.readOnce(upTo: bulk ? 4096 : 1)
      return bytes.isEmpty ? .end : nil
    } catch {
      bytes = []
      return error.mayPass ? .signal : .end
    }
  }

  /// Returns the number of bytes in a character that begins with `byte`; 1 for a byte that begins
  /// no character.
  private static func length(ofLead byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}

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
