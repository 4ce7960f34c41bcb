import PredicateSyntax

/// Returns the candidate that was probably meant by `name`, or nil where none
/// is near.
///
/// Near is a name that differs in one letter of three, without regard to case,
/// or that begins or completes `name`. Of two equally near names the first
/// wins; `name` itself is never its own suggestion.
///
/// - Complexity: O(*k* · *n*²), for *k* candidates of *n* letters.
package func nearestName(
  to name: String, among candidates: some Sequence<String>
) -> String? {
  NearName.nearest(to: name, among: candidates.filter { $0 != name })
}
