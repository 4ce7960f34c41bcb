import ScriptRuntime

/// What a statement printed, in as little room as it takes, if it is not too much.
package struct KeptOutput {
  /// The most bytes that are kept of one statement.
  static let largest = 1 << 20
  /// The most bytes that are kept of all statements.
  static let largestOfAll = 16 << 20

  private enum Content {
    /// The lines, each with its line end.
    case bytes([UInt8])
    /// It is not wanted, or was too much.
    case nothing
  }

  private var content = Content.bytes([])
  private let isBound: Bool

  /// - Parameter isBound: Whether too much is forgotten.
  init(isBound: Bool = true) { self.isBound = isBound }

  /// No output is kept.
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

  /// The lines; nil if they were too much to be kept.
  package var lines: [String]? {
    switch content {
    case .bytes(let bytes):
      bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
    case .nothing: nil
    }
  }

  mutating func forget() { content = .nothing }

  /// Adds what an event prints.
  mutating func add(_ event: Event) {
    guard case .bytes(var bytes) = content else { return }
    content = .nothing
    for lines in event.unmeasured.textPieces {
      for line in lines {
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
      }
      // A longer list is not even worded.
      if isBound, bytes.count > Self.largest { return }
    }
    content = .bytes(bytes)
  }
}
