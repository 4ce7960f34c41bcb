extension String {
  /// Returns the common start of this text and another one.
  func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
