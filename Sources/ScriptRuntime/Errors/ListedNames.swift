extension [String] {
  /// The names as a part of a sentence, or nil if there are none: `a, b and c`.
  ///
  /// - Parameter limit: How many names are listed at most; the others are counted.
  func listed(limit: Int) -> String? {
    guard let last else { return nil }
    if count == 1 { return last }
    if count <= limit { return dropLast().joined(separator: ", ") + " and " + last }
    return prefix(limit).joined(separator: ", ") + " and \(count - limit) more"
  }
}
