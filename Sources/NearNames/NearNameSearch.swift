/// Looks for near names until it has compared so many that a text full of unknown names would
/// take long.
///
/// Without a limit, a text with *n* names and *n* unknown ones needs *n*² comparisons.
package final class NearNameSearch {
  /// How many names may still be compared.
  private var left: Int

  /// - Parameter comparisons: How many names are compared at most; a comparison takes about a
  ///   microsecond.
  package init(comparisons: Int = 100_000) { left = comparisons }

  /// Returns the candidate that was probably meant by `name`; nil if none is near, or if too many
  /// names were compared before.
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
