import Basics
import FetchedResults

/// The bytes of a line, or of a part of it.
typealias LineBytes = ArraySlice<UInt8>

/// A part of a line that the grammar of callbacks distinguishes.
///
/// Quoted text and descriptions are tokens of their own. Nothing in them is read as grammar.
struct LineToken: Hashable {
  let kind: Kind
  /// Where it is in the line.
  let range: Range<Int>

  enum Kind: Hashable {
    case word
    case number(Int)
    case path(ResultsIndexPath)
    /// A text in quotation marks.
    case quoted
    /// A description in `<…>` or `{…}`, or the `(entity: …)` of an object.
    case description
    /// A name such as `Book/3`, or the end of an object's URI.
    case object(String)
    /// `0x6000`
    case address
    /// `->`, `=>` or `→`
    case arrow
    /// `<-`, `<=` or `<<`
    case backArrow
    /// Another character, by its first byte.
    case sign(UInt8)
  }
}

extension LineToken {
  /// Whether it is the character.
  func isSign(_ sign: Unicode.Scalar) -> Bool { kind == .sign(UInt8(ascii: sign)) }
}

/// Divides a line into tokens.
struct LineLexer {
  private let line: LineBytes
  private var place: Int
  private(set) var tokens: [LineToken] = []
  /// Whether the line ends in the middle of a description or a quoted text.
  private(set) var isOpen = false
  /// No single quotation mark after this place has a partner.
  private var lastSingleQuote = Int.max
  /// The ends of `<…>`, by their beginnings; nil until they are needed.
  private var angles: [Int: Int]?

