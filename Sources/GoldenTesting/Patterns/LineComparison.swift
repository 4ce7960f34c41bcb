import FetchedResults
import Platform

/// An expected line in a form that can be compared with many lines.
struct LineComparison {
  /// How a line matches.
  struct Fit {
    /// Whether the pattern was needed.
    var use = PatternUse.used
    /// The texts of named patterns, in order.
    var captures: [(name: String, text: String)] = []
  }

  private enum Way {
    /// The line must be equal to this text.
    case text([UInt8])
    /// These texts in order, with any text between two of them.
    case glob([[UInt8]], names: [String?])
    case program(TextMatcher, [Noted])
    /// The line has too many parts to be compared.
    case none
  }

  /// A part of a program whose match is recorded.
  private struct Noted {
    let name: String?
    /// Whether the pattern is reported as unused if it matches nothing.
    let isAnyText: Bool
  }

  let line: String
  private let isPattern: Bool
  private let way: Way
  /// Texts that each matching line contains, unless it is equal to the pattern.
  ///
  /// ``LineIndex/end`` stands for a line end.
  let texts: [[UInt8]]

  /// Creates the comparison with a line without a pattern.
  init(plain line: String) {
    self.line = line
    isPattern = false
    way = .text(Array(line.utf8))
    texts = []
  }

  init(_ pattern: LinePattern, names: CapturedTexts) {
    self.init(text: pattern.text, pattern.elements, names: names)
  }

  /// Creates the comparison with a line of several elements.
  ///
  /// - Parameter text: The line itself, for output that is equal to it.
  init(text: String, _ elements: [LinePattern.Element], names: CapturedTexts) {
    line = text
    isPattern = elements.contains { if case .text = $0 { false } else { true } }
    let parts = elements.resolved(names: names)
    texts = RequiredTexts(parts).texts
    way = Self.way(parts)
  }

  private static func way(_ parts: [LinePattern.Element]) -> Way {
    var texts: [[UInt8]] = [[]]
    var names: [String?] = []
    var program: [TextProgram.Part] = []
    var noted: [Noted] = []
    var isGlob = true
    for part in parts {
      switch part {
      case .text(let text):
        texts[texts.count - 1] += Array(text.utf8)
        program.append(.text(text))
      case .pattern(let kind, let name):
        var isAnyText = false
        if case .anyText = kind { isAnyText = true }
        isGlob = isGlob && isAnyText
        texts.append([])
        names.append(name)
        // The matches of most parts are not recorded, because that takes time.
        if isAnyText || name != nil {
          program.append(.noted(kind.expression))
          noted.append(Noted(name: name, isAnyText: isAnyText))
        } else {
          program.append(.expression(kind.expression))
        }
      case .reuse: break
      }
    }
    if isGlob { return names.isEmpty ? .text(texts[0]) : .glob(texts, names: names) }
    return (try? TextProgram(program)).map { .program(TextMatcher($0), noted) } ?? .none
  }

