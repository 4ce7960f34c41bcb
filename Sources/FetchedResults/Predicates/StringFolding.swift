import Foundation
import PredicateSyntax

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
  fileprivate var composed: String {
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
