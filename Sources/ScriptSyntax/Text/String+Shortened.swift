extension String {
  /// Returns the text, or its start and its end with `…` between them where it is
  /// longer than people read.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package func shortened(to most: Int = 400) -> String {
    guard utf8.count > most, count > most else { return self }
    return prefix(most / 2) + "…" + suffix(most / 4)
  }
}