  /// Divides a line.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  init(_ line: LineBytes) {
    self.line = line
    place = line.startIndex
    while place < line.endIndex { readToken() }
  }

  private func byte(_ index: Int) -> UInt8? { index < line.endIndex ? line[index] : nil }

  private mutating func add(_ kind: LineToken.Kind, to end: Int) {
    tokens.append(LineToken(kind: kind, range: place..<end))
    place = end
  }

  private mutating func readToken() {
    let first = line[place]
    if first.isBlank {
      place += 1
      return
    }
    if first >= 0x80, let (open, close) = Self.quotes.first(where: { opens($0.0) }) {
      return readQuoted(until: close, from: place + open.count)
    }
    if let (kind, length) = symbol(first) { return add(kind, to: place + length) }
    switch first {
    case UInt8(ascii: "\""): readQuoted(until: [first], from: place + 1)
    case UInt8(ascii: "'"): readSingleQuoted()
    case UInt8(ascii: "<"): readAngle()
    case UInt8(ascii: "{"):
      if !readPath() { readDescription() }
    case UInt8(ascii: "("):
      if !readPath() { readParenthesis() }
    case UInt8(ascii: "["):
      if !readPath() { add(.sign(first), to: place + 1) }
    case let digit where digit.isDigit: readNumber()
    case let letter where letter.isWordStart: readWord()
    case _: add(.sign(first), to: place + 1)
    }
  }

  // MARK: Signs

  private func opens(_ text: [UInt8]) -> Bool { line[place...].starts(with: text) }

  /// Returns an arrow, or a character outside of ASCII that is no letter, with its length.
  private func symbol(_ first: UInt8) -> (LineToken.Kind, Int)? {
    switch (first, byte(place + 1)) {
    case (UInt8(ascii: "-"), UInt8(ascii: ">")), (UInt8(ascii: "="), UInt8(ascii: ">")):
      return (.arrow, 2)
    case (UInt8(ascii: "<"), UInt8(ascii: "-")), (UInt8(ascii: "<"), UInt8(ascii: "=")),
      (UInt8(ascii: "<"), UInt8(ascii: "<")):
      return (.backArrow, 2)
    case _ where first < 0x80: return nil
    case _: break
    }
    if Self.arrows.contains(where: opens) { return (.arrow, 3) }
    guard isSymbol(place) else { return nil }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    return (.sign(first), min(length, line.endIndex - place))
  }

  private static let arrows = ["→", "⇒", "➡", "⟶"].map { Array($0.utf8) }
  private static let quotes = [("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』")].map {
    (Array($0.0.utf8), Array($0.1.utf8))
  }

  // MARK: Quoted text and descriptions

  private mutating func readQuoted(until close: [UInt8], from start: Int) {
    var end = start
    while end < line.endIndex {
      if line[end] == UInt8(ascii: "\\") {
        end += 2
      } else if line[end] == close[0], line[end...].starts(with: close) {
        return add(.quoted, to: end + close.count)
      } else {
        end += 1
      }
    }
    isOpen = true
    add(.quoted, to: line.endIndex)
  }

  /// Reads `'A'`, but not the apostrophe of a word.
  private mutating func readSingleQuoted() {
    guard place < lastSingleQuote else {
      return add(.sign(UInt8(ascii: "'")), to: place + 1)
    }
    var end = place + 1
    while end < line.endIndex {
      if line[end] == UInt8(ascii: "\\") {
        end += 2
      } else if line[end] == UInt8(ascii: "'"), byte(end + 1).map(\.isWordPart) != true {
        return add(.quoted, to: end + 1)
      } else {
        end += 1
      }
    }
    lastSingleQuote = place
    add(.sign(UInt8(ascii: "'")), to: place + 1)
  }

  private mutating func readAngle() {
    let angles = self.angles ?? pairs()
    self.angles = angles
    guard byte(place + 1)?.isWordStart == true, let end = angles[place] else {
      return add(.sign(UInt8(ascii: "<")), to: place + 1)
    }
    add(.description, to: end + 1)
  }

  /// The pairs of `<` and `>` in the rest of the line, outside of quoted text.
  private func pairs() -> [Int: Int] {
    var pairs: [Int: Int] = [:]
    var open: [Int] = []
    var index = place
    while index < line.endIndex {
      switch line[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "\""):
        var end = index + 1
        while end < line.endIndex, line[end] != UInt8(ascii: "\"") {
          end += line[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(end, line.endIndex)
      case UInt8(ascii: "<"): open.append(index)
      case UInt8(ascii: ">"):
        let before = index > place ? line[index - 1] : 0
        if before != UInt8(ascii: "-"), before != UInt8(ascii: "="), let start = open.popLast() {
          pairs[start] = index
        }
      case _: break
      }
      index += 1
    }
    return pairs
  }

  private mutating func readDescription() {
    var depth = DescriptionDepth()
    for index in place..<line.endIndex {
      depth.add(line[index])
      if depth.isClosed { return add(.description, to: index + 1) }
    }
    isOpen = true
    add(.description, to: line.endIndex)
  }

  /// Reads the `(entity: …)` of an object's description, and `(null)`.
  private mutating func readParenthesis() {
    let rest = line[place...]
    guard rest.starts(with: "(entity:".utf8) else {
      return add(.sign(UInt8(ascii: "(")), to: place + 1)
    }
    readDescription()
  }

  // MARK: Words and numbers

  private mutating func readNumber() {
    if line[place] == UInt8(ascii: "0"), byte(place + 1) == UInt8(ascii: "x"),
      byte(place + 2)?.isHexDigit == true
    {
      var end = place + 2
      while byte(end)?.isHexDigit == true { end += 1 }
      return add(.address, to: end)
    }
    var end = place
    var value = 0
    while let digit = byte(end), digit.isDigit {
      // Longer numbers are sizes or times.
      if value <= Self.mostNumber { value = value * 10 + Int(digit - UInt8(ascii: "0")) }
      end += 1
    }
    // A word may begin with a digit, as in the name of a device.
    if let next = byte(end), next.isWordStart {
      while byte(end)?.isWordPart == true { end += 1 }
      return add(.word, to: end)
    }
    add(value < Self.mostNumber ? .number(value) : .word, to: end)
  }

  /// Numbers of sections and rows are smaller.
  private static let mostNumber = 1_000_000_000

  private mutating func readWord() {
    if readMarkedPath() || readURI() { return }
    let end = wordEnd(from: place)
    if let (name, end) = object(at: place, entityEnd: end) { return add(.object(name), to: end) }
    add(.word, to: end)
  }

  private func wordEnd(from start: Int) -> Int {
    var end = start
    while let next = byte(end), next.isWordPart || isApostrophe(end) {
      if next >= 0x80, end > start, isSymbol(end) { break }
      end += 1
    }
    return end
  }

  /// Whether an emoji, a punctuation mark or another character begins here that is no letter.
  private func isSymbol(_ index: Int) -> Bool {
    switch line[index] {
    case 0xC2, 0xF0...: true
    case 0xE2: byte(index + 1).map { $0 < 0xB0 } ?? true
    case 0xE3: byte(index + 1) == 0x80
    case 0xEF: byte(index + 1) == 0xB8
    case _: false
    }
  }

  private func isApostrophe(_ index: Int) -> Bool {
    line[index] == UInt8(ascii: "'") && index > line.startIndex && line[index - 1].isWordPart
      && byte(index + 1)?.isWordPart == true
  }

  /// Reads a name such as `Book/3` or `Book/p3`.
  private func object(at start: Int, entityEnd end: Int) -> (String, Int)? {
    let first = line[start]
    guard first.isUppercase || first >= 0x80, byte(end) == UInt8(ascii: "/"),
      let last = Self.numberEnd(in: line, from: end + 1)
    else { return nil }
    return (String(decoding: line[start..<last], as: UTF8.self), last)
  }

  /// Returns the end of `3`, `p3` or `t1C0F2-…`.
  private static func numberEnd(in line: LineBytes, from start: Int) -> Int? {
    guard start < line.endIndex else { return nil }
    let isTemporary = line[start] == UInt8(ascii: "t")
    var end = line[start] == UInt8(ascii: "p") || isTemporary ? start + 1 : start
    let digits = end
    while end < line.endIndex,
      line[end].isDigit || isTemporary && (line[end].isHexDigit || line[end] == UInt8(ascii: "-"))
    {
      end += 1
    }
    guard end > digits, end == line.endIndex || !line[end].isWordPart, line[end - 1] != 0x2D,
      end == line.endIndex || line[end] != UInt8(ascii: "/")
    else { return nil }
    return end
  }

  private mutating func readURI() -> Bool {
    let start = "x-coredata:".utf8
    guard line[place] == UInt8(ascii: "x"), line[place...].starts(with: start) else {
      return false
    }
    let end = line[place...].firstIndex { $0.isBlank || Self.endsOfURI.contains($0) }
    let uri = line[place..<(end ?? line.endIndex)]
    guard let name = ObjectURI.name(uri) else { return false }
    add(.object(name), to: uri.endIndex)
    return true
  }

  private static let endsOfURI = Array(">)];,\"'".utf8)

  // MARK: Index paths

  private static let brackets: [UInt8: UInt8] = [
    UInt8(ascii: "["): UInt8(ascii: "]"), UInt8(ascii: "("): UInt8(ascii: ")"),
    UInt8(ascii: "{"): UInt8(ascii: "}"),
  ]

  /// Reads `[0, 3]`, `(section: 0, row: 3)` or `{length = 2, path = 0 - 3}`.
  private mutating func readPath() -> Bool {
    guard let close = Self.brackets[line[place]] else { return false }
    var index = place + 1
    if line[place...].starts(with: "{length".utf8) {
      guard skip("{length = 2, path = ", from: place).map({ index = $0 }) != nil else {
        return false
      }
    }
    guard let first = labelledNumber(&index) else { return false }
    skipBlanks(&index)
    guard byte(index) == UInt8(ascii: ",") || byte(index) == UInt8(ascii: "-") else { return false }
    index += 1
    guard let second = labelledNumber(&index) else { return false }
    skipBlanks(&index)
    guard byte(index) == close else { return false }
    let isSwapped = first.label.map { Self.rowLabels.contains($0) } == true
    add(
      .path(
        ResultsIndexPath(
          section: isSwapped ? second.number : first.number,
          row: isSwapped ? first.number : second.number)),
      to: index + 1)
    return true
  }

  /// Reads `path = 0 - 3`, whose beginning and end are missing.
  private mutating func readMarkedPath() -> Bool {
    guard line[place] == UInt8(ascii: "p"), var index = skip("path = ", from: place),
      let section = number(&index)
    else { return false }
    skipBlanks(&index)
    guard byte(index) == UInt8(ascii: "-") else { return false }
    index += 1
    skipBlanks(&index)
    guard let row = number(&index) else { return false }
    add(.path(ResultsIndexPath(section: section, row: row)), to: index)
    return true
  }

  private static let rowLabels: Set<String> = ["row", "item", "r", "i"]

  private func skip(_ text: String, from start: Int) -> Int? {
    line[start...].starts(with: text.utf8) ? start + text.utf8.count : nil
  }

  private func skipBlanks(_ index: inout Int) {
    while byte(index)?.isBlank == true { index += 1 }
  }

  /// Reads a number, which may follow `section: ` or the word for it in another language.
  private func labelledNumber(_ index: inout Int) -> (label: String?, number: Int)? {
    skipBlanks(&index)
    let start = index
    while let next = byte(index), next.isWordPart, !next.isDigit || index > start { index += 1 }
    var label: String?
    if index > start {
      label = String(decoding: line[start..<index], as: UTF8.self).lowercased()
      guard byte(index) == UInt8(ascii: ":") || byte(index) == UInt8(ascii: "=") else { return nil }
      index += 1
      skipBlanks(&index)
    }
    return number(&index).map { (label, $0) }
  }

  private func number(_ index: inout Int) -> Int? {
    let start = index
    var value = 0
    while let digit = byte(index), digit.isDigit {
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
      index += 1
      guard value < Self.mostNumber else { return nil }
    }
    return index > start ? value : nil
  }
}

