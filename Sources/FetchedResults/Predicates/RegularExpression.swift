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
