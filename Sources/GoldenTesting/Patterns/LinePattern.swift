import Basics

/// A line of expected output with patterns.
struct LinePattern: Sendable {
  /// The kind of pattern for a part of a line.
  enum Kind: Sendable {
    case anyText
    case int
    case number
    case uuid
    case date
    /// A regular expression: its text, and its parsed form.
    case expression(String, TextExpression)
  }

  enum Element: Sendable {
    case text(String)
    /// A pattern, and the name under which its match is captured.
    case pattern(Kind, name: String?)
    /// The text that a pattern of this name matched before.
    case reuse(String)
  }

  let text: String
  /// The parts of the line; two texts are never adjacent.
  let elements: [Element]
  /// Messages about text that looks like a pattern but is not one.
  let faults: [String]

  /// Parses a line; nil if it contains neither a pattern nor an escape.
  ///
  /// - Parameter names: The names that may be reused.
  init?(_ line: String, names: CapturedTexts) {
    guard Self.isPossible(in: line) || line.escapesAnyLines else { return nil }
    var scanner = Scanner(line)
    scanner.scan(names: names)
    guard !scanner.isPlain else { return nil }
    text = line
    elements = scanner.elements
    faults = scanner.faults
  }

  /// The names under which the line's patterns capture text.
  var names: [String] {
    elements.compactMap { if case .pattern(_, let name) = $0 { name } else { nil } }
  }

  /// The captured names that the line reuses.
  var reusedNames: [String] {
    elements.compactMap { if case .reuse(let name) = $0 { name } else { nil } }
  }

  /// Whether the line contains a pattern, and not only an escape.
  var hasPattern: Bool {
    elements.contains { if case .text = $0 { false } else { true } }
  }

  /// Whether the line matches every line that is not empty, and keeps nothing of it.
  var acceptsAnyLine: Bool {
    var parts: [TextProgram.Part] = []
    for element in elements {
      guard case .pattern(let kind, name: nil) = element else { return false }
      parts.append(.expression(kind.expression))
    }
    guard let program = try? TextProgram(parts) else { return false }
    let matcher = TextMatcher(program)
    return Self.unlikeLines.allSatisfy {
      ((try? matcher.match($0, until: ComparisonBudget())) ?? nil) != nil
    }
  }

  /// Lines that have so little in common that what matches all of them matches any line.
  private static let unlikeLines = ["x", "7", "two words", "é: \"ß\" [0, 1] -> {nil}; %"]

  /// Returns a line of output as an expected line, with `\` before text that would be a pattern.
  static func escaped(_ line: String, names: CapturedTexts) -> String {
    if line.isAnyLines || line.escapesAnyLines { return "\\" + line }
    guard isPossible(in: line) else { return line }
    return Scanner(line).escaped(names: names)
  }

  /// Returns the words in brackets in a line, which may be names of captured texts.
  static func bracketedWords(in line: String) -> [String] {
    let parts = line.utf8.split(
      separator: UInt8(ascii: "["), omittingEmptySubsequences: false)
    return parts.dropFirst().compactMap { part in
      let word = part.prefix(while: \.isInName)
      guard part[word.endIndex...].first == UInt8(ascii: "]") else { return nil }
      return String(decoding: word, as: UTF8.self)
    }
  }

  /// Returns the ways to replace one text of the line, so that it may match another line of output;
  /// none for a line without patterns.
  func adaptations(names: CapturedTexts) -> [LineAdaptation] {
    guard hasPattern else { return [] }
    // New text may come before the first pattern and after the last.
    var elements = elements
    if case .text = elements.first {} else { elements.insert(.text(""), at: 0) }
    if case .text = elements.last {} else { elements.append(.text("")) }
    return elements.indices.compactMap { index in
      LineAdaptation(of: elements, at: index, in: text, names: names)
    }
  }

  /// Returns the elements as a line of a script.
  static func source(of elements: [Element], names: CapturedTexts) -> String {
    var line = ""
    for (index, element) in elements.enumerated() {
      switch element {
      case .text(let text):
        line += escaped(text, names: names)
        guard index + 1 < elements.count else { continue }
        line += String(text.reversed().prefix { $0 == "\\" })
      case .pattern(let kind, let name):
        line += "[" + (name.map { $0 + "=" } ?? "") + kind.source + "]"
      case .reuse(let name): line += "[\(name)]"
      }
    }
    return line
  }

