/// Returns the candidate that was probably meant by `name`, or nil if none is near.
///
/// A name is near if it differs in at most one letter of three, or if one of the two names begins
/// with the other and both have at least four letters. Two letters that change places count as one
/// difference, and case is ignored. Two names without a letter in common are never near. If two are
/// equally near, the first wins. `name` itself is never suggested.
///
/// - Complexity: O(*k* · *n*²), for *k* candidates of *n* letters.
package func nearestName(
  to name: String, among candidates: some Sequence<String>
) -> String? {
  let wanted = Array(name.lowercased())
  guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
  var best: (name: String, distance: Int)?
  for candidate in candidates where candidate != name {
    let letters = Array(candidate.lowercased())
    let distance = distance(wanted, letters)
    let limit = max(1, min(wanted.count, letters.count) / 3)
    guard distance < max(wanted.count, letters.count) || distance == 0 else { continue }
    guard distance <= limit || extends(wanted, letters) else { continue }
    if distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.name
}

private func extends(_ a: [Character], _ b: [Character]) -> Bool {
  min(a.count, b.count) >= 4 && (a.starts(with: b) || b.starts(with: a))
}

/// Returns the number of letters to add, drop, change or swap with a neighbour.
private func distance(_ a: [Character], _ b: [Character]) -> Int {
  guard !b.isEmpty else { return a.count }
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      let change = last[j] + (a[i] == b[j] ? 0 : 1)
      var least = min(change, last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        least = min(least, beforeLast[j - 1] + 1)
      }
      row.append(least)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}

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
    return Basics.nearestName(to: name, among: candidates)
  }
}
