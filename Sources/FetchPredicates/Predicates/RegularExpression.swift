/// A pattern of MATCHES: ICU's regular expressions, over the whole string.
///
/// `^` and `$` match at line breaks too, and `.` matches one. It uses ICU, as
/// Foundation's own regular expressions do, because only ICU tells a match of
/// the whole string from a first match that happens to be shorter, and names
/// what is wrong with a pattern.
final class RegularExpression {
  /// Owned here and closed at the end; nil if the pattern is bad.
  private let pattern: ICUPattern?
  /// ICU's name for what is wrong with the pattern, or with the last match.
  private(set) var problem: String?

  /// How long a match may take, in ICU's steps of less than a millisecond: a
  /// pattern such as `(a+)+b` would take for ever.
  private static let timeLimit: Int32 = 2_000

  init(_ text: String, ignoresCase: Bool) {
    // An empty pattern is not a pattern to ICU.
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
  /// - Returns: Nil if the pattern is bad or the match was given up; then ``problem`` tells why.
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
