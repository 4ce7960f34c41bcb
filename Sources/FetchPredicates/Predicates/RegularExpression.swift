import Foundation
import _FoundationICU

/// A pattern of MATCHES: ICU's regular expressions, over the whole string.
///
/// `^` and `$` match at line breaks too, and `.` matches one. It uses ICU, as
/// Foundation's own regular expressions do, because only ICU tells a match of
/// the whole string from a first match that happens to be shorter, and names
/// what is wrong with a pattern.
final class RegularExpression {
  /// Owned here and closed at the end; nil where the pattern is bad.
  private let handle: OpaquePointer?
  /// ICU's name for what is wrong with the pattern, or with the last match.
  private(set) var problem: String?

  /// How long a match may take, in ICU's steps of less than a millisecond: a
  /// pattern such as `(a+)+b` would take for ever.
  private static let timeLimit: Int32 = 2_000

  init(_ pattern: String, ignoresCase: Bool) {
    let units = Array(pattern.utf16)
    var flags = UREGEX_MULTILINE.rawValue | UREGEX_DOTALL.rawValue
    if ignoresCase { flags |= UREGEX_CASE_INSENSITIVE.rawValue }
    var status = U_ZERO_ERROR
    // An empty pattern is no pattern to ICU.
    let handle = (units.isEmpty ? Array("()".utf16) : units).withUnsafeBufferPointer {
      swift_uregex_open($0.baseAddress, Int32($0.count), UInt32(flags), nil, &status)
    }
    if status.rawValue > U_ZERO_ERROR.rawValue {
      self.handle = nil
      problem = Self.name(of: status)
      if let handle { swift_uregex_close(handle) }
    } else {
      self.handle = handle
      swift_uregex_setTimeLimit(handle, Self.timeLimit, &status)
    }
  }

  deinit {
    if let handle { swift_uregex_close(handle) }
  }

  /// Returns whether the pattern matches the whole string.
  ///
  /// - Returns: Nil where the pattern is bad or the match was given up; then
  ///   ``problem`` tells why.
  func matchesWhole(_ string: String) -> Bool? {
    guard let handle else { return nil }
    var units = Array(string.utf16)
    let count = Int32(units.count)
    if units.isEmpty { units.append(0) }
    return units.withUnsafeBufferPointer { buffer in
      var status = U_ZERO_ERROR
      swift_uregex_setText(handle, buffer.baseAddress, count, &status)
      let result = swift_uregex_matches(handle, 0, &status)
      guard status.rawValue > U_ZERO_ERROR.rawValue else { return result != 0 }
      problem = Self.name(of: status)
      return nil
    }
  }

  private static func name(of status: UErrorCode) -> String {
    swift_u_errorName(status).map { String(cString: $0) } ?? "U_REGEX_INTERNAL_ERROR"
  }
}
