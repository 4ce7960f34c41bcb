import Foundation
package import PredicateSyntax

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
