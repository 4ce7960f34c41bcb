import Foundation
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
    case .like(let like):
      let ends = like.hasAnyCharacter ? folding.characterEnds(in: string) : nil
      return folding.withFolded(string) { like.matches($0, lowers: $1, ends: ends) }
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
/// A character is a Unicode scalar, before case is folded. The pattern matches the whole string.
struct LikePattern {
  private enum Step: Equatable {
    case byte(UInt8)
    case anyCharacter
    case anyRun
  }

  private let steps: [Step]
  /// Whether the pattern has a `?`.
  let hasAnyCharacter: Bool

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
      case UInt8(ascii: "?") where !isEscaped: steps.append(.anyCharacter)
      default: steps.append(.byte(byte))
      }
      isEscaped = false
    }
    if isEscaped { steps.append(.byte(UInt8(ascii: "\\"))) }
    self.steps = steps
    hasAnyCharacter = steps.contains(.anyCharacter)
  }

  /// Returns whether the whole text matches.
  ///
  /// - Parameter ends: The offsets at which characters of the text end; nil if each scalar is one.
  /// - Complexity: O(*n* · *m*) at worst. No pattern takes exponential time, because only the last
  ///   `*` is ever tried again.
  func matches(
    _ text: UnsafeBufferPointer<UInt8>, lowers: Bool, ends: Set<Int>? = nil
  ) -> Bool {
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
        case .anyCharacter:
          if let end = Self.endOfCharacter(text, offset, ends) {
            offset = end
            step += 1
            continue
          }
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

  /// - Returns: Nil if no character begins at the offset.
  private static func endOfCharacter(
    _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ ends: Set<Int>?
  ) -> Int? {
    guard let ends else { return endOfScalar(text, start) }
    guard start == 0 || ends.contains(start) else { return nil }
    var end = endOfScalar(text, start)
    while end < text.count, !ends.contains(end) { end = endOfScalar(text, end) }
    return end
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

/// A string operator with its right side, in a form that a store can check.
package struct TextSearch: Hashable, Sendable {
  package let operation: Operation
  package let options: Options
  package let pattern: String

  package typealias Operation = PredicateTree.Comparator.TextOperation

  /// The options that change how strings are compared.
  package struct Options: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let caseInsensitive = Options(.caseInsensitive)
    package static let diacriticInsensitive = Options(.diacriticInsensitive)
    package static let normalized = Options(.normalized)
    package static let locale = Options(.locale)

    init(_ options: PredicateOptions) { rawValue = options.rawValue }
  }

  package init(_ operation: Operation, _ options: Options, pattern: String) {
    self.operation = operation
    self.options = options
    self.pattern = pattern
  }
}

extension TextSearch {
  /// Whether both search for the same Unicode scalars, which `String` does not compare.
  package static func == (left: Self, right: Self) -> Bool {
    left.operation == right.operation && left.options == right.options
      && left.pattern.hasSameScalars(as: right.pattern)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(operation)
    hasher.combine(options)
    hasher.combine(ScalarString(pattern))
  }
}

extension TextTest {
  package convenience init(_ search: TextSearch, locale: String) {
    self.init(
      search.operation, PredicateOptions(rawValue: search.options.rawValue),
      pattern: search.pattern, locale: locale)
  }
}

/// Searches in bytes.
///
/// The text can be lowercased during the search; the pattern already is.
enum ByteSearch {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  @inline(__always)
  static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  /// Whether the pattern occurs in the text at `start`.
  @inline(__always)
  static func matches(
    _ pattern: Bytes, in text: Bytes, at start: Int, lowers: Bool
  ) -> Bool {
    guard pattern.count <= text.count - start else { return false }
    guard lowers else {
      return Bytes(rebasing: text[start..<start + pattern.count])
        .comparedBytes(with: pattern) == 0
    }
    for index in 0..<pattern.count where lowered(text[start &+ index]) != pattern[index] {
      return false
    }
    return true
  }

  /// Whether the pattern occurs anywhere in the text.
  ///
  /// - Complexity: O(*n* · *m*) at worst, if the text is lowercased.
  static func contains(_ pattern: Bytes, in text: Bytes, lowers: Bool) -> Bool {
    guard let first = pattern.first, pattern.count <= text.count else {
      return pattern.isEmpty
    }
    guard lowers else { return containsExactly(pattern, first, in: text) }
    var effort = Effort()
    for start in 0...text.count - pattern.count where lowered(text[start]) == first {
      if matches(pattern, in: text, at: start, lowers: true) { return true }
      if effort.isTooMuch(adding: pattern.count) { return false }
    }
    return false
  }

  /// Finds the first byte with a fast search, and then compares the rest.
  private static func containsExactly(_ pattern: Bytes, _ first: UInt8, in text: Bytes) -> Bool {
    guard let base = text.baseAddress else { return false }
    let last = text.count - pattern.count
    var start = 0
    var effort = Effort()
    while start <= last, let found = memchr(base + start, Int32(first), last - start + 1) {
      start = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if matches(pattern, in: text, at: start, lowers: false) { return true }
      if effort.isTooMuch(adding: pattern.count) { return false }
      start += 1
    }
    return false
  }

  /// Counts the bytes that a search may have compared, and checks regularly whether to stop.
  struct Effort {
    private var bytes = 0

    /// Whether the search must end without a result.
    @inline(__always)
    mutating func isTooMuch(adding count: Int) -> Bool {
      bytes &+= count
      guard bytes > 1 << 16 else { return false }
      bytes = 0
      return StopCheck.isWanted(after: 1 << 10)
    }
  }

  /// Compares like `memcmp`, with a prefix before longer texts.
  static func compare(_ text: Bytes, with pattern: Bytes, lowers: Bool) -> Int {
    guard lowers else { return text.comparedBytes(with: pattern) }
    for index in 0..<min(text.count, pattern.count) {
      let difference = Int(lowered(text[index])) - Int(pattern[index])
      if difference != 0 { return difference }
    }
    return text.count - pattern.count
  }
}

/// Folds strings for a comparison with `[cd]`.
///
/// Without `c` and `d`, or with `n`, strings stay as they are and are compared by their bytes.
/// Otherwise case or diacritics are folded like in Foundation. The result is normalized, so that é
/// equals é whether it is encoded as one scalar or as two.
struct StringFolding {
  private let options: String.CompareOptions
  private let locale: Locale?
  /// Whether folding an ASCII string only lowercases it.
  private let foldsASCIIAlone: Bool

  init(_ options: PredicateOptions, locale: String) {
    var folding: String.CompareOptions = []
    if !options.contains(.normalized) {
      if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
      if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    }
    self.options = folding
    self.locale =
      options.contains(.locale) && Collator.isKnown(locale) ? Locale(identifier: locale) : nil
    // In Turkic languages the lowercase of I is ı, and Lithuanian keeps dots.
    let language = locale.prefix(2).lowercased()
    foldsASCIIAlone = !options.contains(.locale) || !["tr", "az", "lt"].contains(language)
  }

  var isIdentity: Bool { options.isEmpty }

  var ignoresCase: Bool { options.contains(.caseInsensitive) }

  /// Folds diacritics but not case, which a regular expression folds itself.
  func foldingDiacritics(_ string: String) -> String {
    guard options.contains(.diacriticInsensitive) else { return string }
    return string.folding(options: .diacriticInsensitive, locale: locale).composed
  }

  func fold(_ string: String) -> String {
    isIdentity ? string : string.folding(options: options, locale: locale).composed
  }

  /// Returns the offsets at which the string's characters end in the folded text; nil if each folded
  /// scalar is a character.
  ///
  /// One character may become several where case is folded: `ß` becomes `ss`.
  func characterEnds(in string: String) -> Set<Int>? {
    guard ignoresCase, string.unicodeScalars.contains(where: \.mayFoldToSeveral) else { return nil }
    var ends: Set<Int> = []
    var text = ""
    for scalar in foldingDiacritics(string).composed.unicodeScalars {
      text += fold(String(scalar))
      ends.insert(text.utf8.count)
    }
    // Folded scalars may compose with their neighbours.
    return text.hasSameScalars(as: fold(string)) ? ends : nil
  }

  /// Calls `body` with the folded string's bytes.
  ///
  /// If `lowers` is true, the bytes are ASCII and `body` has to lowercase them.
  @inline(__always)
  func withFolded<Result>(
    _ string: String, _ body: (_ text: UnsafeBufferPointer<UInt8>, _ lowers: Bool) -> Result
  ) -> Result {
    var copy = string
    if isIdentity { return copy.withUTF8 { body($0, false) } }
    if foldsASCIIAlone {
      let result: Result? = copy.withUTF8 { bytes in
        bytes.isASCII ? body(bytes, ignoresCase) : nil
      }
      if let result { return result }
    }
    var folded = fold(string)
    return folded.withUTF8 { body($0, false) }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar may become several where case is folded.
  fileprivate var mayFoldToSeveral: Bool {
    if isASCII { return false }
    // Both mappings of ẞ have one scalar.
    return value == 0x1E9E || properties.uppercaseMapping.unicodeScalars.count > 1
      || properties.lowercaseMapping.unicodeScalars.count > 1
  }
}

extension String {
  /// The text in normal form C.
  var composed: String {
    // Nothing composes below U+0300, or among ideographs and Hangul syllables. So most texts are
    // normalized already.
    let isComposed = utf8.allSatisfy { $0 < 0xCC || (0xE4...0xEC).contains($0) }
    return isComposed ? self : precomposedStringWithCanonicalMapping
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether every byte is below 128.
  ///
  /// It checks eight bytes at a time.
  @inline(__always)
  var isASCII: Bool {
    guard let base = baseAddress else { return true }
    let raw = UnsafeRawPointer(base)
    var offset = 0
    while offset + 8 <= count {
      let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      offset += 8
    }
    while offset < count {
      if self[offset] & 0x80 != 0 { return false }
      offset += 1
    }
    return true
  }
}
