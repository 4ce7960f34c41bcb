/// A search for near names with a limited number of comparisons.
///
/// Without a limit, a text with *n* names and *n* unknown ones needs *n*² comparisons.
package final class NearNameSearch {
  /// The number of comparisons that are left.
  private var left: Int

  /// - Parameter comparisons: The largest number of names to compare. A comparison takes about a
  ///   microsecond.
  package init(comparisons: Int = 100_000) { left = comparisons }

  /// Returns the candidate that was probably meant by `name`; nil if none is near, or if the limit
  /// was reached before.
  ///
  /// - Complexity: O(*k*) in the candidates, as ``nearestName(to:among:)``; constant after the
  ///   limit, where the candidates are not evaluated.
  package func nearestName<Names: Collection<String>>(
    to name: String, among candidates: @autoclosure () -> Names
  ) -> String? {
    guard left > 0 else { return nil }
    let candidates = candidates()
    left -= candidates.count
    return NearNames.nearestName(to: name, among: candidates)
  }
}
