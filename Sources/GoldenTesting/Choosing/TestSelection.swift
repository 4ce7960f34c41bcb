import Basics
import Foundation
package import ScriptSyntax

/// A condition on the tags of a test: `slow and not (sqlite or cache)`.
package indirect enum TagExpression: Hashable, Sendable {
  case tag(String)
  case not(TagExpression)
  case and(TagExpression, TagExpression)
  case or(TagExpression, TagExpression)

  /// Parses an expression.
  ///
  /// - Throws: A diagnostic with the place of the error in the text.
  package init(_ text: String) throws(ScriptDiagnostic) {
    var parser = TagParser(text)
    self = try parser.parse()
  }

  /// Whether tags fulfil the expression.
  package func matches(_ tags: Set<String>) -> Bool {
    switch self {
    case .tag(let name): tags.contains(name)
    case .not(let operand): !operand.matches(tags)
    case .and(let left, let right): left.matches(tags) && right.matches(tags)
    case .or(let left, let right): left.matches(tags) || right.matches(tags)
    }
  }

  /// The tags in the expression.
  package var names: Set<String> {
    switch self {
    case .tag(let name): [name]
    case .not(let operand): operand.names
    case .and(let left, let right), .or(let left, let right): left.names.union(right.names)
    }
  }
}

/// A diagnostic as an error.
package struct ScriptDiagnostic: Error, Hashable {
  package let diagnostic: Diagnostic
}

/// A parser for tag expressions.
private struct TagParser {
  private struct Word {
    let text: String
    /// The range, in bytes.
    let range: Range<Int>
  }

  private var words: ArraySlice<Word>
  /// The end of the text, in bytes.
  private let end: Int
  private var depth = 0

  /// The largest depth of nested parentheses and `not`.
  private static let maximumDepth = 100

  init(_ text: String) {
    var words: [Word] = []
    var start: Int?
    let bytes = Array(text.utf8)
    func close(at index: Int) {
      guard let from = start else { return }
      words.append(
        Word(text: String(decoding: bytes[from..<index], as: UTF8.self), range: from..<index))
      start = nil
    }
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: ")"):
        close(at: index)
        words.append(
          Word(text: String(Character(Unicode.Scalar(byte))), range: index..<index + 1))
      case 0...0x20: close(at: index)
      default: if start == nil { start = index }
      }
    }
    close(at: bytes.count)
    self.words = words[...]
    end = bytes.count
  }

  mutating func parse() throws(ScriptDiagnostic) -> TagExpression {
    let expression = try alternatives()
    if let word = words.first { throw failure("expected 'and' or 'or', found '\(word.text)'") }
    return expression
  }

  private mutating func alternatives() throws(ScriptDiagnostic) -> TagExpression {
    var expression = try conjunction()
    while take("or") { expression = .or(expression, try conjunction()) }
    return expression
  }

  private mutating func conjunction() throws(ScriptDiagnostic) -> TagExpression {
    var expression = try operand()
    while take("and") { expression = .and(expression, try operand()) }
    return expression
  }

  private mutating func operand() throws(ScriptDiagnostic) -> TagExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw failure("the expression nests too deep") }
    if take("not") { return .not(try operand()) }
    if take("(") {
      let inner = try alternatives()
      guard take(")") else { throw failure("expected ')', found \(found)") }
      return inner
    }
    guard let word = words.first, !["and", "or", ")"].contains(word.text) else {
      throw failure("expected a tag, found \(found)")
    }
    words.removeFirst()
    return .tag(word.text)
  }

  private mutating func take(_ text: String) -> Bool {
    guard words.first?.text == text else { return false }
    words.removeFirst()
    return true
  }

  private var found: String { words.first.map { "'\($0.text)'" } ?? "the end" }

  private func failure(_ message: String) -> ScriptDiagnostic {
    ScriptDiagnostic(
      diagnostic: Diagnostic(message: message, range: words.first?.range ?? end..<end))
  }
}

