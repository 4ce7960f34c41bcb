import Basics

/// An exception in a log: a block of lines that begins with a known opening and goes on up to the
/// call stack, the next prefix, or the end of its text.
struct ExceptionBlock {
  /// How an exception begins.
  private enum Opening: Hashable {
    /// `Terminating app due to uncaught exception 'NAME', reason: 'TEXT'`
    case terminating
    /// `Fatal Exception: NAME`, with the text in the next line.
    case fatal
    /// `Serious application error`, from Core Data.
    case caught
    /// `NSRangeException: TEXT`, or `reason: 'TEXT'`.
    case named
    /// The text itself, if frc knows how it begins.
    case sentence
    /// `Fatal error: TEXT`, from Swift.
    case trap
  }

  private let opening: Opening
  /// The line of the opening.
  let line: Int
  private var lines: [String] = []
  private var size = 0
  private var blankLines = 0
  /// The quotation mark around the text; nil if there is none.
  private var quote: Character?
  /// Whether the text begins with a sentence that frc knows.
  private(set) var beginsKnown = false
  /// Whether the text lists the operations of a batch.
  private var isList = false
  /// Whether the quotation marks are those of a page or an editor.
  private var hasOtherMarks = false
  /// Whether the end of the text was found.
  private(set) var isComplete = false
  /// The first line, from the opening on.
  var firstLine: String { lines.first ?? "" }

  private init(_ opening: Opening, _ line: Int) {
    self.opening = opening
    self.line = line
  }

  // MARK: Beginning

  /// Begins a block with a message that is an opening; nil for any other message.
  init?(opening message: String, _ line: Int) {
    let message = Self.withoutLabel(message)
    let plain = Self.withPlainMarks(message)
    guard let opening = Self.opening(of: plain) else { return nil }
    self.init(opening, line)
    hasOtherMarks = plain != message
    add(message)
  }

  /// Returns the message without a label of a crash report before it.
  ///
  /// Crashlytics prints the thread, whose name may be missing.
  private static func withoutLabel(_ message: String) -> String {
    for label in ["Thread : ", "Application Specific Information:"]
    where message.hasPrefix(label) {
      return String(message.dropFirst(label.count).drop { " *".contains($0) })
    }
    return message
  }

  /// Begins a block with an opening after an unknown prefix, or with a known sentence in a message;
  /// nil if it has none.
  init?(sentenceIn message: String, _ line: Int) {
    let plain = Self.withPlainMarks(message)
    if let start = Self.openingStart(in: plain) {
      self.init(opening: String(plain[start...]), line)
      hasOtherMarks = plain != message
      return
    }
    guard let start = KnownSentence.start(in: plain) else { return nil }
    self.init(.sentence, line)
    add(String(plain[start...]))
  }

  /// Returns a text with plain quotation marks instead of those that a page or an editor put around
  /// an exception's name and its text.
  private static func withPlainMarks(_ text: String) -> String {
    guard otherMarks.contains(where: text.contains(bytesOf:)) else { return text }
    return text.withPlainMarks
  }

  private static let otherMarks = ["exception ‘", "eason: ‘", ": “", "&#39;", "&quot;"]

  /// Returns where an opening that no other text has begins in a message, outside of quoted text.
  ///
  /// - Complexity: O(1): only the first 200 bytes are read.
  private static func openingStart(in message: String) -> String.Index? {
    let bytes = Array(message.utf8.prefix(200)).prefix { $0 != UInt8(ascii: "\"") }
    return openings.lazy.compactMap { bytes.firstRange(ofBytes: $0) }.first.map {
      message.utf8.index(message.startIndex, offsetBy: $0.lowerBound)
    }
  }

  private static let openings = [
    "Terminating app due to uncaught exception '", "Serious application error.",
  ].map { Array($0.utf8) }

  // Most lines of a log are no opening. So each question first looks for bytes that it needs, because
  // the first characters of a text are found one by one.
  private static func opening(of message: String) -> Opening? {
    if message.hasPrefix(terminating) || isWrapped(message) { return .terminating }
    if message.hasPrefix("Fatal Exception:") { return .fatal }
    if message.hasPrefix("Serious application error")
      || message.hasPrefix("An exception was caught from the delegate")
      || message.hasPrefix("Exception was caught during Core Data")
    {
      return .caught
    }
    if isTrap(message) { return .trap }
    if isCutTerminating(message) { return .terminating }
    let isNamed =
      message.hasPrefix("reason: ") || message.hasPrefix("Reason: ")
      || threadText(message) != nil || name(before: message) != nil
    return isNamed ? .named : nil
  }

  private static let terminating = "Terminating app due to uncaught exception"

