import Foundation
import PredicateSyntax

/// What `[cd]` makes of a string before it is compared.
///
/// Without `c` and `d`, or with `n`, strings stay as they are and compare by
/// their bytes. Otherwise case or diacritics are folded as Foundation folds
/// them, and the result is brought into one normal form, so that é is é however
/// it is written.
struct StringFolding {
  private let options: String.CompareOptions
  private let locale: Locale?
  /// Whether an ASCII string folds to ASCII by lower-casing alone.
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
    // The Turkic languages pair I with ı, and Lithuanian keeps dots.
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
  /// Lowering the bytes of an ASCII string is left to `body` where `lowers` is
  /// true.
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
    // Below U+0300, and among ideographs and Hangul syllables, nothing
    // composes; so most texts are in that form already.
    let isComposed = utf8.allSatisfy { $0 < 0xCC || (0xE4...0xEC).contains($0) }
    return isComposed ? self : precomposedStringWithCanonicalMapping
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether every byte is below 128; looks at eight at a time.
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