  /// Whether a line may contain a pattern.
  ///
  /// This is asked for every line. Nearly all lines have no bracket, or a number after it.
  static func isPossible(in line: String) -> Bool {
    var line = line
    return line.withUTF8 { bytes in
      guard bytes.count >= 3 else { return false }
      for index in 0..<bytes.count - 1 where bytes[index] == UInt8(ascii: "[") {
        let next = bytes[index + 1]
        if next == UInt8(ascii: ".") || next.isNameStart { return true }
      }
      return false
    }
  }
}

extension LinePattern.Kind {
  /// The kinds by their words.
  private static let words: [(word: String, kind: LinePattern.Kind)] = [
    ("..", .anyText), ("int", .int), ("number", .number), ("uuid", .uuid), ("date", .date),
  ]

  /// Creates the kind of a word; nil if there is none.
  fileprivate init?(word: Substring.UTF8View) {
    guard let found = Self.words.first(where: { $0.word.utf8.elementsEqual(word) }) else {
      return nil
    }
    self = found.kind
  }

  /// The kind as a line of a script contains it.
  fileprivate var source: String {
    switch self {
    case .anyText: ".."
    case .int: "int"
    case .number: "number"
    case .uuid: "uuid"
    case .date: "date"
    case .expression(let text, _): "re:" + text
    }
  }

  var expression: TextExpression {
    switch self {
    case .anyText: .anyText
    case .int: Self.intExpression
    case .number: Self.numberExpression
    case .uuid: Self.uuidExpression
    case .date: Self.dateExpression
    case .expression(_, let expression): expression
    }
  }

