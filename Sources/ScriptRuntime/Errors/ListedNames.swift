extension [String] {
  /// Returns the names as a part of a sentence: `a, b and c`; nil if there are none.
  ///
  /// - Parameter limit: The largest number of names that are listed; the others are counted.
  func listed(limit: Int) -> String? {
    guard let last else { return nil }
    if count == 1 { return last }
    if count <= limit { return dropLast().joined(separator: ", ") + " and " + last }
    return prefix(limit).joined(separator: ", ") + " and \(count - limit) more"
  }
}