  /// `Terminating app due to`, the beginning of an opening that a mail wrapped.
  private static func isWrapped(_ text: String) -> Bool {
    text.hasPrefix("Terminating app due") && terminating.hasPrefix(text.onOneLine)
  }

  /// `'NSRangeException', reason: '…'`, the rest of a message whose beginning was not copied.
  private static func isCutTerminating(_ message: String) -> Bool {
    guard message.contains(bytesOf: "', reason: '"),
      let found = message.prefix(120).firstRange(ofBytes: "', reason: '")
    else { return false }
    let name = message[..<found.lowerBound].drop { "=-> ".contains($0) }
    return name.first == "'" && name.hasSuffix("Exception")
      && name.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
  }

  /// `Fatal error: Index out of range`, also after the name of a file.
  private static func isTrap(_ message: String) -> Bool {
    if message.hasPrefix("Fatal error: ") || message.hasPrefix("fatal error: ") { return true }
    guard message.contains(bytesOf: ": Fatal error: "),
      let found = message.prefix(200).firstRange(ofBytes: ": Fatal error: ")
    else { return false }
    let place = message[..<found.lowerBound]
    return place.contains(bytesOf: ".swift:") && !place.contains(where: \.isWhitespace)
  }

  /// Returns the name in `NSRangeException: …` or `NSRangeException`.
  private static func name(before message: String) -> Substring? {
    guard message.contains(bytesOf: "Exception") else { return nil }
    var rest = message[...]
    for start in [
      "failed: ", "caught \"", "Uncaught exception: ", "Uncaught exception ", "Exception: ",
      "Exception ",
    ]
    where rest.hasPrefix(start) {
      rest = rest.dropFirst(start.count)
    }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    guard name.hasSuffix("Exception"), name.count > "Exception".count else { return nil }
    let after = rest.dropFirst(name.count)
    let isAlone = after.isEmpty || [":", " - ", " (", "\", \""].contains(where: after.hasPrefix)
    return isAlone ? name : nil
  }

  /// Returns the text in Xcode's `Thread 1: "…"`, and in XCTest's `caught "NAME", "…"`.
  private static func threadText(_ message: String) -> Substring? {
    let mark =
      message.hasPrefix("Thread ") ? ": \"" : message.contains(bytesOf: "caught \"") ? "\", \"" : ""
    guard !mark.isEmpty, let start = message.prefix(120).firstRange(ofBytes: mark) else {
      return nil
    }
    return message[start.upperBound...]
  }

  // MARK: Going on

  /// The most lines and bytes that are read of an exception's text.
  private static let mostLines = 400
  private static let mostSize = 1 << 18
  /// The same for a text that is not quoted and has no list.
  private static let mostPlainLines = 12
  private static let mostPlainSize = 1 << 13

  /// In how many lines the text begins, if its opening is wrapped.
  private static let mostOpeningLines = 4

  /// Adds a line.
  mutating func add(_ line: String) {
    // A message of an issue or a mail may be quoted, line by line.
    let marks = line.prefix { "> ".contains($0) }
    var text = marks.hasPrefix(">") ? String(line.dropFirst(marks.count)) : line
    if hasOtherMarks { text = text.withPlainMarks }
    blankLines = 0
    if size < Self.mostSize {
      lines.append(text.utf8.count < Self.mostSize ? text : String(text.prefix(Self.mostSize)))
    }
    size += text.utf8.count + 1
    if lines.count <= 2 || opening == .terminating && lines.count <= Self.mostOpeningLines {
      noteQuote(text)
      beginsKnown = KnownSentence.beginnings.contains(where: reasonText.prefix(100).hasPrefix)
    }
    isList = isList || Self.list(in: text) != nil
    isComplete = endsText(text)
  }

  /// Adds a blank line.
  ///
  /// - Returns: Whether the block goes on after it.
  mutating func addBlank() -> Bool {
    blankLines += 1
    return blankLines < 3 && (quote != nil || lines.count == 1 && opening == .fatal)
  }

  private mutating func noteQuote(_ text: String) {
    guard quote == nil else { return }
    switch opening {
    case .terminating, .named, .fatal:
      if text.contains(bytesOf: "eason: '") || lines.count == 2 && text.hasPrefix("'") {
        quote = "'"
      } else if opening == .terminating, reasonText.hasPrefix("'") {
        quote = "'"
      } else if lines.count == 1, Self.threadText(text) != nil {
        quote = "\""
      }
    case .caught, .sentence, .trap: break
    }
  }

