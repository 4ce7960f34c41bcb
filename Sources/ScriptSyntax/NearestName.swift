/// Returns the candidate that was probably meant by `name`, or nil.
///
/// Near is a name that differs in one letter of three, without regard to
/// case; two letters changing places count as one. Of two equally near names
/// the first wins.
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
    let limit = max(1, min(wanted.count, letters.count) / 3)
    guard abs(letters.count - wanted.count) <= limit else { continue }
    let distance = editDistance(wanted, letters)
    guard distance <= limit, distance < wanted.count else { continue }
    if distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.name
}

/// The number of letters to add, drop, change or swap with a neighbour.
private func editDistance(_ first: [Character], _ second: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...second.count)
  for (i, letter) in first.enumerated() {
    var row = [i + 1]
    for (j, other) in second.enumerated() {
      var least = min(last[j] + (letter == other ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
        least = min(least, beforeLast[j - 1] + 1)
      }
      row.append(least)
    }
    (beforeLast, last) = (last, row)
  }
  return last[second.count]
}
