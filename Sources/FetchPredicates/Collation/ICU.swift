import _FoundationICU

/// A collator of ICU, opened.
///
/// This file is the one that calls ICU, in the module that Foundation ships it in. A platform
/// with another ICU needs another version of this file, and of no other.
struct ICUCollator {
  private let handle: OpaquePointer

  /// Opens a collator; nil where ICU has none, and no root locale either.
  init?(locale: String) {
    var status = U_ZERO_ERROR
    guard let handle = swift_ucol_open(locale, &status) else { return nil }
    guard status.isSuccess else {
      swift_ucol_close(handle)
      return nil
    }
    self.handle = handle
  }

  func close() { swift_ucol_close(handle) }

  /// Sets what makes a difference; texts in another normal form make none.
  func set(_ strength: Collator.Strength, isNumeric: Bool) {
    var status = U_ZERO_ERROR
    let level = strength == .secondary ? UCOL_SECONDARY : UCOL_TERTIARY
    swift_ucol_setAttribute(handle, UCOL_STRENGTH, level, &status)
    swift_ucol_setAttribute(handle, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
    if isNumeric { swift_ucol_setAttribute(handle, UCOL_NUMERIC_COLLATION, UCOL_ON, &status) }
  }

  /// The locale whose rules are used, which may be a parent of the one asked for.
  var validLocale: String? {
    var status = U_ZERO_ERROR
    guard let name = swift_ucol_getLocaleByType(handle, ULOC_VALID_LOCALE, &status),
      status.isSuccess
    else { return nil }
    return String(cString: name)
  }

  /// Returns a negative number, 0 or a positive one; nil where ICU cannot tell.
  func compare(_ left: String, _ right: String) -> Int? {
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
    return status.isSuccess ? Int(result.rawValue) : nil
  }

  /// Returns bytes that compare as the string does.
  func key(for string: String) -> [UInt8] {
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

/// A regular expression of ICU, opened.
struct ICUPattern {
  private let handle: OpaquePointer

  /// ICU's name for what is wrong with a pattern, or with a match.
  struct Problem: Error {
    let name: String

    fileprivate init(_ status: UErrorCode) {
      name = swift_u_errorName(status).map { String(cString: $0) } ?? "U_REGEX_INTERNAL_ERROR"
    }
  }

  /// Opens a pattern, in which `^` and `$` match at line breaks and `.` matches one.
  ///
  /// - Parameter timeLimit: How long a match may take, in steps of less than a
  ///   millisecond.
  init(_ pattern: [UInt16], ignoresCase: Bool, timeLimit: Int32) throws(Problem) {
    var flags = UREGEX_MULTILINE.rawValue | UREGEX_DOTALL.rawValue
    if ignoresCase { flags |= UREGEX_CASE_INSENSITIVE.rawValue }
    var status = U_ZERO_ERROR
    let handle = pattern.withUnsafeBufferPointer {
      swift_uregex_open($0.baseAddress, Int32($0.count), UInt32(flags), nil, &status)
    }
    guard let handle, status.isSuccess else {
      if let handle { swift_uregex_close(handle) }
      throw Problem(status)
    }
    self.handle = handle
    swift_uregex_setTimeLimit(handle, timeLimit, &status)
    swift_uregex_setMatchCallback(
      handle, { _, _ in StopCheck.isWanted(after: 1 << 10) ? 0 : 1 }, nil, &status)
  }

  func close() { swift_uregex_close(handle) }

  /// Returns whether the pattern matches the whole text.
  ///
  /// - Throws: ``Problem`` where the match was given up.
  func matchesWhole(_ text: String) throws(Problem) -> Bool {
    var units = Array(text.utf16)
    let count = Int32(units.count)
    if units.isEmpty { units.append(0) }
    var status = U_ZERO_ERROR
    let result = units.withUnsafeBufferPointer { buffer in
      swift_uregex_setText(handle, buffer.baseAddress, count, &status)
      return swift_uregex_matches(handle, 0, &status)
    }
    guard status.isSuccess else { throw Problem(status) }
    return result != 0
  }
}

extension UErrorCode {
  fileprivate var isSuccess: Bool { rawValue <= U_ZERO_ERROR.rawValue }
}