  /// Whether a line is the last one of the text.
  private func endsText(_ text: String) -> Bool {
    if lines.count >= Self.mostLines { return true }
    if let quote {
      return text.last == quote && !text.hasSuffix("eason: '")
        || text.contains(bytesOf: "'*** ") || text.contains(bytesOf: "' ***")
    }
    if text.contains(bytesOf: "with userInfo") { return opening == .caught }
    if isList {
      // The numbers of rows may come before it on the same line.
      let list = Self.list(in: text) ?? text[...]
      return list.contains(bytesOf: "]") || list.contains(bytesOf: ")}")
    }
    // The list of updates comes in a later line.
    if lines.count < Self.mostPlainLines,
      reasonText.contains(bytesOf: "Invalid batch updates detected")
    {
      return false
    }
    if lines.count >= Self.mostPlainLines || size >= Self.mostPlainSize || opening == .trap {
      return true
    }
    return opening != .terminating && LoggedException(in: reasonText)?.isKnown == true
  }

  /// Returns the part of a line after the opening of a list; nil if no list begins in it.
  private static func list(in text: String) -> Substring? {
    for opening in ["Updates = [", "identifiers: {("] {
      if let found = text.firstRange(ofBytes: opening) { return text[found.upperBound...] }
    }
    return nil
  }

  /// Whether a list in the text goes on, whose lines read like callbacks: `Delete item (0 - 0)`.
  var isInList: Bool { isList && !isComplete }

  /// Whether the next line belongs to the block if it is neither a callback nor a prefix.
  var goesOn: Bool {
    guard !isComplete else { return false }
    switch opening {
    case .terminating, .caught, .fatal: return true
    case .named: return quote != nil || lines.count == 1 || beginsKnown || isList
    case .sentence: return beginsKnown || isList
    case .trap: return false
    }
  }

  /// Whether the next line belongs to the block even if it looks like a callback.
  var needsMore: Bool {
    guard !isComplete else { return false }
    return quote != nil || isOpeningWrapped
      || opening == .caught && lines.count == 1 && !reasonText.contains(bytesOf: ":. ")
  }

  /// Whether the opening goes on in the next line.
  private var isOpeningWrapped: Bool {
    guard opening == .terminating, lines.count < Self.mostOpeningLines else { return false }
    let text = lines.joined(separator: " ").trimmed
    return Self.isWrapped(String(text)) || text.hasSuffix("',") || text.hasSuffix("reason:")
  }

  // MARK: The exception

  /// The exception's name; nil if the block does not have it.
  private var name: String? {
    let first = lines.first ?? ""
    let name: Substring?
    switch opening {
    case .terminating:
      let all = lines.prefix(Self.mostOpeningLines).joined(separator: " ")
      name = all.firstIndex(of: "'").map { start in
        all[all.index(after: start)...].prefix { $0 != "'" }
      }
    case .fatal: name = Self.nameAndRest(first).name
    case .named: name = Self.name(before: first)
    case .trap: name = "Fatal error"
    case .caught, .sentence: name = nil
    }
    return name.flatMap { $0.isEmpty ? nil : String($0) }
  }

  /// Divides the text after `Fatal Exception:` into a name and the rest.
  ///
  /// Between them there may be no blank, if the lines of a report were copied without their ends.
  private static func nameAndRest(_ text: String) -> (name: Substring, rest: Substring) {
    let all = text.dropFirst("Fatal Exception:".count).trimmed
    let word = all.prefix { !$0.isWhitespace }
    let end = "Exception"
    if let found = word.firstRange(ofBytes: end), found.upperBound < word.endIndex,
      word[found.upperBound].isUppercase
    {
      return (word[..<found.upperBound], all[found.upperBound...])
    }
    return (word, all.dropFirst(word.count).trimmed)
  }

  /// The text without the opening, on one line.
  private var reasonText: String {
    var text = lines.joined(separator: " ").onOneLine[...]
    switch opening {
    case .terminating: text = Self.after("eason:", text) ?? ""
    case .fatal:
      text = Self.nameAndRest(String(text)).rest
      text = Self.after("eason: '", text).map { "'" + $0 } ?? text
    case .named:
      if let thread = Self.threadText(String(text)) {
        text = thread
      } else if let name, let found = text.firstRange(ofBytes: name) {
        text = text[found.upperBound...].drop { " :-".contains($0) }
        text = Self.after("eason: '", text).map { "'" + $0 } ?? text
      } else {
        text = Self.after("eason:", text) ?? ""
      }
    case .trap: text = Self.after("atal error:", text) ?? ""
    case .caught, .sentence: break
    }
    if let quote {
      if text.first == quote { text.removeFirst() }
      if let end = text.firstRange(ofBytes: "'*** ") ?? text.firstRange(ofBytes: "' ***") {
        text = text[..<end.lowerBound]
      } else if text.last == quote {
        text.removeLast()
      }
    }
    return String(text)
  }

  private static func after(_ label: String, _ text: Substring) -> Substring? {
    text.firstRange(ofBytes: label).map { text[$0.upperBound...].trimmed }
  }

