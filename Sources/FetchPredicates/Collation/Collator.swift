import Foundation
import _FoundationICU

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
  /// Nil where ICU has no collator at all; strings compare by their scalars then.
  private nonisolated(unsafe) let handle: OpaquePointer?

  /// Creates a collator.
  ///
  /// - Parameter locale: Where ICU does not know it, or it is no locale's
  ///   identifier, the root locale's order is used; see ``isKnown(_:)``.
  package init(locale: String, strength: Strength, isNumeric: Bool) {
    handle = Self.open(locale) ?? Self.open("root")
    var status = U_ZERO_ERROR
    guard let handle else { return }
    let level = strength == .secondary ? UCOL_SECONDARY : UCOL_TERTIARY
    swift_ucol_setAttribute(handle, UCOL_STRENGTH, level, &status)
    swift_ucol_setAttribute(handle, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
    if isNumeric {
      swift_ucol_setAttribute(handle, UCOL_NUMERIC_COLLATION, UCOL_ON, &status)
    }
  }

  deinit { swift_ucol_close(handle) }

  private static func open(_ locale: String) -> OpaquePointer? {
    var status = U_ZERO_ERROR
    guard let handle = swift_ucol_open(locale, &status) else { return nil }
    guard status.rawValue <= U_ZERO_ERROR.rawValue else {
      swift_ucol_close(handle)
      return nil
    }
    return handle
  }

  /// Returns whether ICU knows a locale's language.
  ///
  /// A region that it does not know makes no difference to an order.
  package static func isKnown(_ locale: String) -> Bool {
    if ["", "root"].contains(locale) { return true }
    guard let handle = open(locale) else { return false }
    defer { swift_ucol_close(handle) }
    var status = U_ZERO_ERROR
    guard let name = swift_ucol_getLocaleByType(handle, ULOC_VALID_LOCALE, &status),
      status.rawValue <= U_ZERO_ERROR.rawValue
    else { return false }
    return !["", "root"].contains(String(cString: name))
  }

  func compare(_ left: String, _ right: String) -> Int {
    guard let handle else { return left.compareScalars(with: right) }
    var left = left
    var right = right
    var status = U_ZERO_ERROR
    let result = left.withUTF8 { a in
      right.withUTF8 { b in
        a.withMemoryRebound(to: CChar.self) { a in
          b.withMemoryRebound(to: CChar.self) { b in
            swift_ucol_strcollUTF8(
              handle, a.baseAddress, Int32(a.count), b.baseAddress, Int32(b.count), &status)
          }
        }
      }
    }
    guard status.rawValue <= U_ZERO_ERROR.rawValue else { return left.compareScalars(with: right) }
    return Int(result.rawValue)
  }

  func key(for string: String) -> [UInt8] {
    guard let handle else { return Array(string.utf8) }
    let units = string.utf16.count
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: units) { text in
      _ = text.update(fromContentsOf: string.utf16)
      // Few keys are longer; where one is, ICU says how long it is.
      let guess = units * 4 + 16
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: guess) { buffer in
        let length = swift_ucol_getSortKey(
          handle, text.baseAddress, Int32(units), buffer.baseAddress, Int32(guess))
        if length <= guess { return Array(buffer[..<Int(length)]) }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
          count = Int(
            swift_ucol_getSortKey(
              handle, text.baseAddress, Int32(units), buffer.baseAddress, length))
        }
      }
    }
  }
}
