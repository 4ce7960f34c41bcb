package import PredicateSyntax

package typealias PredicateOptions = PredicateTree.Options

/// A comparison of a string with a constant one, which is folded or parsed as a pattern only once.
package final class TextTest {
  let operation: PredicateTree.Comparator.TextOperation
  private let folding: StringFolding
  let pattern: String
  private let bytes: [UInt8]
  private let matcher: Matcher

  private enum Matcher {
    case bytes
    case like(LikePattern)
    case expression(RegularExpression)
    case collator(Collator)
  }

  package init(
    _ operation: PredicateTree.Comparator.TextOperation, _ options: PredicateOptions,
    pattern: String,
    locale: String
  ) {
    self.operation = operation
    self.pattern = pattern
    let folding = StringFolding(options, locale: locale)
    self.folding = folding
    bytes = Array(folding.fold(pattern).utf8)
    matcher =
      switch operation {
      case .like: .like(LikePattern(folding.fold(pattern)))
      case .matches:
        .expression(
          RegularExpression(
            folding.foldingDiacritics(pattern), ignoresCase: folding.ignoresCase))
      case .relation:
        options.contains(.locale) && !options.contains(.normalized)
          ? .collator(Self.collator(options, locale: locale)) : .bytes
      case .contains, .beginsWith, .endsWith: .bytes
      }
  }

  /// The collator does not ignore diacritics; they are folded away before.
  private static func collator(_ options: PredicateOptions, locale: String) -> Collator {
    let ignoresCase = options.contains(.caseInsensitive)
    return Collator(
      locale: locale, strength: ignoresCase ? .secondary : .tertiary, isNumeric: false)
  }

  /// Whether the pattern is valid.
  ///
  /// A bad pattern of MATCHES raises.
  var isSound: Bool {
    if case .expression(let expression) = matcher { expression.problem == nil } else { true }
  }

  /// Returns whether the comparison is true with this string on its left.
  ///
  /// - Throws: ``InvalidPredicateError`` for a bad pattern of MATCHES.
  package func holds(_ string: String) throws(InvalidPredicateError) -> Bool {
    switch matcher {
    case .bytes: return holdsByBytes(string)
    case .like(let like): return folding.withFolded(string) { like.matches($0, lowers: $1) }
    case .collator(let collator):
      guard case .relation(let relation) = operation else { return false }
      return relation.accepts(collator.compare(folding.fold(string), folding.fold(pattern)))
    case .expression(let expression):
      let text = folding.foldingDiacritics(string)
      if let result = expression.matchesWhole(text) { return result }
      throw InvalidPredicateError.badPattern(
        pattern, code: expression.problem ?? "U_REGEX_INTERNAL_ERROR", string: string,
        ignoresCase: folding.ignoresCase)
    }
  }

  private func holdsByBytes(_ string: String) -> Bool {
    folding.withFolded(string) { text, lowers in
      bytes.withUnsafeBufferPointer { pattern in
        switch operation {
        case .contains:
          !pattern.isEmpty && ByteSearch.contains(pattern, in: text, lowers: lowers)
        case .beginsWith:
          !pattern.isEmpty && ByteSearch.matches(pattern, in: text, at: 0, lowers: lowers)
        case .endsWith:
          !pattern.isEmpty && pattern.count <= text.count
            && ByteSearch.matches(
              pattern, in: text, at: text.count - pattern.count, lowers: lowers)
        case .relation(.equal):
          text.count == pattern.count
            && ByteSearch.matches(pattern, in: text, at: 0, lowers: lowers)
        case .relation(.notEqual):
          text.count != pattern.count
            || !ByteSearch.matches(pattern, in: text, at: 0, lowers: lowers)
        case .relation(let relation):
          relation.accepts(ByteSearch.compare(text, with: pattern, lowers: lowers))
        case .like, .matches: false
        }
      }
    }
  }
}

/// A LIKE pattern.
///
/// `*` matches any text and `?` one character; `\` makes the next one literal.
///
/// A character is a Unicode scalar. The pattern matches the whole string.
struct LikePattern {
  private enum Step {
    case byte(UInt8)
    case anyScalar
    case anyRun
  }

  private let steps: [Step]

  /// Reads a pattern that is folded in the same way as the strings will be.
  init(_ pattern: String) {
    var steps: [Step] = []
    var isEscaped = false
    for byte in pattern.utf8 {
      switch byte {
      case UInt8(ascii: "\\") where !isEscaped:
        isEscaped = true
        continue
      case UInt8(ascii: "*") where !isEscaped:
        if case .anyRun = steps.last { continue }
        steps.append(.anyRun)
      case UInt8(ascii: "?") where !isEscaped: steps.append(.anyScalar)
      default: steps.append(.byte(byte))
      }
      isEscaped = false
    }
    if isEscaped { steps.append(.byte(UInt8(ascii: "\\"))) }
    self.steps = steps
  }

  /// Returns whether the whole text matches.
  ///
  /// - Complexity: O(*n* · *m*) at worst. No pattern takes exponential time, because only the last
  ///   `*` is ever tried again.
  func matches(_ text: UnsafeBufferPointer<UInt8>, lowers: Bool) -> Bool {
    var offset = 0
    var step = 0
    var retry: (step: Int, offset: Int)?
    var effort = ByteSearch.Effort()
    while offset < text.count {
      if step < steps.count {
        switch steps[step] {
        case .anyRun:
          retry = (step + 1, offset)
          step += 1
          continue
        case .anyScalar:
          offset = Self.endOfScalar(text, offset)
          step += 1
          continue
        case .byte(let byte):
          if (lowers ? ByteSearch.lowered(text[offset]) : text[offset]) == byte {
            offset += 1
            step += 1
            continue
          }
        }
      }
      guard let (again, start) = retry else { return false }
      if effort.isTooMuch(adding: step - again + 1) { return false }
      step = again
      offset = Self.endOfScalar(text, start)
      retry = (again, offset)
    }
    return steps[step...].allSatisfy { if case .anyRun = $0 { true } else { false } }
  }

  @inline(__always)
  private static func endOfScalar(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
    var end = start + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}

/// A pattern of MATCHES: a regular expression of ICU that must match the whole string.
///
/// `^` and `$` also match at line breaks, and `.` matches a line break. Foundation's regular
/// expressions use ICU too. ICU itself is used here because it can match the whole string, where a
/// first match may be shorter, and because it reports what is wrong with a pattern.
final class RegularExpression {
  /// The compiled pattern, which this object closes; nil if the pattern is bad.
  private let pattern: ICUPattern?
  /// ICU's name for the error in the pattern or in the last match.
  private(set) var problem: String?

  /// How long a match may take, in ICU's steps of less than a millisecond.
  ///
  /// A pattern such as `(a+)+b` would never end.
  private static let timeLimit: Int32 = 2_000

  init(_ text: String, ignoresCase: Bool) {
    // ICU does not accept an empty pattern.
    let units = Array((text.isEmpty ? "()" : text).utf16)
    do throws(ICUPattern.Problem) {
      pattern = try ICUPattern(units, ignoresCase: ignoresCase, timeLimit: Self.timeLimit)
    } catch {
      pattern = nil
      problem = error.name
    }
  }

  deinit { pattern?.close() }

  /// Returns whether the pattern matches the whole string.
  ///
  /// - Returns: Nil if the pattern is bad or the match took too long; ``problem`` then has the
  ///   reason.
  func matchesWhole(_ string: String) -> Bool? {
    guard let pattern else { return nil }
    do throws(ICUPattern.Problem) {
      return try pattern.matchesWhole(string)
    } catch {
      problem = error.name
      return nil
    }
  }
}