  /// The exception that the block is about.
  var exception: LoggedException {
    let text = reasonText
    return LoggedException(in: text, name: name) ?? LoggedException(unknown: text, name: name)
  }
}

extension String {
  fileprivate var withPlainMarks: String {
    [("‘", "'"), ("’", "'"), ("&#39;", "'"), ("“", "\""), ("”", "\""), ("&quot;", "\"")]
      .reduce(self) { $0.replacing($1.0, with: $1.1) }
  }
}

/// How the sentences begin that frc knows.
enum KnownSentence {
  static let beginnings =
    [
      "Invalid update:", "invalid number of ", "Invalid batch updates detected",
      "attempt to delete ",
      "attempt to insert ", "attempt to move ", "attempt to perform ", "cannot move ",
      "Invalid parameter not satisfying:", "The fetched object at index", "no object at index",
      "no section at index", "Identifiers in a ", "Duplicate identifiers",
      "Fatal: supplied ", "supplied item identifiers", "supplied identifiers",
      "CoreData could not fulfill a fault", "Cell animation stop fraction",
      "An instance of NSFetchedResultsController requires", "FATAL ERROR: The persistent cache",
      "The persistent cache of section information", "Deadlock detected", "deadlock detected",
      "Attempted to perform", "Attempt to create two animations", "to-many key not allowed",
      "cannot access fetched objects", "NSFetchedResultsController: no ", "Attempted to scroll",
      "executeFetchRequest:error: A fetch", "A fetch request must have an entity",
    ] + KnownMessage.beginnings

  /// Whether a line begins a sentence, and does not only continue one.
  static func begins(_ line: String) -> Bool {
    beginnings.contains { $0 != "invalid number of " && line.hasPrefix($0) }
  }

  /// The beginnings by their first byte.
  private static let byFirst = Dictionary(grouping: beginnings.map { Array($0.utf8) }) { $0[0] }
  /// What comes before a sentence: the end of a label.
  private static let endsOfLabels = Array(":.-|()>*]".utf8)
  private static let quote = Array("“".utf8)
  private static let middles = [
    "beyond bounds", "in that section before the update (", "in the table view before the update (",
    "from that section (",
  ].map { Array($0.utf8) }

  /// What sentences have that begin with a name, a description, or ordinary words.
  ///
  /// Other lines may have the same words, so the whole sentence must be known.
  private static let parts =
    (["not found in entity", "out-of-bounds "] + KnownMessage.parts).map { Array($0.utf8) }
  private static let mostCharacters = 2_000

  /// Returns where a known sentence begins in a message: at its start or after a label.
  ///
  /// Quoted text is not looked at.
  ///
  /// - Complexity: O(1): only the first 400 bytes are read.
  static func start(in message: String) -> String.Index? {
    // A sentence that comes later is not what the message is about.
    var bytes = Array(message.utf8.prefix(400)).prefix { $0 != UInt8(ascii: "\"") }
    if let quote = bytes.firstRange(ofBytes: quote) { bytes = bytes[..<quote.lowerBound] }
    var isStart = true
    for place in bytes.indices {
      let byte = bytes[place]
      if isStart, let found = byFirst[byte], found.contains(where: bytes[place...].starts(with:)) {
        return message.utf8.index(message.startIndex, offsetBy: place)
      }
      if !byte.isBlank { isStart = endsOfLabels.contains(byte) }
    }
    // The beginning of a sentence may not have been copied.
    let isKnown =
      middles.contains { bytes.firstRange(ofBytes: $0) != nil }
      || parts.contains { bytes.firstRange(ofBytes: $0) != nil }
        && LoggedException(in: String(message.prefix(mostCharacters)))?.isKnown == true
      || KnownMessage.wholeLines.contains(message)
    return isKnown ? message.startIndex : nil
  }
}

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
    let places = [".swift:", ".m:", ".mm:", ".swift in ", "libc++abi"]
    if places.contains(where: { text.contains(bytesOf: $0) }) {
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
    if let end = symbol.firstRange(ofBytes: " + ") ?? symbol.firstRange(ofBytes: " (") {
      symbol = symbol[..<end.lowerBound]
    }
    symbol = symbol.trimmed
    let isCommon = common.contains { symbol.contains(bytesOf: $0) }
    let isName = !symbol.isEmpty && !symbol.hasPrefix("0x") && !symbol.hasPrefix("(")
    return isCommon || !isName ? nil : String(symbol)
  }

  private static let common = [
    "exceptionPreprocess", "objc_exception_throw", "NSException raise", "NSAssertionHandler",
    "_userInfoForFileAndLine", "objc_exception_rethrow", "_assertionFailure", "__pthread_kill",
    "pthread_kill", "abort", "demangling_terminate", "_Bug_Detected_In_Client",
  ]
}
