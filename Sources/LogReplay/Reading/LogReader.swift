import Basics
import ScriptRuntime

/// The reason why a file is not a log.
package struct UnreadableLog: Error, Hashable, Sendable {
  /// What is wrong, and what was expected.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// Reads logs: lines of JSON, console output, and both mixed.
///
/// A line is taken apart once: colours and prefix, then the opening of an exception or the shape of
/// a callback, then the parts. Each line has one ``LineReading``.
package struct LogReader {
  /// What a log is read with.
  package struct Options: Sendable {
    /// The formats in which the app prints its callbacks, in addition to the usual ones.
    package var patterns: [CallbackPattern] = []
    /// How many bytes are read.
    package var limit = Self.usualLimit
    /// Whether to keep the reading of each line.
    package var keepsReadings = false

    /// The limit if there is no other.
    package static let usualLimit = 64 << 20

    package init() {}
  }

  private let options: Options
  private var log: DelegateLog
  private var candidates = CallbackCandidates()
  /// The exception that is being read.
  private var block: ExceptionBlock?
  /// What comes before the exception in its line, and perhaps before each line of its text.
  private var blockPrefix: LineBytes = []
  private var isInStack = false
  /// A message that goes on in the next lines, because a description in it does.
  private var open: OpenMessage?
  /// The line of the last exception, and the exception.
  private var lastException: (line: Int, exception: LoggedException)?
  /// A sign of an exception that is not named: it counts if the log names none.
  private var trace: (line: Int, text: String)?
  private var traceSymbol: String?
  private var otherJSON: Int?

  private struct OpenMessage {
    let line: Int
    var bytes: [UInt8]
    let source: String?
    let label: String?
    var depth: DescriptionDepth
    var lines = 1
  }

  /// How many lines a description may take.
  private static let mostLinesOfDescription = 400

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - name: Its name for messages.
  /// - Throws: ``UnreadableLog`` if the file is not text, or does not concern a controller.
  /// - Complexity: O(*n*) for *n* bytes.
  package static func read(
    _ bytes: [UInt8], named name: String, _ options: Options = Options()
  ) throws(UnreadableLog) -> DelegateLog {
    var reader = LogReader(options: options, log: DelegateLog(name: name))
    try reader.read(bytes)
    return reader.log
  }

  // MARK: Lines

  private mutating func read(_ file: [UInt8]) throws(UnreadableLog) {
    log.limit = options.limit
    let bytes = Self.inUTF8(file)
    // If the file has more than the limit, its last line is only a part.
    let limit = file.count > options.limit ? min(options.limit, bytes.count - 1) : options.limit
    guard bytes.contains(where: { $0 > 0x20 }) else { throw UnreadableLog(reason: "it is empty") }
    var place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while place < bytes.endIndex {
      let (line, next) = Self.line(of: bytes, at: place)
      guard line.endIndex <= limit else {
        log.stop = DelegateLog.Stop(line: log.lineCount + 1, limit: options.limit)
        break
      }
      log.lineCount += 1
      try read(line, isLast: next >= bytes.endIndex)
      place = next
    }
    if log.stop == nil, bytes.last != 0x0A, bytes.last != 0x0D { log.openLine = log.lineCount }
    if log.stop == nil { endBlock() } else { stopBlock() }
    endMessage()
    addTrace()
    candidates.resolve(into: &log)
    try requireEvents()
  }

  /// Returns a file in UTF-8, also if it has the byte order mark of UTF-16, as PowerShell writes it.
  private static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
      let pair = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// Returns a line without its end, and the place of the next one.
  ///
  /// Lines end with CR, LF or both.
  private static func line(of bytes: [UInt8], at start: Int) -> (LineBytes, next: Int) {
    guard let end = bytes[start...].firstLineEnd else {
      return (bytes[start...], bytes.endIndex)
    }
    let isPair = bytes[end] == 0x0D && end + 1 < bytes.endIndex && bytes[end + 1] == 0x0A
    return (bytes[start..<end], end + (isPair ? 2 : 1))
  }

  private mutating func note(_ reading: LineReading, _ line: Int? = nil) {
    candidates.note(reading, line ?? log.lineCount, keeps: options.keepsReadings)
  }

  private mutating func read(_ bytes: LineBytes, isLast: Bool) throws(UnreadableLog) {
    guard !bytes.contains(byte: 0) else { throw UnreadableLog(reason: "it is not a text") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UnreadableLog(reason: "line \(log.lineCount) is not UTF-8")
    }
    let plain = Self.withPlainBlanks(Self.withoutColours(bytes))
    let line = plain.drop { $0.isBlank }
    guard !line.isEmpty else { return readBlank() }
    if line.first == UInt8(ascii: "{"), try readJSON(text, isLast: isLast) { return }
    if line.first == UInt8(ascii: "\""), readMember(text) { return }
    if CallStack.isFrame(line) { return readFrame(line) }
    let prefix = LinePrefix(line)
    if prefix.message.starts(with: "{\"event\"".utf8), readPrefixedJSON(prefix.message) { return }
    if continues(prefix) { return }
    if CallStack.isBeginning(prefix.message) { return beginStack() }
    if begins(prefix) { return }
    read(prefix, line)
  }

  /// Returns the line without the sequences that colour it on a terminal, or in Xcode with
  /// XcodeColors: `ESC[fg255,0,0;` up to `ESC[;`.
  private static func withoutColours(_ line: LineBytes) -> LineBytes {
    guard line.contains(byte: 0x1B) else { return line }
    var plain: [UInt8] = []
    var place = line.startIndex
    while place < line.endIndex {
      guard line[place] == 0x1B else {
        plain.append(line[place])
        place += 1
        continue
      }
      place += 1
      guard place < line.endIndex, line[place] == UInt8(ascii: "[") else { continue }
      place += 1
      let rest = line[place...]
      let isNamed = rest.starts(with: "fg".utf8) || rest.starts(with: "bg".utf8)
      let end = isNamed ? rest.dropFirst(2).drop { $0.isDigit || $0 == UInt8(ascii: ",") } : rest
      // A terminal's sequence ends with `m`, also where numbers are left out: `ESC[;31m`, `ESC[;m`.
      let next = end.dropFirst().first
      let isOfTerminal = !isNamed && (next?.isDigit == true || next == UInt8(ascii: "m"))
      if end.first == UInt8(ascii: ";"), !isOfTerminal {
        place = end.startIndex + 1
        continue
      }
      while place < line.endIndex, !(0x40...0x7E ~= line[place]) { place += 1 }
      place += 1
    }
    return plain[...]
  }

  /// Returns the line with blanks instead of those that a web page does not break (U+00A0).
  private static func withPlainBlanks(_ line: LineBytes) -> LineBytes {
    guard line.contains(byte: 0xC2) else { return line }
    let text = String(decoding: line, as: UTF8.self)
    return Array(text.replacing("\u{A0}", with: " ").utf8)[...]
  }

  private mutating func readBlank() {
    if block != nil {
      if block?.addBlank() != true { endBlock() }
    }
    isInStack = false
    note(.ignored(.blank))
  }

  // MARK: JSON

  /// - Returns: Whether the line was an object.
  private mutating func readJSON(_ text: String, isLast: Bool) throws(UnreadableLog) -> Bool {
    guard let object = EventObject(text) else {
      guard text.trimmed.hasPrefix("{\"") else { return false }
      if isLast, !candidates.isEmpty {
        log.endsInPart = true
        note(.notUnderstood("it is only a part of an event"))
        return true
      }
      throw UnreadableLog(
        reason: "line \(log.lineCount) looks like JSON, but is not valid; a part of it may be "
          + "missing")
    }
    add(object)
    return true
  }

  private mutating func readPrefixedJSON(_ message: LineBytes) -> Bool {
    guard let object = EventObject(String(decoding: message, as: UTF8.self)) else { return false }
    add(object)
    return true
  }

  private mutating func add(_ object: EventObject) {
    endBlock()
    endMessage()
    isInStack = false
    guard object.name != nil else {
      if readReport(object) { return }
      otherJSON = otherJSON ?? log.lineCount
      return note(.ignored(.otherJSON))
    }
    if let error = object.error { return readError(error) }
    let events = object.events
    guard !events.isEmpty else { return note(.ignored(.otherEvent)) }
    let form = object.isPublished ? MessageReading.Form.published : .named
    for event in events { candidates.add(event, form, nil, log.lineCount) }
    note(.event)
  }

  /// Reads a line such as `"eventMessage" : "…",` of JSON that takes several lines.
  ///
  /// - Returns: Whether the line has a message or an exception.
  private mutating func readMember(_ text: String) -> Bool {
    guard block == nil, open == nil else { return false }
    var member = text.trimmed
    if member.last == "," { member.removeLast() }
    guard let object = EventObject("{\(member)}") ?? EventObject("{\"\": [\(member)]}") else {
      return false
    }
    return readReport(object)
  }

  /// Reads a message in JSON of the system's log, like a line of the console, or an exception in
  /// that of a crash report.
  ///
  /// - Returns: Whether the object has one.
  private mutating func readReport(_ object: EventObject) -> Bool {
    if let message = object.message {
      let bytes = message.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
      let line = bytes.drop { $0.isBlank }
      guard !line.isEmpty else { return false }
      let prefix = LinePrefix(line)
      if prefix.message.starts(with: "{\"event\"".utf8), readPrefixedJSON(prefix.message) {
        return true
      }
      if !begins(prefix) { read(prefix, line) }
      endBlock()
      endMessage()
      return true
    }
    // Most texts in JSON are names and numbers, but an exception has a blank.
    let texts = object.texts.lazy.filter { $0.utf8.contains(UInt8(ascii: " ")) }
    let blocks = texts.compactMap { [line = log.lineCount] text in
      ExceptionBlock(opening: String(text.drop { "* ".contains($0) }), line)
        ?? (KnownSentence.begins(text) ? ExceptionBlock(sentenceIn: text, line) : nil)
    }
    let named = blocks.first { block in
      let exception = block.exception
      return exception.isKnown || exception.name != nil && !exception.reason.isEmpty
    }
    guard let named else { return false }
    begin(named)
    endBlock()
    return true
  }

  /// Reads an error of frc like the line `error: …` of its text output.
  private mutating func readError(_ message: String) {
    let line = log.lineCount
    guard
      let block = ExceptionBlock(opening: message, line)
        ?? ExceptionBlock(sentenceIn: message, line)
    else { return note(.ignored(.otherEvent)) }
    begin(block)
    // The event has the whole text.
    endBlock()
  }

  // MARK: Exceptions and call stacks

  private mutating func readFrame(_ line: LineBytes) {
    let belongsToException = block != nil || isInStack
    beginStack()
    guard belongsToException || trace != nil, let symbol = CallStack.symbol(line) else { return }
    if lastException == nil {
      traceSymbol = traceSymbol ?? symbol
    } else if belongsToException, lastException?.exception.symbol == nil {
      lastException?.exception.symbol = symbol
      candidates.setSymbol(symbol)
    }
  }

  private mutating func beginStack() {
    endBlock()
    endMessage()
    isInStack = true
    note(.ignored(.callStack))
  }

  /// Gives a line to the exception, the description or the call stack before it.
  ///
  /// - Returns: Whether the line belongs to it.
  private mutating func continues(_ prefix: LinePrefix) -> Bool {
    if block != nil { return continuesBlock(prefix) }
    if open != nil { return continuesMessage(prefix) }
    guard isInStack else { return false }
    if !prefix.beginsMessage, CallStack.mayHave(prefix.message) {
      note(.ignored(.callStack))
      return true
    }
    isInStack = false
    return false
  }

  private mutating func continuesBlock(_ prefix: LinePrefix) -> Bool {
    guard let block, block.goesOn, !prefix.beginsMessage,
      !CallStack.isBeginning(prefix.message)
    else {
      endBlock()
      return false
    }
    var line = prefix.line
    if line.starts(with: blockPrefix) { line = line.dropFirst(blockPrefix.count) }
    let text = String(decoding: line, as: UTF8.self)
    if !block.needsMore {
      var grammar = CallbackGrammar(prefix.message)
      var isOther =
        ExceptionBlock(opening: text, log.lineCount) == nil
        && !(block.beginsKnown && KnownSentence.begins(text))
      if case .event(_, let form) = grammar.read(), form != .looseVerb,
        !(block.isInList && form == .verb)
      {
        isOther = false
      }
      guard isOther else {
        endBlock()
        return false
      }
    }
    self.block?.add(text)
    note(.part(of: block.line))
    if self.block?.isComplete == true { endBlock() }
    return true
  }

  private mutating func endBlock() {
    guard let block else { return }
    self.block = nil
    let exception = block.exception
    // The console often prints the same exception twice.
    if let last = lastException, block.line - last.line < 60, candidates.endsWithException,
      last.exception.isSame(as: exception)
        || exception.reason.isEmpty && exception.name == last.exception.name
    {
      return candidates.replace(.exception, by: .repeated(last.line), block.line)
    }
    lastException = (block.line, exception)
    candidates.add(.exception(exception), .named, nil, block.line)
  }

  /// Ends the exception in which reading stopped.
  ///
  /// What its known sentence says is not judged if the numbers come in the part that was not read.
  private mutating func stopBlock() {
    guard let block, block.exception.meaning == .cut else { return endBlock() }
    self.block = nil
    log.stop?.exceptionLine = block.line
  }

  /// Begins an exception.
  private mutating func begins(_ prefix: LinePrefix) -> Bool {
    let text = String(decoding: prefix.text.prefix(1 << 18), as: UTF8.self)
    if let block = ExceptionBlock(opening: text, log.lineCount) {
      begin(block, prefix)
      return true
    }
    guard CallStack.isTrace(text) else { return false }
    if trace.map({ CallStack.name(inTrace: $0.text) == nil }) ?? true {
      trace = (log.lineCount, text)
    }
    note(.ignored(.trace))
    return true
  }

  private mutating func begin(_ block: ExceptionBlock, _ prefix: LinePrefix? = nil) {
    isInStack = false
    endMessage()
    self.block = block
    blockPrefix = prefix.map { $0.line.dropLast(block.firstLine.utf8.count) } ?? []
    note(.exception)
    if block.isComplete || !block.goesOn { endBlock() }
  }

  /// Adds the exception that a log shows without its text.
  private mutating func addTrace() {
    guard let trace, lastException == nil else { return }
    candidates.replace(.ignored(.trace), by: .exception, trace.line)
    var exception = LoggedException(unknown: "", name: CallStack.name(inTrace: trace.text))
    exception.symbol = traceSymbol
    candidates.insert(.exception(exception), trace.line)
  }

  // MARK: Callbacks

  private mutating func read(_ prefix: LinePrefix, _ line: LineBytes) {
    if Self.isRule(prefix.message), candidates.retract(log.lineCount - 1) {
      return note(.ignored(.message))
    }
    for pattern in options.patterns {
      switch pattern.reading(of: String(decoding: line, as: UTF8.self)) {
      case .event(let event, _):
        return add(event, .callback, prefix.source ?? prefix.label, log.lineCount)
      case .unclear(let reason, let isCallback):
        candidates.addUnclear(reason, isCallback: isCallback, log.lineCount)
        return note(.ignored(.message))
      case .leaving, .other: break
      }
    }
    var grammar = CallbackGrammar(prefix.message)
    if let (index, section) = grammar.shownSection {
      isInStack = false
      return note(candidates.addShown(section, at: index, log.lineCount))
    }
    let reading = grammar.read()
    if grammar.isOpen, isAboutCallback(reading) {
      var depth = DescriptionDepth()
      for byte in prefix.message { depth.add(byte) }
      open = OpenMessage(
        line: log.lineCount, bytes: Array(prefix.message), source: prefix.source,
        label: prefix.label, depth: depth)
      return
    }
    take(reading, source(grammar, prefix.source, prefix.label), log.lineCount, prefix)
  }

  /// Returns what names the controller of a message, if anything does.
  private mutating func source(
    _ grammar: CallbackGrammar, _ prefix: String?, _ label: String?
  ) -> String? {
    if let source = grammar.source ?? prefix { return source }
    if let name = grammar.name { candidates.noteName(name) }
    return grammar.name ?? label
  }

  /// Whether a line is the second one of an explanation: `rule created: …`.
  ///
  /// frc's `explain` repeats callbacks that were sent before, each with its rule below it.
  private static func isRule(_ message: LineBytes) -> Bool {
    let start = "rule ".utf8
    guard message.starts(with: start) else { return false }
    let name = message.dropFirst(start.count).prefix { $0.isLetter || $0 == UInt8(ascii: "-") }
    return Rule(rawValue: String(decoding: name, as: UTF8.self)) != nil
      && message.dropFirst(start.count + name.count).starts(with: ": ".utf8)
  }

  private func isAboutCallback(_ reading: MessageReading) -> Bool {
    switch reading {
    case .event(_, .callback): true
    case .event(_, .named), .event(_, .published), .event(_, .verb), .event(_, .looseVerb),
      .leaving, .other:
      false
    case .unclear(_, let isCallback): isCallback
    }
  }

  private mutating func take(
    _ reading: MessageReading, _ source: String?, _ line: Int, _ prefix: LinePrefix?
  ) {
    switch reading {
    case .event(let event, let form): add(event, form, source, line)
    case .leaving: note(.ignored(.returning), line)
    case .unclear(let reason, let isCallback):
      if beginsSentence(prefix) { return }
      candidates.addUnclear(reason, isCallback: isCallback, line)
      note(.ignored(.message), line)
    case .other:
      if beginsSentence(prefix) { return }
      note(.ignored(.otherText), line)
    }
  }

  private mutating func beginsSentence(_ prefix: LinePrefix?) -> Bool {
    guard let prefix,
      let block = ExceptionBlock(
        sentenceIn: String(decoding: prefix.text.prefix(1 << 18), as: UTF8.self), log.lineCount)
    else { return false }
    begin(block, prefix)
    return true
  }

  private mutating func add(
    _ event: LogEvent, _ form: MessageReading.Form, _ source: String?, _ line: Int
  ) {
    isInStack = false
    candidates.add(event, form, source, line)
    note(.event, line)
  }

  /// Adds a line to a description that began in an earlier one.
  private mutating func continuesMessage(_ prefix: LinePrefix) -> Bool {
    guard var open else { return false }
    let line = prefix.line
    var ends = prefix.beginsMessage || open.lines >= Self.mostLinesOfDescription
    let isEnd = line.first == UInt8(ascii: "}") || line.first == UInt8(ascii: ")")
    if !ends, !isEnd, !CallStack.isData(line) {
      var grammar = CallbackGrammar(prefix.message)
      switch grammar.read() {
      case .event(_, .named), .event(_, .callback): ends = true
      case .event(_, .published), .event(_, .verb), .event(_, .looseVerb), .leaving, .unclear,
        .other:
        break
      }
    }
    guard !ends else {
      endMessage()
      return false
    }
    open.bytes.append(0x20)
    open.bytes += line
    open.lines += 1
    open.depth.add(0x20)
    for byte in line { open.depth.add(byte) }
    self.open = open
    note(.part(of: open.line))
    if open.depth.isBalanced { endMessage() }
    return true
  }

  private mutating func endMessage() {
    guard let open else { return }
    self.open = nil
    var grammar = CallbackGrammar(open.bytes[...])
    let reading = grammar.read()
    take(reading, source(grammar, open.source, open.label), open.line, nil)
  }

  // MARK: What has to be there

  private func requireEvents() throws(UnreadableLog) {
    guard log.entries.isEmpty else { return }
    if let otherJSON {
      throw UnreadableLog(
        reason: "line \(otherJSON) is JSON, but not an event: it has no \"event\"")
    }
    if let stop = log.stop, log.lineCount == 0 {
      throw UnreadableLog(reason: "line 1 is longer than the limit of \(stop.limitWords)")
    }
    if let stop = log.stop {
      throw UnreadableLog(
        reason: "no callback and no exception was found before line \(stop.line), where reading "
          + "stopped at the limit of \(stop.limitWords); --limit raises it")
    }
    let hint =
      log.unread.first.map { "; line \($0.line) was not understood: \($0.reason)" }
      ?? "; --pattern says how the app prints callbacks"
    throw UnreadableLog(
      reason: "no callback and no exception was found in "
        + "\(log.lineCount == 1 ? "its one line" : "its \(log.lineCount) lines")" + hint)
  }
}
