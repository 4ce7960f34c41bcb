import Foundation

/// How two strings compare, with a key of bytes that compares the same.
package enum StringOrder: Sendable {
  case scalars
  case folded
  case collated(Collator)

  package init(_ selector: FetchSortDescriptor.Selector, locale: String) {
    switch selector {
    case .compare: self = .scalars
    case .caseInsensitiveCompare: self = .folded
    case .localizedCompare:
      self = .collated(Collator(locale: locale, strength: .tertiary, isNumeric: false))
    case .localizedCaseInsensitiveCompare:
      self = .collated(Collator(locale: locale, strength: .secondary, isNumeric: false))
    case .localizedStandardCompare:
      self = .collated(Collator(locale: locale, strength: .tertiary, isNumeric: true))
    }
  }

  /// Whether strings compare by their own bytes, so that a key saves nothing.
  package var isPlain: Bool {
    if case .scalars = self { true } else { false }
  }

  /// Returns a negative number, 0 or a positive number.
  package func compare(_ left: String, _ right: String) -> Int {
    switch self {
    case .scalars: left.compareScalars(with: right)
    case .folded: left.caseFolded.compareScalars(with: right.caseFolded)
    case .collated(let collator): collator.compare(left, right)
    }
  }

  /// Compares two strings as far as that takes no key and no call of ICU.
  ///
  /// - Returns: A negative or a positive number; nil where only ``compare(_:_:)`` or keys can tell.
  func compareLetters(_ left: String, _ right: String) -> Int? {
    if case .collated(let collator) = self { collator.compareLetters(left, right) } else { nil }
  }

  /// Returns a number that orders as seven bytes of a string do; nil where only keys can tell.
  ///
  /// - Parameter offset: The first of these bytes, among those that the string compares by.
  func letterCode(of string: String, from offset: Int) -> UInt64? {
    guard case .collated(let collator) = self else { return nil }
    return collator.letterCode(of: string, from: offset)
  }

  /// Returns bytes that compare as the strings do.
  package func key(for string: String) -> [UInt8] {
    switch self {
    case .scalars: Array(string.utf8)
    case .folded: Array(string.caseFolded.utf8)
    case .collated(let collator): collator.key(for: string)
    }
  }
}

extension String {
  /// The text without case, independent of any locale.
  var caseFolded: String { folding(options: .caseInsensitive, locale: nil) }
}
