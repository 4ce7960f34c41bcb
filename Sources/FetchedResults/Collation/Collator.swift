/// ICU's collator for one locale: the one source of localized order.
///
/// Foundation compares by locale too, but has no keys, and a sort of many rows
/// must compute a key once a row.
package final class Collator: Sendable {
  package enum Strength: Sendable {
    /// Base letters and accents.
    case secondary
    /// Case as well.
    case tertiary
  }

  /// Owned here and closed at the end.
  ///
  /// Safe to share: ICU documents collation
  /// by an open, no longer changed collator as free of writes.
  ///
  /// Nil if ICU has no collator at all; strings compare by their scalars then.
  private nonisolated(unsafe) let collator: ICUCollator?
  /// The same order without regard to normal forms, which makes no difference in ASCII and is
  /// faster.
  private nonisolated(unsafe) let asciiCollator: ICUCollator?
  /// Tells most texts apart without ICU; nil where the locale has rules of its own.
  let ranks: LetterRanks?
  let isNumeric: Bool

  /// Creates a collator.
  ///
  /// - Parameter locale: Where ICU does not know it, or it is not a locale's
  ///   identifier, the root locale's order is used; see ``isKnown(_:)``.
  package init(locale: String, strength: Strength, isNumeric: Bool) {
    collator = ICUCollator(locale: locale) ?? ICUCollator(locale: "root")
    collator?.set(strength, isNumeric: isNumeric)
    asciiCollator = ICUCollator(locale: locale) ?? ICUCollator(locale: "root")
    asciiCollator?.set(strength, isNumeric: isNumeric, normalizes: false)
    self.isNumeric = isNumeric
    let hasRootOrder = collator.map { LetterRanks.describe($0, of: locale) } ?? false
    ranks = hasRootOrder ? LetterRanks.root : nil
  }

  deinit {
    collator?.close()
    asciiCollator?.close()
  }

  /// Returns whether ICU knows a locale's language.
  ///
  /// A region that it does not know makes no difference to an order.
  package static func isKnown(_ locale: String) -> Bool {
    // Opening a collator takes long for a script of one line, and most name no locale.
    if ["", "root", "en"].contains(locale) { return true }
    guard let collator = ICUCollator(locale: locale) else { return false }
    defer { collator.close() }
    guard let name = collator.validLocale else { return false }
    return !["", "root"].contains(name)
  }

  /// Compares two texts as far as that takes no call of ICU.
  ///
  /// - Returns: A negative or a positive number; nil where ICU has to decide.
  func compareLetters(_ left: String, _ right: String) -> Int? {
    ranks?.compare(left, right, isNumeric: isNumeric)
  }

  /// Returns a number that orders as a part of a text does; nil where ``compareLetters(_:_:)``
  /// cannot compare the text with others.
  func letterCode(of text: String, from offset: Int) -> UInt64? {
    ranks?.code(of: text, isNumeric: isNumeric, from: offset)
  }

  func compare(_ left: String, _ right: String) -> Int {
    if let result = compareLetters(left, right) { return result }
    if left.hasSameScalars(as: right) { return 0 }
    let isASCII = left.isASCII && right.isASCII
    return (isASCII ? asciiCollator : collator)?.compare(left, right)
      ?? left.compareScalars(with: right)
  }

  func key(for string: String) -> [UInt8] {
    (string.isASCII ? asciiCollator : collator)?.key(for: string) ?? Array(string.utf8)
  }
}

extension String {
  fileprivate var isASCII: Bool {
    utf8.withContiguousStorageIfAvailable { $0.reduce(0, |) < 0x80 }
      ?? utf8.allSatisfy { $0 < 0x80 }
  }
}

extension EvaluationEnvironment {
  /// Whether ICU knows the language of ``locale``.
  public var knowsLocale: Bool { Collator.isKnown(locale) }
}