  private static let intExpression = constant("-?[0-9]+")
  private static let numberExpression = constant(#"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?"#)
  private static let uuidExpression = constant("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
  private static let dateExpression = constant(
    "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
      + "(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?(Z|[-+][0-9]{2}:[0-9]{2})?)?")

  /// Parses an expression that is part of this program.
  ///
  /// If it were wrong, it would match nothing, and its test would fail.
  private static func constant(_ text: String) -> TextExpression {
    (try? TextExpression(text)) ?? .choice([])
  }
}

// MARK: - Reading a line

extension LinePattern {
  /// Scans a line from start to end.
  private struct Scanner {
    private let line: String
    private(set) var elements: [Element] = []
    private(set) var faults: [String] = []
    /// Whether only plain text was found so far.
    private(set) var isPlain = true
    private var literal = ""
    /// The names of the patterns that were found.
    private var captured: Set<String> = []

    init(_ line: String) { self.line = line }

    /// A pattern with its brackets.
    private struct Token {
      let end: String.Index
      let element: Element
      /// The reason why it is compared as text; nil for a pattern.
      var fault: String?
    }

    mutating func scan(names: CapturedTexts) {
      if line.escapesAnyLines {
        elements = [.text(String(line.dropFirst()))]
        isPlain = false
        return
      }
      var index = line.startIndex
      while let bracket = line.utf8[index...].firstIndex(of: UInt8(ascii: "[")) {
        let slashes = backslashes(before: bracket, from: index)
        literal += line[index..<line.utf8.index(bracket, offsetBy: -slashes)]
        guard let token = token(at: bracket, names) else {
          literal += String(repeating: "\\", count: slashes) + "["
          index = line.utf8.index(after: bracket)
          continue
        }
        isPlain = false
        literal += String(repeating: "\\", count: slashes / 2)
        if slashes.isMultiple(of: 2), token.fault == nil {
          endLiteral()
          elements.append(token.element)
          if case .pattern(_, let name?) = token.element { captured.insert(name) }
        } else {
          literal += line[bracket..<token.end]
          if slashes.isMultiple(of: 2), let fault = token.fault { faults.append(fault) }
        }
        index = token.end
      }
      literal += line[index...]
      endLiteral()
      if elements.isEmpty { elements = [.text("")] }
    }

    /// Returns the line with the backslashes before each pattern doubled, and one more.
    func escaped(names: CapturedTexts) -> String {
      var result = ""
      var index = line.startIndex
      while let bracket = line.utf8[index...].firstIndex(of: UInt8(ascii: "[")) {
        let end: String.Index
        if let token = token(at: bracket, names) {
          let slashes = backslashes(before: bracket, from: index)
          result += line[index..<bracket] + String(repeating: "\\", count: slashes + 1)
          result += line[bracket..<token.end]
          end = token.end
        } else {
          end = line.utf8.index(after: bracket)
          result += line[index..<end]
        }
        index = end
      }
      return result + line[index...]
    }

    private mutating func endLiteral() {
      if !literal.isEmpty { elements.append(.text(literal)) }
      literal = ""
    }

    private func backslashes(before bracket: String.Index, from start: String.Index) -> Int {
      line.utf8[start..<bracket].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    }

    /// Returns the pattern whose bracket is at a place.
    private func token(
      at bracket: String.Index, _ names: CapturedTexts
    ) -> Token? {
      let inner = line.utf8[line.utf8.index(after: bracket)...]
      let isWord = inner.first.map(\.isNameStart) ?? false
      let word = inner.prefix { isWord && $0.isInName }
      let rest = inner[word.endIndex...]
      switch rest.first {
      case UInt8(ascii: "=") where !word.isEmpty:
        let name = String(decoding: word, as: UTF8.self)
        return typed(rest.dropFirst(), name: name, at: bracket)
      case UInt8(ascii: "]") where !word.isEmpty && Kind(word: word) == nil:
        let name = String(decoding: word, as: UTF8.self)
        if names.has(name) {
          return Token(end: line.utf8.index(after: word.endIndex), element: .reuse(name))
        }
        return captured.contains(name)
          ? text(
            at: bracket, "'[\(name)]' is text on the line that captures it; use it on a later one")
          : nil
      default: return typed(inner, name: nil, at: bracket)
      }
    }

    /// Returns a bracket that is compared as text although it looks like a pattern's.
    private func text(at bracket: String.Index, _ fault: String) -> Token {
      Token(end: line.utf8.index(after: bracket), element: .text("["), fault: fault)
    }

    /// Parses the pattern `..]`, `int]` or `re:…]`.
    private func typed(
      _ text: Substring.UTF8View, name: String?, at bracket: String.Index
    ) -> Token? {
      if text.starts(with: "re:".utf8) { return expression(text.dropFirst(3), name, at: bracket) }
      guard let close = text.prefix(8).firstIndex(of: UInt8(ascii: "]")),
        let kind = Kind(word: text[..<close])
      else { return nil }
      if let name, Kind(word: name[...].utf8) != nil {
        return self.text(at: bracket, "'\(name)' is the name of a pattern; choose another name")
      }
      return Token(end: line.utf8.index(after: close), element: .pattern(kind, name: name))
    }

    private func expression(
      _ text: Substring.UTF8View, _ name: String?, at bracket: String.Index
    ) -> Token {
      var isInSet = false
      var isEscaped = false
      for index in text.indices {
        if isEscaped {
          isEscaped = false
          continue
        }
        switch text[index] {
        case UInt8(ascii: "\\"): isEscaped = true
        case UInt8(ascii: "["): isInSet = true
        case UInt8(ascii: "]") where isInSet: isInSet = false
        case UInt8(ascii: "]"):
          let body = String(line[text.startIndex..<index])
          do {
            let kind = Kind.expression(body, try TextExpression(body))
            return Token(end: line.utf8.index(after: index), element: .pattern(kind, name: name))
          } catch {
            return self.text(at: bracket, "'[re:\(body)]' is compared as text: \(error.message)")
          }
        default: break
        }
      }
      return self.text(at: bracket, "'[re:' is compared as text: its ']' is missing")
    }
  }
}

extension String {
  /// Whether the line matches any number of lines.
  var isAnyLines: Bool { utf8.count == 3 && self == ExpectedOutput.anyLines }

  /// Whether the line is `…` with backslashes before it.
  var escapesAnyLines: Bool {
    guard utf8.first == UInt8(ascii: "\\"), hasSuffix(ExpectedOutput.anyLines) else { return false }
    return utf8.dropLast(3).allSatisfy { $0 == UInt8(ascii: "\\") }
  }
}

extension UInt8 {
  /// Whether a name may begin with this byte: an ASCII letter or `_`.
  fileprivate var isNameStart: Bool {
    (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == UInt8(ascii: "_")
  }

  fileprivate var isInName: Bool { isNameStart || (0x30...0x39).contains(self) }
}

/// The texts that patterns such as `[id=..]` have matched so far, by name.
///
/// A copy shares the earlier texts, so that each block of a script can have its own copy.
package struct CapturedTexts: Sendable {
  /// The text is nil if the name's pattern did not match.
  ///
  /// The name then matches any text, so that one mistake is reported only once.
  private typealias Layer = [String: String?]

  /// The texts in layers, the newest last.
  ///
  /// Each layer is at least twice as large as the next one. So there are few layers, and adding
  /// seldom copies much.
  private var layers: [Layer] = []

  package init() {}

  /// Whether there are any names.
  var isNamed: Bool { !layers.isEmpty }

  func has(_ name: String) -> Bool { layers.contains { $0[name] != nil } }

  /// The text of a name; nil if it is unknown.
  subscript(name: String) -> String? {
    for layer in layers.reversed() {
      if let text = layer[name] { return text }
    }
    return nil
  }

  /// The names with known texts, sorted.
  ///
  /// - Complexity: O(*n* log *n*) in the names.
  var known: [(name: String, text: String)] {
    all.compactMap { name, text in text.map { (name, $0) } }.ordered { $0.name < $1.name }
  }

  /// Sets the text of a name.
  ///
  /// If the text is nil, the name matches any text.
  ///
  /// - Complexity: O(log *n*) in the names, on average.
  mutating func set(_ name: String, to text: String?) {
    if layers.count == 1, layers[0].count < 8 {
      layers[0].updateValue(text, forKey: name)
    } else {
      add([name: text])
    }
  }

  /// Returns these texts together with others, which replace those with the same names.
  ///
  /// - Complexity: O(*m* log *n*) in the other names and in these, on average.
  package func adding(_ other: CapturedTexts) -> CapturedTexts {
    guard other.isNamed else { return self }
    var result = self
    result.add(other.all)
    return result
  }

  /// Returns the texts of some names.
  ///
  /// - Complexity: O(*m* log *n*) in the names that are asked for and in these.
  func only(_ names: Set<String>) -> CapturedTexts {
    var result = CapturedTexts()
    for name in names where has(name) { result.set(name, to: self[name]) }
    return result
  }

  /// All texts in one layer.
  private var all: Layer {
    guard var all = layers.first else { return [:] }
    for layer in layers.dropFirst() { all.merge(layer) { $1 } }
    return all
  }

  private mutating func add(_ layer: Layer) {
    guard !layer.isEmpty else { return }
    var top = layer
    while let below = layers.last, below.count < 2 * top.count {
      layers.removeLast()
      top = below.merging(top) { $1 }
    }
    layers.append(top)
  }
}

extension CapturedTexts: Hashable {
  /// Whether both have the same names with the same texts.
  package static func == (left: Self, right: Self) -> Bool { left.all == right.all }

  /// Hashes all names and texts.
  package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

/// The texts that each line matching a pattern must contain, so that few lines have to be compared
/// with it.
///
/// Adjacent parts of the pattern form one text. ``LineIndex/end`` marks the ends of the line.
struct RequiredTexts {
  private(set) var texts: [[UInt8]] = []
  /// The text that the next part may continue.
  private var open = [LineIndex.end]

  init(_ parts: [LinePattern.Element]) {
    for part in parts {
      switch part {
      case .text(let text): open += Array(text.utf8)
      case .pattern(let kind, name: _): add(kind.expression)
      case .reuse: close()
      }
    }
    open.append(LineIndex.end)
    close()
  }

  private mutating func close() {
    if !open.isEmpty { texts.append(open) }
    open = []
  }

  private mutating func add(_ expression: TextExpression) {
    switch expression {
    case .scalar(let scalar): open += Array(String(scalar).utf8)
    case .set, .choice: close()
    case .sequence(let parts): for part in parts { add(part) }
    case .repeated(let part, let least, _, isLazy: _):
      // The text after the first repetition is unknown.
      if least > 0 { add(part) }
      close()
    }
  }
}
