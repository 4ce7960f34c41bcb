extension String {
  /// Returns the text.
  ///
  /// If it is longer than the limit, returns its start and its end with `…` between them.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package func shortened(to most: Int = 400) -> String {
    guard utf8.count > most, count > most else { return self }
    return prefix(most / 2) + "…" + suffix(most / 4)
  }
}
