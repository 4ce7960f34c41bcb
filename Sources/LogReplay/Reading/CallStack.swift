/// Recognizes call stacks, and the other parts of crash reports that do not name an exception.
enum CallStack {
  /// Whether a line is a frame: `0   CoreFoundation   0x1804658a8 __exceptionPreprocess + 172`.
  static func isFrame(_ line: LineBytes) -> Bool {
    guard let first = line.first else { return false }
    if line.starts(with: "frame #".utf8) || line.starts(with: "* frame #".utf8) { return true }
    if first == UInt8(ascii: "("), line.dropFirst().starts(with: "0x".utf8) { return true }
    var rest = first == UInt8(ascii: "#") ? line.dropFirst() : line
    let digits = rest.prefix { $0.isDigit }
    guard !digits.isEmpty, digits.count <= 4 else { return hasAddressColumn(line) }
    rest = rest.dropFirst(digits.count)
    guard rest.first?.isBlank == true else { return false }
    let name = rest.drop { $0.isBlank }
    // A report that was copied from a table: `9 | UIKitCore | -[UITableView endUpdates]`
    if name.first == UInt8(ascii: "|") { return true }
    return name.first.map { $0.isWordStart || $0 == UInt8(ascii: "?") || $0.isDigit } == true
      && addressColumn(name) != nil
  }

  /// Whether a line is a frame without a number: `CoreFoundation   0x198c26964  main`.
  private static func hasAddressColumn(_ line: LineBytes) -> Bool {
    let name = line.prefix { !$0.isBlank }
    let rest = line.dropFirst(name.count)
    let gap = rest.prefix { $0.isBlank }
    guard gap.count >= 2 || gap.first == 0x09, name.first?.isWordStart == true else { return false }
    let address = rest.dropFirst(gap.count)
    return address.starts(with: "0x".utf8)
      && address.dropFirst(2).prefix { $0.isHexDigit }.count >= 6
  }

  /// Returns what follows the address, which is between blanks.
  private static func addressColumn(_ text: LineBytes) -> LineBytes? {
    var rest = text.prefix(400)
    let mark = Array("0x".utf8)
    while let found = rest.firstRange(ofBytes: mark) {
      let digits = rest[found.upperBound...].prefix { $0.isHexDigit }
      let before = found.lowerBound == text.startIndex ? 0x20 : text[found.lowerBound - 1]
      let after = text[found.upperBound...].dropFirst(digits.count)
      // `<NSIndexPath: 0x6000>` is a value.
      let isValue =
        found.lowerBound >= text.startIndex + 2 && text[found.lowerBound - 2] == UInt8(ascii: ":")
      if before.isBlank, !isValue, !digits.isEmpty, after.first.map(\.isBlank) ?? true {
        return after.drop { $0.isBlank }
      }
      rest = rest[found.upperBound...]
    }
    return nil
  }

  /// Whether a message announces a call stack.
  static func isBeginning(_ message: LineBytes) -> Bool {
    beginnings.contains { message.starts(with: $0) }
  }

  private static let beginnings = [
    "First throw call stack", "Last Exception Backtrace", "Call stack", "Stack trace",
    "Backtrace:", "Thread 0 Crashed", "Thread 0 name", "Binary Images", "Stacktrace",
  ].map { Array($0.utf8) }

  /// Whether a line after frames may belong to the call stack: it is no message with a prefix and
  /// no callback.
  static func mayHave(_ message: LineBytes) -> Bool {
    if isTrace(String(decoding: message.prefix(80), as: UTF8.self)) { return false }
    let text = String(decoding: message.prefix(400), as: UTF8.self)
    if ExceptionBlock(opening: text, 0) != nil { return false }
    if [".swift:", ".m:", ".mm:", ".swift in ", "libc++abi"].contains(where: text.contains) {
      return true
    }
    var grammar = CallbackGrammar(message)
    if case .event(let event, _) = grammar.read() { return event.isException }
    return true
  }

  /// Whether a text shows that the app crashed, without the exception.
  static func isTrace(_ text: String) -> Bool {
    traces.contains(where: text.hasPrefix)
  }

  private static let traces = [
    "Assertion failure in ", "libc++abi", "Exception Type:", "EXC_", "Crashed: ",
    "Termination Reason:", "terminating with uncaught exception",
    "terminating due to uncaught exception", "Application Specific Information:",
    "Exception Codes:", "Crashed Thread:",
  ]

  /// Returns the name of a signal or an exception in such a text.
  static func name(inTrace text: String) -> String? {
    if text.hasPrefix("EXC_") { return String(text.prefix { !$0.isWhitespace }) }
    for start in ["Exception Type:", "Assertion failure in"] where text.hasPrefix(start) {
      return start == "Exception Type:"
        ? String(text.dropFirst(start.count).trimmed.prefix { !$0.isWhitespace })
        : "Assertion failure"
    }
    return nil
  }

  /// Whether a line is a value of an object's description: `title = "Dune";`.
  static func isData(_ line: LineBytes) -> Bool {
    let name = line.prefix { $0.isWordPart || $0 == UInt8(ascii: "\"") }
    let rest = line.dropFirst(name.count)
    return !name.isEmpty && rest.starts(with: " = ".utf8)
  }

  /// Returns the method of a frame; nil for the frames that raise every exception.
  static func symbol(_ line: LineBytes) -> String? {
    guard let rest = addressColumn(line), !rest.isEmpty else { return nil }
    var symbol = String(decoding: rest.prefix(200), as: UTF8.self)[...]
    if let end = symbol.firstRange(of: " + ") ?? symbol.firstRange(of: " (") {
      symbol = symbol[..<end.lowerBound]
    }
    symbol = symbol.trimmed
    let isCommon = common.contains(where: symbol.contains)
    let isName = !symbol.isEmpty && !symbol.hasPrefix("0x") && !symbol.hasPrefix("(")
    return isCommon || !isName ? nil : String(symbol)
  }

  private static let common = [
    "exceptionPreprocess", "objc_exception_throw", "NSException raise", "NSAssertionHandler",
    "_userInfoForFileAndLine", "objc_exception_rethrow", "_assertionFailure", "__pthread_kill",
    "pthread_kill", "abort", "demangling_terminate", "_Bug_Detected_In_Client",
  ]
}
