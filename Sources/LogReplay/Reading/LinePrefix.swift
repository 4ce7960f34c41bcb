import Basics

/// What a console or a logging library prints before a message: the time, the process, the thread,
/// the level, and a category or the name of a class.
struct LinePrefix {
  /// The line without the blanks at its beginning.
  let line: LineBytes
  /// The message after the prefix.
  let message: LineBytes
  /// The message with the class and the method that begin it.
  let text: LineBytes
  /// Whether the line has a time or a process, so that it begins a message.
  let beginsMessage: Bool
  /// A text that may tell one controller from another: an address, a class, a file or a category.
  let source: String?
  /// The label of SwiftLog, which often names the whole app: names in the message say more.
  let label: String?

  /// Reads the beginning of a line.
  ///
  /// - Parameter line: A line without colours.
  /// - Complexity: O(*n*) for a prefix of *n* bytes.
  init(_ line: LineBytes) {
    var reader = PrefixReader(line)
    reader.read()
    self.line = line
    message = reader.rest
    text = reader.text ?? reader.rest
    beginsMessage = reader.hasTime || reader.hasProcess
    source = reader.source
    label = reader.label
  }
}

/// Reads one part of a prefix after another.
private struct PrefixReader {
  private(set) var rest: LineBytes
  private(set) var hasTime = false
  private(set) var hasProcess = false
  private(set) var source: String?
  private(set) var label: String?
  /// The rest of the line before the first class or file.
  private(set) var text: LineBytes?
  private var labels = 0

  init(_ line: LineBytes) { rest = line }

  mutating func read() {
    skipBlanks()
    while !rest.isEmpty, readPart() { skipBlanks() }
  }

  private mutating func skipBlanks() { rest = rest.drop { $0.isBlank } }

  /// - Returns: Whether there was one.
  private mutating func readPart() -> Bool {
    readTime() || readTabs() || readProcess() || readColumn() || readBrackets() || readAngle()
      || readMethod()
      || readLevel() || readFile() || readLabel() || readSign()
  }

  // MARK: Time and process

  /// Reads `2026-01-02`, `10:00:00.123+0100`, `Jan  2`, and the numbers of lines.
  private mutating func readTime() -> Bool {
    guard let first = rest.first else { return false }
    if first.isDigit {
      let text = rest.prefix { $0.isDigit || Self.timeSigns.contains($0) }
      let groups = text.split { !$0.isDigit }
      let after = rest.dropFirst(text.count).first
      guard after?.isBlank != false || after == UInt8(ascii: "]") || after == UInt8(ascii: "|")
      else { return false }
      // Seconds since 1970 have ten digits.
      let isTime = text.contains(UInt8(ascii: ":")) || groups.first.map { $0.count >= 10 } == true
      if groups.count >= 3 || groups.count == 2 && isTime {
        rest = rest.dropFirst(text.count)
        hasTime = true
        while isTime, skipZone() {}
        return true
      }
      // The number of a line, as in a listing.
      let ends = text.last.map { ":.".utf8.contains($0) } == true || after == 0x09
      guard groups.count == 1, ends, labels == 0, !hasTime else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }
    return readMonth()
  }

  /// Skips `AM`, `PM` or the name of a time zone after a time.
  private mutating func skipZone() -> Bool {
    let space = "\u{202F}".utf8
    let start = rest.starts(with: space) ? rest.dropFirst(space.count) : rest.drop { $0.isBlank }
    let word = start.prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") }
    let name = String(decoding: word.prefix { $0.isLetter }, as: UTF8.self)
    guard Self.zones.contains(name), start.dropFirst(word.count).first?.isBlank != false else {
      return false
    }
    rest = start.dropFirst(word.count)
    return true
  }