/// A pattern for paths.
///
/// `*` matches any text and `?` one character within one folder, `**` matches any folders, and
/// `[a-c]` one character of a set.
///
/// A pattern may match from any folder on: `cache/*` matches `t/cache/a.frc`.
package struct Glob: Sendable {
  /// The program that matches, as for expected output; nil for a pattern that is longer than any
  /// path.
  private let program: TextProgram?

  package init(_ pattern: String) {
    var parts: [TextExpression] = pattern.hasPrefix("/") ? [] : [.folders]
    var rest = pattern.precomposedStringWithCanonicalMapping.unicodeScalars[...]
    var isAtStart = true
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*" where isAtStart && rest.starts(with: "*/".unicodeScalars):
        rest.removeFirst(2)
        parts.append(.folders)
        continue
      case "*" where rest.first == "*":
        rest.removeFirst()
        parts.append(.anyText)
      case "*": parts.append(.repeated(.withinFolder, 0, nil, isLazy: true))
      case "?": parts.append(.withinFolder)
      case "[":
        guard let end = rest.dropFirst().firstIndex(of: "]") else {
          parts.append(.scalar(scalar))
          break
        }
        parts.append(.set(Self.set(rest[..<end])))
        rest = rest[rest.index(after: end)...]
      default: parts.append(.scalar(scalar))
      }
      isAtStart = scalar == "/"
    }
    program = try? TextProgram([.expression(.sequence(parts))])
  }

  /// Whether a text contains a character with a meaning in patterns.
  package static func isPattern(_ text: String) -> Bool {
    text.contains { "*?[".contains($0) }
  }

  /// Parses the text between the brackets of a set, which never contains `/`.
  private static func set(_ text: Substring.UnicodeScalarView) -> ScalarSet {
    var rest = text
    let isInverted = rest.first == "!" || rest.first == "^"
    if isInverted { rest.removeFirst() }
    var ranges: [ClosedRange<UInt32>] = isInverted ? [slash...slash] : []
    while let first = rest.popFirst() {
      var last = first
      if rest.first == "-", let end = rest.dropFirst().first, first <= end {
        rest.removeFirst(2)
        last = end
      }
      let range = first.value...last.value
      guard !isInverted, range.contains(slash) else {
        ranges.append(range)
        continue
      }
      if first.value < slash { ranges.append(first.value...slash - 1) }
      if last.value > slash { ranges.append(slash + 1...last.value) }
    }
    return ScalarSet(ranges: ranges, isInverted: isInverted)
  }

  fileprivate static let slash = Unicode.Scalar("/").value

  /// Whether a path matches the pattern.
  ///
  /// - Complexity: O(*n* · *m*) for a path of *n* characters and a pattern of *m*.
  package func matches(_ path: String) -> Bool {
    guard let program else { return false }
    let match = try? TextMatcher(program).match(
      path.precomposedStringWithCanonicalMapping, until: ComparisonBudget())
    return match != nil
  }
}

extension TextExpression {
  /// One character in the name of a folder or a file.
  fileprivate static let withinFolder = TextExpression.set(
    ScalarSet(ranges: [Glob.slash...Glob.slash], isInverted: true))

  /// Any number of folders, each with its `/`.
  fileprivate static let folders = TextExpression.repeated(
    .sequence([.anyText, .scalar("/")]), 0, 1, isLazy: true)
}

/// Selects paths by texts and patterns.
///
/// One that begins with `!` excludes paths.
package struct PathFilter: Sendable {
  private enum Test {
    /// The path contains the text.
    case text(String)
    case glob(Glob)

    init(_ pattern: some StringProtocol) {
      let pattern = String(pattern)
      self = Glob.isPattern(pattern) ? .glob(Glob(pattern)) : .text(pattern)
    }

    func matches(_ path: String) -> Bool {
      switch self {
      // Every path contains the empty text.
      case .text(let text): text.isEmpty || path.contains(text)
      case .glob(let glob): glob.matches(path)
      }
    }
  }

  private let wanted: [Test]
  private let unwanted: [Test]

  package init(_ patterns: [String]) {
    wanted = patterns.filter { !$0.hasPrefix("!") }.map { Test($0) }
    unwanted = patterns.filter { $0.hasPrefix("!") }.map { Test($0.dropFirst()) }
  }

  /// Whether a path is selected and not excluded.
  package func accepts(_ path: String) -> Bool {
    (wanted.isEmpty || wanted.contains { $0.matches(path) })
      && !unwanted.contains { $0.matches(path) }
  }
}

/// One of several parts of a suite, which run on several machines.
///
/// All machines compute the same parts, from the same paths and the same recorded times. So the
/// parts together are the suite, and no test is in two parts.
package struct TestShard: Hashable, Sendable {
  /// The number of the part, counted from 1.
  package let number: Int
  package let count: Int

  /// Parses a part such as `2/4`; nil for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1,
      (1...count).contains(number)
    else { return nil }
    self.number = number
    self.count = count
  }

  /// Returns the indices of the part's tests, ascending.
  ///
  /// The tests are distributed from the slowest to the fastest, each to the part with the least
  /// work so far. A test without a known time counts as the average of the others. If no time is
  /// known, tests are distributed by path.
  ///
  /// - Complexity: O(*n* (log *n* + *c*)) for *n* tests and *c* parts.
  package func indices(of paths: [String], seconds: (String) -> Double? = { _ in nil }) -> [Int] {
    let times = paths.map(seconds)
    let known = times.compactMap(\.self)
    let average = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
    let weights = times.map { max($0 ?? average, 0) }
    let order = paths.indices.ordered { left, right in
      if weights[left] != weights[right] { return weights[left] > weights[right] }
      return paths[left].utf8.lexicographicallyPrecedes(paths[right].utf8)
    }
    // If there are more parts than tests, the first parts get one test each.
    let parts = min(count, paths.count)
    var loads = [Double](repeating: 0, count: parts)
    var sizes = [Int](repeating: 0, count: parts)
    var chosen: [Int] = []
    for index in order {
      let part = loads.indices.min { (loads[$0], sizes[$0]) < (loads[$1], sizes[$1]) } ?? 0
      loads[part] += weights[index]
      sizes[part] += 1
      if part == number - 1 { chosen.append(index) }
    }
    return chosen.sorted()
  }
}

extension [String] {
  /// Returns the texts in the order of their bytes, which is the same in every locale.
  package func inByteOrder() -> [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
