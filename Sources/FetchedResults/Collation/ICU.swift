import CICU

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

/// A collator of ICU, opened.
///
/// This file is the one that calls ICU.
struct ICUCollator {
  private let handle: OpaquePointer

  /// Opens a collator; nil if ICU has none, and no root locale either.
  init?(locale: String) {
    var status: ICUStatus = 0
    guard let handle = icuOpenCollator(locale, &status) else { return nil }
    guard status.isSuccess else {
      icuCloseCollator(handle)
      return nil
    }
    self.handle = handle
  }

  func close() { icuCloseCollator(handle) }

  /// Sets what makes a difference.
  ///
  /// - Parameter normalizes: Whether texts in another normal form make none.
  func set(_ strength: Collator.Strength, isNumeric: Bool, normalizes: Bool = true) {
    var status: ICUStatus = 0
    let level = strength == .secondary ? icuSecondary : icuTertiary
    icuSetAttribute(handle, Int32(icuStrength), Int32(level), &status)
    if normalizes {
      icuSetAttribute(handle, Int32(icuNormalizationMode), Int32(icuOn), &status)
    }
    if isNumeric { icuSetAttribute(handle, Int32(icuNumericCollation), Int32(icuOn), &status) }
  }

  /// The locale whose rules are used, which may be a parent of the one asked for.
  var validLocale: String? { locale(ofType: Int32(icuValidLocale)) }

  /// The locale that the rules are written for: often the root, for a locale that has none.
  var actualLocale: String? { locale(ofType: Int32(icuActualLocale)) }

  private func locale(ofType type: Int32) -> String? {
    var status: ICUStatus = 0
    guard let name = icuLocaleOfCollator(handle, type, &status),
      status.isSuccess
    else { return nil }
    return String(cString: name)
  }

  /// Returns a negative number, 0 or a positive one; nil if ICU cannot tell.
  func compare(_ left: String, _ right: String) -> Int? {
    var left = left
    var right = right
    var status: ICUStatus = 0
    let result = left.withUTF8 { a in
      right.withUTF8 { b in
        a.withMemoryRebound(to: CChar.self) { a in
          b.withMemoryRebound(to: CChar.self) { b in
            icuCompare(
              handle, a.baseAddress, Int32(a.count), b.baseAddress, Int32(b.count), &status)
          }
        }
      }
    }
    return status.isSuccess ? Int(result) : nil
  }

  /// Returns bytes that compare as the string does.
  func key(for string: String) -> [UInt8] {
    let units = string.utf16.count
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: units) { text in
      _ = text.update(fromContentsOf: string.utf16)
      // Few keys are longer; where one is, ICU says how long it is.
      let guess = units * 4 + 16
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: guess) { buffer in
        let length = icuSortKey(
          handle, text.baseAddress, Int32(units), buffer.baseAddress, Int32(guess))
        if length <= guess { return Array(buffer[..<Int(length)]) }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
          count = Int(
            icuSortKey(
              handle, text.baseAddress, Int32(units), buffer.baseAddress, length))
        }
      }
    }
  }
}

/// A regular expression of ICU, opened.
struct ICUPattern {
  private let handle: OpaquePointer

  /// ICU's name for what is wrong with a pattern, or with a match.
  struct Problem: Error {
    let name: String

    fileprivate init(_ status: ICUStatus) {
      name = icuNameOfStatus(status).map { String(cString: $0) } ?? "U_REGEX_INTERNAL_ERROR"
    }
  }

  /// Opens a pattern, in which `^` and `$` match at line breaks and `.` matches one.
  ///
  /// - Parameter timeLimit: How long a match may take, in steps of less than a
  ///   millisecond.
  init(_ pattern: [UInt16], ignoresCase: Bool, timeLimit: Int32) throws(Problem) {
    var flags = UInt32(icuMultipleLines | icuDotMatchesLineEnds)
    if ignoresCase { flags |= UInt32(icuIgnoresCase) }
    var status: ICUStatus = 0
    let handle = pattern.withUnsafeBufferPointer {
      icuOpenPattern($0.baseAddress, Int32($0.count), flags, nil, &status)
    }
    guard let handle, status.isSuccess else {
      if let handle { icuClosePattern(handle) }
      throw Problem(status)
    }
    self.handle = handle
    icuSetTimeLimit(handle, timeLimit, &status)
    icuSetMatchCallback(
      handle, { _, _ in StopCheck.isWanted(after: 1 << 10) ? 0 : 1 }, nil, &status)
  }

  func close() { icuClosePattern(handle) }

  /// Returns whether the pattern matches the whole text.
  ///
  /// - Throws: ``Problem`` if the match was given up.
  func matchesWhole(_ text: String) throws(Problem) -> Bool {
    var units = Array(text.utf16)
    let count = Int32(units.count)
    if units.isEmpty { units.append(0) }
    var status: ICUStatus = 0
    let result = units.withUnsafeBufferPointer { buffer in
      icuSetText(handle, buffer.baseAddress, count, &status)
      return icuMatches(handle, 0, &status)
    }
    guard status.isSuccess else { throw Problem(status) }
    return result != 0
  }
}

extension ICUStatus {
  fileprivate var isSuccess: Bool { self <= 0 }
}