  private static let zones: Set<String> = [
    "AM", "PM", "am", "pm", "UTC", "GMT", "WET", "WEST", "BST", "IST", "CET", "CEST", "EET", "EEST",
    "MSK", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "JST", "KST", "SGT", "HKT",
    "AEST", "AEDT", "NZST", "NZDT",
  ]
  private static let timeSigns = Array("-/:.,+TZ".utf8)
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ].map { Array($0.utf8) }

  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map { Array($0.utf8) }

  private mutating func readMonth() -> Bool {
    var rest = rest
    if Self.days.contains(where: { rest.starts(with: $0) }),
      rest.dropFirst(3).first?.isBlank == true
    {
      rest = rest.dropFirst(4)
    }
    guard rest.first?.isUppercase == true,
      Self.months.contains(where: { rest.starts(with: $0) })
    else { return false }
    let day = rest.dropFirst(3).drop { $0.isBlank }
    let digits = day.prefix { $0.isDigit }
    let time = day.dropFirst(digits.count).drop { $0.isBlank }
    guard !digits.isEmpty, rest.dropFirst(3).first?.isBlank == true, time.first?.isDigit == true
    else { return false }
    self.rest = time
    return true
  }

  /// Reads `App[12:34]`, which follows the time.
  private mutating func readProcess() -> Bool {
    guard !hasProcess, let open = rest.prefix(80).firstIndex(of: UInt8(ascii: "[")),
      open > rest.startIndex, rest[rest.startIndex].isWordStart,
      let close = rest[open...].prefix(40).firstIndex(of: UInt8(ascii: "]"))
    else { return false }
    let name = rest[..<open]
    let numbers = rest[open..<close].dropFirst()
    guard numbers.first?.isDigit == true,
      numbers.allSatisfy({ $0.isHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "x") }),
      name.allSatisfy({ !Self.notInNames.contains($0) || hasTime && $0 == UInt8(ascii: "'") }),
      rest[open - 1] != 0x20,
      // Without a time, both numbers or a colon show that it is a process.
      hasTime || numbers.contains(UInt8(ascii: ":"))
        || numbers.count >= 3 && rest[close...].dropFirst().starts(with: ": ".utf8)
          && !CallbackVocabulary.isKnown(String(decoding: name, as: UTF8.self))
    else { return false }
    rest = rest[(close + 1)...]
    if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
    hasProcess = true
    return true
  }

  private static let notInNames = Array("\"':<{=,;".utf8)

  /// Reads the name of a process between tabs, as it is copied from the Console app.
  private mutating func readTabs() -> Bool {
    guard hasTime, !hasProcess, let end = rest.prefix(60).firstIndex(of: 0x09) else { return false }
    let words = rest[..<end].split(separator: 0x20)
    guard rest[..<end].contains(where: \.isLetter), words.count <= 3,
      words.allSatisfy({ word in
        word.allSatisfy { $0.isWordPart || Self.inNames.contains($0) }
          && !CallbackVocabulary.isKnown(String(decoding: word, as: UTF8.self))
      })
    else { return false }
    rest = rest[end...]
    hasProcess = true
    return true
  }

  private static let inNames = Array("'.-&".utf8)

  /// Reads the numbers of a thread, an activity and a process, as `log stream` prints them.
  private mutating func readColumn() -> Bool {
    guard hasTime, !hasProcess, rest.first?.isDigit == true else { return false }
    let word = rest.prefix { $0.isHexDigit || $0 == UInt8(ascii: "x") }
    guard rest.dropFirst(word.count).first?.isBlank == true else { return false }
    rest = rest.dropFirst(word.count)
    return true
  }

  // MARK: Threads, levels, categories, classes

  /// Reads `[main]`, `[FRC]` or `(CoreData)`.
  private mutating func readBrackets() -> Bool {
    guard let open = rest.first, let close = Self.closing[open],
      let end = rest.dropFirst().prefix(80).firstIndex(of: close)
    else { return false }
    let content = rest[rest.startIndex..<end].dropFirst()
    // An index path is a part of the message, and so is the way into a method.
    guard content.contains(where: \.isLetter), !content.contains(UInt8(ascii: "[")),
      LineLexer(rest[...end]).tokens.first.map({ $0.kind.isPath }) != true
    else { return readNumbers(content, end) }
    let text = String(decoding: content, as: UTF8.self).trimmedText
    if CallbackVocabulary.namesCallback(text) {
      // A file and a method in brackets.
      rest = rest.dropFirst()
      return true
    }
    if open == UInt8(ascii: "(") {
      guard content.allSatisfy({ $0.isWordPart || $0 == UInt8(ascii: ".") }),
        !CallbackVocabulary.isKnown(text) || text.hasPrefix("NS"),
        hasTime || hasProcess || labels > 0
      else { return false }
    }
    rest = rest[(end + 1)...]
    if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
    note(text)
    return true
  }

  /// Reads `[12:34]`, `[10:00:00]`, `[12345]` or `[   12.345678]`.
  private mutating func readNumbers(_ content: LineBytes, _ end: Int) -> Bool {
    let groups = content.split { !$0.isDigit }
    let isLong = groups.count <= 2 && groups.contains { $0.count >= 5 }
    guard content.contains(UInt8(ascii: ":")) || isLong && !content.contains(UInt8(ascii: ",")),
      content.allSatisfy({ $0.isHexDigit || Self.timeSigns.contains($0) || $0.isBlank })
    else { return false }
    rest = rest[(end + 1)...]
    hasTime = true
    return true
  }

  private static let closing: [UInt8: UInt8] = [
    UInt8(ascii: "["): UInt8(ascii: "]"), UInt8(ascii: "("): UInt8(ascii: ")"),
  ]

  /// Reads `<NSFetchedResultsController: 0x6000>` and `<Debug>`.
  private mutating func readAngle() -> Bool {
    guard rest.first == UInt8(ascii: "<"), rest.dropFirst().first?.isLetter == true,
      let end = rest.prefix(120).firstIndex(of: UInt8(ascii: ">"))
    else { return false }
    let text = String(decoding: rest[rest.startIndex..<end].dropFirst(), as: UTF8.self)
    guard !text.hasPrefix("NSIndexPath"), !text.contains(bytesOf: "<"),
      !text.contains(bytesOf: "\"")
    else {
      return false
    }
    let after = rest[(end + 1)...]
    // The description of an object is a part of the message.
    guard after.drop(while: \.isBlank).first != UInt8(ascii: "(") else { return false }
    rest = after.first == UInt8(ascii: ":") ? after.dropFirst() : after
    note(text)
    return true
  }

  /// Reads the class in `-[BooksVC controllerWillChangeContent:]`, and leaves the method.
  private mutating func readMethod() -> Bool {
    guard let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+"),
      rest.dropFirst().first == UInt8(ascii: "["),
      let blank = rest.prefix(120).firstIndex(of: 0x20)
    else { return false }
    let name = rest[rest.startIndex..<blank].dropFirst(2)
    guard !name.isEmpty, name.allSatisfy({ $0.isWordPart || Self.namePunctuation.contains($0) })
    else { return false }
    text = text ?? rest
    rest = rest[(blank + 1)...]
    let type = String(decoding: name, as: UTF8.self).prefix { $0 != "(" }
    note(String(type), isClass: true)
    return true
  }

  private static let namePunctuation = Array("().+".utf8)

  /// Reads `DEBUG:`, `[info]` without brackets, and `D/Tag:`.
  private mutating func readLevel() -> Bool {
    let word = rest.prefix { $0.isLetter }
    guard !word.isEmpty else { return false }
    let text = String(decoding: word, as: UTF8.self)
    let after = rest.dropFirst(word.count)
    if word.count == 1, after.first == UInt8(ascii: "/") {
      let tag = after.dropFirst().prefix { $0.isWordPart || $0 == UInt8(ascii: ".") }
      let end = after.dropFirst(tag.count + 1)
      guard !tag.isEmpty, end.first == UInt8(ascii: ":"), word.allSatisfy(\.isUppercase) else {
        return false
      }
      rest = end.dropFirst()
      note(String(decoding: tag, as: UTF8.self))
      return true
    }
    guard Self.levels.contains(text.lowercased()) else { return false }
    if readSwiftLog(after) { return true }
    let next = after.drop { $0.isBlank }
    let isMarked = next.first.map(Self.levelEnds.contains) == true
    let isColumn = hasTime && next.starts(with: "0x".utf8)
    guard
      isMarked || isColumn || after.first == 0x09
        || text == text.uppercased() && after.first?.isBlank == true
    else { return false }
    rest = isMarked ? after.drop { $0.isBlank }.dropFirst() : after
    return true
  }

  /// Reads `com.example.app : key=value [Module]`, which SwiftLog prints after the time and the
  /// level.
  private mutating func readSwiftLog(_ after: LineBytes) -> Bool {
    guard hasTime, labels == 0, after.first == 0x20 else { return false }
    var words = after.prefix(1000).split(separator: 0x20)[...]
    guard let word = words.popFirst() else { return false }
    let label = String(decoding: word.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    let end = label.utf8.count == word.count ? words.popFirst() : word.dropFirst(label.utf8.count)
    let module = words.drop { $0.contains(UInt8(ascii: "=")) }.first ?? []
    let name = module.dropFirst().dropLast()
    // A callback, a kind of change or an index path in brackets belongs to the message.
    guard end?.elementsEqual(":".utf8) == true, module.first == UInt8(ascii: "["),
      module.last == UInt8(ascii: "]"), name.first?.isWordStart == true,
      name.allSatisfy(\.isWordPart),
      ![label, String(decoding: name, as: UTF8.self)].contains(where: CallbackVocabulary.isKnown)
    else { return false }
    labels += 1
    rest = rest[module.endIndex...]
    if Self.namesSource(label) { self.label = label }
    return true
  }

  private static let levelEnds = Array(":|-]>".utf8)
  private static let levels: Set<String> = [
    "debug", "info", "warn", "warning", "error", "fault", "verbose", "trace", "notice", "default",
    "log", "fatal", "critical", "console", "note",
  ]
  private static let threads: Set<String> = [
    "main", "background", "main thread", "thread", "global", "com.apple.main-thread", "ui",
  ]

  /// Reads `BooksVC.swift:42`.
  private mutating func readFile() -> Bool {
    let name = rest.prefix { $0.isWordPart || $0 == UInt8(ascii: "+") }
    guard !name.isEmpty, rest.dropFirst(name.count).first == UInt8(ascii: ".") else { return false }
    let ending = rest.dropFirst(name.count + 1).prefix { $0.isLetter }
    guard ["swift", "m", "mm"].contains(String(decoding: ending, as: UTF8.self)) else {
      return false
    }
    var after = rest.dropFirst(name.count + 1 + ending.count)
    if after.first == UInt8(ascii: "("), let end = after.prefix(12).firstIndex(of: 0x29) {
      after = after[(end + 1)...]
    } else {
      while after.first == UInt8(ascii: ":") {
        after = after.dropFirst().drop { $0.isDigit }
      }
    }
    text = text ?? rest
    rest = after
    if rest.first == UInt8(ascii: "]") { rest = rest.dropFirst() }
    note(String(decoding: name.prefix { $0 != UInt8(ascii: "+") }, as: UTF8.self), isClass: true)
    return true
  }

  /// Reads `FRC:`, `BooksVC |` or `BooksVC -`.
  private mutating func readLabel() -> Bool {
    let name = rest.prefix { $0.isWordPart || $0 == UInt8(ascii: ".") }
    guard labels < 2, !name.isEmpty, name.count <= 60, !(name.first?.isDigit ?? true),
      name.last != UInt8(ascii: ".")
    else { return false }
    let text = String(decoding: name, as: UTF8.self)
    var after = rest.dropFirst(name.count)
    guard !CallbackVocabulary.isKnown(text) else { return false }
    if after.first == UInt8(ascii: ":") {
      after = after.dropFirst()
      guard after.first?.isBlank == true else { return false }
    } else {
      after = after.drop { $0.isBlank }
      let isDash =
        after.first == UInt8(ascii: "-") && after.dropFirst().first?.isBlank == true
      guard after.first == UInt8(ascii: "|") || isDash else { return false }
      after = after.dropFirst()
    }
    labels += 1
    rest = after
    note(text)
    return true
  }

  /// Skips signs and emoji that decorate a line.
  private mutating func readSign() -> Bool {
    guard let first = rest.first else { return false }
    if first >= 0xF0 {
      rest = rest.dropFirst(4)
      return true
    }
    if first == 0xE2, !rest.starts(with: "→".utf8), !rest.starts(with: "“".utf8),
      !rest.starts(with: "„".utf8)
    {
      rest = rest.dropFirst(3)
      return true
    }
    if rest.starts(with: [0xEF, 0xB8, 0x8F]) {
      rest = rest.dropFirst(3)
      return true
    }
    guard Self.signs.contains(first) else { return false }
    let second = rest.dropFirst().first
    // Arrows say whether a method is entered or left, and a method begins with a sign.
    if first == UInt8(ascii: "-") || first == UInt8(ascii: "="), second == UInt8(ascii: ">") {
      return false
    }
    if first == UInt8(ascii: "-"), second == UInt8(ascii: "[") { return false }
    rest = rest.dropFirst()
    return true
  }

  private static let signs = Array(">-*#|=~+]\\".utf8)

  /// Whether a text may tell controllers apart, which a thread, a level or a queue does not.
  static func namesSource(_ text: String) -> Bool {
    let small = text.lowercased()
    return !levels.contains(small) && !threads.contains(small) && !small.hasPrefix("thread ")
      && !small.contains(bytesOf: "queue") && small.contains(where: \.isLetter) && small.count > 1
  }

  /// Keeps what may tell controllers apart.
  private mutating func note(_ text: String, isClass: Bool = false) {
    var text = text
    // A line of a file is not a part of its name.
    if let place = text.firstRange(ofBytes: ".swift:") { text = String(text[..<place.lowerBound]) }
    guard Self.namesSource(text) else { return }
    // An address says more than a class, and a class more than a category.
    let isAddress = text.contains(bytesOf: "0x")
    if source == nil || isAddress || isClass && source?.contains(bytesOf: "0x") != true {
      source = text
    }
  }
}

extension LinePrefix {
  /// Whether a text may name a controller: it is no level, thread or queue.
  static func namesSource(_ text: String) -> Bool { PrefixReader.namesSource(text) }
}

extension LineToken.Kind {
  var isPath: Bool { if case .path = self { true } else { false } }
}

extension String {
  /// The text without blanks at both ends.
  fileprivate var trimmedText: String { String(trimmed) }
}