  /// Returns how a line matches; nil if it does not.
  func fit(
    _ actual: String, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Fit? {
    try budget.spend()
    var fit = try patternFit(actual, until: budget)
    guard line.hasSameScalars(as: actual) else { return fit }
    // An equal line always matches, whatever its patterns are.
    if fit == nil { fit = Fit() }
    if isPattern { fit?.use = .ownText }
    return fit
  }

  private func patternFit(
    _ actual: String, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Fit? {
    switch way {
    case .text(let text): return actual.utf8.elementsEqual(text) ? Fit() : nil
    case .glob(let texts, let names):
      var actual = actual
      let bytes = actual.withUTF8 { Array($0) }
      guard let spans = try Self.spans(between: texts, in: bytes, until: budget) else { return nil }
      var fit = Fit()
      for (name, span) in zip(names, spans) {
        if span.isEmpty { fit.use = .nothing }
        if let name { fit.captures.append((name, String(decoding: bytes[span], as: UTF8.self))) }
      }
      return fit
    case .program(let matcher, let noted):
      guard let texts = try matcher.match(actual, until: budget) else { return nil }
      var fit = Fit()
      for (part, text) in zip(noted, texts) {
        if part.isAnyText, text.isEmpty { fit.use = .nothing }
        if let name = part.name { fit.captures.append((name, String(text))) }
      }
      return fit
    case .none: return nil
    }
  }

  /// Returns the parts between texts, as short as possible, in a line that begins with the first
  /// text and ends with the last.
  ///
  /// Returns nil if the line does not contain the texts in order.
  ///
  /// - Complexity: At most O(*n* · *m*) for a line of *n* bytes and texts of *m*.
  private static func spans(
    between texts: [[UInt8]], in line: [UInt8], until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> [Range<Int>]? {
    guard let first = texts.first, let last = texts.last, texts.count > 1,
      first.count + last.count <= line.count, line.starts(with: first),
      line.suffix(last.count).elementsEqual(last)
    else { return nil }
    var spans: [Range<Int>] = []
    var start = first.count
    let end = line.count - last.count
    for text in texts.dropFirst().dropLast() {
      guard let place = try Self.place(of: text, in: line, start..<end, until: budget) else {
        return nil
      }
      spans.append(start..<place)
      start = place + text.count
    }
    return start <= end ? spans + [start..<end] : nil
  }

  /// Returns the first place of a text in a part of a line.
  private static func place(
    of text: [UInt8], in line: [UInt8], _ range: Range<Int>, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Int? {
    guard let first = text.first else { return range.lowerBound }
    var place = range.lowerBound
    while place + text.count <= range.upperBound {
      try budget.spend()
      if line[place] == first, line[place..<place + text.count].elementsEqual(text) {
        try budget.spend(text.count)
        return place
      }
      place += 1
    }
    return nil
  }
}

/// Whether an expected line needs its pattern.
package enum PatternUse: Hashable, Sendable {
  case used
  /// A pattern matched empty text, or no lines.
  case nothing
  /// The output is equal to the text of the pattern.
  case ownText
}

extension [LinePattern.Element] {
  /// The elements with texts in place of known names, and patterns for any text in place of unknown
  /// ones.
  fileprivate func resolved(names: CapturedTexts) -> Self {
    var result: Self = []
    for element in self {
      var element = element
      if case .reuse(let name) = element {
        element = names[name].map(LinePattern.Element.text) ?? .pattern(.anyText, name: nil)
      }
      if case .text(let text) = element, case .text(let before) = result.last {
        result[result.count - 1] = .text(before + text)
      } else {
        result.append(element)
      }
    }
    return result
  }
}

/// Decides which expected lines match which lines of output, for differences.
///
/// Names that lines of the same block capture match any text. Once the comparisons have taken too
/// many steps, a line matches only an equal one, and the difference shows fewer matches.
final class LineComparer {
  private let lines: [ExpectedOutput.Line]
  private let names: CapturedTexts
  private let output: [String]
  private let budget: ComparisonBudget
  /// The comparisons of lines that reuse what others capture.
  private var late: [Int: LineComparison] = [:]

  init(
    _ expected: ExpectedOutput, _ output: [String],
    until budget: ComparisonBudget = .ofDifferences
  ) {
    self.budget = budget
    lines = expected.readLines
    names = expected.captured.adding(expected.unknownNames)
    self.output = output
  }

  func fits(_ index: Int, _ place: Int) -> Bool {
    switch lines[index] {
    case .anyLines: return output[place].isAnyLines
    case .ready(let comparison): return fits(comparison, place)
    case .late(let pattern):
      let comparison = late[index] ?? LineComparison(pattern, names: names)
      late[index] = comparison
      return fits(comparison, place)
    }
  }

  private func fits(_ comparison: LineComparison, _ place: Int) -> Bool {
    do {
      return try comparison.fit(output[place], until: budget) != nil
    } catch {
      return comparison.line.hasSameScalars(as: output[place])
    }
  }
}

/// A line with patterns of which one text may be replaced.
struct LineAdaptation {
  private let elements: [LinePattern.Element]
  /// The index of the text that may be replaced.
  private let index: Int
  private let old: String
  private let names: CapturedTexts
  private let comparison: LineComparison

  /// A name that no line contains.
  private static let name = "?"

  /// - Parameters:
  ///   - elements: The parts of the line.
  ///   - index: The part that may be replaced; if it is not a text, the result is nil.
  ///   - text: The whole line.
  init?(
    of elements: [LinePattern.Element], at index: Int, in text: String, names: CapturedTexts
  ) {
    guard case .text(let old) = elements[index] else { return nil }
    var elements = elements
    elements[index] = .pattern(.anyText, name: Self.name)
    self.elements = elements
    self.index = index
    self.old = old
    self.names = names
    comparison = LineComparison(text: text, elements, names: names)
  }

  /// Returns the line changed so that it matches a line of output; nil if that is not possible.
  func line(
    for actual: String, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> String? {
    let fit = try comparison.fit(actual, until: budget)
    guard let new = fit?.captures.first(where: { $0.name == Self.name })?.text,
      !new.isEmpty || old.isEmpty
    else { return nil }
    var changed = elements
    changed[index] = .text(new)
    let line = LinePattern.source(of: changed, names: names)
    let again = try LineComparison(text: line, changed, names: names).fit(actual, until: budget)
    return again?.use == .used ? line : nil
  }
}

/// Finds the few lines that a pattern may match, by groups of three bytes that both contain.
struct LineIndex {
  let lines: [String]
  /// The lines with their end marks.
  private var wholeLines: [[UInt8]] = []
  private var placesOfGrams: [UInt32: [Int]] = [:]
  private var placesOfLines: [ScalarString: [Int]] = [:]

  /// The mark before the first byte of a line and after the last.
  static let end: UInt8 = 0

  /// - Complexity: O(*n*) in the length of the lines.
  init(_ lines: [String]) {
    self.lines = lines
    for (place, line) in lines.enumerated() {
      placesOfLines[ScalarString(line), default: []].append(place)
      let whole = [Self.end] + Array(line.utf8) + [Self.end]
      wholeLines.append(whole)
      Self.forEachGram(of: whole) { gram in
        if placesOfGrams[gram]?.last != place { placesOfGrams[gram, default: []].append(place) }
      }
    }
  }

  /// Returns the places of lines that are equal to `line`.
  func places(of line: String) -> [Int] { placesOfLines[ScalarString(line)] ?? [] }

  /// Returns the places of all lines that contain some texts, and perhaps of others.
  func places(ofLinesWith texts: [[UInt8]]) -> [Int] {
    var best: (places: [Int], text: [UInt8])?
    for text in texts {
      Self.forEachGram(of: text) { gram in
        let places = placesOfGrams[gram] ?? []
        if places.count < best?.places.count ?? .max { best = (places, text) }
      }
    }
    guard let best else { return Array(lines.indices) }
    return best.places.filter { Self.contains(wholeLines[$0], best.text) }
  }

  private static func contains(_ line: [UInt8], _ text: [UInt8]) -> Bool {
    guard text.count <= line.count else { return false }
    return (0...line.count - text.count).contains { start in
      text.indices.allSatisfy { line[start + $0] == text[$0] }
    }
  }

  private static func forEachGram(of bytes: [UInt8], _ body: (UInt32) -> Void) {
    var gram: UInt32 = 0
    for (index, byte) in bytes.enumerated() {
      gram = (gram << 8 | UInt32(byte)) & 0xFF_FFFF
      if index >= 2 { body(gram) }
    }
  }
}

/// A limit that ends a comparison if it takes too long or was cancelled.
///
/// It is asked at every step of a comparison, and reads the clock once in a few thousand steps. Only
/// the time counts for which the thread has a processor: on a busy computer, right output would
/// otherwise fail.
package final class ComparisonBudget {
  /// Thrown by a comparison that was ended.
  package enum Exceeded: Error {
    /// The time or the number of steps was exceeded.
    case used
    /// The run was cancelled.
    case cancelled
  }

  /// The thread's processor time at the end of the budget.
  private let end: Duration?
  private let isCancelled: @Sendable () -> Bool
  private var stepsLeft: Int
  /// The number of steps that one step of an expression counts for.
  private let costOfExpressions: Int
  /// The number of steps until the clock is read again.
  private var pause = ComparisonBudget.interval
  private static let interval = 1 << 16

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - time: The longest processor time of the comparison, in the calling thread; nil for no limit.
  ///   - steps: The largest number of steps: bytes that are read, or pairs that are tried.
  ///   - costOfExpressions: The number of steps that one step of an expression counts for.
  ///   - isCancelled: Returns whether the run was cancelled.
  package init(
    time: Duration? = nil, steps: Int = .max, costOfExpressions: Int = 1,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    end = time.map { ProcessLimits.threadTime + $0 }
    stepsLeft = steps
    self.costOfExpressions = costOfExpressions
    self.isCancelled = isCancelled
  }

  /// A budget for the comparisons that show a difference.
  ///
  /// They are not a part of the time of the test, which has found by then that the output differs.
  /// A step of an expression takes about ten times as long as a byte that is read.
  static var ofDifferences: ComparisonBudget {
    ComparisonBudget(steps: 100_000_000, costOfExpressions: 10)
  }

  /// Counts steps of expressions.
  func spend(onExpressions steps: Int) throws(Exceeded) { try spend(steps * costOfExpressions) }

  /// Counts steps.
  func spend(_ steps: Int = 1) throws(Exceeded) {
    stepsLeft -= steps
    if stepsLeft < 0 { throw .used }
    pause -= steps
    guard pause <= 0 else { return }
    pause = Self.interval
    if isCancelled() { throw .cancelled }
    if let end, ProcessLimits.threadTime >= end { throw .used }
  }
}
