import ScriptRuntime

/// The output of a statement in compact form, if it is not too large.
package struct KeptOutput {
  /// The largest number of bytes that are kept of one statement.
  static let largest = 1 << 20
  /// The largest number of bytes that are kept of all statements.
  static let largestOfAll = 16 << 20

  private enum Content {
    /// The lines, each with its line end.
    case bytes([UInt8])
    /// The output was not wanted, or was too large.
    case nothing
  }

  private var content = Content.bytes([])
  private let isBound: Bool

  /// - Parameter isBound: Whether output that is too large is dropped.
  init(isBound: Bool = true) { self.isBound = isBound }

  /// An output that keeps nothing.
  static var none: KeptOutput {
    var output = KeptOutput()
    output.forget()
    return output
  }

  var byteCount: Int {
    switch content {
    case .bytes(let bytes): bytes.count
    case .nothing: 0
    }
  }

  /// The lines; nil if they were too large to keep.
  package var lines: [String]? {
    switch content {
    case .bytes(let bytes):
      bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
    case .nothing: nil
    }
  }

  mutating func forget() { content = .nothing }

  /// Adds the lines that an event prints.
  mutating func add(_ event: Event) {
    guard case .bytes(var bytes) = content else { return }
    content = .nothing
    for lines in event.unmeasured.textPieces {
      for line in lines {
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
      }
      // Once the output is too large, no more lines are made.
      if isBound, bytes.count > Self.largest { return }
    }
    content = .bytes(bytes)
  }
}