/// Follows the brackets of a description up to its end.
struct DescriptionDepth {
  private var depth = 0
  private var isInQuotes = false
  private var isEscaped = false
  /// Whether the bracket at the beginning is closed.
  private(set) var isClosed = false

  /// Whether all brackets and quotation marks are closed.
  var isBalanced: Bool { depth == 0 && !isInQuotes }

  mutating func add(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
      return
    }
    switch byte {
    case UInt8(ascii: "\\"): isEscaped = true
    case UInt8(ascii: "\""): isInQuotes.toggle()
    case UInt8(ascii: "{"), UInt8(ascii: "("):
      if !isInQuotes { depth += 1 }
    case UInt8(ascii: "}"), UInt8(ascii: ")"):
      if !isInQuotes {
        depth = max(0, depth - 1)
        isClosed = depth == 0
      }
    case _: break
    }
  }
}

/// The URI of an object: `x-coredata://STORE/Book/p3`.
enum ObjectURI {
  /// Returns a name such as `Book/p3`.
  static func name(_ uri: LineBytes) -> String? {
    let parts = uri.split(separator: UInt8(ascii: "/"))
    guard parts.count >= 3, let number = parts.last, let entity = parts.dropLast().last,
      let first = number.first, first == UInt8(ascii: "p") || first == UInt8(ascii: "t"),
      !entity.isEmpty
    else { return nil }
    return String(decoding: entity, as: UTF8.self) + "/" + String(decoding: number, as: UTF8.self)
  }

  /// Returns the name of the object in its own description; nil if it has no URI.
  ///
  /// The first URI is the object's. Others are values.
  static func name(inDescription text: LineBytes) -> String? {
    let start = Array("x-coredata:".utf8)
    guard let found = text.firstRange(ofBytes: start) else { return nil }
    let end = text[found.lowerBound...].firstIndex { $0.isBlank || $0 == UInt8(ascii: ">") }
    return name(text[found.lowerBound..<(end ?? text.endIndex)])
  }
}

extension UInt8 {
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0B || self == 0x0C }
  var isDigit: Bool { 0x30...0x39 ~= self }
  var isUppercase: Bool { 0x41...0x5A ~= self }
  var isLetter: Bool { isUppercase || 0x61...0x7A ~= self }
  var isHexDigit: Bool { isDigit || 0x41...0x46 ~= self || 0x61...0x66 ~= self }
  /// Whether a word can begin with it.
  ///
  /// Letters outside of ASCII count by their bytes.
  var isWordStart: Bool { isLetter || self == 0x5F || self >= 0x80 }
  var isWordPart: Bool { isWordStart || isDigit }
}
