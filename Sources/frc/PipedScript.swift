import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// A script that comes through a pipe in parts.
///
/// Complete statements run when the pipe pauses, so that the writer sees results before the end.
///
/// A script that arrives at once is one part, and an error in it keeps all of it from running.
struct PipedScript {
  /// A part of the script, with lines counted from its start.
  struct Part {
    let source: SourceText
    /// Whether this is the last part.
    let isLast: Bool
  }

  private let descriptor: FileDescriptor
  /// How long nothing must arrive until this is a pause, in milliseconds.
  private static let pause: Int32 = 100

  private var bytes: [UInt8] = []
  /// Whether the present text is known to be incomplete.
  private var isWanting = false
  /// The number of lines in the earlier parts.
  private var lineCount = 0
  private var isAtEnd = false

  /// Returns nil if the input is a file, which never pauses.
  init?(_ descriptor: FileDescriptor = .standardInput) {
    guard let status = try? FileStatus(of: descriptor), status.kind != .regular else { return nil }
    self.descriptor = descriptor
  }

  /// Waits for the next part.
  ///
  /// - Returns: Nil if the program was asked to end.
  mutating func next() throws(UnreadableSource) -> Part? {
    while true {
      if isAtEnd { return part(bytes.count, isLast: true) }
      switch FileDescriptor.wait(for: [descriptor], milliseconds: Self.pause) {
      case .timeout:
        if InterruptFlag.isRaised { return nil }
        // Incomplete text waits for its rest without a time limit.
        let whole = isWanting ? 0 : wholeCount
        if whole > 0 { return part(whole, isLast: false) }
        isWanting = true
      case .interrupted:
        if InterruptFlag.isRaised { return nil }
      case .ready, .failed:
        try fill()
      }
    }
  }

  private mutating func fill() throws(UnreadableSource) {
    do throws(SystemError) {
      let piece = try descriptor.readOnce(upTo: 1 << 16)
      isAtEnd = piece.isEmpty
      bytes += piece
      isWanting = false
      if bytes.count > Permissions.mostScriptBytes { throw .tooLarge }
    } catch {
      if !error.mayPass { throw UnreadableSource(error) }
    }
  }

  /// The number of bytes that form complete lines and statements.
  private var wholeCount: Int {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return 0 }
    let text = String(decoding: bytes[...end], as: UTF8.self)
    guard text.contains(where: { !$0.isWhitespace }) else { return 0 }
    if ScriptParser.completeness(of: text) == .complete { return end + 1 }
    // This is the text before the incomplete statement.
    let source = SourceText(name: "", bytes: Array(bytes[...end]))
    for statement in ScriptParser.parse(source).statements.suffix(2).reversed() {
      let line = source.line(of: statement.range.upperBound)
      let count = min(source.range(ofLine: line).upperBound + 1, end + 1)
      let before = String(decoding: bytes[..<count], as: UTF8.self)
      if ScriptParser.completeness(of: before) == .complete { return count }
    }
    return 0
  }

  private mutating func part(_ count: Int, isLast: Bool) -> Part {
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: lineCount)
    let source = SourceText(name: StandardInput.name, bytes: lines + bytes[..<count])
    lineCount += bytes[..<count].count { $0 == UInt8(ascii: "\n") }
    bytes.removeFirst(count)
    return Part(source: source, isLast: isLast)
  }
}
